//! Fields of answers: what is always there is required, and what is not required is left out at times. (That required fields
//! are there, and that every value is as described, is asserted for every answer of every test: `support/client.rs`.)

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::routes::webhooks::with_worker;
use crate::support::client::{Client, text};
use crate::support::openapi_document::{described_response, document};
use crate::support::openapi_schema::{difference, resolved};
use crate::support::test_store::{TestServer, TestStore};

on_both!(what_is_always_there_is_required);

/// What only a WebSocket tells, and what only a model makes.
const ELSEWHERE: [&str; 2] = ["Enrichment", "Event"];

const FLOW: &str = "from bifrost import workflow\n\n@workflow(category=\"ops\")\ndef flow(who: str = \"me\"): ...\n";

/// Answers, and for each schema which of its fields were there and which were left out.
struct Observed {
    client: Client,
    /// By schema and field: how often it was there, and how often not.
    fields: BTreeMap<(String, String), (usize, usize)>,
    schemas: BTreeSet<String>,
}

impl Observed {
    async fn ask(&mut self, line: &str, body: Value) -> Value {
        let body = Some(&body).filter(|body| !body.is_null());
        let answer = self.client.send(line, body).await;
        let (_, response) = described_response(line, answer.status).expect("it is described");
        let schema = &response["content"]["application/json"]["schema"];
        if schema.is_null() {
            return Value::Null;
        }
        let value = answer.json();
        self.note_names(schema, &value);
        value
    }

    fn note_names(&mut self, schema: &Value, value: &Value) {
        self.schemas.insert(resolved("", schema).0.to_owned());
        let (fields, schemas) = (&mut self.fields, &mut self.schemas);
        let problem = difference(schema, value, &mut |name, part, members| {
            schemas.insert(name.to_owned());
            for field in part["properties"].as_object().into_iter().flatten().map(|(field, _)| field) {
                let (there, left_out) = fields.entry((name.to_owned(), field.clone())).or_default();
                *(if members.contains_key(field) { there } else { left_out }) += 1;
            }
        });
        assert_eq!(problem, None, "{value:#}");
    }
}

async fn what_is_always_there_is_required(store: TestStore) {
    let server = store.serve_with(with_worker(None)).await;
    let mut observed = Observed { client: server.owner(), fields: BTreeMap::new(), schemas: BTreeSet::new() };
    items(&mut observed).await;
    edits(&mut observed).await;
    code(&mut observed).await;
    access(&mut observed).await;
    changes(&mut observed, &server).await;
    proposals(&mut observed).await;

    let schemas = &document()["components"]["schemas"];
    for ((schema, field), (there, left_out)) in &observed.fields {
        let part = fields_of(&schemas[schema]);
        let is_required = part["required"].as_array().is_some_and(|names| names.iter().any(|name| name == field));
        assert!(*there == 0 || *left_out > 0 || is_required, "{schema}.{field} is always there, but not required");
        assert!(*left_out == 0 || !is_required, "{schema}.{field} is required, but left out at times");
    }
    let unseen: BTreeSet<&str> = answered().into_iter().filter(|name| !observed.schemas.contains(*name)).collect();
    assert_eq!(unseen, BTreeSet::from(ELSEWHERE), "ask for an answer that has these");
}

/// The fields that a schema itself has, without those of the schemas that it refers to.
fn fields_of(schema: &Value) -> &Value {
    let parts = schema["allOf"].as_array();
    parts.and_then(|parts| parts.iter().find(|part| part.get("properties").is_some())).unwrap_or(schema)
}

/// The names of the schemas with fields that answers have, each with its own name.
fn answered() -> BTreeSet<&'static str> {
    let schemas = document()["components"]["schemas"].as_object().unwrap();
    let is_answer = |schema: &Value| {
        schema["additionalProperties"] != false && (schema.get("properties").is_some() || schema.get("allOf").is_some())
    };
    schemas.iter().filter(|(_, schema)| is_answer(schema)).map(|(name, _)| name.as_str()).collect()
}

/// A report with everything in it, and a history that was imported.
async fn imports(observed: &mut Observed) {
    let id = "0190a6f4-7b3c-7def-8123-456789abcd00";
    let state = json!({"title": "Imported"});
    let history = json!([{"version": 1, "action": "create", "user": "ann", "token": null, "state": state}]);
    let record =
        json!({"source": "a", "type": "note", "id": id, "title": "Imported", "history": history, "notices": ["n"]});
    observed.ask("POST /import?format=records", record).await;
    observed.ask("POST /import?format=records", json!({"source": "b", "type": "note"})).await;
    observed.ask(&format!("GET /notes/{id}/history"), Value::Null).await;
}

