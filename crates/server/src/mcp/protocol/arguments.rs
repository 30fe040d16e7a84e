//! Parsing of tool arguments, and the types of single arguments. Parsing is strict: a misspelt argument must not count as
//! one that was left out.

use std::borrow::Cow;
use std::fmt;

use interline_items::{Error, ItemId, Kind, OnStale, OrganizationId};
use rmcp::model::JsonObject;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{DeserializeOwned, Error as _, Unexpected, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use uuid::Uuid;

use crate::wire::json_field_error;

/// Parses the arguments of a call. An error names the argument that is wrong; `null` counts as left out.
pub(super) fn parse<T: DeserializeOwned>(mut arguments: JsonObject) -> Result<T, Error> {
    drop_nulls(&mut arguments);
    serde_path_to_error::deserialize(Value::Object(arguments)).map_err(|error| {
        let path = error.path().to_string();
        json_field_error(&path, error.inner())
    })
}

/// Removes members that are `null`, also from objects in lists. The members of other objects are the caller's own data
/// and stay.
fn drop_nulls(members: &mut JsonObject) {
    members.retain(|_, value| !value.is_null());
    let lists = members.values_mut().filter_map(Value::as_array_mut);
    lists.flatten().filter_map(Value::as_object_mut).for_each(drop_nulls);
}

/// The error of a use case with the name that the field has as an argument here.
pub(in crate::mcp) fn rename_field(mut error: Error, from: &str, to: &str) -> Error {
    if let Error::ValidationFailed(errors) = &mut error {
        for error in errors.iter_mut().filter(|error| error.field == from) {
            to.clone_into(&mut error.field);
        }
    }
    error
}

/// The arguments of a tool that takes none.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::mcp) struct NoArgs {}

/// A whole number from `MIN` to `MAX`.
#[derive(Clone, Copy, Debug)]
pub(in crate::mcp) struct BoundedInt<const MIN: u64, const MAX: u64>(pub(in crate::mcp) u64);

/// The number of a line or version.
pub(in crate::mcp) type PositiveInt = BoundedInt<1, { u64::MAX }>;

/// The number of a line or version, or 0 for the place before the first one.
pub(in crate::mcp) type NonNegativeInt = BoundedInt<0, { u64::MAX }>;

impl<const MIN: u64, const MAX: u64> BoundedInt<MIN, MAX> {
    /// The number as a count of things in memory.
    pub(in crate::mcp) fn count(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }
}

impl<'de, const MIN: u64, const MAX: u64> Deserialize<'de> for BoundedInt<MIN, MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(BoundedIntVisitor::<MIN, MAX>).map(BoundedInt)
    }
}

struct BoundedIntVisitor<const MIN: u64, const MAX: u64>;

impl<const MIN: u64, const MAX: u64> Visitor<'_> for BoundedIntVisitor<MIN, MAX> {
    type Value = u64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match MAX {
            u64::MAX => write!(f, "a whole number of at least {MIN}"),
            max => write!(f, "a whole number from {MIN} to {max}"),
        }
    }

    fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<u64, E> {
        if (MIN..=MAX).contains(&number) {
            Ok(number)
        } else {
            Err(E::invalid_value(Unexpected::Unsigned(number), &self))
        }
    }

    /// Some models write every argument as a text.
    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<u64, E> {
        let digits = Some(text).filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
        match digits.and_then(|digits| digits.parse().ok()) {
            Some(number) => self.visit_u64(number),
            None => Err(E::invalid_value(Unexpected::Str(text), &self)),
        }
    }
}

impl<const MIN: u64, const MAX: u64> JsonSchema for BoundedInt<MIN, MAX> {
    fn schema_name() -> Cow<'static, str> {
        format!("BoundedInt{MIN}To{MAX}").into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        match MAX {
            u64::MAX => json_schema!({"type": "integer", "minimum": MIN}),
            max => json_schema!({"type": "integer", "minimum": MIN, "maximum": max}),
        }
    }
}

/// A switch: `true` or `false`, or either as a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::mcp) struct Flag(pub(in crate::mcp) bool);

