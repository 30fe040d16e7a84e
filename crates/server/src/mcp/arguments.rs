//! Arguments of tools, read strictly: a misspelt one must not be taken for one that was left out.

use std::borrow::Cow;
use std::fmt;

use interline_items::fields::FieldError;
use interline_items::{Error, ItemId, Kind, OrganizationId};
use rmcp::model::JsonObject;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{DeserializeOwned, Error as _, Unexpected, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use uuid::Uuid;

use crate::wire::problem;

/// The arguments of a call. What is wrong is an error that names the argument; `null` is the same as nothing.
pub(super) fn parse<T: DeserializeOwned>(mut given: JsonObject) -> Result<T, Error> {
    drop_nulls(&mut given);
    serde_path_to_error::deserialize(Value::Object(given)).map_err(|error| {
        let path = error.path().to_string();
        problem(&path, error.inner())
    })
}

/// Takes out what is `null`, in objects of lists too. What other objects hold is the caller's own data.
fn drop_nulls(members: &mut JsonObject) {
    members.retain(|_, value| !value.is_null());
    let lists = members.values_mut().filter_map(Value::as_array_mut);
    lists.flatten().filter_map(Value::as_object_mut).for_each(drop_nulls);
}

/// That one argument cannot be accepted.
pub(super) fn invalid(field: &str, message: &str) -> Error {
    Error::ValidationFailed(vec![FieldError::new(field, message)])
}

/// The same error, where an argument is called otherwise than the use case calls it.
pub(super) fn renamed(mut error: Error, from: &str, to: &str) -> Error {
    if let Error::ValidationFailed(errors) = &mut error {
        for error in errors.iter_mut().filter(|error| error.field == from) {
            to.clone_into(&mut error.field);
        }
    }
    error
}

/// A whole number from `LEAST` to `MOST`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Whole<const LEAST: u64, const MOST: u64>(pub(super) u64);

/// The number of a line or version.
pub(super) type Number = Whole<1, { u64::MAX }>;

impl<const LEAST: u64, const MOST: u64> Whole<LEAST, MOST> {
    /// As a count of what is in memory.
    pub(super) fn count(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }
}

impl<'de, const LEAST: u64, const MOST: u64> Deserialize<'de> for Whole<LEAST, MOST> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(WholeVisitor::<LEAST, MOST>).map(Whole)
    }
}

struct WholeVisitor<const LEAST: u64, const MOST: u64>;

impl<const LEAST: u64, const MOST: u64> Visitor<'_> for WholeVisitor<LEAST, MOST> {
    type Value = u64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match MOST {
            u64::MAX => write!(f, "a whole number of at least {LEAST}"),
            most => write!(f, "a whole number from {LEAST} to {most}"),
        }
    }

    fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<u64, E> {
        if (LEAST..=MOST).contains(&number) {
            Ok(number)
        } else {
            Err(E::invalid_value(Unexpected::Unsigned(number), &self))
        }
    }
}

impl<const LEAST: u64, const MOST: u64> JsonSchema for Whole<LEAST, MOST> {
    fn schema_name() -> Cow<'static, str> {
        format!("Whole{LEAST}To{MOST}").into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        match MOST {
            u64::MAX => json_schema!({"type": "integer", "minimum": LEAST}),
            most => json_schema!({"type": "integer", "minimum": LEAST, "maximum": most}),
        }
    }
}

/// The id of an item, in the form in which the tools send it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Id(pub(super) ItemId);

impl<'de> Deserialize<'de> for Id {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Id, D::Error> {
        uuid(deserializer).map(|id| Id(ItemId::from_uuid(id)))
    }
}

fn uuid<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Uuid, D::Error> {
    let text = String::deserialize(deserializer)?;
    match Uuid::try_parse(&text) {
        Ok(id) if text.len() == 36 => Ok(id),
        _ => Err(D::Error::custom("must be a UUID such as 0190a6f4-7b3c-7def-8123-456789abcdef")),
    }
}