async fn items(observed: &mut Observed) {
    let note = observed.ask("POST /notes", json!({"title": "Plan", "content": "one\ntwo\n", "tags": ["home"]})).await;
    let note = format!("/notes/{}", text(&note["id"]));
    observed.ask("POST /notes", json!({"title": "Empty"})).await;
    observed.ask("POST /bookmarks", json!({"url": "https://example.com/"})).await;
    let prompt = json!({"name": "greet", "content": "Hi {{ who }}", "arguments": [{"name": "who", "required": true}]});
    let prompt = text(&observed.ask("POST /prompts", prompt).await["id"]);
    observed.ask(&format!("POST /prompts/{prompt}/render"), json!({"arguments": {"who": "Ann"}})).await;
    imports(observed).await;
    for path in [
        "/content",
        "/content?q=one",
        "/content?limit=1",
        "/content/lookup?item=greet",
        "/tags",
        "/health",
        "/health/live",
    ] {
        observed.ask(&format!("GET {path}"), Value::Null).await;
    }
    for path in [
        "",
        "?include_content=false",
        "?start_line=2",
        "/search?q=two",
        "/enrichment",
        "/history",
        "/history/1/diff",
        "/blame",
    ] {
        observed.ask(&format!("GET {note}{path}"), Value::Null).await;
    }
    observed.ask(&format!("GET {note}/search?q=plan&fields=title&fields=content"), Value::Null).await;
    observed.ask(&format!("POST {note}/archive"), Value::Null).await;
    let merged = observed.ask("POST /notes", json!({"title": "Merged", "content": "1\n2\n3\n"})).await;
    let merged = format!("/notes/{}", text(&merged["id"]));
    observed.ask(&format!("PATCH {merged}"), json!({"content": "1\n2\nthree\n"})).await;
    let stale = json!({"content": "one\n2\n3\n", "expected_version": 1, "on_stale": "merge"});
    observed.ask(&format!("PATCH {merged}"), stale).await;
    observed.ask(&format!("GET {merged}/history"), Value::Null).await;
    observed.ask("PATCH /tags/home", json!({"new_name": "house"})).await;
    observed.ask("GET /notes/0190a6f4-7b3c-7def-8123-456789abcdef", Value::Null).await;
}

async fn edits(observed: &mut Observed) {
    let long = "line\n".repeat(20_000);
    let id = text(&observed.ask("POST /notes", json!({"title": "Edits", "content": "one\ntwo\n"})).await["id"]);
    let note = format!("/content/{id}");
    observed.ask(&format!("PATCH {note}/str-replace"), json!({"old_str": "two", "new_str": long})).await;
    let block = observed.ask("POST /notes", json!({"title": "Block", "content": "if x:\n    a()\nend\n"})).await;
    let block = format!("/notes/{}", text(&block["id"]));
    for (old, new) in [("a()", "a()\nb()"), ("if x:\n", "if x: ")] {
        observed.ask(&format!("PATCH {block}/str-replace"), json!({"old_str": old, "new_str": new})).await;
    }
    observed
        .ask(&format!("PATCH {note}/str-replace"), json!({"old_str": "one", "new_str": "1", "dry_run": true}))
        .await;
    let operations = json!([{"start_line": 1, "end_line": 1, "content": "1"}]);
    observed.ask(&format!("PATCH {note}/content"), json!({"operations": operations})).await;
    observed.ask(&format!("POST {note}/insert"), json!({"at": "end", "new_str": "three"})).await;
    observed.ask(&format!("PATCH {note}"), json!({"title": "Edited"})).await;
    observed.ask(&format!("GET {note}/history"), Value::Null).await;
}

async fn code(observed: &mut Observed) {
    let app = observed.ask("POST /apps", json!({"name": "Shop"})).await;
    let app = text(&app["id"]);
    observed.ask("GET /apps", Value::Null).await;
    observed.ask(&format!("POST /apps/{app}/publish"), Value::Null).await;
    for path in ["", "/versions", "/versions/1", "/versions/1/file?path=_layout.tsx"] {
        observed.ask(&format!("GET /apps/{app}{path}"), Value::Null).await;
    }
    let file = |path: &str| json!({"entity_type": "workflow", "path": path});
    let with = |mut body: Value, field: &str, value: Value| {
        body[field] = value;
        body
    };
    observed.ask("POST /code/replace", with(file("flow.py"), "content", FLOW.into())).await;
    let long = format!("{FLOW}{}", "# comment\n".repeat(12_000));
    observed.ask("POST /code/replace", with(file("long.py"), "content", long.into())).await;
    observed.ask("POST /code/list", json!({"entity_type": "workflow"})).await;
    observed.ask("POST /code/list", json!({"entity_type": "app_file", "app_id": app})).await;
    observed.ask("POST /code/search", json!({"entity_type": "workflow", "pattern": "def"})).await;
    observed.ask("POST /code/search", json!({"entity_type": "app_file", "app_id": app, "pattern": "export"})).await;
    observed.ask("POST /code/read", file("flow.py")).await;
    observed.ask("POST /code/get", file("flow.py")).await;
    observed.ask("POST /code/get", file("long.py")).await;
    let mut edit = json!({"entity_type": "workflow", "path": "flow.py", "old_string": "me", "new_string": "you"});
    observed.ask("POST /code/patch", edit.clone()).await;
    (edit["old_string"], edit["new_string"], edit["dry_run"]) = (json!("you"), json!("me"), json!(true));
    observed.ask("POST /code/patch", edit).await;
    observed.ask("GET /workflows", Value::Null).await;
    observed.ask("POST /workflows/validate", json!({"content": FLOW})).await;
    observed.ask("POST /workflows/validate", json!({"content": "def f(:"})).await;
    let id = text(&observed.ask("POST /code/delete", file("flow.py")).await["id"]);
    observed.ask(&format!("GET /content/{id}"), Value::Null).await;
    observed.ask("GET /content?type=app_file&type=workflow&view=active&view=deleted", Value::Null).await;
}

