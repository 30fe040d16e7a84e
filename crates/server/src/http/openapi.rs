//! The OpenAPI description of the API, made from the declared routes.
//!
//! The routes of items are written once and mounted for every collection. Here each collection gets its own operations:
//! their names, and bodies with the fields of the collection's kind alone.

use std::sync::OnceLock;

use interline_items::{Kind, Presence};
use serde_json::{Map, Value, json};

use super::extract::collection::Collection;
use super::routes;
use super::routes::rules::{Access, Authentication, Idempotency, RouteRules, RulesByOperation};

/// The description of the REST API, as OpenAPI 3.1.
pub fn openapi() -> Value {
    let routes = routes::all();
    let rules = routes.rules_by_operation();
    let mut document = serde_json::to_value(routes.into_openapi()).unwrap_or_default();
    document["info"] = json!({
        "title": "Interline",
        "version": env!("CARGO_PKG_VERSION"),
        "description": "A store for text that AI agents read and edit precisely.",
        "license": {"name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0"},
    });
    document["servers"] = json!([{"url": "/"}]);
    document["security"] = json!([{"token": []}]);
    document["components"]["securitySchemes"] = json!({"token": {"type": "http", "scheme": "bearer"}});
    add_schemas(&mut document);
    let paths = std::mem::take(&mut document["paths"]);
    if let Value::Object(paths) = paths {
        document["paths"] = paths.into_iter().map(|(path, item)| specialised(path, item, &rules)).collect();
    }
    document
}

/// The description as text; made when a client first asks for it.
pub(super) fn openapi_text() -> &'static str {
    static TEXT: OnceLock<String> = OnceLock::new();
    TEXT.get_or_init(|| openapi().to_string())
}

/// Schemas of the bodies of each kind, and that of errors.
fn add_schemas(document: &mut Value) {
    let Some(Value::Object(schemas)) = document["components"].get_mut("schemas") else { return };
    for kind in Collection::ALL.into_iter().filter_map(Collection::kind) {
        for general in ["Item", "NewItem", "ItemPatch"] {
            if let Some(schema) = schemas.get(general) {
                let narrowed = narrow_to_kind(schema, kind, general);
                schemas.insert(name_for(general, kind), narrowed);
            }
        }
    }
    schemas.remove("NewItem");
    schemas.insert("Error".to_owned(), error_schema());
}

/// `Item` → `Note`, `CreateItemRequest` → `NewNote`, `UpdateItemRequest` → `NotePatch`.
fn name_for(general: &str, kind: Kind) -> String {
    let name = kind.name();
    let capital: String = name[..1].to_ascii_uppercase() + &name[1..];
    general.replace("Item", &capital)
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
    ] {
        match presence {
            Presence::Absent => {
                if let Some(Value::Object(properties)) = schema.get_mut("properties") {
                    properties.remove(field);
                }
            }
            Presence::Required if general != "ItemPatch" && !(general == "NewItem" && field == "arguments") => {
                require(&mut schema, field);
            }
            Presence::Required | Presence::Optional => {}
        }
    }
    if kind.rules().content == interline_items::ContentRule::Template && general == "NewItem" {
        require(&mut schema, "content");
    }
    schema
}

fn require(schema: &mut Value, field: &str) {
    if let Some(property) = schema["properties"].get_mut(field).and_then(Value::as_object_mut)
        && let Some(Value::Array(types)) = property.get("type")
        && let Some(only) = types.iter().find(|name| *name != "null").cloned()
    {
        property.insert("type".to_owned(), only);
    }
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
            "error": {"type": "string", "description": "The stable code."},
            "message": {"type": "string", "description": "What happened, with the figures."},
            "suggestion": {"type": "string", "description": "What to do next."},
        },
    })
}

/// A path with the errors and parameters that its operations share, and with the names of its collection.
fn specialised(path: String, mut item: Value, rules: &RulesByOperation) -> (String, Value) {
    let collection = Collection::ALL
        .into_iter()
        .find(|collection| path.strip_prefix('/').and_then(|path| path.split('/').next()) == Some(collection.name()));
    if let Some(Value::Object(operations)) = Some(&mut item) {
        for (method, operation) in operations.iter_mut() {
            let Some(&rules) = rules.get(&(path.clone(), method.clone())) else { continue };
            add_errors(operation, method, &path, rules);
            if let Some(collection) = collection {
                if rules.access == Access::Write {
                    add_write_parameters(operation, rules);
                }
                name_operation(operation, collection);
            }
        }
    }
    (path, item)
}

