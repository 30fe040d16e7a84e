//! `PATCH /prompts/{id}`

use serde_json::json;

use crate::support::client::text;
use crate::support::test_store::TestStore;

on_both!(template_and_arguments_are_checked_as_they_will_be, what_a_prompt_needs_cannot_go);

async fn template_and_arguments_are_checked_as_they_will_be(store: TestStore) {
    let owner = store.serve().await.owner();
    let body = json!({"name": "x", "content": "{{ a }}", "arguments": [{"name": "a"}]});
    let made = owner.create("prompts", body).await;
    let line = format!("PATCH /prompts/{}", text(&made["id"]));
    for (patch, undefined, unused) in [
        (json!({"content": "{{ a }}{{ b }}"}), json!(["b"]), json!([])),
        (json!({"content": "nothing"}), json!([]), json!(["a"])),
        (json!({"arguments": []}), json!(["a"]), json!([])),
        (json!({"arguments": [{"name": "a"}, {"name": "b"}]}), json!([]), json!(["b"])),
    ] {
        let refused =
            json!({"error": "invalid_template", "undefined_variables": undefined, "unused_arguments": unused});
        owner.check(&line, patch, 400, refused).await;
    }
    owner.check(&line, json!({"content": " "}), 400, json!({"error": "invalid_template"})).await;
    assert_eq!(owner.get(&format!("/prompts/{}", text(&made["id"]))).await.json(), made);
    let both = json!({"content": "{{ b }}", "arguments": [{"name": "b", "required": true}]});
    owner.check(&line, both, 200, json!({"version": 2, "arguments": [{"name": "b", "required": true}]})).await;
    owner.check(&line, json!({"content": "none", "arguments": []}), 200, json!({"version": 3, "arguments": []})).await;
}

async fn what_a_prompt_needs_cannot_go(store: TestStore) {
    let owner = store.serve().await.owner();
    let taken = text(&owner.create("prompts", json!({"name": "taken", "content": "x"})).await["id"]);
    let line =
        format!("PATCH /prompts/{}", text(&owner.create("prompts", json!({"name": "x", "content": "x"})).await["id"]));
    for field in ["name", "content", "arguments"] {
        assert_eq!(owner.refused_fields(&line, json!({field: null})).await, [field]);
    }
    assert_eq!(owner.refused_fields(&line, json!({"name": "Not A Name"})).await, ["name"]);
    let refused = json!({"error": "duplicate", "field": "name", "existing_id": taken, "existing_state": "active"});
    owner.check(&line, json!({"name": "taken"}), 409, refused).await;
    owner.check(&line, json!({"name": "free"}), 200, json!({"name": "free", "version": 2})).await;
}
