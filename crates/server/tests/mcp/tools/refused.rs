//! Calls of the content tools that are refused: the error names what is wrong, so that the next call is right.

use serde_json::{Value, json};

use crate::agent::Agent;
use crate::support::test_store::{TestStore, on_sqlite};

const NOBODY: &str = "0190a6f4-7b3c-7def-8123-456789abcdef";

async fn agent(store: TestStore) -> Agent {
    let world = store.serve().await;
    Agent::new(world.address, "content", Some(&world.store.secret))
}

#[test]
fn a_wrong_argument_is_named() {
    on_sqlite(async |store| {
        let agent = agent(store).await;
        let id = agent.note("A note", "alpha\nbeta\n").await;
        for (tool, arguments, field, part) in [
            ("get_item", json!({}), "id", "is required"),
            ("get_item", json!({"id": null}), "id", "is required"),
            ("get_item", json!({"id": 7}), "id", "expected a string"),
            ("get_item", json!({"id": "seven"}), "id", "must be a UUID"),
            ("get_item", json!({"id": id, "line": 1}), "line", "is not a field here; expected one of `id`, `type`"),
            ("get_item", json!({"id": id, "type": "prompt"}), "type", "expected `note` or `bookmark`"),
            ("get_item", json!({"id": id, "start_line": "two"}), "start_line", "expected a whole number of at least 1"),
            ("get_item", json!({"id": id, "start_line": ""}), "start_line", "expected a whole number of at least 1"),
            ("get_item", json!({"id": id, "start_line": -2}), "start_line", "expected a whole number of at least 1"),
            ("get_item", json!({"id": id, "include_content": "yes"}), "include_content", "expected a boolean"),
            ("search_items", json!({"tags": "a"}), "tags", "expected a list"),
            ("search_items", json!({"tags": [1]}), "tags[0]", "expected a string"),
            ("search_items", json!({"q": "a"}), "q", "is not a field here; expected one of `query`"),
            ("search_items", json!({"query": "a\u{0}"}), "query", "NUL"),
            ("search_in_content", json!({"id": id, "query": ""}), "query", "must not be empty"),
            ("search_in_content", json!({"id": id, "query": "a", "fields": []}), "fields", "must name at least one"),
            (
                "search_in_content",
                json!({"id": id, "query": "a", "fields": ["url"]}),
                "fields[0]",
                "unknown value `url`, expected one of `content`",
            ),
            ("edit_content", json!({"id": id}), "old_str", "is required"),
            ("edit_content", json!({"id": id, "old_str": "alpha"}), "new_str", "is required"),
            ("edit_content", json!({"id": id, "old_str": "alpha", "new_str": null}), "new_str", "is required"),
            ("edit_content", json!({"id": id, "old_st": "a", "new_str": "b"}), "old_st", "is not a field here"),
            (
                "edit_content",
                json!({"id": id, "old_str": "a", "old_string": "a", "new_str": "b"}),
                "old_str",
                "more than once",
            ),
            (
                "edit_content",
                json!({"id": id, "old_str": "a", "new_str": "b", "edits": []}),
                "edits",
                "cannot be combined",
            ),
            ("edit_content", json!({"id": id, "edits": [["a", "b"]]}), "edits[0]", "expected an object"),
            ("edit_content", json!({"id": id, "edits": [{"old_str": "a"}]}), "edits[0].new_str", "is required"),
            (
                "edit_content",
                json!({"id": id, "edits": [{"old_str": "a", "new_str": "b", "x": 1}]}),
                "edits[0].x",
                "is not a field",
            ),
            ("edit_content", json!({"id": id, "expected_matches": 2, "edits": []}), "expected_matches", "into each"),
            ("patch_note", json!({"note_id": id}), "operations", "is required"),
            ("patch_note", json!({"note_id": id, "operations": {}}), "operations", "expected a list"),
            (
                "patch_note",
                json!({"note_id": id, "operations": [{"start_line": 1}]}),
                "operations[0].end_line",
                "is required",
            ),
            ("rewrite_content", json!({"id": id, "content": "x"}), "expected_version", "is required"),
            ("update_item_metadata", json!({"id": id}), "title", "at least one of"),
            ("update_item_metadata", json!({"id": id, "clear": []}), "title", "at least one of"),
            ("update_item_metadata", json!({"id": id, "clear": ["content"]}), "clear[0]", "expected one of `title`"),
            ("update_item_metadata", json!({"id": id, "title": "x", "clear": ["title"]}), "title", "given and cleared"),
            ("create_note", json!({"content": "x"}), "title", "is required"),
            ("create_note", json!({"title": "a\u{202e}b"}), "title", "character 2 is a control of the direction"),
            ("create_note", json!({"title": "\u{feff}a"}), "title", "character 1 is a byte order mark (U+FEFF)"),
            ("create_note", json!({"title": "a", "tags": ["a\u{3164}"]}), "tags[0]", "(U+3164); remove it"),
            ("create_bookmark", json!({"title": "x"}), "url", "is required"),
            ("list_tags", json!({"limit": 1}), "limit", "is not a field here; there are no fields"),
            ("item_history", json!({"id": id, "against": 1}), "version", "is required"),
            ("restore_item", json!({"id": id, "version": 0}), "version", "expected a whole number of at least 1"),
        ] {
            let error = agent.refused(tool, arguments.clone(), json!({"error": "validation_failed"})).await;
            let [wrong] = error["errors"].as_array().unwrap().as_slice() else { panic!("{error}") };
            assert_eq!(wrong["field"], field, "{tool} {arguments}: {error}");
            assert!(wrong["message"].as_str().unwrap().contains(part), "{tool} {arguments}: {error}");
        }
        assert_eq!(agent.content(&id).await, "alpha\nbeta\n");
    });
}

