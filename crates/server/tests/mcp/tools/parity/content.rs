//! Parity of the tools for notes and bookmarks.

use serde_json::{Value, json};

use super::{Row, alone, assert_same, row, with};
use crate::support::client::Client;
use crate::support::test_store::TestStore;

on_both!(both_doors_do_the_same_to_notes_and_bookmarks);

const CONTENT: &str = "alpha\nbeta\ngamma\nbeta two\n";
const NOBODY: &str = "0190a6f4-7b3c-7def-8123-456789abcdef";

fn edits() -> Vec<Row> {
    let replace = |fields: Value| {
        row("PATCH /content/{note}/str-replace", fields.clone(), "edit_content", with(fields, "id", "{note}"))
    };
    let several = |list: Value| {
        let fields = json!({"edits": list});
        row("POST /content/{note}/edits", fields.clone(), "edit_content", with(fields, "id", "{note}"))
    };
    let patch = |fields: Value| {
        row("PATCH /notes/{note}/content", fields.clone(), "patch_note", with(fields, "note_id", "{note}"))
    };
    let lines = |start: u64, end: u64, content: &str| {
        patch(json!({"operations": [{"start_line": start, "end_line": end, "content": content}]}))
    };
    vec![
        replace(json!({"old_str": "gamma", "new_str": "delta"})),
        replace(json!({"old_str": "gamma", "new_str": ""})),
        replace(json!({"old_str": "gamma", "new_str": "gamma"})),
        replace(json!({"old_str": "GAMMA", "new_str": "x"})),
        replace(json!({"old_str": "beta", "new_str": "x"})),
        replace(json!({"old_str": "beta", "new_str": "x", "expected_matches": 2})),
        replace(json!({"old_str": "beta", "new_str": "x", "expected_matches": 3})),
        replace(json!({"old_str": "beta", "new_str": "x", "expected_matches": 0})),
        replace(json!({"old_str": "gamma", "new_str": "x", "dry_run": true})),
        replace(json!({"old_str": "gamma", "new_str": "x", "expected_version": 1})),
        replace(json!({"old_str": "gamma", "new_str": "x", "expected_version": 7})),
        replace(json!({"old_str": "gamma", "new_str": "x", "type": "note"})),
        replace(json!({"old_str": "gamma", "new_str": "x", "type": "bookmark"})),
        replace(json!({"old_str": "", "new_str": "x"})),
        replace(json!({"old_str": "gamma", "new_str": "\u{0}"})),
        replace(json!({"old_str": "gamma"})),
        replace(json!({"new_str": "gamma"})),
        several(json!([{"old_str": "alpha", "new_str": "one"}, {"old_str": "one", "new_str": "two"}])),
        several(json!([{"old_str": "alpha", "new_str": "one"}, {"old_str": "alpha", "new_str": "two"}])),
        several(json!([])),
        several(json!([{"old_str": "alpha"}])),
        lines(2, 3, "x\ny\nz"),
        lines(2, 1, "x"),
        lines(2, 2, ""),
        lines(9, 9, "x"),
        lines(0, 1, "x"),
        lines(3, 1, "x"),
        patch(json!({"operations": []})),
        patch(json!({"operations": [{"start_line": 1, "end_line": 1, "content": "x", "expect": "omega"}]})),
        patch(json!({"operations": [{"start_line": 1, "end_line": 1, "content": "x", "expect": "alpha"}]})),
        patch(json!({"operations": [
            {"start_line": 1, "end_line": 2, "content": "x"}, {"start_line": 2, "end_line": 3, "content": "y"}]})),
        row(
            "PATCH /notes/{empty}/str-replace",
            json!({"old_str": "a", "new_str": "b"}),
            "edit_content",
            json!({"id": "{empty}", "old_str": "a", "new_str": "b"}),
        ),
        row(
            "PATCH /notes/{deleted}/str-replace",
            json!({"old_str": "a", "new_str": "b"}),
            "edit_content",
            json!({"id": "{deleted}", "old_str": "a", "new_str": "b"}),
        ),
        row(
            "PATCH /notes/{nobody}/str-replace",
            json!({"old_str": "a", "new_str": "b"}),
            "edit_content",
            json!({"id": "{nobody}", "old_str": "a", "new_str": "b"}),
        ),
    ]
}

