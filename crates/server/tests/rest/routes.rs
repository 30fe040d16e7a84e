//! Addresses and methods that are not there, and final slashes.

use serde_json::{Value, json};

use crate::client::text;
use crate::description::operations;
use crate::place::Place;

on_both!(
    what_is_not_there_is_not_found_in_the_shape_of_errors,
    other_methods_are_refused_with_those_there_are,
    a_final_slash_changes_nothing,
    every_described_route_answers,
);

async fn what_is_not_there_is_not_found_in_the_shape_of_errors(place: Place) {
    let world = place.serve().await;
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
        let request = world.head(&format!("GET {path}"), "");
        let answer = world.raw(request.as_bytes()).await;
        assert!([404, 405, 422, 200].contains(&answer.status()), "{path}: {}", answer.text);
        if answer.status() == 404 {
            assert_eq!(answer.json()["error"], "not_found", "{path}");
        }
    }
    let expected = json!({"error": "not_found", "message": "there is nothing at /nothing", "suggestion": "…/docs…"});
    world.owner().get("/nothing").await.expect(404, expected.clone());
    world.nobody().get("/nothing").await.expect(404, expected);
}

async fn other_methods_are_refused_with_those_there_are(place: Place) {
    let world = place.serve().await;
    let owner = world.owner();
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

async fn a_final_slash_changes_nothing(place: Place) {
    let owner = place.serve().await.owner();
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
async fn every_described_route_answers(place: Place) {
    let owner = place.serve().await.owner();
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
            let told = answer.json();
            assert!(!text(&told["message"]).starts_with("there is nothing at"), "{} {path}: {told}", operation.method);
        }
    }
}
