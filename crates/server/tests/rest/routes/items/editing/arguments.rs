//! Edits of prompts: text and arguments in one step, or neither.

use serde_json::{Value, json};

use super::{at, changes_of};
use crate::support::client::{Client, text};
use crate::support::test_store::TestStore;

on_both!(
    text_and_arguments_change_together_by_every_edit,
    arguments_may_come_alone,
    errors_are_reported_in_the_order_of_the_contract,
    other_kinds_have_no_arguments,
);

/// Every route, with an edit that adds a variable to [`greeting`].
fn every_edit() -> [(&'static str, Value); 5] {
    let whole = "Hello {{ who }}, {{ more }}";
    [
        ("PATCH */str-replace", json!({"old_str": "{{ who }}", "new_str": "{{ who }}, {{ more }}"})),
        ("PATCH */content", json!({"operations": [{"start_line": 1, "end_line": 1, "content": whole}]})),
        ("POST */insert", json!({"after_str": "}}", "new_str": ", {{ more }}"})),
        (
            "POST */edits",
            json!({"edits": [{"old_str": "}}", "new_str": "}}, "},
            {"old_str": ", ", "new_str": ", {{ more }}"}]}),
        ),
        ("PATCH */str-replace", json!({"old_str": "}}", "new_str": "}}, {{ more }}", "match": "exact"})),
    ]
}

fn arguments(names: &[&str]) -> Value {
    names.iter().map(|name| json!({"name": name})).collect()
}

/// A new prompt, at both of its addresses.
async fn greeting(client: &Client) -> [String; 2] {
    let name = uuid::Uuid::now_v7().simple().to_string();
    let draft = json!({"name": name, "content": "Hello {{ who }}", "arguments": arguments(&["who"])});
    let id = text(&client.create("prompts", draft).await["id"]);
    [format!("/prompts/{id}"), format!("/content/{id}")]
}

fn with(body: &Value, names: &[&str]) -> Value {
    let mut body = body.clone();
    body["arguments"] = arguments(names);
    body
}

async fn text_and_arguments_change_together_by_every_edit(store: TestStore) {
    let owner = store.serve().await.owner();
    for (route, body) in every_edit() {
        let [own, by_id] = greeting(&owner).await;
        for path in [&own, &by_id] {
            // The text alone would use what no argument gives.
            let expected = json!({"error": "invalid_template", "line": null, "undefined_variables": ["more"],
                "unused_arguments": [], "message": "the template is not valid: `more` has no argument"});
            owner.check(&at(route, path), body.clone(), 400, expected).await;
            let expected =
                json!({"error": "invalid_template", "undefined_variables": [], "unused_arguments": ["other"]});
            owner.check(&at(route, path), with(&body, &["who", "more", "other"]), 400, expected).await;
        }
        owner.get(&own).await.expect(200, json!({"version": 1, "content": "Hello {{ who }}"}));
        let expected = json!({"content": "Hello {{ who }}, {{ more }}", "version": 2,
            "arguments": [{"name": "who"}, {"name": "more"}]});
        owner.check(&at(route, &by_id), with(&body, &["who", "more"]), 200, expected.clone()).await;
        owner.get(&own).await.expect(200, expected);
        let expected = json!({"items": [{"version": 2, "changed_fields": ["arguments", "content"]}, {"version": 1}]});
        owner.get(&format!("{own}/history")).await.expect(200, expected);
    }
    // A passage that goes takes its argument along.
    let [own, _] = greeting(&owner).await;
    let gone = json!({"content_to_delete": " {{ who }}", "arguments": []});
    let expected = json!({"content": "Hello", "arguments": [], "version": 2});
    owner.check(&format!("POST {own}/delete-content"), gone, 200, expected).await;
}

async fn arguments_may_come_alone(store: TestStore) {
    let owner = store.serve().await.owner();
    for route in ["PATCH */str-replace", "PATCH */content", "POST */insert", "POST */delete-content", "POST */edits"] {
        let [own, by_id] = greeting(&owner).await;
        let was = owner.get(&own).await.json();
        let same = json!({"arguments": was["arguments"]});
        let expected = json!({"success": true, "version": 1, "diff": "", "updated_at": was["updated_at"]});
        owner.check(&at(route, &own), same, 200, expected).await;
        assert_eq!(changes_of(&owner, &own).await, 1, "{route}");

        let described = json!([{"name": "who", "description": "whom to greet", "required": true}]);
        let dry = json!({"arguments": described, "dry_run": true});
        owner.check(&at(route, &by_id), dry, 200, json!({"dry_run": true, "arguments": described})).await;
        assert_eq!(owner.get(&own).await.json(), was, "{route}");

        let counted = if route.ends_with("/content") { "operations_applied" } else { "replacements" };
        let expected = json!({"success": true, "version": 2, "line": null, "diff": "", counted: 0,
            "arguments": described, "content": "Hello {{ who }}"});
        let answer = owner.check(&at(route, &by_id), json!({"arguments": described}), 200, expected).await.json();
        assert!(answer.get("match_type").is_none(), "{answer}");
        let expected = json!({"items": [{"changed_fields": ["arguments"]}, {}]});
        owner.get(&format!("{own}/history")).await.expect(200, expected);

        let expected = json!({"error": "conflict", "current_version": 2});
        owner.check(&at(route, &own), json!({"arguments": [], "expected_version": 1}), 409, expected).await;
        let expected = json!({"error": "invalid_template", "undefined_variables": ["who"]});
        owner.check(&at(route, &own), json!({"arguments": []}), 400, expected).await;
        assert_eq!(changes_of(&owner, &own).await, 2, "{route}");
    }
}

async fn errors_are_reported_in_the_order_of_the_contract(store: TestStore) {
    let owner = store.serve().await.owner();
    let [own, by_id] = greeting(&owner).await;
    let was = owner.get(&own).await.json();
    let replace = |old: &str, new: &str| json!({"old_str": old, "new_str": new});
    // Each is wrong in all that follows, too.
    for (body, status, shown) in [
        (with(&replace("zzz", "{{ broken"), &["B", "B"]), 400, json!({"error": "no_match"})),
        (
            with(&replace("Hello", "{{ broken"), &["B", "B"]),
            400,
            json!({"error": "invalid_template", "line": 1, "undefined_variables": [], "unused_arguments": []}),
        ),
        (with(&replace("Hello", "{{ other }}"), &["B", "B"]), 422, json!({"error": "validation_failed"})),
        (
            with(&replace("Hello", "{{ other }}"), &["b"]),
            400,
            json!({"error": "invalid_template", "undefined_variables": ["other", "who"], "unused_arguments": ["b"]}),
        ),
        (json!({"arguments": arguments(&["B"])}), 422, super::wrong("arguments[0].name")),
        (json!({"arguments": arguments(&["who", "unused"])}), 400, json!({"unused_arguments": ["unused"]})),
        (replace("Hello {{ who }}", " "), 400, json!({"error": "invalid_template"})),
        (replace("{{ who }}", "{{ who|nope }}"), 400, json!({"error": "invalid_template"})),
        (replace("Hello ", "Hello\n{{ a | }}"), 400, json!({"error": "invalid_template", "line": 2})),
    ] {
        for path in [&own, &by_id] {
            owner.check(&format!("PATCH {path}/str-replace"), body.clone(), status, shown.clone()).await;
            let mut dry = body.clone();
            dry["dry_run"] = json!(true);
            owner.check(&format!("PATCH {path}/str-replace"), dry, status, shown.clone()).await;
        }
        assert_eq!(owner.get(&own).await.json(), was, "{body}");
    }
    assert_eq!(changes_of(&owner, &own).await, 1);
}

async fn other_kinds_have_no_arguments(store: TestStore) {
    let owner = store.serve().await.owner();
    let site = json!({"url": "https://example.org", "content": "{{ who }}"});
    for (kind, id) in [
        ("notes", text(&owner.note("x", Some("{{ who }}")).await["id"])),
        ("bookmarks", text(&owner.create("bookmarks", site).await["id"])),
    ] {
        for path in [format!("/{kind}/{id}"), format!("/content/{id}")] {
            for (route, body) in every_edit() {
                for body in [with(&body, &["who", "more"]), with(&json!({}), &["who"]), with(&json!({}), &[])] {
                    assert_eq!(owner.refused_fields(&at(route, &path), body).await, ["arguments"]);
                }
            }
            owner.get(&path).await.expect(200, json!({"version": 1, "content": "{{ who }}"}));
        }
    }
}