fn changes() -> Vec<Row> {
    let update = |fields: Value| {
        row("PATCH /content/{note}", fields.clone(), "update_item_metadata", with(fields, "id", "{note}"))
    };
    let rewrite = |content: &str, version: u64| {
        let fields = json!({"content": content, "expected_version": version});
        row("PATCH /content/{note}", fields.clone(), "rewrite_content", with(fields, "id", "{note}"))
    };
    vec![
        rewrite("all new\n", 1),
        rewrite(CONTENT, 1),
        rewrite("all new\n", 2),
        update(json!({"title": "Other"})),
        update(json!({"title": " "})),
        update(json!({"title": "x".repeat(501)})),
        update(json!({"description": "About", "add_tags": ["New", "old"], "remove_tags": ["old"]})),
        update(json!({"tags": ["b", "a"]})),
        update(json!({"tags": []})),
        update(json!({"tags": ["a"], "add_tags": ["b"]})),
        update(json!({"add_tags": ["not a tag!"]})),
        update(json!({"tags": "a"})),
        row(
            "PATCH /content/{note}",
            json!({"description": null}),
            "update_item_metadata",
            json!({"id": "{note}", "clear": ["description"]}),
        ),
        row(
            "PATCH /content/{note}",
            json!({"title": null}),
            "update_item_metadata",
            json!({"id": "{note}", "clear": ["title"]}),
        ),
        row(
            "PATCH /bookmarks/{bookmark}",
            json!({"url": "https://example.org/other"}),
            "update_item_metadata",
            json!({"id": "{bookmark}", "url": "https://example.org/other"}),
        ),
        row(
            "POST /notes/{note}/archive",
            Value::Null,
            "update_item_metadata",
            json!({"id": "{note}", "archived": true}),
        ),
        row(
            "POST /notes/{note}/unarchive",
            Value::Null,
            "update_item_metadata",
            json!({"id": "{note}", "archived": false}),
        ),
        update(json!({"add_tags": ["to do"]})),
    ]
}

fn moves() -> Vec<Row> {
    let moved = |rest: &'static str, id: &str, fields: Value| {
        row(rest, Value::Null, "update_item_metadata", with(fields, "id", id))
    };
    let (delete, restore) = (json!({"deleted": true}), json!({"deleted": false}));
    vec![
        moved("DELETE /notes/{note}", "{note}", delete.clone()),
        moved("DELETE /notes/{note}", "{note}", json!({"deleted": "true", "type": "note"})),
        moved("DELETE /bookmarks/{bookmark}", "{bookmark}", delete.clone()),
        moved("DELETE /notes/{archived}", "{archived}", delete.clone()),
        moved("DELETE /notes/{deleted}", "{deleted}", delete.clone()),
        moved("DELETE /notes/{nobody}", "{nobody}", delete.clone()),
        moved("POST /notes/{deleted}/restore", "{deleted}", restore.clone()),
        moved("POST /bookmarks/{dropped}/restore", "{dropped}", restore.clone()),
        moved("POST /notes/{note}/restore", "{note}", restore.clone()),
        moved("POST /notes/{archived}/restore", "{archived}", restore.clone()),
        moved("POST /notes/{nobody}/restore", "{nobody}", restore),
        moved("POST /notes/{deleted}/archive", "{deleted}", json!({"archived": true})),
        moved("POST /notes/{archived}/unarchive", "{archived}", json!({"archived": false})),
        row(
            "PATCH /notes/{deleted}",
            json!({"title": "x"}),
            "update_item_metadata",
            json!({"id": "{deleted}", "title": "x"}),
        ),
        row(
            "POST /notes/{deleted}/history/1/restore",
            Value::Null,
            "restore_item",
            json!({"id": "{deleted}", "version": 1}),
        ),
    ]
}

