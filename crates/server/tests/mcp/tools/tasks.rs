//! Everyday tasks of an agent, each in at most 3 calls.

use serde_json::{Value, json};

use crate::agent::Agent;
use crate::support::client::Client;
use crate::support::test_store::{TestServer, TestStore, on_sqlite};

/// What an agent may need for a task.
const MAX_CALLS: usize = 3;

struct Desk {
    world: TestServer,
    rest: Client,
    agent: Agent,
}

impl Desk {
    async fn with(store: TestStore, item: Value) -> (Desk, String) {
        let world = store.serve().await;
        let (rest, agent) = (world.owner(), Agent::new(world.address, "content", Some(&world.store.secret)));
        let id = rest.create("notes", item).await["id"].as_str().unwrap().to_owned();
        (Desk { world, rest, agent }, id)
    }

    /// The id of the one item that a search finds.
    async fn find(&self, query: &str) -> String {
        let found = self.agent.check("search_items", json!({"query": query}), json!({"total": 1})).await;
        found["items"][0]["id"].as_str().unwrap().to_owned()
    }

    /// Demands that the item is as it should be, and that it took few calls.
    async fn finish(self, id: &str, expected: Value) {
        assert!(self.agent.calls() <= MAX_CALLS, "{} calls", self.agent.calls());
        self.rest.check(&format!("GET /content/{id}"), Value::Null, 200, expected).await;
        let history = self.rest.get(&format!("/content/{id}/history")).await.json();
        assert_eq!(history["items"][0]["source"], "mcp-content", "{history}");
        drop(self.world);
    }
}

#[test]
fn a_typo_that_is_the_beginning_of_another_word() {
    on_sqlite(async |store| {
        let content = "# Mail\n\nWe recieve letters.\n\nWhat was recieved stays, and reciever is a word of theirs.\n";
        let (desk, id) = Desk::with(store, json!({"title": "Mail", "content": content})).await;
        let found = desk.find("recieve").await;
        // The error shows the places, so that the next try is right.
        let edit = json!({"id": found, "old_str": "recieve", "new_str": "receive"});
        let error =
            desk.agent.refused("edit_content", edit, json!({"error": "multiple_matches", "total_matches": 3})).await;
        assert_eq!(error["matches"][0]["line"], 3, "{error}");
        let edit = json!({"id": found, "old_str": "We recieve letters", "new_str": "We receive letters"});
        let expected = json!({"version": 2, "match_type": "exact", "line": 3, "changes": [{"start_line": 1, "end_line": 5,
            "text": "…We receive letters.\n\nWhat was recieved…"}]});
        desk.agent.check("edit_content", edit, expected).await;
        desk.finish(&id, json!({"content": content.replace("We recieve", "We receive")})).await;
    });
}

#[test]
fn a_cell_of_a_table() {
    on_sqlite(async |store| {
        let content = "| service | port |\n| --- | --- |\n| web | 8080 |\n| api | 8080 |\n| db | 5432 |\n";
        let (desk, id) = Desk::with(store, json!({"title": "Ports", "content": content})).await;
        let found = desk.find("ports").await;
        let edit = json!({"id": found, "old_str": "| api | 8080 |", "new_str": "| api | 9090 |"});
        desk.agent.check("edit_content", edit, json!({"line": 4})).await;
        desk.finish(&id, json!({"content": content.replace("api | 8080", "api | 9090")})).await;
    });
}

#[test]
fn a_field_in_front_matter() {
    on_sqlite(async |store| {
        let content = "---\ntitle: Plan\nstatus: draft\n---\n\nThe status: draft means unfinished.\n";
        let (desk, id) = Desk::with(store, json!({"title": "Plan", "content": content})).await;
        let found = desk.find("plan draft").await;
        let read = desk.agent.check("get_item", json!({"id": found, "start_line": 1, "end_line": 4}), json!({})).await;
        assert_eq!(read["content"], "---\ntitle: Plan\nstatus: draft\n---");
        let edit = json!({"note_id": found, "expected_version": 1, "operations": [
            {"start_line": 3, "end_line": 3, "content": "status: final", "expect": "status: draft"}]});
        desk.agent.check("patch_note", edit, json!({"version": 2, "line": 3})).await;
        desk.finish(&id, json!({"content": content.replacen("status: draft", "status: final", 1)})).await;
    });
}

#[test]
fn a_line_of_a_crlf_text_as_it_was_read() {
    on_sqlite(async |store| {
        let content = "one\r\ntwo\r\nthree\r\n";
        let (desk, id) = Desk::with(store, json!({"title": "Windows", "content": content})).await;
        let line = json!({"id": id, "start_line": 2, "end_line": 2});
        let read = desk.agent.check("get_item", line, json!({"content": "two\r"})).await;
        let query = json!({"id": id, "query": read["content"]});
        desk.agent.check("search_in_content", query, json!({"total_matches": 1})).await;
        let edit = json!({"id": id, "old_str": read["content"], "new_str": "TWO\r"});
        desk.agent.check("edit_content", edit, json!({"line": 2, "match_type": "exact"})).await;
        desk.finish(&id, json!({"content": "one\r\nTWO\r\nthree\r\n"})).await;
    });
}

