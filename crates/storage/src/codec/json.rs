//! Small structures as JSON text, converted by hand: a field that is renamed in the domain keeps its name on disk.

use std::collections::BTreeSet;

use interline_items::fields::{
    Argument, Arguments, CodePath, Description, FrontMatter, PromptName, Tag, Tags, Title, Url,
};
use interline_items::{Fields, ImportedFrom, Kind, Record, Scope, SpaceId};
use serde_json::{Map, Value};
use uuid::Uuid;

use super::{CodecError, names};

/// Encodes the fields of a version. Fields without a value are left out.
pub(crate) fn encode_fields(fields: &Fields) -> String {
    let mut object = Map::new();
    let mut put = |key: &str, value: Option<Value>| {
        if let Some(value) = value {
            object.insert(key.to_owned(), value);
        }
    };
    put("title", fields.title.as_ref().map(|title| title.as_str().into()));
    put("description", fields.description.as_ref().map(|description| description.as_str().into()));
    put("tags", (!fields.tags.as_slice().is_empty()).then(|| tags_value(&fields.tags)));
    put("url", fields.url.as_ref().map(|url| url.as_str().into()));
    put("name", fields.name.as_ref().map(|name| name.as_str().into()));
    put("arguments", fields.arguments.as_ref().map(arguments_value));
    put("path", fields.path.as_ref().map(|path| path.as_str().into()));
    put("front_matter", fields.front_matter.as_ref().map(|yaml| yaml.as_str().into()));
    Value::Object(object).to_string()
}

/// The fields of an encoded text.
pub(crate) fn decode_fields(text: &str) -> Result<Fields, CodecError> {
    let mut object = Object::parse(text, "fields")?;
    Ok(Fields {
        title: object.text("title")?.map(Title::from_stored),
        description: object.text("description")?.map(Description::from_stored),
        tags: object.take("tags").map_or_else(|| Ok(Tags::default()), tags_from_value)?,
        url: object.text("url")?.map(Url::from_stored),
        name: object.text("name")?.map(PromptName::from_stored),
        arguments: object.take("arguments").map(arguments_from_value).transpose()?,
        path: object.text("path")?.map(CodePath::from_stored),
        front_matter: object.text("front_matter")?.map(FrontMatter::from_stored),
    })
}

/// Encodes tags, in their order.
pub(crate) fn encode_tags(tags: &Tags) -> String {
    tags_value(tags).to_string()
}

/// The tags of an encoded text.
pub(crate) fn decode_tags(text: &str) -> Result<Tags, CodecError> {
    tags_from_value(parse(text, "tags")?)
}

/// Encodes the arguments of a template, in their order.
pub(crate) fn encode_arguments(arguments: &Arguments) -> String {
    arguments_value(arguments).to_string()
}

/// The arguments of an encoded text.
pub(crate) fn decode_arguments(text: &str) -> Result<Arguments, CodecError> {
    arguments_from_value(parse(text, "arguments")?)
}

/// Encodes strings, such as the names of changed fields, in their order.
pub(crate) fn encode_strings<'a>(strings: impl IntoIterator<Item = &'a str>) -> String {
    strings.into_iter().collect::<Value>().to_string()
}

/// The strings of an encoded text; `column` is for the error.
pub(crate) fn decode_strings(text: &str, column: &'static str) -> Result<Vec<String>, CodecError> {
    strings_from_value(parse(text, column)?, column)
}

/// Encodes the scopes of a token.
pub(crate) fn encode_scopes(scopes: &BTreeSet<Scope>) -> String {
    encode_strings(scopes.iter().map(|scope| scope.name()))
}

/// The scopes of an encoded text.
pub(crate) fn decode_scopes(text: &str) -> Result<BTreeSet<Scope>, CodecError> {
    decode_strings(text, "scopes")?.iter().map(|name| names::parse_scope(name)).collect()
}

/// Encodes the kinds that a token or a webhook is limited to.
pub(crate) fn encode_kinds(kinds: &BTreeSet<Kind>) -> String {
    encode_strings(kinds.iter().map(|kind| kind.name()))
}

/// The kinds of an encoded text.
pub(crate) fn decode_kinds(text: &str) -> Result<BTreeSet<Kind>, CodecError> {
    decode_strings(text, "kinds")?.iter().map(|name| names::parse_kind(name)).collect()
}

/// Encodes the spaces that a token is limited to.
pub(crate) fn encode_spaces(spaces: &BTreeSet<SpaceId>) -> String {
    spaces.iter().map(ToString::to_string).collect::<Value>().to_string()
}

/// The spaces of an encoded text.
pub(crate) fn decode_spaces(text: &str) -> Result<BTreeSet<SpaceId>, CodecError> {
    let space = |id: &String| Uuid::parse_str(id).map(SpaceId::from_uuid).map_err(|_| malformed("spaces"));
    decode_strings(text, "spaces")?.iter().map(space).collect()
}

/// Encodes where an imported change comes from; `None` for one that was made here.
pub(crate) fn encode_imported_from(record: &Record) -> Option<String> {
    let from = record.import.as_ref()?.from.as_ref()?;
    let mut object = Map::new();
    for (key, name) in [("user", &from.user), ("token", &from.token)] {
        if let Some(name) = name {
            object.insert(key.to_owned(), name.as_str().into());
        }
    }
    Some(Value::Object(object).to_string())
}

/// Where an imported change comes from, of an encoded text.
pub(crate) fn decode_imported_from(text: &str) -> Result<ImportedFrom, CodecError> {
    let mut object = Object::parse(text, "imported from")?;
    Ok(ImportedFrom { user: object.text("user")?, token: object.text("token")? })
}

