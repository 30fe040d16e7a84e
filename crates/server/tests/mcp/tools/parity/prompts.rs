//! Parity of the prompt tools: REST takes an id or a name, MCP a name.

use serde_json::{Value, json};

use super::{Row, assert_same, row, with};
use crate::support::client::Client;
use crate::support::test_store::TestStore;

on_both!(both_doors_do_the_same_to_prompts);

const TEMPLATE: &str = "Review this {{ language }} code.\n{% if focus %}Look at {{ focus }}.\n{% endif %}Be kind.\n";

fn arguments() -> Value {
    json!([{"name": "language", "description": "Which", "required": true}, {"name": "focus"}])
}

fn edits() -> Vec<Row> {
    let replace = |fields: Value| {
        row(
            "PATCH /prompts/name/review/str-replace",
            fields.clone(),
            "edit_prompt_template",
            with(fields, "name", "review"),
        )
    };
    let several = |fields: Value| {
        row("POST /prompts/{review}/edits", fields.clone(), "edit_prompt_template", with(fields, "name", "review"))
    };
    let renamed = json!([{"name": "lang", "required": true}, {"name": "focus"}]);
    vec![
        replace(json!({"old_str": "Be kind", "new_str": "Be brief"})),
        replace(json!({"old_str": "Be kind.\n", "new_str": ""})),
        replace(json!({"old_str": "Be rude", "new_str": "x"})),
        replace(json!({"old_str": "focus", "new_str": "x"})),
        replace(json!({"old_str": "focus", "new_str": "focus", "expected_matches": 2})),
        replace(json!({"old_str": "{{ language }}", "new_str": "{{ lang }}", "arguments": renamed})),
        replace(json!({"old_str": "{{ language }}", "new_str": "{{ lang }}"})),
        replace(json!({"old_str": "{{ language }}", "new_str": "Rust"})),
        replace(json!({"old_str": "{{ language }}", "new_str": "{{ language"})),
        replace(json!({"old_str": "{% endif %}", "new_str": ""})),
        replace(json!({"old_str": "{{ focus }}", "new_str": "{{ focus|no_such_filter }}"})),
        replace(json!({"arguments": [{"name": "language"}, {"name": "focus", "description": "Where"}]})),
        replace(json!({"arguments": arguments()})),
        replace(json!({"arguments": []})),
        replace(json!({"arguments": [{"name": "Language"}]})),
        replace(json!({"arguments": [{"name": "focus"}, {"name": "focus"}]})),
        replace(json!({"arguments": [{"title": "focus"}]})),
        replace(json!({"arguments": "focus"})),
        replace(json!({})),
        replace(json!({"old_str": "Be kind"})),
        replace(json!({"old_str": "Be kind", "new_str": "x", "dry_run": true})),
        replace(json!({"old_str": "Be kind", "new_str": "x", "expected_version": 1})),
        replace(json!({"old_str": "Be kind", "new_str": "x", "expected_version": 3})),
        several(json!({"arguments": renamed, "edits": [
            {"old_str": "{{ language }}", "new_str": "{{ lang }}"}, {"old_str": "Be kind", "new_str": "Be brief"}]})),
        several(json!({"edits": [
            {"old_str": "{% if focus %}", "new_str": ""}, {"old_str": "{% endif %}", "new_str": ""}]})),
        several(json!({"edits": [
            {"old_str": "Be kind", "new_str": "Be brief"}, {"old_str": "Be kind", "new_str": "x"}]})),
        several(json!({"edits": []})),
        row(
            "PATCH /prompts/name/nobody/str-replace",
            json!({"old_str": "a", "new_str": "b"}),
            "edit_prompt_template",
            json!({"name": "nobody", "old_str": "a", "new_str": "b"}),
        ),
        row(
            "PATCH /prompts/name/deleted/str-replace",
            json!({"old_str": "a", "new_str": "b"}),
            "edit_prompt_template",
            json!({"name": "deleted", "old_str": "a", "new_str": "b"}),
        ),
        row(
            "PATCH /prompts/name/archived/str-replace",
            json!({"old_str": "a", "new_str": "b"}),
            "edit_prompt_template",
            json!({"name": "archived", "old_str": "a", "new_str": "b"}),
        ),
    ]
}

