//! The same request through both doors: the same outcome, the same error code, and the same is stored.

mod code;
mod prompts;

use serde_json::{Map, Value, json};

use crate::agent::Agent;
use crate::client::Client;
use crate::place::Place;

on_both!(both_doors_do_the_same);

const CONTENT: &str = "alpha\nbeta\ngamma\nbeta two\n";
const NOBODY: &str = "0190a6f4-7b3c-7def-8123-456789abcdef";

/// What is asked through one door and the other. `{note}` and the like are the ids of what is there before.
struct Row {
    rest: &'static str,
    body: Value,
    tool: &'static str,
    arguments: Value,
}

fn row(rest: &'static str, body: Value, tool: &'static str, arguments: Value) -> Row {
    Row { rest, body, tool, arguments }
}

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

fn with(mut fields: Value, name: &str, value: &str) -> Value {
    fields[name] = value.into();
    fields
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
    vec![
        ("{note}", note),
        ("{bookmark}", bookmark),
        ("{empty}", empty),
        ("{edited}", edited),
        ("{deleted}", deleted),
        ("{nobody}", NOBODY.to_owned()),
    ]
}

fn filled(text: &str, ids: &[(&'static str, String)]) -> String {
    ids.iter().fold(text.to_owned(), |text, (name, id)| text.replace(name, id))
}

/// Everything that a user has, without what differs from user to user.
async fn stored(rest: &Client) -> Vec<Value> {
    let path = "/content?include_content=true&view=active&view=archived&view=deleted&sort_by=created_at";
    let list = rest.get(path).await.json();
    let mut stored = Vec::new();
    for item in list["items"].as_array().unwrap() {
        let history = rest.get(&format!("/content/{}/history", item["id"].as_str().unwrap())).await.json();
        let records = history["items"].as_array().unwrap().iter().map(|record| {
            json!([record["version"], record["action"], record["changed_fields"], record["content_length"]])
        });
        stored.push(json!({"item": comparable(item), "records": records.collect::<Value>()}));
    }
    stored
}

/// What can be compared of an answer: no ids, no times, and nothing that one door calls otherwise.
fn comparable(answer: &Value) -> Value {
    match answer {
        Value::Object(members) => {
            let is_own = |name: &str| {
                ["id", "existing_id", "current", "errors", "message", "suggestion", "limit", "next_cursor", "app_id"]
                    .contains(&name)
                    || name == "organization_id"
            };
            let members = members.iter().filter(|(name, value)| !is_own(name) && !value.is_null());
            let member = |(name, value): (&String, &Value)| {
                let value = if name.ends_with("_at") { json!("some time") } else { comparable(value) };
                (name.clone(), value)
            };
            members.map(member).collect::<Map<_, _>>().into()
        }
        Value::Array(list) => list.iter().map(comparable).collect(),
        other => other.clone(),
    }
}

/// Demands that what both tell is the same.
fn assert_agree(row: &Row, told: &Value, rest: &Value) {
    let (told, rest) = (comparable(told), comparable(rest));
    let (Value::Object(told), Value::Object(rest)) = (&told, &rest) else { panic!("{}: {told} {rest}", row.tool) };
    let common = told.iter().filter_map(|(name, told)| Some((name, told, rest.get(name)?)));
    for (name, told, rest) in common {
        match (told, rest) {
            (Value::Array(told), Value::Array(rest)) if told.iter().all(Value::is_object) => {
                assert_eq!(told.len(), rest.len(), "{} {}: {name}", row.tool, row.arguments);
                told.iter().zip(rest).for_each(|(told, rest)| assert_agree(row, told, rest));
            }
            (Value::Object(_), Value::Object(_)) => assert_agree(row, told, rest),
            _ => assert_eq!(told, rest, "{} {}: {name}", row.tool, row.arguments),
        }
    }
}

async fn both_doors_do_the_same(place: Place) {
    let rows = [edits(), changes(), creations_and_returns(), reads()].into_iter().flatten();
    assert_same(place, "content", rows, alone, before).await;
}

/// A user of no organization.
async fn alone(_: &Client, name: &str) -> Value {
    json!({"name": name})
}

/// Asks for each row through both doors, for users of their own, as `user` describes them, who have what is there
/// `before`.
async fn assert_same(
    place: Place,
    server: &str,
    rows: impl Iterator<Item = Row>,
    user: impl AsyncFn(&Client, &str) -> Value,
    before: impl AsyncFn(&Client) -> Vec<(&'static str, String)>,
) {
    let world = place.serve().await;
    let owner = world.owner();
    for row in rows {
        let (mut clients, mut secrets) = (Vec::new(), Vec::new());
        for name in ["one", "other"] {
            let user = user(&owner, name).await;
            let made = owner.check("POST /users", user, 201, json!({})).await.json();
            secrets.push(made["token"].as_str().unwrap().to_owned());
            clients.push(world.with_token(&secrets[secrets.len() - 1]));
        }
        let [rest, other] = &clients[..] else { panic!("two") };
        let (ids, other_ids) = (before(rest).await, before(other).await);
        let agent = Agent::new(world.address, server, Some(&secrets[1]));

        let body: Value = serde_json::from_str(&filled(&row.body.to_string(), &ids)).unwrap();
        let answer = rest.send(&filled(row.rest, &ids), Some(&body).filter(|body| !body.is_null())).await;
        let arguments = serde_json::from_str(&filled(&row.arguments.to_string(), &other_ids)).unwrap();
        let told = agent.call(row.tool, arguments).await;

        let shown = format!("{} {} | {} {}", row.rest, row.body, row.tool, row.arguments);
        assert_eq!(told.is_ok(), answer.status < 400, "{shown}: {told:?} {}", answer.json());
        match &told {
            Ok(told) => assert_agree(&row, told, &answer.json()),
            Err(error) => {
                assert_eq!(error["error"], answer.json()["error"], "{shown}: {error}");
                assert_agree(&row, error, &answer.json());
            }
        }
        assert_eq!(stored(other).await, stored(rest).await, "{shown}");
    }
}