fn creations_and_returns() -> Vec<Row> {
    let create = |fields: Value| row("POST /notes", fields.clone(), "create_note", fields);
    let bookmark = |fields: Value| row("POST /bookmarks", fields.clone(), "create_bookmark", fields);
    vec![
        create(json!({"title": "New", "content": "text", "tags": ["A", "a"], "description": "d"})),
        create(json!({"title": "Bare"})),
        create(json!({"title": ""})),
        create(json!({"content": "x"})),
        create(json!({"title": "New", "url": "https://example.org/"})),
        bookmark(json!({"url": "https://example.org/new", "title": "New"})),
        bookmark(json!({"url": "HTTPS://Example.org/taken"})),
        bookmark(json!({"url": "ftp://example.org"})),
        bookmark(json!({})),
        row(
            "POST /notes/{edited}/history/1/restore",
            Value::Null,
            "restore_item",
            json!({"id": "{edited}", "version": 1}),
        ),
        row(
            "POST /notes/{edited}/history/2/restore",
            Value::Null,
            "restore_item",
            json!({"id": "{edited}", "version": 2}),
        ),
        row(
            "POST /notes/{edited}/history/9/restore",
            Value::Null,
            "restore_item",
            json!({"id": "{edited}", "version": 9}),
        ),
        row(
            "POST /notes/{edited}/history/0/restore",
            Value::Null,
            "restore_item",
            json!({"id": "{edited}", "version": 0}),
        ),
    ]
}

fn reads() -> Vec<Row> {
    let get = |path: &'static str, tool: &'static str, arguments: Value| row(path, Value::Null, tool, arguments);
    vec![
        get("GET /content/{note}", "get_item", json!({"id": "{note}"})),
        get("GET /content/{empty}", "get_item", json!({"id": "{empty}"})),
        get("GET /content/{deleted}", "get_item", json!({"id": "{deleted}"})),
        get("GET /content/{note}?include_content=false", "get_item", json!({"id": "{note}", "include_content": false})),
        get(
            "GET /content/{note}?start_line=2&end_line=3",
            "get_item",
            json!({"id": "{note}", "start_line": 2, "end_line": 3}),
        ),
        get(
            "GET /content/{note}?start_line=4&end_line=99",
            "get_item",
            json!({"id": "{note}", "start_line": 4, "end_line": 99}),
        ),
        get("GET /content/{note}?start_line=9", "get_item", json!({"id": "{note}", "start_line": 9})),
        get("GET /content/{note}?start_line=0", "get_item", json!({"id": "{note}", "start_line": 0})),
        get("GET /content/{empty}?start_line=1", "get_item", json!({"id": "{empty}", "start_line": 1})),
        get(
            "GET /content/{note}?start_line=1&include_content=false",
            "get_item",
            json!({"id": "{note}", "start_line": 1, "include_content": false}),
        ),
        get("GET /content/{nobody}", "get_item", json!({"id": "{nobody}"})),
        get("GET /content/x", "get_item", json!({"id": "x"})),
        get("GET /content/{note}?type=bookmark", "get_item", json!({"id": "{note}", "type": "bookmark"})),
        get("GET /content/{note}/search?q=beta", "search_in_content", json!({"id": "{note}", "query": "beta"})),
        get("GET /content/{note}/search?q=BETA", "search_in_content", json!({"id": "{note}", "query": "BETA"})),
        get(
            "GET /content/{note}/search?q=BETA&case_sensitive=true&context_lines=0",
            "search_in_content",
            json!({"id": "{note}", "query": "BETA", "case_sensitive": true, "context_lines": 0}),
        ),
        get(
            "GET /content/{note}/search?q=%5Eb&regex=true&fields=content,title",
            "search_in_content",
            json!({"id": "{note}", "query": "^b", "regex": true, "fields": ["content", "title"]}),
        ),
        get(
            "GET /content/{note}/search?q=(&regex=true",
            "search_in_content",
            json!({"id": "{note}", "query": "(", "regex": true}),
        ),
        get("GET /content/{note}/search?q=", "search_in_content", json!({"id": "{note}", "query": ""})),
        get(
            "GET /content/{note}/search?q=a&context_lines=11",
            "search_in_content",
            json!({"id": "{note}", "query": "a", "context_lines": 11}),
        ),
    ]
}