impl<'de> Deserialize<'de> for Flag {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Flag, D::Error> {
        deserializer.deserialize_any(FlagVisitor).map(Flag)
    }
}

struct FlagVisitor;

impl Visitor<'_> for FlagVisitor {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a boolean")
    }

    fn visit_bool<E: serde::de::Error>(self, flag: bool) -> Result<bool, E> {
        Ok(flag)
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<bool, E> {
        text.parse().map_err(|_| E::invalid_value(Unexpected::Str(text), &self))
    }
}

impl JsonSchema for Flag {
    fn schema_name() -> Cow<'static, str> {
        "Flag".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "boolean"})
    }
}

/// The id of an item, in the form that the results of tools have.
#[derive(Clone, Copy, Debug)]
pub(in crate::mcp) struct ItemIdArg(pub(in crate::mcp) ItemId);

impl<'de> Deserialize<'de> for ItemIdArg {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<ItemIdArg, D::Error> {
        let text = String::deserialize(deserializer)?;
        let id = parse_uuid(&text).ok_or_else(|| D::Error::custom(not_an_id(&text)))?;
        Ok(ItemIdArg(ItemId::from_uuid(id)))
    }
}

/// An id looks like this.
const SAMPLE_ID: &str = "0190a6f4-7b3c-7def-8123-456789abcdef";

fn parse_uuid(text: &str) -> Option<Uuid> {
    Uuid::try_parse(text).ok().filter(|_| text.len() == 36)
}

/// Most often it is a title, which a search finds.
fn not_an_id(text: &str) -> String {
    const MAX_CHARS: usize = 100;
    if text.trim().is_empty() {
        return format!("must be a UUID such as {SAMPLE_ID}; search_items finds ids");
    }
    let title: String = text.chars().take(MAX_CHARS).collect();
    format!("must be a UUID such as {SAMPLE_ID}; to find it by its title, call search_items with query {title:?}")
}

impl JsonSchema for ItemIdArg {
    fn schema_name() -> Cow<'static, str> {
        "Id".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string"})
    }
}

/// The id of an organization, in the form that the results of tools have.
#[derive(Clone, Copy, Debug)]
pub(in crate::mcp) struct OrganizationIdArg(pub(in crate::mcp) OrganizationId);

impl<'de> Deserialize<'de> for OrganizationIdArg {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<OrganizationIdArg, D::Error> {
        let id = parse_uuid(&String::deserialize(deserializer)?).ok_or_else(|| {
            D::Error::custom(format!("must be a UUID such as {SAMPLE_ID}; list_organizations shows them"))
        })?;
        Ok(OrganizationIdArg(OrganizationId::from_uuid(id)))
    }
}

impl JsonSchema for OrganizationIdArg {
    fn schema_name() -> Cow<'static, str> {
        "OrganizationId".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string"})
    }
}

// What becomes of a content that was written for an older version. (A doc comment would be sent to models.)
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(in crate::mcp) enum OnStaleArg {
    Refuse,
    Merge,
}

impl From<OnStaleArg> for OnStale {
    fn from(on_stale: OnStaleArg) -> OnStale {
        match on_stale {
            OnStaleArg::Refuse => OnStale::Refuse,
            OnStaleArg::Merge => OnStale::Merge,
        }
    }
}