impl JsonSchema for Id {
    fn schema_name() -> Cow<'static, str> {
        "Id".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string"})
    }
}

/// The id of an organization, in the same form.
#[derive(Clone, Copy, Debug)]
pub(super) struct OrganizationArgument(pub(super) OrganizationId);

impl<'de> Deserialize<'de> for OrganizationArgument {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<OrganizationArgument, D::Error> {
        uuid(deserializer).map(|id| OrganizationArgument(OrganizationId::from_uuid(id)))
    }
}

impl JsonSchema for OrganizationArgument {
    fn schema_name() -> Cow<'static, str> {
        "OrganizationId".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string"})
    }
}

// The kinds that the content server knows. (A doc comment would be told to models, with every tool.)
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum ContentKind {
    Note,
    Bookmark,
}

impl From<ContentKind> for Kind {
    fn from(kind: ContentKind) -> Kind {
        match kind {
            ContentKind::Note => Kind::Note,
            ContentKind::Bookmark => Kind::Bookmark,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Arguments {
        id: Id,
        limit: Option<Whole<1, 100>>,
        #[serde(rename = "type")]
        _kind: Option<ContentKind>,
        #[serde(alias = "old_string")]
        old_str: Option<String>,
    }

    fn refused(given: Value) -> (String, String) {
        let Value::Object(given) = given else { panic!("an object") };
        match parse::<Arguments>(given) {
            Err(Error::ValidationFailed(errors)) => (errors[0].field.clone(), errors[0].message.clone()),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn an_error_names_the_argument() {
        let id = "0190a6f4-7b3c-7def-8123-456789abcdef";
        for (given, field, part) in [
            (json!({}), "id", "is required"),
            (json!({"id": null}), "id", "is required"),
            (json!({"id": "7"}), "id", "must be a UUID"),
            (json!({"id": 7}), "id", "invalid type: integer `7`, expected a string"),
            (json!({"id": id.replace('-', "")}), "id", "must be a UUID"),
            (json!({"id": id, "old_st": "x"}), "old_st", "is not a field here; expected one of `id`, `limit`"),
            (json!({"id": id, "limit": 0}), "limit", "expected a whole number from 1 to 100"),
            (json!({"id": id, "limit": -1}), "limit", "expected a whole number from 1 to 100"),
            (json!({"id": id, "limit": 2.5}), "limit", "expected a whole number from 1 to 100"),
            (json!({"id": id, "limit": "5"}), "limit", "expected a whole number from 1 to 100"),
            (json!({"id": id, "type": "prompt"}), "type", "expected `note` or `bookmark`"),
            (json!({"id": id, "old_str": "a", "old_string": "b"}), "old_str", "is given more than once"),
        ] {
            let (named, message) = refused(given.clone());
            assert_eq!(named, field, "{given}: {message}");
            assert!(message.contains(part), "{given}: {message}");
        }
    }

    #[test]
    fn null_is_nothing_also_in_lists() {
        let Value::Object(mut given) = json!({"a": null, "list": [{"b": null, "c": 1}, null], "own": {"d": null}})
        else {
            panic!("an object")
        };
        drop_nulls(&mut given);
        assert_eq!(Value::Object(given), json!({"list": [{"c": 1}, null], "own": {"d": null}}));
    }

    #[test]
    fn other_spellings_are_taken() {
        let Value::Object(given) = json!({"id": "0190a6f4-7b3c-7def-8123-456789abcdef", "old_string": "x", "limit": 5})
        else {
            panic!("an object")
        };
        let arguments: Arguments = parse(given).unwrap();
        assert_eq!(arguments.id.0.to_string(), "0190a6f4-7b3c-7def-8123-456789abcdef");
        assert_eq!((arguments.old_str.as_deref(), arguments.limit.map(Whole::count)), (Some("x"), Some(5)));
    }
}