fn lists() -> Vec<Row> {
    let get = |path: &'static str, tool: &'static str, arguments: Value| row(path, Value::Null, tool, arguments);
    vec![
        get("GET /content?type=bookmark", "search_items", json!({"type": "bookmark"})),
        get(
            "GET /notes?tags=old&tags=none&tag_match=any",
            "search_items",
            json!({"type": "note", "tags": ["old", "none"], "tag_match": "any"}),
        ),
        get(
            "GET /notes?sort_by=title&sort_order=desc&limit=1&offset=1",
            "search_items",
            json!({"type": "note", "sort_by": "title", "sort_order": "desc", "limit": 1, "offset": 1}),
        ),
        get("GET /notes?sort_by=relevance", "search_items", json!({"sort_by": "relevance"})),
        get("GET /notes?limit=0", "search_items", json!({"limit": 0})),
        get("GET /notes?limit=101", "search_items", json!({"limit": 101})),
        get("GET /notes?tags=a%20b", "search_items", json!({"tags": ["a b"]})),
        get("GET /notes?limit=2", "search_items", json!({"type": "note", "limit": "2"})),
        get("GET /notes?limit=five", "search_items", json!({"type": "note", "limit": "five"})),
        get("GET /notes?view=archived", "search_items", json!({"type": "note", "view": "archived"})),
        get("GET /content?view=deleted", "search_items", json!({"view": "deleted"})),
        get("GET /content?view=deleted&q=a", "search_items", json!({"view": "deleted", "query": "a"})),
        get("GET /notes?view=gone", "search_items", json!({"view": "gone"})),
        get("GET /content/{deleted}/history", "item_history", json!({"id": "{deleted}"})),
        get("GET /tags", "list_tags", json!({})),
        get("GET /content/{edited}/history", "item_history", json!({"id": "{edited}"})),
        get("GET /content/{edited}/history/2/diff", "item_history", json!({"id": "{edited}", "version": 2})),
        get(
            "GET /content/{edited}/history/2/diff?against=0",
            "item_history",
            json!({"id": "{edited}", "version": 2, "against": 0}),
        ),
        get("GET /content/{edited}/history/9/diff", "item_history", json!({"id": "{edited}", "version": 9})),
        get("GET /content/{nobody}/history", "item_history", json!({"id": "{nobody}"})),
        get("GET /content?q=gamma&type=note&type=bookmark", "search_items", json!({"query": "gamma"})),
    ]
}

/// What is there before a request: ids by their names.
async fn before(rest: &Client) -> Vec<(&'static str, String)> {
    let note = json!({"title": "First", "description": "d", "tags": ["old"], "content": CONTENT});
    let id = |item: &Value| item["id"].as_str().unwrap().to_owned();
    let note = id(&rest.create("notes", note).await);
    let bookmark = json!({"url": "https://example.org/taken", "title": "Taken"});
    let bookmark = id(&rest.create("bookmarks", bookmark).await);
    let empty = id(&rest.note("Empty", None).await);
    let edited = id(&rest.note("Edited", Some("one\ntwo\n")).await);
    rest.patch(&format!("/notes/{edited}"), json!({"content": "one\nthree\n"})).await.expect(200, json!({}));
    let deleted = id(&rest.note("Deleted", Some("a")).await);
    rest.delete(&format!("/notes/{deleted}")).await.expect(204, Value::Null);
    let archived = id(&rest.note("Archived", Some("a")).await);
    rest.send(&format!("POST /notes/{archived}/archive"), None).await.expect(200, json!({}));
    // Its address is that of another one now.
    let dropped = json!({"url": "https://example.org/dropped"});
    let again = dropped.clone();
    let dropped = id(&rest.create("bookmarks", dropped).await);
    rest.delete(&format!("/bookmarks/{dropped}")).await.expect(204, Value::Null);
    rest.create("bookmarks", again).await;
    vec![
        ("{note}", note),
        ("{archived}", archived),
        ("{dropped}", dropped),
        ("{bookmark}", bookmark),
        ("{empty}", empty),
        ("{edited}", edited),
        ("{deleted}", deleted),
        ("{nobody}", NOBODY.to_owned()),
    ]
}

async fn both_doors_do_the_same_to_notes_and_bookmarks(store: TestStore) {
    let rows = [edits(), changes(), moves(), creations_and_returns(), reads(), lists()].into_iter().flatten();
    assert_same(store, "content", rows, alone, before).await;
}