#[test]
fn null_is_the_same_as_nothing_and_both_spellings_are_known() {
    on_sqlite(async |store| {
        let agent = agent(store).await;
        let id = agent.note("A note", "alpha\nbeta\n").await;
        let nulls = json!({"id": id, "type": null, "start_line": null, "end_line": null, "include_content": null});
        agent.check("get_item", nulls, json!({"content": "alpha\nbeta\n"})).await;
        agent.check("search_items", json!({"query": null, "tags": null, "limit": null}), json!({"total": 1})).await;
        let edit = json!({"id": id, "old_string": "alpha", "new_string": "one", "edits": null, "dry_run": null});
        agent.check("edit_content", edit, json!({"version": 2})).await;
        let edits = json!([{"old_string": "one", "new_str": "two", "expected_matches": null}]);
        agent.check("edit_content", json!({"id": id, "edits": edits}), json!({"version": 3})).await;
        let operation = json!({"start_line": 2, "end_line": 2, "content": "three", "expect": null});
        agent.check("patch_note", json!({"id": id, "operations": [operation]}), json!({"version": 4})).await;
        assert_eq!(agent.content(&id).await, "two\nthree\n");
    });
}

#[test]
fn an_item_of_another_kind_is_named_as_what_it_is() {
    on_sqlite(async |store| {
        let world = store.serve().await;
        let agent = Agent::new(world.address, "content", Some(&world.store.secret));
        let id = agent.note("A note", "alpha").await;
        let prompt = json!({"name": "greet", "content": "Hello"});
        let prompt = world.owner().create("prompts", prompt).await["id"].as_str().unwrap().to_owned();
        for (tool, arguments) in [
            ("get_item", json!({})),
            ("edit_content", json!({"old_str": "alpha", "new_str": "x"})),
            ("rewrite_content", json!({"content": "x", "expected_version": 1})),
            ("update_item_metadata", json!({"title": "x"})),
            ("item_history", json!({})),
            ("restore_item", json!({"version": 1})),
        ] {
            let of = |id: &str, kind: Value| {
                let mut arguments = arguments.clone();
                (arguments["id"], arguments["type"]) = (id.into(), kind);
                arguments
            };
            let message = format!("there is no bookmark {id} here: it is a note");
            let expected = json!({"error": "not_found", "message": message, "type": "bookmark", "actual_type": "note"});
            agent.refused(tool, of(&id, json!("bookmark")), expected).await;
            let expected = json!({"error": "not_found", "message": "…it is a prompt…", "actual_type": "prompt"});
            agent.refused(tool, of(&prompt, Value::Null), expected.clone()).await;
            agent.refused(tool, of(&prompt, json!("note")), expected).await;
            let nobody = agent.refused(tool, of(NOBODY, json!("note")), json!({"error": "not_found"})).await;
            assert!(nobody.get("actual_type").is_none(), "{nobody}");
        }
    });
}

#[test]
fn items_of_other_users_are_not_found() {
    on_sqlite(async |store| {
        let world = store.serve().await;
        let agent = Agent::new(world.address, "content", Some(&world.store.secret));
        let id = agent.note("Private", "alpha").await;
        let stranger = world.owner().check("POST /users", json!({"name": "other"}), 201, json!({})).await.json();
        let stranger = Agent::new(world.address, "content", stranger["token"].as_str());
        let error =
            stranger.refused("get_item", json!({"id": id, "type": "bookmark"}), json!({"error": "not_found"})).await;
        assert!(error.get("actual_type").is_none(), "{error}");
        stranger.check("search_items", json!({"query": "alpha"}), json!({"total": 0, "items": []})).await;
    });
}

