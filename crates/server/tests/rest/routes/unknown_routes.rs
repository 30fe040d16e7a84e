//! Paths and methods without a route, and final slashes.

use serde_json::{Value, json};

use crate::support::client::text;
use crate::support::openapi_document::operations;
use crate::support::test_store::TestStore;

on_both!(
    what_is_not_there_is_not_found_in_the_shape_of_errors,
    other_methods_are_refused_with_those_there_are,
    a_final_slash_changes_nothing,
    every_described_route_answers,
);

async fn what_is_not_there_is_not_found_in_the_shape_of_errors(store: TestStore) {
    let server = store.serve().await;
    let id = "0190a6f4-7b3c-7def-8123-456789abcdef";
    for path in [
        "/",
        "/nothing",
        "/Notes",
        "/notes/x/y/z",
        "/notes/name/x",
        &format!("/notes/{id}/nothing"),
        "/users/you",
        "/organizations/x",
        "//notes",
        "/notes//",
        "/v2/notes",
        "/%2e%2e/etc/passwd",
        "/notes/../../etc/passwd",
        "/.git/config",
    ] {
        let request = server.head(&format!("GET {path}"), "");
        let answer = server.raw(request.as_bytes()).await;
        assert!([404, 405, 422, 200].contains(&answer.status()), "{path}: {}", answer.text);
        if answer.status() == 404 {
            assert_eq!(answer.json()["error"], "not_found", "{path}");
        }
    }
    let expected = json!({"error": "not_found", "message": "there is nothing at /nothing", "suggestion": "…/docs…"});
    server.owner().get("/nothing").await.expect(404, expected.clone());
    server.without_token().get("/nothing").await.expect(404, expected);
}

async fn other_methods_are_refused_with_those_there_are(store: TestStore) {
    let server = store.serve().await;
    let owner = server.owner();
    let id = "0190a6f4-7b3c-7def-8123-456789abcdef";
    for (line, allowed) in [
        ("PUT /notes", &["GET", "POST"][..]),
        ("DELETE /notes", &["GET", "POST"]),
        (&format!("PUT /notes/{id}"), &["GET", "PATCH", "DELETE"]),
        (&format!("GET /notes/{id}/archive"), &["POST"]),
        ("FROB /tags", &["GET"]),
        ("POST /health", &["GET"]),
        ("DELETE /users/me", &["GET"]),
        ("POST /content", &["GET"]),
    ] {
        let answer = owner.send(line, None).await;
        let allow = answer.header("allow").to_owned();
        answer.expect(405, json!({"error": "method_not_allowed", "suggestion": "…Allow…"}));
        for method in allowed {
            assert!(allow.contains(method), "{line}: {allow}");
        }
    }
}

async fn a_final_slash_changes_nothing(store: TestStore) {
    let owner = store.serve().await.owner();
    let id = text(&owner.check("POST /notes/", json!({"title": "x"}), 201, json!({})).await.json()["id"]);
    let path = format!("/notes/{id}/");
    owner.get(&path).await.expect(200, json!({}));
    owner.get(&format!("{path}?include_content=false")).await.expect(200, json!({}));
    owner.check(&format!("PATCH {path}"), json!({"title": "y"}), 200, json!({})).await;
    owner.post(&format!("{path}archive/"), json!({})).await.expect(200, json!({}));
    owner.get("/tokens/").await.expect(200, json!({}));
    owner.get("/users/").await.expect(200, json!({}));
    owner.delete(&path).await.expect(204, Value::Null);
}

/// The other way round, what answers and is not described, is in `openapi.rs`.
async fn every_described_route_answers(store: TestStore) {
    let owner = store.serve().await.owner();
    for operation in operations() {
        let path = operation
            .path
            .replace("{id}", "0190a6f4-7b3c-7def-8123-456789abcdef")
            .replace("{name}", "nothing")
            .replace("{app}", "nothing")
            .replace("{version}", "1");
        assert!(!path.contains('{'), "{path}: a parameter that this test does not know");
        let answer = owner.send(&format!("{} {path}", operation.method), None).await;
        assert_ne!(answer.status, 405, "{} {path}", operation.method);
        if answer.status == 404 {
            let shown = answer.json();
            assert!(
                !text(&shown["message"]).starts_with("there is nothing at"),
                "{} {path}: {shown}",
                operation.method
            );
        }
    }
}