async fn access(observed: &mut Observed) {
    observed.ask("POST /organizations", json!({"name": "Acme"})).await;
    observed.ask("POST /users", json!({"name": "Ann"})).await;
    observed.ask("POST /tokens", json!({"name": "agent", "scopes": ["read"]})).await;
    let endpoint = json!({"url": "http://127.0.0.1:9/", "types": ["note"]});
    let webhook = text(&observed.ask("POST /webhooks", endpoint).await["id"]);
    observed.ask(&format!("GET /webhooks/{webhook}"), Value::Null).await;
    observed.ask("POST /notes", json!({"title": "Told"})).await;
    observed.ask(&format!("GET /webhooks/{webhook}/deliveries"), Value::Null).await;
    for path in ["/organizations", "/users", "/users/me", "/tokens", "/spaces", "/webhooks"] {
        observed.ask(&format!("GET {path}"), Value::Null).await;
    }
}

async fn changes(observed: &mut Observed, server: &TestServer) {
    let webhook = text(&observed.ask("POST /webhooks", json!({"url": "http://127.0.0.1:9/"})).await["id"]);
    let note = text(&observed.ask("POST /notes", json!({"title": "Changed", "content": "a\n"})).await["id"]);
    let set = |last: u8| format!("0f9619ff-8b86-4011-b42d-00cf4fc964f{last}");
    for (text, last) in [("b\n", 1), ("c\n", 2), ("d\n", 1)] {
        let body = json!({"content": text, "change_set": set(last), "reason": "a test"});
        observed.ask(&format!("PATCH /notes/{note}"), body).await;
    }
    // An event of a server from before changes were attributed.
    server.store.execute("UPDATE deliveries SET client_name = NULL WHERE version = 2").await;
    observed.ask(&format!("GET /changes/{}", set(1)), Value::Null).await;
    let skipping = json!({"skip_conflicts": true});
    observed.ask(&format!("POST /changes/{}/undo", set(1)), skipping).await;
    observed.ask("POST /notes", json!({"title": "New", "change_set": set(3)})).await;
    observed.ask(&format!("POST /changes/{}/undo", set(3)), Value::Null).await;
    observed.ask(&format!("GET /changes/{}", set(3)), Value::Null).await;
    observed.ask(&format!("POST /changes/{}/keep", set(2)), Value::Null).await;
    observed.ask("POST /changes/keep", json!({"ids": [set(1), set(2)]})).await;
    observed.ask("GET /changes?limit=2", Value::Null).await;
    observed.ask(&format!("GET /webhooks/{webhook}/deliveries"), Value::Null).await;
}

async fn proposals(observed: &mut Observed) {
    let note = text(&observed.ask("POST /notes", json!({"title": "Proposed", "content": "a\nb\n"})).await["id"]);
    let other = text(&observed.ask("POST /notes", json!({"title": "Other"})).await["id"]);
    let (agent, _) = observed.client.new_token(json!({"name": "agent", "agent": true, "writes": "propose"})).await;
    let owner = std::mem::replace(&mut observed.client, agent);
    let edit = |old: &str, new: &str| json!({"old_str": old, "new_str": new, "reason": "a test"});
    let line = format!("PATCH /notes/{note}/str-replace");
    let proposed = observed.ask(&line, edit("a", "A")).await;
    let id = text(&proposed["proposal"]["id"]);
    observed.ask(&format!("GET /notes/{note}"), Value::Null).await;
    observed.ask(&format!("DELETE /notes/{other}"), Value::Null).await;
    let agent = std::mem::replace(&mut observed.client, owner);
    observed.ask("GET /proposals", Value::Null).await;
    observed.ask(&format!("GET /proposals/{id}"), Value::Null).await;
    observed.ask(&format!("POST /proposals/{id}/reject"), json!({"reason": "no"})).await;
    let owner = std::mem::replace(&mut observed.client, agent);
    let proposed = observed.ask(&line, edit("b", "B")).await;
    observed.client = owner;
    let id = text(&proposed["proposal"]["id"]);
    observed.ask(&format!("POST /proposals/{id}/accept"), json!({"revision": 1})).await;
    observed.ask(&format!("GET /notes/{note}/history"), Value::Null).await;
    observed.ask("POST /proposals/accept", json!({"ids": [{"id": id, "revision": 1}]})).await;
}