fn changes() -> Vec<Row> {
    let update = |fields: Value| {
        row("PATCH /prompts/name/review", fields.clone(), "update_prompt_metadata", with(fields, "name", "review"))
    };
    let rename = |name: &str| {
        row(
            "PATCH /prompts/{review}",
            json!({"name": name}),
            "update_prompt_metadata",
            json!({"name": "review", "new_name": name}),
        )
    };
    let create = |fields: Value| row("POST /prompts", fields.clone(), "create_prompt", fields);
    let restore = |path: &'static str, version: u64| {
        row(path, Value::Null, "restore_prompt", json!({"name": "edited", "version": version}))
    };
    vec![
        rename("code-review"),
        rename("review"),
        rename("edited"),
        rename("archived"),
        rename("deleted"),
        rename("Code Review"),
        update(json!({"title": "Other", "description": "About"})),
        update(json!({"title": "x".repeat(501)})),
        update(json!({"add_tags": ["New", "old"], "remove_tags": ["old"]})),
        update(json!({"tags": []})),
        row(
            "PATCH /prompts/name/review",
            json!({"title": null, "description": null, "tags": []}),
            "update_prompt_metadata",
            json!({"name": "review", "clear": ["title", "description", "tags"]}),
        ),
        update(json!({"tags": ["a"], "add_tags": ["b"]})),
        update(json!({"tags": "a"})),
        update(json!({"url": "https://example.org/"})),
        create(json!({"name": "new", "content": "Hello {{ who }}", "arguments": [{"name": "who", "required": true}],
            "title": "New", "description": "d", "tags": ["A", "a"]})),
        create(json!({"name": "bare", "content": "Hello"})),
        create(json!({"name": "review", "content": "Hello"})),
        create(json!({"name": "deleted", "content": "Hello"})),
        create(json!({"name": "-", "content": "Hello"})),
        create(json!({"name": "new"})),
        create(json!({"content": "Hello"})),
        create(json!({"name": "new", "content": " \n"})),
        create(json!({"name": "new", "content": "{{ who }}"})),
        create(json!({"name": "new", "content": "{% if %}"})),
        create(json!({"name": "new", "content": "Hello", "arguments": [{"name": "who"}]})),
        create(json!({"name": "new", "content": "Hello", "arguments": [{"name": "who", "required": "yes"}]})),
        restore("POST /prompts/{edited}/history/1/restore", 1),
        restore("POST /prompts/{edited}/history/2/restore", 2),
        restore("POST /prompts/{edited}/history/9/restore", 9),
        restore("POST /prompts/{edited}/history/0/restore", 0),
    ]
}

fn moves() -> Vec<Row> {
    let moved = |rest: &'static str, name: &str, fields: Value| {
        row(rest, Value::Null, "update_prompt_metadata", with(fields, "name", name))
    };
    let (delete, restore) = (json!({"deleted": true}), json!({"deleted": false}));
    vec![
        moved("DELETE /prompts/{review}", "review", delete.clone()),
        moved("DELETE /prompts/{deleted}", "deleted", delete),
        moved("POST /prompts/{deleted}/restore", "deleted", restore.clone()),
        moved("POST /prompts/{review}/restore", "review", restore.clone()),
        moved("POST /prompts/{taken}/restore", "taken", restore),
        moved("POST /prompts/{review}/archive", "review", json!({"archived": true})),
        moved("POST /prompts/{archived}/unarchive", "archived", json!({"archived": false})),
        moved("POST /prompts/{deleted}/archive", "deleted", json!({"archived": true})),
    ]
}

