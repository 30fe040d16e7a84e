//! `POST /prompts/{id}/render`

use serde_json::{Value, json};

use crate::support::client::{Client, text};
use crate::support::test_store::TestStore;

on_both!(
    values_fill_the_template,
    other_arguments_are_refused,
    a_rendering_that_fails_reports_its_line,
    a_rendering_without_end_is_ended,
    rendering_is_a_use_and_needs_to_read_only,
    wrong_bodies_are_named,
    what_is_no_live_prompt_is_not_found,
);

async fn prompt(client: &Client, content: &str, arguments: Value) -> String {
    let made = client.create("prompts", json!({"name": "p", "content": content, "arguments": arguments})).await;
    format!("/prompts/{}", text(&made["id"]))
}

async fn values_fill_the_template(store: TestStore) {
    let owner = store.serve().await.owner();
    let path = prompt(
        &owner,
        "{{ a }}{% if b %}, {{ b|upper }}{% endif %}",
        json!([{"name": "a", "required": true}, {"name": "b"}]),
    )
    .await;
    for (arguments, rendered) in [
        (json!({"a": "x"}), "x"),
        (json!({"a": "x", "b": "y"}), "x, Y"),
        (json!({"a": "<b>&\"", "b": ""}), "<b>&\""),
        (json!({"a": 5, "b": null}), "5"),
        (json!({"a": "{{ b }}", "b": "z"}), "{{ b }}, Z"),
    ] {
        let line = format!("POST {path}/render");
        let answer = owner.check(&line, json!({"arguments": arguments}), 200, json!({"rendered": rendered})).await;
        assert_eq!(answer.json(), json!({"rendered": rendered}));
        let line = line.replace("/prompts/", "/content/");
        owner.check(&line, json!({"arguments": arguments}), 200, json!({"rendered": rendered})).await;
    }
}

async fn other_arguments_are_refused(store: TestStore) {
    let owner = store.serve().await.owner();
    let path =
        prompt(&owner, "{{ a }}{{ b }}", json!([{"name": "a", "required": true}, {"name": "b", "required": true}]))
            .await;
    for (arguments, missing, unknown) in [
        (json!({}), json!(["a", "b"]), json!([])),
        (json!({"a": 1}), json!(["b"]), json!([])),
        (json!({"a": 1, "b": 2, "c": 3}), json!([]), json!(["c"])),
        (json!({"a": 1, "c": 3, "d": 4}), json!(["b"]), json!(["c", "d"])),
    ] {
        let refused = json!({"error": "invalid_arguments", "missing": missing, "unknown": unknown});
        owner.check(&format!("POST {path}/render"), json!({"arguments": arguments}), 400, refused).await;
    }
    owner.get(&path).await.expect(200, json!({"last_used_at": null}));
}

async fn a_rendering_that_fails_reports_its_line(store: TestStore) {
    let owner = store.serve().await.owner();
    let path = prompt(&owner, "fine\n{{ 1/0 }}", json!([])).await;
    let answer = owner.post(&format!("{path}/render"), json!({})).await;
    answer.expect(400, json!({"error": "render_failed", "line": 2, "detail": "……", "message": "…line 2…"}));
}

async fn a_rendering_without_end_is_ended(store: TestStore) {
    let owner = store.serve().await.owner();
    for content in [
        "{% for i in range(100000) %}{% for j in range(100000) %}{% endfor %}{% endfor %}",
        "{{ 'x' * 10**9 }}",
        "{% for i in range(100000) %}{{ 'x' * 1000 }}{% endfor %}",
    ] {
        let path = prompt(&owner, content, json!([])).await;
        owner.check(&format!("POST {path}/render"), json!({}), 400, json!({"error": "render_failed"})).await;
        owner.delete(&path).await.expect(204, Value::Null);
    }
}

async fn rendering_is_a_use_and_needs_to_read_only(store: TestStore) {
    let owner = store.serve().await.owner();
    let path = prompt(&owner, "x", json!([])).await;
    let (reader, _) = owner.new_token(json!({"name": "reader", "scopes": ["read"]})).await;
    reader.check(&format!("POST {path}/render"), json!({}), 200, json!({"rendered": "x"})).await;
    owner.get(&path).await.expect(200, json!({"last_used_at": "…Z…", "version": 1}));
}

async fn wrong_bodies_are_named(store: TestStore) {
    let owner = store.serve().await.owner();
    let line = format!("POST {}/render", prompt(&owner, "x", json!([])).await);
    for (body, field) in [
        (json!({"args": {}}), "args"),
        (json!({"arguments": []}), "arguments"),
        (json!({"arguments": "x"}), "arguments"),
        (json!({"arguments": null}), "arguments"),
        (json!([]), "body"),
    ] {
        assert_eq!(owner.refused_fields(&line, body.clone()).await, [field], "{body}");
    }
}

async fn what_is_no_live_prompt_is_not_found(store: TestStore) {
    let owner = store.serve().await.owner();
    let note = text(&owner.note("x", Some("y")).await["id"]);
    let prompt = prompt(&owner, "x", json!([])).await;
    owner.delete(&prompt).await.expect(204, Value::Null);
    for path in [format!("/content/{note}"), format!("/prompts/{note}"), prompt] {
        owner.check(&format!("POST {path}/render"), json!({}), 404, json!({"error": "not_found"})).await;
    }
}
