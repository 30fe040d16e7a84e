//! Schemas of the description beside the derived ones: the bodies of each kind, the closed sets of values, and errors.

use interline_items::{ContentRule, Kind, Presence};
use serde_json::{Map, Value, json};
use utoipa::ToSchema;

use crate::http::extract::collection::Collection;
use crate::http::routes;
use crate::wire::{
    self, DeleteContentRequest, EditRequestBody, EditsRequest, InsertRequest, PatchContentRequest, StrReplaceRequest,
};

/// Schemas that each kind has its own of, with its fields alone: `Item` → `Note`, `NewItem` → `NewNote`.
const BY_KIND: [&str; 3] = ["Item", "NewItem", "ItemPatch"];
/// Fields of responses that may be left out and may be null too: what is not code has none, and global code null.
const OPTIONAL_AND_NULLABLE: [(&str, &str); 2] = [("Item", "organization_id"), ("Place", "organization_id")];
const REFERENCE: &str = "#/components/schemas/";

/// Adds the schemas that are not derived, and says of the derived ones which fields are always there.
pub(super) fn complete(schemas: &mut Value) {
    let Value::Object(schemas) = schemas else { return };
    for (name, schema) in wire::proposed_change_schemas() {
        schemas.insert(name, serde_json::to_value(schema).unwrap_or_default());
    }
    for (name, schema) in schemas.iter_mut() {
        require_nullable_fields(name, schema);
    }
    add_proposal_fields(schemas);
    for kind in Collection::ALL.into_iter().filter_map(Collection::kind) {
        for general in BY_KIND {
            if let Some(schema) = schemas.get(general) {
                let narrowed = narrow_to_kind(schema, kind, general);
                schemas.insert(name_for(general, kind), narrowed);
            }
        }
    }
    schemas.remove("NewItem");
    for (name, text_fields) in edit_bodies() {
        if let Some(general) = schemas.get(&name).cloned() {
            schemas.insert(name.clone(), without_arguments(&general, text_fields));
            schemas.insert(with_arguments(&name), general);
        }
    }
    for (name, schema) in [wire::enumeration_schemas(), routes::items::list_values::enumeration_schemas()].concat() {
        schemas.insert(name, serde_json::to_value(schema).unwrap_or_default());
    }
    schemas.insert("Error".to_owned(), error_schema());
}

/// The answers to writes that may be kept as proposals. (Those to edits contain an item.)
const MAY_BE_PROPOSED: [&str; 4] = ["Item", "DeletedBody", "PatchedBody", "ReplacedBody"];

/// Adds the fields of a write that was kept as a proposal to the answers that may have them.
fn add_proposal_fields(schemas: &mut Map<String, Value>) {
    let fields = schemas.get("ProposedChange").and_then(|schema| schema["properties"].as_object()).cloned();
    let fields = fields.unwrap_or_default();
    for name in MAY_BE_PROPOSED {
        let Some(schema) = schemas.get_mut(name) else { continue };
        let own = match schema.get_mut("allOf").and_then(Value::as_array_mut) {
            Some(parts) => parts.iter_mut().find_map(|part| part.get_mut("properties")?.as_object_mut()),
            None => schema.get_mut("properties").and_then(Value::as_object_mut),
        };
        own.into_iter().for_each(|own| own.extend(fields.clone()));
    }
}

/// The same operation with the schemas of the collection's kind.
pub(super) fn specialise(operation: &mut Value, collection: Collection) {
    let takes_arguments = collection.kind().is_none_or(|kind| kind.rules().arguments != Presence::Absent);
    rename_references(operation, &|general| match collection.kind() {
        Some(kind) if BY_KIND.contains(&general) => Some(name_for(general, kind)),
        _ if takes_arguments && edit_bodies().iter().any(|(name, _)| name == general) => Some(with_arguments(general)),
        _ => None,
    });
}

fn rename_references(value: &mut Value, rename: &dyn Fn(&str) -> Option<String>) {
    match value {
        Value::Object(members) => {
            if let Some(Value::String(reference)) = members.get_mut("$ref")
                && let Some(renamed) = reference.strip_prefix(REFERENCE).and_then(rename)
            {
                *reference = format!("{REFERENCE}{renamed}");
            }
            members.values_mut().for_each(|member| rename_references(member, rename));
        }
        Value::Array(values) => values.iter_mut().for_each(|value| rename_references(value, rename)),
        _ => {}
    }
}

fn name_for(general: &str, kind: Kind) -> String {
    let name = kind.name();
    let capital: String = name[..1].to_ascii_uppercase() + &name[1..];
    general.replace("Item", &capital)
}