#[test]
fn a_tool_that_writes_needs_the_scope() {
    on_sqlite(async |store| {
        let world = store.serve().await;
        let agent = Agent::new(world.address, "content", Some(&world.store.secret));
        let id = agent.note("A note", "alpha").await;
        let token = world.owner().check("POST /tokens", json!({"name": "r", "scopes": ["read"]}), 201, json!({})).await;
        let reader = Agent::new(world.address, "content", token.json()["token"].as_str());
        reader.check("get_item", json!({"id": id}), json!({"content": "alpha"})).await;
        let reading =
            agent.tools().await.iter().filter(|tool| tool["annotations"]["readOnlyHint"] == true).collect::<Vec<_>>();
        assert_eq!(reader.tools().await.iter().collect::<Vec<_>>(), reading, "a reader is offered what reads");
        for (tool, arguments) in [
            ("edit_content", json!({"id": id, "old_str": "alpha", "new_str": "beta"})),
            ("create_note", json!({"title": "x"})),
            ("update_item_metadata", json!({"id": id, "deleted": true})),
            ("create_note", json!({"speling": 1})),
        ] {
            reader.forbidden(tool, arguments).await;
        }
        assert_eq!(agent.content(&id).await, "alpha");
    });
}

#[test]
fn a_url_for_a_note_is_ignored_with_a_warning() {
    on_sqlite(async |store| {
        let agent = agent(store).await;
        let id = agent.note("A note", "alpha").await;
        let expected = json!({"version": 1, "warnings": ["…url was ignored…"]});
        agent.check("update_item_metadata", json!({"id": id, "url": "https://example.org"}), expected).await;
        let expected = json!({"version": 2, "title": "B", "warnings": ["…url was ignored…"]});
        let arguments = json!({"id": id, "title": "B", "url": "https://example.org"});
        agent.check("update_item_metadata", arguments, expected).await;
        let plain = agent.check("update_item_metadata", json!({"id": id, "title": "C"}), json!({"title": "C"})).await;
        assert!(plain.get("warnings").is_none(), "{plain}");
    });
}

#[test]
fn metadata_archive_and_trash_change_together_or_not_at_all() {
    on_sqlite(async |store| {
        let agent = agent(store).await;
        let id = agent.note("A note", "alpha").await;
        let wrong = json!({"id": id, "title": " ", "archived": true});
        agent.refused("update_item_metadata", wrong, json!({"error": "validation_failed"})).await;
        let read = agent.check("get_item", json!({"id": id}), json!({"title": "A note", "version": 1})).await;
        assert!(read.get("archived_at").is_none(), "{read}");
        let expected = json!({"title": "Old", "tags": ["done"], "version": 2, "archived_at": "…Z…"});
        let both = json!({"id": id, "title": "Old", "add_tags": ["done"], "archived": true});
        agent.check("update_item_metadata", both, expected).await;
        let deleting = json!({"id": id, "title": " ", "deleted": true});
        agent.refused("update_item_metadata", deleting, json!({"error": "validation_failed"})).await;
        let read = agent.check("get_item", json!({"id": id}), json!({"title": "Old", "version": 2})).await;
        assert!(read.get("deleted_at").is_none(), "{read}");
        let deleting = json!({"id": id, "title": "Gone", "archived": false, "deleted": true});
        let gone = agent.check("update_item_metadata", deleting, json!({"title": "Gone", "deleted_at": "…Z…"})).await;
        assert!(gone.get("archived_at").is_none(), "{gone}");
        let found = json!({"total": 1, "items": [{"id": id, "title": "Gone"}]});
        agent.check("search_items", json!({"view": "deleted"}), found).await;
        let refusal = agent.refused("update_item_metadata", json!({"id": id, "title": "x"}), json!({})).await;
        assert!(refusal["suggestion"].as_str().unwrap().contains("looks in the trash"), "{refusal}");
        let back = json!({"id": id, "title": "Back", "deleted": false});
        let back = agent.check("update_item_metadata", back, json!({"title": "Back", "version": 4})).await;
        assert!(back.get("deleted_at").is_none(), "{back}");
        let history = agent.check("item_history", json!({"id": id}), json!({"total": 8})).await;
        let records = history["records"].as_array().unwrap();
        let actions: Vec<&str> = records.iter().map(|record| record["action"].as_str().unwrap()).collect();
        assert_eq!(actions, ["restore", "update", "delete", "unarchive", "update", "archive", "update", "create"]);
    });
}

#[test]
fn an_unknown_tool_is_an_error_of_the_protocol() {
    on_sqlite(async |store| {
        let agent = agent(store).await;
        for (params, code) in [
            (json!({"name": "get_note", "arguments": {}}), -32602),
            (json!({"name": "x".repeat(10_000)}), -32602),
            (json!({"name": ""}), -32602),
        ] {
            let error = agent.request("tools/call", params).await.expect_err("no such tool");
            assert_eq!(error["code"], code, "{error}");
            let message = error["message"].as_str().unwrap();
            assert!(message.contains("search_items, get_item") && message.len() < 500, "{message}");
        }
    });
}