#[test]
fn a_line_in_a_code_block() {
    on_sqlite(async |store| {
        let content =
            "Run it:\n\n```python\ndef main():\n    for x in xs:\n        print(x)\n```\n\nprint(x) prints.\n";
        let (desk, id) = Desk::with(store, json!({"title": "Code", "content": content})).await;
        let found = desk.find("python").await;
        // As a model remembers it, without the indentation.
        let edit = json!({"id": found, "old_str": "for x in xs:\n    print(x)", "new_str": "for x in xs:\n    log(x)"});
        desk.agent.check("edit_content", edit, json!({"line": 5, "match_type": "indentation_relative"})).await;
        desk.finish(&id, json!({"content": content.replacen("        print(x)", "        log(x)", 1)})).await;
    });
}

#[test]
fn one_more_tag() {
    on_sqlite(async |store| {
        let note = json!({"title": "Tagged", "content": "x", "tags": ["alpha", "beta", "gamma"]});
        let (desk, id) = Desk::with(store, note).await;
        let found = desk.find("tagged").await;
        let update = json!({"id": found, "add_tags": ["Delta"]});
        let tags = json!(["alpha", "beta", "gamma", "delta"]);
        desk.agent.check("update_item_metadata", update, json!({"tags": tags})).await;
        desk.finish(&id, json!({"tags": tags, "content": "x"})).await;
    });
}

#[test]
fn a_section_anew() {
    on_sqlite(async |store| {
        let content = "# Guide\n\n## Install\n\nOld way.\nMore of it.\n\n## Use\n\nAs before.\n";
        let (desk, id) = Desk::with(store, json!({"title": "Guide", "content": content})).await;
        let found = desk.find("guide install").await;
        let search = json!({"id": found, "query": "^## ", "regex": true, "context_lines": 0});
        let sections = desk.agent.check("search_in_content", search, json!({"total_matches": 2})).await;
        let [start, next] = [0, 1].map(|index: usize| sections["matches"][index]["line"].as_u64().unwrap());
        let patch = json!({"note_id": found, "expected_version": 1, "operations": [
            {"start_line": start, "end_line": next - 2, "content": "## Install\n\nThe new way."}]});
        desk.agent.check("patch_note", patch, json!({"version": 2})).await;
        let expected = "# Guide\n\n## Install\n\nThe new way.\n\n## Use\n\nAs before.\n";
        desk.finish(&id, json!({"content": expected})).await;
    });
}

#[test]
fn undoing_the_last_change() {
    on_sqlite(async |store| {
        let (desk, id) = Desk::with(store, json!({"title": "Undo", "content": "good\n"})).await;
        desk.rest.patch(&format!("/notes/{id}"), json!({"content": "bad\n"})).await.expect(200, json!({"version": 2}));
        let found = desk.find("undo").await;
        let diff =
            desk.agent.check("item_history", json!({"id": found, "version": 2}), json!({"from": 1, "to": 2})).await;
        assert!(diff["diff"].as_str().unwrap().contains("-good\n+bad"), "{diff}");
        desk.agent.check("restore_item", json!({"id": found, "version": 1}), json!({"version": 3})).await;
        desk.finish(&id, json!({"content": "good\n", "version": 3})).await;
    });
}

#[test]
fn a_variable_of_a_template_with_its_argument() {
    on_sqlite(async |store| {
        let world = store.serve().await;
        let (rest, agent) = (world.owner(), Agent::new(world.address, "prompts", Some(&world.store.secret)));
        let content = "Review this {{ lang }} code.\n\nAnswer in the style of {{ lang }}; be {{ tone }}.\n";
        let arguments = json!([{"name": "lang", "description": "What it is written in", "required": true},
            {"name": "tone", "description": null, "required": false}]);
        rest.create("prompts", json!({"name": "code-review", "content": content, "arguments": arguments})).await;
        let found = agent.check("search_prompts", json!({"query": "review"}), json!({"total": 1})).await;
        let name = found["items"][0]["name"].as_str().unwrap();
        let read = agent.check("get_prompt_template", json!({"name": name}), json!({"content": content})).await;
        let mut renamed = read["arguments"].clone();
        renamed[0]["name"] = json!("language");
        let edit = json!({"name": name, "old_str": "{{ lang }}", "new_str": "{{ language }}", "expected_matches": 2,
            "arguments": renamed, "expected_version": read["version"]});
        agent.check("edit_prompt_template", edit, json!({"version": 2, "replacements": 2})).await;
        assert!(agent.calls() <= MAX_CALLS, "{} calls", agent.calls());
        let mut arguments = arguments;
        arguments[0]["name"] = json!("language");
        let expected = json!({"version": 2, "content": content.replace("lang", "language"), "arguments": arguments});
        rest.check("GET /prompts/name/code-review", Value::Null, 200, expected).await;
        let history = rest.get(&format!("/prompts/{}/history", read["id"].as_str().unwrap())).await.json();
        assert_eq!(history["items"][0]["source"], "mcp-prompts", "{history}");
        assert_eq!(history["items"][0]["changed_fields"], json!(["arguments", "content"]), "{history}");
    });
}
