//! Whether a JSON value is as a schema of the OpenAPI description says.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::support::openapi_document::document;

/// A named schema, or the part of one, that an object was compared with.
pub(crate) type Seen<'a> = dyn FnMut(&str, &Value, &Map<String, Value>) + 'a;

/// The schema that a reference leads to, with its name; other schemas are themselves.
pub(crate) fn resolved<'a>(name: &'a str, schema: &'a Value) -> (&'a str, &'a Value) {
    match schema["$ref"].as_str() {
        Some(reference) => {
            let found = document().pointer(&reference[1..]).unwrap_or_else(|| panic!("{reference} leads nowhere"));
            (reference.rsplit('/').next().unwrap_or_default(), found)
        }
        None => (name, schema),
    }
}

/// Where and how a value is not as the schema says. `seen` is told every object with the schema that it is of.
pub(crate) fn difference(schema: &Value, value: &Value, seen: &mut Seen<'_>) -> Option<String> {
    compare("", schema, value, "", seen)
}

fn compare(name: &str, schema: &Value, value: &Value, place: &str, seen: &mut Seen<'_>) -> Option<String> {
    let (name, schema) = resolved(name, schema);
    if let Some(choices) = schema["oneOf"].as_array() {
        let problems: Option<Vec<String>> =
            choices.iter().map(|choice| compare(name, choice, value, place, seen)).collect();
        return problems.map(|problems| problems.join(", nor: "));
    }
    if let Some(values) = schema["enum"].as_array()
        && !values.contains(value)
    {
        return Some(format!("{place}: {value} is none of {}", schema["enum"]));
    }
    if !has_type(&schema["type"], value) {
        return Some(format!("{place}: {value} is not of type {}", schema["type"]));
    }
    match value {
        Value::Object(members) => compare_object(name, schema, members, place, seen),
        Value::Array(values) => values.iter().enumerate().find_map(|(index, value)| {
            let items = schema.get("items")?;
            compare(name, items, value, &format!("{place}[{index}]"), seen)
        }),
        _ => None,
    }
}

fn has_type(types: &Value, value: &Value) -> bool {
    let is = |name: &str| match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("the type {other} is not known here"),
    };
    match types {
        Value::String(name) => is(name),
        Value::Array(names) => names.iter().filter_map(Value::as_str).any(is),
        _ => true,
    }
}

fn compare_object(
    name: &str,
    schema: &Value,
    members: &Map<String, Value>,
    place: &str,
    seen: &mut Seen<'_>,
) -> Option<String> {
    let mut described = BTreeSet::new();
    for (name, part) in parts(name, schema) {
        seen(name, part, members);
        for field in part["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            if !members.contains_key(field) {
                return Some(format!("{place}: `{field}`, which {name} requires, is left out"));
            }
        }
        for (field, property) in part["properties"].as_object().into_iter().flatten() {
            described.insert(field.as_str());
            let difference =
                members.get(field).and_then(|value| compare("", property, value, &format!("{place}.{field}"), seen));
            if difference.is_some() {
                return difference;
            }
        }
    }
    let undescribed = members.keys().find(|field| !described.contains(field.as_str()));
    // Errors have data of their codes; a schema without fields is any object.
    undescribed
        .filter(|_| !described.is_empty() && name != "Error")
        .map(|field| format!("{place}: `{field}` is not described"))
}

/// The schemas whose fields one object has.
fn parts<'a>(name: &'a str, schema: &'a Value) -> Vec<(&'a str, &'a Value)> {
    match schema["allOf"].as_array() {
        Some(all) => all.iter().map(|part| resolved(name, part)).flat_map(|(name, part)| parts(name, part)).collect(),
        None => vec![(name, schema)],
    }
}