fn reads() -> Vec<Row> {
    let get = |path: &'static str, tool: &'static str, arguments: Value| row(path, Value::Null, tool, arguments);
    let render = |given: Value| {
        let fields = json!({"arguments": given});
        row("POST /prompts/{review}/render", fields.clone(), "render_prompt", with(fields, "name", "review"))
    };
    let template = "get_prompt_template";
    vec![
        get("GET /prompts/name/review", template, json!({"name": "review"})),
        get("GET /prompts/name/archived", template, json!({"name": "archived"})),
        get("GET /prompts/name/nobody", template, json!({"name": "nobody"})),
        get("GET /prompts/name/deleted", template, json!({"name": "deleted"})),
        get("GET /prompts/name/No%20Name", template, json!({"name": "No Name"})),
        get("GET /prompts/name/review?start_line=2", template, json!({"name": "review", "start_line": 2})),
        get("GET /prompts/name/review?end_line=1", template, json!({"name": "review", "end_line": 1})),
        get("GET /prompts/name/review?start_line=9", template, json!({"name": "review", "start_line": 9})),
        get("GET /prompts/name/review?start_line=0", template, json!({"name": "review", "start_line": 0})),
        get("GET /prompts/name/review?include_content=false", "get_prompt_metadata", json!({"name": "review"})),
        get("GET /prompts/name/nobody?include_content=false", "get_prompt_metadata", json!({"name": "nobody"})),
        get("GET /prompts", "search_prompts", json!({})),
        get("GET /prompts?q=kind", "search_prompts", json!({"query": "kind"})),
        get("GET /prompts?q=nothing", "search_prompts", json!({"query": "nothing"})),
        get(
            "GET /prompts?tags=old&tags=none&tag_match=any",
            "search_prompts",
            json!({"tags": ["old", "none"], "tag_match": "any"}),
        ),
        get("GET /prompts?limit=1&offset=1", "search_prompts", json!({"limit": 1, "offset": 1})),
        get("GET /prompts?limit=101", "search_prompts", json!({"limit": 101})),
        get("GET /prompts?view=archived", "search_prompts", json!({"view": "archived"})),
        get("GET /prompts?view=deleted", "search_prompts", json!({"view": "deleted"})),
        get("GET /prompts?view=deleted&q=a", "search_prompts", json!({"view": "deleted", "query": "a"})),
        get("GET /prompts?view=gone", "search_prompts", json!({"view": "gone"})),
        get("GET /prompts/{deleted}/history", "prompt_history", json!({"name": "deleted"})),
        get("GET /tags", "list_tags", json!({})),
        get("GET /prompts?tags=a%20b", "search_prompts", json!({"tags": ["a b"]})),
        get("GET /prompts/{edited}/history", "prompt_history", json!({"name": "edited"})),
        get("GET /prompts/{edited}/history/2/diff", "prompt_history", json!({"name": "edited", "version": 2})),
        get(
            "GET /prompts/{edited}/history/2/diff?against=0",
            "prompt_history",
            json!({"name": "edited", "version": 2, "against": 0}),
        ),
        get("GET /prompts/{edited}/history/9/diff", "prompt_history", json!({"name": "edited", "version": 9})),
        render(json!({"language": "Rust"})),
        render(json!({"language": "Rust", "focus": "names"})),
        render(json!({"language": 5, "focus": null})),
        render(json!({})),
        render(json!({"language": "Rust", "tone": "kind"})),
        render(json!(["Rust"])),
        row(
            "POST /prompts/{failing}/render",
            json!({"arguments": {"number": 0}}),
            "render_prompt",
            json!({"name": "failing", "arguments": {"number": 0}}),
        ),
    ]
}

/// What is there before a request: ids by their names.
async fn before(rest: &Client) -> Vec<(&'static str, String)> {
    let id = |item: &Value| item["id"].as_str().unwrap().to_owned();
    let review = json!({"name": "review", "title": "Review", "description": "d", "tags": ["old"], "content": TEMPLATE,
        "arguments": arguments()});
    let review = id(&rest.create("prompts", review).await);
    let edited = id(&rest.create("prompts", json!({"name": "edited", "content": "one\ntwo\n"})).await);
    rest.patch(&format!("/prompts/{edited}"), json!({"content": "one\nthree\n"})).await.expect(200, json!({}));
    let failing = json!({"name": "failing", "content": "{{ 1 // number }}", "arguments": [{"name": "number"}]});
    let failing = id(&rest.create("prompts", failing).await);
    let archived = id(&rest.create("prompts", json!({"name": "archived", "content": "a"})).await);
    rest.send(&format!("POST /prompts/{archived}/archive"), None).await.expect(200, json!({}));
    let deleted = id(&rest.create("prompts", json!({"name": "deleted", "content": "a"})).await);
    rest.delete(&format!("/prompts/{deleted}")).await.expect(204, Value::Null);
    let former = id(&rest.create("prompts", json!({"name": "taken", "content": "a"})).await);
    rest.delete(&format!("/prompts/{former}")).await.expect(204, Value::Null);
    // Where a prompt has the name again, that one is meant.
    let taken = id(&rest.create("prompts", json!({"name": "taken", "content": "b"})).await);
    rest.note("Review", Some("Be kind")).await;
    vec![
        ("{review}", review),
        ("{edited}", edited),
        ("{failing}", failing),
        ("{archived}", archived),
        ("{deleted}", deleted),
        ("{taken}", taken),
    ]
}

async fn both_doors_do_the_same_to_prompts(store: TestStore) {
    let rows = [edits(), changes(), moves(), reads()].into_iter().flatten();
    assert_same(store, "prompts", rows, super::alone, before).await;
}
