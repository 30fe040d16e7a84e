//! JSON schemas of the arguments and results of tools, generated from their types, without the keywords that cost a model
//! tokens and tell it nothing.

use rmcp::model::JsonObject;
use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema};
use serde_json::Value;

/// The schema of arguments. Beyond it, parsing accepts `null` for an argument that is left out.
pub(super) fn input<T: JsonSchema>() -> JsonObject {
    generate::<T>(SchemaSettings::draft2020_12().for_deserialize())
}

/// The schema of a result. Results leave members out rather than have them `null`, and the names of members say enough
/// without descriptions.
pub(super) fn output<T: JsonSchema>() -> JsonObject {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let drop_description = |schema: &mut Schema| drop(schema.remove("description"));
    generate::<T>(settings.with_transform(RecursiveTransform(drop_description)))
}

/// Adds a property to the schema of an object.
pub(super) fn add_property(schema: &mut JsonObject, name: &str, property: Value) {
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        properties.insert(name.to_owned(), property);
    }
}

fn generate<T: JsonSchema>(settings: SchemaSettings) -> JsonObject {
    let settings = settings.with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    compact(&mut schema);
    let Value::Object(mut members) = schema else { return JsonObject::new() };
    // This description is about the type, not about the tool.
    members.remove("description");
    // Python's client refuses a schema that does not say so, and others one without properties.
    members.insert("type".to_owned(), "object".into());
    members.entry("properties").or_insert_with(|| JsonObject::new().into());
    members
}

/// Removes from a schema, and from those in it, the keywords that a model does not need.
fn compact(schema: &mut Value) {
    let Some(members) = schema.as_object_mut() else { return };
    for noise in ["title", "format", "default"] {
        members.remove(noise);
    }
    if members.get("minimum") == Some(&0.into()) {
        members.remove("minimum");
    }
    drop_null(members);
    if let Some(properties) = members.get_mut("properties").and_then(Value::as_object_mut) {
        properties.values_mut().for_each(compact);
    }
    members.get_mut("items").into_iter().for_each(compact);
}

/// A value or `null` becomes the value.
fn drop_null(members: &mut JsonObject) {
    if let Some(types) = members.get_mut("type")
        && let Some(names) = types.as_array()
        && let [Value::String(name), Value::String(null)] = names.as_slice()
        && null == "null"
    {
        *types = name.as_str().into();
    }
    if let Some(words) = members.get_mut("enum").and_then(Value::as_array_mut) {
        words.retain(|word| !word.is_null());
    }
    if let Some([Value::Object(value), null]) = members.get("anyOf").and_then(Value::as_array).map(Vec::as_slice)
        && null["type"] == "null"
    {
        let value = value.clone();
        members.remove("anyOf");
        members.extend(value);
        for noise in ["title", "format"] {
            members.remove(noise);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde::{Deserialize, Serialize};
    use serde_json::json;

    use super::*;
    use crate::mcp::protocol::arguments::{BoundedInt, ContentKind};

    #[derive(Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "it is there to be described")]
    struct TestArgs {
        /// What it is called.
        title: String,
        kind: Option<ContentKind>,
        limit: Option<BoundedInt<1, 9>>,
        #[serde(alias = "edit")]
        edits: Option<Vec<TestEdit>>,
        dry_run: Option<bool>,
    }

    #[derive(Deserialize, Serialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    struct TestEdit {
        line: u64,
        #[serde(skip_serializing_if = "Option::is_none")]
        text: Option<String>,
    }

    #[derive(Deserialize, JsonSchema)]
    struct NoMembers {}

    #[test]
    fn a_schema_says_what_matters_and_no_more() {
        let expected = json!({
            "type": "object",
            "additionalProperties": false,
            "required": ["title"],
            "properties": {
                "title": {"type": "string", "description": "What it is called."},
                "kind": {"type": "string", "enum": ["note", "bookmark"]},
                "limit": {"type": "integer", "minimum": 1, "maximum": 9},
                "edits": {"type": "array", "items": {
                    "type": "object",
                    "additionalProperties": false,
                    "required": ["line"],
                    "properties": {"line": {"type": "integer"}, "text": {"type": "string"}},
                }},
                "dry_run": {"type": "boolean"},
            },
        });
        assert_eq!(Value::Object(input::<TestArgs>()), expected);
    }

    #[test]
    fn a_type_without_members_has_properties_too() {
        assert_eq!(Value::Object(input::<NoMembers>()), json!({"type": "object", "properties": {}}));
    }

    #[test]
    fn a_member_that_a_result_may_leave_out_is_not_required() {
        let expected = json!({
            "type": "object",
            "additionalProperties": false,
            "required": ["line"],
            "properties": {"line": {"type": "integer"}, "text": {"type": "string"}},
        });
        assert_eq!(Value::Object(output::<TestEdit>()), expected);
    }
}
