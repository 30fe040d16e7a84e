//! Request bodies: which may be left out, which fields are required, and that unknown ones are refused.

use serde_json::{Map, Value, json};

use crate::support::openapi_document::{Operation, document, operations, with_values};
use crate::support::openapi_schema::resolved;
use crate::support::test_store::TestStore;

on_both!(what_may_be_left_out_may, what_is_required_is_missed);

fn body_of(operation: &Operation) -> Option<(&str, &Value)> {
    let schema = operation.description.pointer("/requestBody/content/application~1json/schema")?;
    Some(resolved("", schema))
}

#[test]
fn no_body_is_described_as_null() {
    for operation in operations() {
        let Some(body) = operation.description.get("requestBody") else { continue };
        let place = format!("{} {}", operation.method, operation.path);
        if body["content"]["application/octet-stream"].is_object() {
            assert_eq!(body["required"], true, "{place}: a file is required");
            continue;
        }
        let schema = &body["content"]["application/json"]["schema"];
        assert!(schema["$ref"].is_string(), "{place}: a body without a name: {schema}");
        assert!(body["required"].is_boolean(), "{place}: it is not said whether the body is required");
    }
    for (name, schema) in document()["components"]["schemas"].as_object().unwrap() {
        let is_request = schema["additionalProperties"] == false;
        assert!(!is_request || !schema.to_string().contains("oneOf"), "{name}: {schema}");
    }
}

#[test]
fn unknown_fields_are_described_as_refused() {
    for operation in operations() {
        let Some((name, schema)) = body_of(&operation) else { continue };
        assert_eq!(schema["additionalProperties"], false, "{} {}: {name}", operation.method, operation.path);
    }
}

/// A body that is not required can be left out.
async fn what_may_be_left_out_may(store: TestStore) {
    let owner = store.serve().await.owner();
    let mut found = 0;
    for operation in operations().into_iter().filter(|one| one.description["requestBody"]["required"] == false) {
        let line = format!("{} {}", operation.method, with_values(&operation.path));
        owner.send(&line, None).await.expect(404, json!({"error": "not_found"}));
        found += 1;
    }
    assert!(found >= 24, "only {found} bodies may be left out");
}

/// A request with all required fields but one is refused by the name of that one.
async fn what_is_required_is_missed(store: TestStore) {
    let owner = store.serve().await.owner();
    for operation in operations() {
        let Some((name, schema)) = body_of(&operation) else { continue };
        let required: Vec<&str> =
            schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        for missed in &required {
            let others = required.iter().filter(|field| *field != missed);
            let body: Map<String, Value> =
                others.map(|field| ((*field).to_owned(), sample(&schema["properties"][*field]))).collect();
            let line = format!("{} {}", operation.method, with_values(&operation.path));
            let answer = owner.send(&line, Some(&body.clone().into())).await;
            let said = answer.json();
            assert_eq!(answer.status, 422, "{line} as {name} without `{missed}`: {said}");
            let fields: Vec<&str> =
                said["errors"].as_array().unwrap().iter().filter_map(|one| one["field"].as_str()).collect();
            assert_eq!(fields, [*missed], "{line} as {name} with {}: {said}", Value::from(body));
        }
    }
}

/// A value that a schema allows.
fn sample(schema: &Value) -> Value {
    let (_, schema) = resolved("", schema);
    match (&schema["enum"][0], schema["type"].as_str()) {
        (first, _) if !first.is_null() => first.clone(),
        (_, Some("integer")) => json!(1),
        (_, Some("array")) => json!([]),
        (_, Some("boolean")) => json!(false),
        (_, Some("string")) if schema["pattern"] == "^https?://" => json!("https://example.com/"),
        (_, Some("string")) => json!("x"),
        _ => panic!("no value for {schema}"),
    }
}
