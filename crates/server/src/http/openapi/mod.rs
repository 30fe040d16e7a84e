//! The OpenAPI description of the API, made from the declared routes.
//!
//! The routes of items are written once and mounted for every collection. Here each collection gets its own operations:
//! their names, and bodies with the fields of the collection's kind alone.

mod schemas;
mod tags;

use std::sync::OnceLock;

use interline_items::Kind;
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
        "description": include_str!("introduction.md"),
        "license": {"name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0"},
    });
    document["servers"] = json!([{"url": "/"}]);
    document["security"] = json!([{"token": []}]);
    document["components"]["securitySchemes"] = json!({"token": {
        "type": "http",
        "scheme": "bearer",
        "description": "A token, which begins with `il_`. The server prints the owner's at its first start.",
    }});
    document["tags"] = tags::described();
    schemas::complete(&mut document["components"]["schemas"]);
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

/// A path with the errors and parameters that its operations share, and with the names of its collection.
fn specialised(path: String, mut item: Value, rules: &RulesByOperation) -> (String, Value) {
    let collection = Collection::ALL
        .into_iter()
        .find(|collection| path.strip_prefix('/').and_then(|path| path.split('/').next()) == Some(collection.name()));
    if let Some(Value::Object(operations)) = Some(&mut item) {
        for (method, operation) in operations.iter_mut() {
            let Some(&rules) = rules.get(&(path.clone(), method.clone())) else { continue };
            add_errors(operation, method, &path, rules);
            describe_optional_body(operation);
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
    schemas::specialise(operation, collection);
    if let Some(kind) = collection.kind() {
        name_kind(&mut operation["summary"], kind, collection);
        drop_type_parameter(operation);
    }
}

/// `Create an item` → `Create a note`.
fn name_kind(summary: &mut Value, kind: Kind, collection: Collection) {
    if let Value::String(text) = summary {
        *text = text.replace("an item", &format!("a {kind}")).replace("items", collection.name());
    }
}

/// A body that may be left out: `oneOf [X, null]` becomes X, which is not required. (A body that is null is refused, and
/// generated clients would send one.)
fn describe_optional_body(operation: &mut Value) {
    let Some(body) = operation.get_mut("requestBody") else { return };
    let Some(schema) = body.pointer_mut("/content/application~1json/schema") else { return };
    let Some(Value::Array(choices)) = schema.get("oneOf") else { return };
    if let Some(only) = choices.iter().find(|choice| choice["type"] != "null").cloned() {
        *schema = only;
        body["required"] = false.into();
    }
}

/// The path names the kind already.
fn drop_type_parameter(operation: &mut Value) {
    if let Some(Value::Array(parameters)) = operation.get_mut("parameters") {
        parameters.retain(|parameter| parameter["name"] != "type");
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
    if matches!(rules.idempotency, Idempotency::Stored(_)) {
        let proposed = proposed_response(responses);
        responses.entry("202").or_insert(proposed);
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

/// The response to a write that is kept as a proposal: that of the same write where it is applied, which may have the proposal in
/// it, or the proposal alone.
fn proposed_response(responses: &Map<String, Value>) -> Value {
    let applied = responses.iter().filter(|(status, _)| status.starts_with('2'));
    let schema = applied.filter_map(|(_, response)| response.pointer("/content/application~1json/schema")).next();
    let schema = schema.cloned().unwrap_or_else(|| json!({"$ref": "#/components/schemas/ProposedChange"}));
    json!({
        "description": "The token may only propose: the change waits until a person accepts it",
        "content": {"application/json": {"schema": schema}},
    })
}

fn error_response(description: &str) -> Value {
    json!({
        "description": description,
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}},
    })
}