fn tags_value(tags: &Tags) -> Value {
    tags.as_slice().iter().map(Tag::as_str).collect()
}

fn tags_from_value(value: Value) -> Result<Tags, CodecError> {
    strings_from_value(value, "tags").map(Tags::from_stored)
}

fn arguments_value(arguments: &Arguments) -> Value {
    arguments.as_slice().iter().map(argument_value).collect()
}

fn argument_value(argument: &Argument) -> Value {
    let mut object = Map::new();
    object.insert("name".to_owned(), argument.name.as_str().into());
    if let Some(description) = &argument.description {
        object.insert("description".to_owned(), description.as_str().into());
    }
    object.insert("required".to_owned(), argument.required.into());
    Value::Object(object)
}

fn arguments_from_value(value: Value) -> Result<Arguments, CodecError> {
    array_from_value(value, "arguments")?
        .into_iter()
        .map(argument_from_value)
        .collect::<Result<Vec<_>, _>>()
        .map(Arguments::from_stored)
}

fn argument_from_value(value: Value) -> Result<Argument, CodecError> {
    let mut object = Object::from_value(value, "arguments")?;
    Ok(Argument {
        name: object.text("name")?.ok_or_else(|| malformed("arguments"))?,
        description: object.text("description")?,
        required: object.take("required") == Some(Value::Bool(true)),
    })
}

fn strings_from_value(value: Value, column: &'static str) -> Result<Vec<String>, CodecError> {
    let string = |value| if let Value::String(string) = value { Ok(string) } else { Err(malformed(column)) };
    array_from_value(value, column)?.into_iter().map(string).collect()
}

/// The values of an array.
pub(super) fn array_from_value(value: Value, column: &'static str) -> Result<Vec<Value>, CodecError> {
    if let Value::Array(values) = value { Ok(values) } else { Err(malformed(column)) }
}

/// A JSON object whose members are taken out one by one.
pub(super) struct Object {
    column: &'static str,
    members: Map<String, Value>,
}

impl Object {
    fn parse(text: &str, column: &'static str) -> Result<Object, CodecError> {
        Object::from_value(parse(text, column)?, column)
    }

    pub(super) fn from_value(value: Value, column: &'static str) -> Result<Object, CodecError> {
        match value {
            Value::Object(members) => Ok(Object { column, members }),
            _ => Err(malformed(column)),
        }
    }

    pub(super) fn take(&mut self, key: &str) -> Option<Value> {
        self.members.remove(key)
    }

    pub(super) fn text(&mut self, key: &str) -> Result<Option<String>, CodecError> {
        match self.take(key) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(malformed(self.column)),
        }
    }
}

pub(super) fn parse(text: &str, column: &'static str) -> Result<Value, CodecError> {
    serde_json::from_str(text).map_err(|error| CodecError::Json { column, reason: error.to_string() })
}

pub(super) fn malformed(column: &'static str) -> CodecError {
    CodecError::Json { column, reason: "another structure was expected".to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_come_back_as_they_were() {
        let full = Fields {
            title: Some(Title::from_stored("Ångström \"quoted\"\n".to_owned())),
            description: Some(Description::from_stored(String::new())),
            tags: Tags::from_stored(vec!["b/c".to_owned(), "a".to_owned()]),
            url: Some(Url::from_stored("https://example.org/?q=1".to_owned())),
            name: Some(PromptName::from_stored("code-review".to_owned())),
            arguments: Some(Arguments::from_stored(vec![
                Argument { name: "x".to_owned(), description: None, required: true },
                Argument { name: "y".to_owned(), description: Some("why".to_owned()), required: false },
            ])),
            path: Some(CodePath::from_stored("pages/index.tsx".to_owned())),
            front_matter: Some(FrontMatter::from_stored("aliases: [a, \"b\"]\n# end\n".to_owned())),
        };
        let no_arguments = Fields { arguments: Some(Arguments::from_stored(vec![])), ..Fields::default() };
        for original in [full, no_arguments, Fields::default()] {
            assert_eq!(decode_fields(&encode_fields(&original)).unwrap(), original);
            assert_eq!(decode_tags(&encode_tags(&original.tags)).unwrap(), original.tags);
        }
    }

    #[test]
    fn empty_sets_of_a_token_are_not_left_out() {
        assert_eq!(encode_fields(&Fields::default()), "{}");
        assert_eq!(decode_kinds(&encode_kinds(&BTreeSet::new())).unwrap(), BTreeSet::new());
        let spaces_of_a_token = BTreeSet::from([SpaceId::generate(), SpaceId::generate()]);
        assert_eq!(decode_spaces(&encode_spaces(&spaces_of_a_token)).unwrap(), spaces_of_a_token);
        let all = BTreeSet::from([Scope::Read, Scope::Write, Scope::Admin]);
        assert_eq!(decode_scopes(&encode_scopes(&all)).unwrap(), all);
    }

    #[test]
    fn another_structure_is_an_error() {
        for text in ["", "[]", "{\"title\": 1}", "{\"tags\": \"a\"}", "{\"tags\": [1]}", "{\"arguments\": [{}]}"] {
            assert!(decode_fields(text).is_err(), "{text}");
        }
        assert!(decode_scopes("[\"fly\"]").is_err());
        assert!(decode_kinds("[\"poem\"]").is_err());
        assert!(decode_spaces("[\"here\"]").is_err());
    }
}
