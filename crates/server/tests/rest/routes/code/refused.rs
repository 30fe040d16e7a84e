//! Requests that do not identify a file of code, at every route of code.

use serde_json::{Value, json};

use super::{CodeUsers, app_file, file, with};
use crate::support::test_store::TestStore;

on_both!(paths_that_are_none_are_refused, identifiers_of_the_wrong_sort_are_refused, what_is_not_there_says_so);

const LINES: [(&str, &str); 5] = [
    ("POST /code/get", "{}"),
    ("POST /code/read", "{}"),
    ("POST /code/patch", r#"{"old_string": "a", "new_string": "b"}"#),
    ("POST /code/replace", r#"{"content": "x = 1\n"}"#),
    ("POST /code/delete", "{}"),
];

fn more(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

async fn paths_that_are_none_are_refused(store: TestStore) {
    let users = CodeUsers::new(store).await;
    let long = "x".repeat(2_000);
    for path in [
        "",
        "/",
        "..",
        "../a.py",
        "a/../../b.py",
        "./a.py",
        "a//b.py",
        "//etc/passwd",
        "a\\b.py",
        "C:\\a.py",
        "a\0.py",
        &long,
    ] {
        for (line, rest) in LINES {
            for target in [app_file("shop", path), file("module", path)] {
                let fields = users.admin.refused_fields(line, with(&target, more(rest))).await;
                assert_eq!(fields, ["path"], "{line} {target}");
            }
        }
        let version = format!("/apps/shop/versions/1/file?path={}", url_encoded(path));
        users.admin.get(&version).await.expect(422, json!({"error": "validation_failed"}));
    }
    for path in ["a", "a.txt", ".py", "a.PY"] {
        for (line, rest) in LINES {
            assert_eq!(
                users.admin.refused_fields(line, with(&file("module", path), more(rest))).await,
                ["path"],
                "{line}"
            );
        }
    }
}

fn url_encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

async fn identifiers_of_the_wrong_sort_are_refused(store: TestStore) {
    let users = CodeUsers::new(store).await;
    let id = "0190a6f4-7b3c-7def-8123-456789abcdef";
    for (target, field) in [
        (json!({"path": "a.py"}), "entity_type"),
        (json!({"path": "a.py", "entity_type": "note"}), "entity_type"),
        (json!({"path": "a.py", "entity_type": 1}), "entity_type"),
        (json!({"entity_type": "module"}), "path"),
        (json!({"entity_type": "module", "path": 1}), "path"),
        (json!({"entity_type": "module", "path": "a.py", "organization_id": id}), "organization_id"),
        (json!({"entity_type": "module", "path": "a.py", "app_id": "shop"}), "app_id"),
        (json!({"entity_type": "workflow", "path": "a.py", "app_id": "shop"}), "app_id"),
        (json!({"entity_type": "workflow", "path": "a.py", "organization_id": "acme"}), "organization_id"),
        (json!({"entity_type": "workflow", "path": "a.py", "organization_id": 5}), "organization_id"),
        (json!({"entity_type": "app_file", "path": "a.py"}), "app_id"),
        (json!({"entity_type": "app_file", "path": "a.py", "app_id": 5}), "app_id"),
        (
            json!({"entity_type": "app_file", "path": "a.py", "app_id": "shop", "organization_id": id}),
            "organization_id",
        ),
        (json!({"entity_type": "module", "path": "a.py", "oops": 1}), "oops"),
    ] {
        for (line, rest) in LINES {
            let fields = users.admin.refused_fields(line, with(&target, more(rest))).await;
            assert_eq!(fields, [field], "{line} {target}");
        }
    }
    for (body, field) in [
        (json!({"entity_type": "app_file"}), "app_id"),
        (json!({"entity_type": "module", "organization_id": id}), "organization_id"),
        (json!({"entity_type": "module", "path_prefix": "a\0"}), "path_prefix"),
    ] {
        assert_eq!(users.admin.refused_fields("POST /code/list", body).await, [field]);
    }
}

async fn what_is_not_there_says_so(store: TestStore) {
    let users = CodeUsers::new(store).await;
    let global = with(&file("workflow", "shared.py"), json!({"old_string": "x", "new_string": "y"}));
    let refused = users.acme.post("/code/patch", global).await;
    refused.expect(
        404,
        json!({"error": "not_found", "type": "workflow", "id": "shared.py", "suggestion": "…it exists globally…"}),
    );
    for app in ["none", "0190a6f4-7b3c-7def-8123-456789abcdef", "No Slug", "a\0"] {
        for (line, rest) in LINES {
            let body = with(&app_file(app, "a.py"), more(rest));
            users
                .admin
                .send(line, Some(&body))
                .await
                .expect(404, json!({"error": "not_found", "type": "app", "id": app}));
        }
    }
    // Another organization's app is as if it were not there.
    let body = app_file("shop", "_layout.tsx");
    users.umbra.post("/code/get", body).await.expect(404, json!({"error": "not_found", "type": "app", "id": "shop"}));
}