// The kinds of the content server. (A doc comment would be sent to models, with every tool.)
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(in crate::mcp) enum ContentKind {
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
    struct TestArgs {
        id: ItemIdArg,
        limit: Option<BoundedInt<1, 100>>,
        #[serde(rename = "type")]
        _kind: Option<ContentKind>,
        #[serde(alias = "old_string")]
        old_str: Option<String>,
        dry_run: Option<Flag>,
    }

    fn refused(arguments: Value) -> (String, String) {
        let Value::Object(arguments) = arguments else { panic!("an object") };
        match parse::<TestArgs>(arguments) {
            Err(Error::ValidationFailed(errors)) => (errors[0].field.clone(), errors[0].message.clone()),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn an_error_names_the_argument() {
        let id = "0190a6f4-7b3c-7def-8123-456789abcdef";
        for (arguments, field, part) in [
            (json!({}), "id", "is required"),
            (json!({"id": null}), "id", "is required"),
            (json!({"id": "7"}), "id", "must be a UUID"),
            (json!({"id": 7}), "id", "invalid type: integer `7`, expected a string"),
            (json!({"id": id.replace('-', "")}), "id", "must be a UUID"),
            (json!({"id": id, "old_st": "x"}), "old_st", "is not a field here; expected one of `id`, `limit`"),
            (json!({"id": id, "limit": 0}), "limit", "expected a whole number from 1 to 100"),
            (json!({"id": id, "limit": -1}), "limit", "expected a whole number from 1 to 100"),
            (json!({"id": id, "limit": 2.5}), "limit", "expected a whole number from 1 to 100"),
            (json!({"id": id, "limit": "five"}), "limit", "string \"five\", expected a whole number from 1 to 100"),
            (json!({"id": id, "limit": "5.5"}), "limit", "string \"5.5\", expected a whole number from 1 to 100"),
            (json!({"id": id, "limit": ""}), "limit", "string \"\", expected a whole number from 1 to 100"),
            (json!({"id": id, "limit": "+5"}), "limit", "expected a whole number from 1 to 100"),
            (json!({"id": id, "limit": " 5"}), "limit", "expected a whole number from 1 to 100"),
            (json!({"id": id, "limit": "101"}), "limit", "integer `101`, expected a whole number from 1 to 100"),
            (json!({"id": id, "limit": "18446744073709551616"}), "limit", "expected a whole number from 1 to 100"),
            (json!({"id": id, "dry_run": "yes"}), "dry_run", "string \"yes\", expected a boolean"),
            (json!({"id": id, "dry_run": 1}), "dry_run", "integer `1`, expected a boolean"),
            (json!({"id": "The plan"}), "id", "to find it by its title, call search_items with query \"The plan\""),
            (json!({"id": ""}), "id", "search_items finds ids"),
            (json!({"id": id, "type": "prompt"}), "type", "expected `note` or `bookmark`"),
            (json!({"id": id, "old_str": "a", "old_string": "b"}), "old_str", "is given more than once"),
        ] {
            let (named, message) = refused(arguments.clone());
            assert_eq!(named, field, "{arguments}: {message}");
            assert!(message.contains(part), "{arguments}: {message}");
        }
    }

    #[test]
    fn null_is_nothing_also_in_lists() {
        let Value::Object(mut arguments) = json!({"a": null, "list": [{"b": null, "c": 1}, null], "own": {"d": null}})
        else {
            panic!("an object")
        };
        drop_nulls(&mut arguments);
        assert_eq!(Value::Object(arguments), json!({"list": [{"c": 1}, null], "own": {"d": null}}));
    }

    #[test]
    fn numbers_and_switches_are_taken_as_texts_too() {
        for (number, flag) in [(json!("5"), json!("true")), (json!("005"), json!(true)), (json!(5), json!("true"))] {
            let arguments = json!({"id": SAMPLE_ID, "limit": number, "dry_run": flag});
            let Value::Object(arguments) = arguments else { panic!("an object") };
            let arguments: TestArgs = parse(arguments).unwrap();
            assert_eq!((arguments.limit.map(BoundedInt::count), arguments.dry_run), (Some(5), Some(Flag(true))));
        }
    }

    #[test]
    fn other_spellings_are_taken() {
        let Value::Object(arguments) =
            json!({"id": "0190a6f4-7b3c-7def-8123-456789abcdef", "old_string": "x", "limit": 5})
        else {
            panic!("an object")
        };
        let arguments: TestArgs = parse(arguments).unwrap();
        assert_eq!(arguments.id.0.to_string(), "0190a6f4-7b3c-7def-8123-456789abcdef");
        assert_eq!((arguments.old_str.as_deref(), arguments.limit.map(BoundedInt::count)), (Some("x"), Some(5)));
    }
}
