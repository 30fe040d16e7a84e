//! `POST /prompts`

use serde_json::{Value, json};

use crate::support::client::text;
use crate::support::test_store::TestStore;

on_both!(
    a_prompt_is_answered_as_it_is_stored,
    wrong_fields_are_named,
    wrong_templates_are_refused_with_their_line,
    variables_and_arguments_must_fit,
    a_name_is_taken_once_per_user,
);

async fn a_prompt_is_answered_as_it_is_stored(store: TestStore) {
    let owner = store.serve().await.owner();
    let body = json!({
        "name": "code-review-2", "content": "Review {{ source }}{% if style %} in {{ style }}{% endif %}",
        "arguments": [{"name": "source", "description": "The code", "required": true}, {"name": "style"}],
    });
    let expected = json!({
        "type": "prompt", "name": "code-review-2", "title": null, "content_length": 59, "version": 1,
        "arguments": [
            {"name": "source", "description": "The code", "required": true},
            {"name": "style", "description": null, "required": false},
        ],
    });
    let made = owner.check("POST /prompts", body, 201, expected).await;
    assert!(made.json().get("url").is_none());
    assert_eq!(owner.get(&format!("/prompts/{}", made.id())).await.json(), made.json());
    owner.check("POST /prompts", json!({"name": "plain", "content": "x"}), 201, json!({"arguments": []})).await;
}

async fn wrong_fields_are_named(store: TestStore) {
    let owner = store.serve().await.owner();
    let arguments = |list: Value| json!({"name": "x", "content": "x", "arguments": list});
    for (body, field, message) in [
        (json!({"content": "x"}), "name", "…is required…"),
        (json!({"name": null, "content": "x"}), "name", "…is required…"),
        (json!({"name": "", "content": "x"}), "name", "…`code-review-2`…"),
        (json!({"name": "Upper", "content": "x"}), "name", "…`code-review-2`…"),
        (json!({"name": "a--b", "content": "x"}), "name", "…`code-review-2`…"),
        (json!({"name": "a_b", "content": "x"}), "name", "…`code-review-2`…"),
        (json!({"name": "a\0", "content": "x"}), "name", "…`code-review-2`…"),
        (json!({"name": "x".repeat(101), "content": "x"}), "name", "…101 characters; the limit is 100…"),
        (json!({"name": "x"}), "content", "…is required…"),
        (json!({"name": "x", "content": null}), "content", "…is required…"),
        (json!({"name": "x", "content": "\0"}), "content", "…NUL…"),
        (json!({"name": "x", "content": "x", "url": "https://example.org"}), "url", "…not a field of this kind…"),
        (arguments(json!("x")), "arguments", "…expected a list…"),
        (arguments(json!({})), "arguments", "…an object, expected a list…"),
        (arguments(json!(null)), "arguments", "…null…"),
        (arguments(json!([{}])), "arguments[0].name", "…is required…"),
        (arguments(json!([{"name": "A"}])), "arguments[0].name", "…`source_code`…"),
        (arguments(json!([{"name": "1a"}])), "arguments[0].name", "…`source_code`…"),
        (arguments(json!([{"name": "a"}, {"name": "a"}])), "arguments[1].name", "…earlier argument…"),
        (arguments(json!([{"name": "a", "type": "int"}])), "arguments[0].type", "…is not a field here…"),
        (arguments(json!([{"name": "a", "required": "yes"}])), "arguments[0].required", "…expected a boolean…"),
        (
            arguments(json!([{"name": "a", "description": "x".repeat(1_001)}])),
            "arguments[0].description",
            "…1001 characters…",
        ),
        (arguments(json!([{"name": "a".repeat(101)}])), "arguments[0].name", "…101 characters…"),
    ] {
        let expected = json!({"error": "validation_failed", "errors": [{"field": field, "message": message}]});
        owner.check("POST /prompts", body, 422, expected).await;
    }
    let many: Vec<Value> = (0..101).map(|number| json!({"name": format!("a{number}")})).collect();
    let expected = json!({"errors": [{"field": "arguments", "message": "…101 arguments; the limit is 100…"}]});
    owner.check("POST /prompts", arguments(json!(many)), 422, expected).await;
}

async fn wrong_templates_are_refused_with_their_line(store: TestStore) {
    let owner = store.serve().await.owner();
    for (content, line, detail) in [
        ("", json!(null), "……"),
        (" \n\t", json!(null), "……"),
        ("fine\n{{ open", json!(2), "……"),
        ("{% if x %}", json!(1), "……"),
        ("\n\n{% endfor %}", json!(3), "……"),
        ("{{ 'x'|nosuchfilter }}", json!(1), "…nosuchfilter…"),
        ("{% if 1 is nosuchtest %}{% endif %}", json!(1), "…nosuchtest…"),
        ("{% nosuchtag %}", json!(1), "…nosuchtag…"),
    ] {
        let answer = owner.post("/prompts", json!({"name": "x", "content": content})).await;
        let expected = json!({
            "error": "invalid_template", "detail": detail, "undefined_variables": [], "unused_arguments": [],
            "message": "…the template is not valid…",
        });
        let shown = answer.expect(400, expected).json();
        assert!(line.is_null() || shown["line"] == line, "{content:?}: {shown}");
    }
    let deep = "{{ ".to_owned() + &"(".repeat(100_000) + "1" + &")".repeat(100_000) + " }}";
    owner
        .check("POST /prompts", json!({"name": "x", "content": deep}), 400, json!({"error": "invalid_template"}))
        .await;
}

async fn variables_and_arguments_must_fit(store: TestStore) {
    let owner = store.serve().await.owner();
    for (content, arguments, undefined, unused) in [
        ("{{ a }} {{ b }}", json!([]), json!(["a", "b"]), json!([])),
        ("x", json!([{"name": "a"}]), json!([]), json!(["a"])),
        ("{{ a }}", json!([{"name": "b"}]), json!(["a"]), json!(["b"])),
        ("{% for i in xs %}{{ i }}{{ j }}{% endfor %}", json!([{"name": "xs"}]), json!(["j"]), json!([])),
    ] {
        let body = json!({"name": "x", "content": content, "arguments": arguments});
        let expected = json!({
            "error": "invalid_template", "undefined_variables": undefined, "unused_arguments": unused, "line": null,
            "suggestion": "…every variable an argument…",
        });
        owner.check("POST /prompts", body, 400, expected).await;
    }
    let fitting = json!({"name": "x", "content": "{% set y = a %}{{ y }}", "arguments": [{"name": "a"}]});
    owner.create("prompts", fitting).await;
}

async fn a_name_is_taken_once_per_user(store: TestStore) {
    let owner = store.serve().await.owner();
    let body = json!({"name": "hello", "content": "x"});
    let id = text(&owner.create("prompts", body.clone()).await["id"]);
    let duplicate = |state: &str| json!({"error": "duplicate", "field": "name", "existing_id": id, "existing_state": state, "message": "…hello…"});
    owner.check("POST /prompts", body.clone(), 409, duplicate("active")).await;
    owner.post(&format!("/prompts/{id}/archive"), json!({})).await.expect(200, json!({}));
    owner.check("POST /prompts", body.clone(), 409, duplicate("archived")).await;
    let (other, _) = owner.new_user("other").await;
    other.create("prompts", body.clone()).await;
    owner.delete(&format!("/prompts/{id}")).await.expect(204, Value::Null);
    owner.create("prompts", body).await;
}