/// The parameters of writes of items beside their paths and bodies.
fn add_write_parameters(operation: &mut Value, rules: RouteRules) {
    let name = operation["operationId"].as_str().unwrap_or_default().to_owned();
    let offered = [
        (
            !matches!(name.as_str(), "delete" | "render"),
            json!({"name": "include_content", "in": "query", "schema": {"type": "boolean"},
                "description": "Whether the answer has the content in it; true unless given."}),
        ),
        (
            !matches!(name.as_str(), "create" | "render"),
            json!({"name": "If-Match", "in": "header", "schema": {"type": "string"},
                "description": "Only if the item is at the version of this `ETag`; otherwise 412."}),
        ),
        (
            matches!(rules.idempotency, Idempotency::Stored(_)),
            json!({"name": "Idempotency-Key", "in": "header",
                "schema": {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$"},
                "description": "Sent again with the same key within 24 hours, the request gets the first answer (without \
                    the content) and applies nothing again."}),
        ),
    ];
    let added = offered.into_iter().filter_map(|(takes, parameter)| takes.then_some(parameter));
    match operation.get_mut("parameters").and_then(Value::as_array_mut) {
        Some(parameters) => parameters.extend(added),
        None => operation["parameters"] = added.collect(),
    }
}

fn name_operation(operation: &mut Value, collection: Collection) {
    let name = operation["operationId"].as_str().unwrap_or_default().to_owned();
    operation["operationId"] = format!("{name}_{}", collection.name()).into();
    operation["tags"] = json!([collection.name()]);
    if let Some(kind) = collection.kind() {
        rename_schemas(operation, kind);
        drop_type_parameter(operation);
    }
}

/// The path names the kind already.
fn drop_type_parameter(operation: &mut Value) {
    if let Some(Value::Array(parameters)) = operation.get_mut("parameters") {
        parameters.retain(|parameter| parameter["name"] != "type");
    }
}

fn rename_schemas(value: &mut Value, kind: Kind) {
    match value {
        Value::Object(members) => {
            if let Some(Value::String(reference)) = members.get_mut("$ref")
                && let Some(general) = reference.strip_prefix("#/components/schemas/")
                && ["Item", "NewItem", "ItemPatch"].contains(&general)
            {
                *reference = format!("#/components/schemas/{}", name_for(general, kind));
            }
            members.values_mut().for_each(|member| rename_schemas(member, kind));
        }
        Value::Array(values) => values.iter_mut().for_each(|value| rename_schemas(value, kind)),
        _ => {}
    }
}

/// The errors that an operation can answer with.
fn add_errors(operation: &mut Value, method: &str, path: &str, rules: RouteRules) {
    let open = rules.authentication == Authentication::None;
    let (by_id, writes, has_body) = (path.contains('{'), method != "get", operation.get("requestBody").is_some());
    let statuses = [
        (400, "The request cannot be carried out as it is", !open),
        (401, "No valid token", !open),
        (403, "The token does not allow it, or the request comes from elsewhere", true),
        (404, "There is no such thing for the caller", by_id),
        (408, "The body did not arrive in time", has_body),
        (409, "It is in another state, or the value is taken", writes),
        (412, "It is not at the version of `If-Match`", writes),
        (413, "Too large", has_body),
        (422, "Fields or parameters that cannot be accepted", !open),
        (429, "Too many requests; `Retry-After` says when to come back", !open),
        (
            503,
            "The storage cannot do it now, or the server is overloaded; the suggestion says whether it may have been applied",
            true,
        ),
    ];
    let Some(Value::Object(responses)) = operation.get_mut("responses") else { return };
    for (status, response) in responses.iter_mut() {
        // The summary says what is done; a description is required.
        if response["description"].as_str().is_none_or(str::is_empty) {
            response["description"] = "Done".into();
        }
        // An error that only this route has.
        if status.as_str() >= "400" {
            *response = error_response(response["description"].as_str().unwrap_or_default());
        }
    }
    for (status, description, _) in statuses.into_iter().filter(|(_, _, can)| *can) {
        responses.entry(status.to_string()).or_insert_with(|| error_response(description));
    }
    let sorted: Map<String, Value> = {
        let mut entries: Vec<_> = std::mem::take(responses).into_iter().collect();
        entries.sort_by(|a, b| a.0.cmp(&b.0));
        entries.into_iter().collect()
    };
    *responses = sorted;
}

fn error_response(description: &str) -> Value {
    json!({
        "description": description,
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}},
    })
}