/// A response's field that may be null is always there: one that is left out where it has no value is never null. Bodies of
/// requests, which are those that refuse unknown fields, stay as they are.
fn require_nullable_fields(name: &str, schema: &mut Value) {
    if schema.get("additionalProperties") == Some(&Value::Bool(false)) {
        return;
    }
    if let Some(Value::Array(parts)) = schema.get_mut("allOf") {
        parts.iter_mut().for_each(|part| require_nullable_fields(name, part));
    }
    let Some(Value::Object(properties)) = schema.get("properties") else { return };
    let nullable = properties.iter().filter(|(_, property)| is_nullable(property)).map(|(field, _)| field.clone());
    let nullable: Vec<String> =
        nullable.filter(|field| !OPTIONAL_AND_NULLABLE.contains(&(name, field.as_str()))).collect();
    for field in nullable {
        add_required(schema, &field);
    }
}

fn is_nullable(property: &Value) -> bool {
    let types = property.get("type").and_then(Value::as_array);
    let choices = property.get("oneOf").and_then(Value::as_array);
    types.is_some_and(|types| types.iter().any(|name| name == "null"))
        || choices.is_some_and(|choices| choices.iter().any(|choice| choice["type"] == "null"))
}

/// A schema with the fields of one kind: those that it never has are gone, those that it must have are required.
fn narrow_to_kind(schema: &Value, kind: Kind, general: &str) -> Value {
    let mut schema = schema.clone();
    let rules = kind.rules();
    for (field, presence) in [
        ("title", rules.title),
        ("url", rules.url),
        ("name", rules.name),
        ("arguments", rules.arguments),
        ("path", rules.path),
        ("front_matter", rules.front_matter),
        // What has a path belongs to an app or an organization.
        ("app_id", rules.path),
        ("organization_id", rules.path),
    ] {
        match presence {
            Presence::Absent => remove_field(&mut schema, field),
            Presence::Required if general != "ItemPatch" && !(general == "NewItem" && field == "arguments") => {
                require(&mut schema, field);
            }
            Presence::Required | Presence::Optional => {}
        }
    }
    if rules.content == ContentRule::Template && general == "NewItem" {
        require(&mut schema, "content");
    }
    if let Some(Value::String(description)) = schema.get_mut("description") {
        *description = match general {
            "Item" => format!("A {kind}."),
            _ => description.replace("an item", &format!("a {kind}")).replace("new item", &format!("new {kind}")),
        };
    }
    schema
}

/// The bodies of edits, with the fields that say the text.
fn edit_bodies() -> [(String, &'static [&'static str]); 5] {
    fn body<B: EditRequestBody + ToSchema>() -> (String, &'static [&'static str]) {
        (B::name().into_owned(), B::TEXT_FIELDS)
    }
    [
        body::<StrReplaceRequest>(),
        body::<PatchContentRequest>(),
        body::<InsertRequest>(),
        body::<DeleteContentRequest>(),
        body::<EditsRequest>(),
    ]
}

fn with_arguments(body: &str) -> String {
    format!("{body}WithArguments")
}

/// The body of an edit of a kind that has no arguments: without them, the text cannot be left out.
fn without_arguments(body: &Value, text_fields: &[&str]) -> Value {
    let mut body = body.clone();
    remove_field(&mut body, "arguments");
    text_fields.iter().for_each(|field| require(&mut body, field));
    body
}

fn remove_field(schema: &mut Value, field: &str) {
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        properties.remove(field);
    }
    if let Some(Value::Array(required)) = schema.get_mut("required") {
        required.retain(|name| name != field);
    }
}

/// Requires a field, which is not null then.
fn require(schema: &mut Value, field: &str) {
    if let Some(property) = schema["properties"].get_mut(field).and_then(Value::as_object_mut) {
        remove_null(property);
    }
    add_required(schema, field);
}

fn remove_null(property: &mut Map<String, Value>) {
    if let Some(Value::Array(types)) = property.get("type")
        && let Some(only) = types.iter().find(|name| *name != "null").cloned()
    {
        property.insert("type".to_owned(), only);
    }
}

fn add_required(schema: &mut Value, field: &str) {
    match schema.get_mut("required").and_then(Value::as_array_mut) {
        Some(required) if required.iter().any(|name| name == field) => {}
        Some(required) => required.push(field.into()),
        None => schema["required"] = json!([field]),
    }
}

fn error_schema() -> Value {
    json!({
        "type": "object",
        "description": "What went wrong, and what to do next. Further members are data of the code.",
        "required": ["error", "message", "suggestion"],
        "properties": {
            "error": {"$ref": format!("{REFERENCE}ErrorCode"), "description": "The stable code."},
            "message": {"type": "string", "description": "What happened, with the figures."},
            "suggestion": {"type": "string", "description": "What to do next."},
        },
    })
}
