//! The words of errors: each thing is said once, in the same words everywhere, and names the call that helps.

use serde_json::{Value, json};

use crate::agent::Agent;
use crate::support::test_store::{TestServer, on_sqlite};

fn agent(world: &TestServer, server: &str) -> Agent {
    Agent::new(world.address, server, Some(&world.store.secret))
}

fn words<'a>(error: &'a Value, member: &str) -> &'a str {
    error[member].as_str().unwrap_or_default()
}

#[test]
fn where_there_is_no_text_the_error_names_what_writes_one() {
    on_sqlite(async |store| {
        let world = store.serve().await;
        let (rest, agent) = (world.owner(), agent(&world, "content"));
        let note = rest.note("Empty", None).await;
        let id = note["id"].as_str().unwrap();
        let edit = json!({"id": id, "old_str": "a", "new_str": "b"});
        let error = agent.refused("edit_content", edit, json!({"error": "content_empty"})).await;
        assert_eq!(error["suggestion"], "there is no text to change yet: write it with rewrite_content");
        let operations = json!([{"start_line": 1, "end_line": 1, "content": "x"}]);
        let patch = json!({"note_id": id, "operations": operations});
        let error = agent.refused("patch_note", patch, json!({"error": "content_empty"})).await;
        assert!(words(&error, "suggestion").contains("rewrite_content"), "{error}");
        let lines = json!({"id": id, "start_line": 1});
        let error = agent.refused("get_item", lines, json!({"error": "content_empty"})).await;
        assert!(words(&error, "suggestion").starts_with("call get_item without start_line"), "{error}");
        let body = json!({"old_str": "a", "new_str": "b"});
        let error = rest.patch(&format!("/notes/{id}/str-replace"), body).await.expect(400, json!({})).json();
        assert!(words(&error, "suggestion").contains("PATCH the item with `content`"), "{error}");
        assert!(words(&error, "suggestion").contains("`/insert` with `at`"), "{error}");
        let error = rest.get(&format!("/notes/{id}?start_line=1")).await.expect(400, json!({})).json();
        assert!(words(&error, "suggestion").contains("PATCH it with `content`"), "{error}");
        // It helps.
        let insert = json!({"at": "end", "new_str": "b"});
        rest.post(&format!("/notes/{id}/insert"), insert).await.expect(200, json!({"content": "b"}));
        let rewrite = json!({"id": id, "content": "a", "expected_version": 2});
        agent.check("rewrite_content", rewrite, json!({"version": 3})).await;
    });
}

#[test]
fn a_title_where_an_id_belongs_is_told_how_to_find_the_id() {
    on_sqlite(async |store| {
        let world = store.serve().await;
        let agent = agent(&world, "content");
        let id = agent.note("Meeting notes", "alpha").await;
        for tool in ["get_item", "item_history"] {
            let error =
                agent.refused(tool, json!({"id": "Meeting notes"}), json!({"error": "validation_failed"})).await;
            let message = words(&error["errors"][0], "message");
            assert!(message.contains("call search_items with query \"Meeting notes\""), "{message}");
        }
        let found = json!({"total": 1, "items": [{"id": id}]});
        agent.check("search_items", json!({"query": "Meeting notes"}), found).await;
        let long = agent.refused("get_item", json!({"id": "x".repeat(10_000)}), json!({})).await;
        assert!(long.to_string().len() < 1_000, "{long}");
    });
}

#[test]
fn a_missing_argument_is_named_in_the_message() {
    on_sqlite(async |store| {
        let world = store.serve().await;
        let (content, prompts) = (agent(&world, "content"), agent(&world, "prompts"));
        let expected = json!({"message": "missing argument: `id`", "errors": [{"field": "id"}]});
        content.refused("get_item", json!({}), expected).await;
        let edit = json!({"id": "0190a6f4-7b3c-7def-8123-456789abcdef", "old_str": "a"});
        content.refused("edit_content", edit, json!({"message": "missing argument: `new_str`"})).await;
        let template = json!({"name": "review", "content": "{{ code }} {{ focus }}",
            "arguments": [{"name": "code", "required": true}, {"name": "focus"}]});
        prompts.check("create_prompt", template, json!({})).await;
        let expected =
            json!({"error": "invalid_arguments", "message": "missing argument: `code`", "missing": ["code"]});
        prompts.refused("render_prompt", json!({"name": "review"}), expected).await;
        let unknown = json!({"name": "review", "arguments": {"tone": "kind", "speed": "1"}});
        let message = "missing argument: `code`; unknown arguments: `speed`, `tone`";
        prompts.refused("render_prompt", unknown.clone(), json!({"message": message})).await;
        assert_eq!(prompts.protocol_error("prompts/get", unknown, -32602).await, message);
        let rest = world.owner();
        let error = rest.post("/notes", json!({"content": "x"})).await.expect(422, json!({})).json();
        assert_eq!(error["message"], "missing field: `title`");
    });
}

#[test]
fn a_refusal_of_fields_says_each_thing_once() {
    on_sqlite(async |store| {
        let world = store.serve().await;
        let (rest, agent) = (world.owner(), agent(&world, "content"));
        let wrong = json!({"title": "x".repeat(501), "tags": ["to do"], "description": "a\u{0}"});
        let mut errors = vec![rest.post("/notes", wrong.clone()).await.expect(422, json!({})).json()];
        errors.push(agent.refused("create_note", wrong, json!({})).await);
        let blank = json!({"title": " ", "tags": [""]});
        errors.push(rest.post("/notes", blank.clone()).await.expect(422, json!({})).json());
        errors.push(agent.refused("create_note", blank, json!({})).await);
        let prompt = json!({"name": "review", "content": "x", "arguments": [{"name": "A"}]});
        errors.push(rest.post("/prompts", prompt).await.expect(422, json!({})).json());
        let file = json!({"entity_type": "module", "path": "", "content": ""});
        errors.push(rest.post("/code/replace", file).await.expect(422, json!({})).json());
        errors.push(agent.refused("search_items", json!({"limit": "five"}), json!({})).await);
        errors.push(rest.get("/notes?limit=0&view=gone").await.expect(422, json!({})).json());
        for error in &errors {
            let (message, suggestion) = (words(error, "message"), words(error, "suggestion"));
            for field in error["errors"].as_array().unwrap() {
                let (name, reason) = (words(field, "field"), words(field, "message"));
                assert_eq!(message.matches(&format!("`{name}`")).count(), 1, "{error}");
                assert!(!message.contains(reason) && !suggestion.contains(reason), "{error}");
                assert!(!reason.starts_with(name) && !suggestion.contains(name), "{error}");
                let last = name.rsplit('.').next().unwrap();
                assert!(!reason.starts_with(last) && !reason.starts_with(&format!("the {last}")), "{error}");
            }
            assert_ne!(message, suggestion, "{error}");
        }
        let tag = json!({"field": "tags[0]", "message": "a tag has no blanks: write `to-do` instead of `to do`"});
        for error in &errors[..2] {
            assert!(error["errors"].as_array().unwrap().contains(&tag), "{error}");
        }
    });
}

#[test]
fn a_conflict_says_what_to_do_in_the_same_words_everywhere() {
    on_sqlite(async |store| {
        let world = store.serve().await;
        let (rest, agent, code) = (world.owner(), agent(&world, "content"), agent(&world, "code"));
        let id = agent.note("A note", "alpha\n").await;
        rest.patch(&format!("/notes/{id}"), json!({"content": "beta\n"})).await.expect(200, json!({"version": 2}));
        let file = |more: Value| {
            let mut file = json!({"entity_type": "module", "path": "a.py"});
            file.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            file
        };
        for content in ["x = 1\n", "x = 2\n"] {
            code.check("replace_content", file(json!({"content": content})), json!({})).await;
        }
        let expect = json!([{"start_line": 1, "end_line": 1, "content": "x", "expect": "alpha"}]);
        let conflict = json!({"error": "conflict", "current_version": 2});
        let edit = json!({"old_str": "beta", "new_str": "x", "expected_version": 1});
        let mut errors = Vec::new();
        for (tool, arguments) in [
            ("edit_content", json!({"id": id, "old_str": "beta", "new_str": "x", "expected_version": 1})),
            ("rewrite_content", json!({"id": id, "content": "x", "expected_version": 1})),
            ("patch_note", json!({"note_id": id, "operations": expect})),
        ] {
            errors.push(agent.refused(tool, arguments, conflict.clone()).await);
        }
        for (tool, more) in [
            ("patch_content", json!({"old_string": "2", "new_string": "3", "expected_version": 1})),
            ("replace_content", json!({"content": "x = 3\n", "expected_version": 1})),
        ] {
            errors.push(code.refused(tool, file(more), conflict.clone()).await);
        }
        let str_replace = format!("PATCH /notes/{id}/str-replace");
        errors.push(rest.check(&str_replace, edit, 409, conflict.clone()).await.json());
        let patch = json!({"operations": expect});
        errors.push(rest.check(&format!("PATCH /notes/{id}/content"), patch, 409, conflict.clone()).await.json());
        let condition = [("if-match", "\"1.0\"")];
        let deleted = rest.send_with(&format!("DELETE /notes/{id}"), &condition, None).await;
        errors.push(deleted.expect(412, conflict).json());
        for error in errors {
            let expected = "nothing was applied: read the item again, then repeat the change on version 2";
            assert_eq!(error["suggestion"], expected, "{error}");
        }
    });
}

/// A text of so many words that do not repeat each other.
fn prose(seed: usize, words: usize) -> String {
    let word =
        |index: usize| ["deploy", "the", "service", "with", "care", "and", "read", "logs", "first", "then"][index % 10];
    let sentences = (0..words).map(|index| match (index + seed) % 12 {
        11 => format!("{} {}.\n", word(index * 7 + seed), index),
        _ => format!("{} ", word(index * 7 + seed)),
    });
    sentences.collect()
}

/// The hit as it would be with whatever searches leave out.
fn with_all_members(hit: &Value, content: &str) -> Value {
    let mut whole = hit.clone();
    whole["content_preview"] = content.chars().take(500).collect::<String>().into();
    whole["created_at"] = hit["updated_at"].clone();
    whole["tags"] = json!([]);
    whole["snippet"]["field"] = "content".into();
    whole
}

#[test]
fn a_search_answer_is_half_as_long_beside_its_snippets() {
    on_sqlite(async |store| {
        let world = store.serve().await;
        let (rest, agent) = (world.owner(), agent(&world, "content"));
        let content =
            |number| format!("{}Rollback of release {number}.\n{}", prose(number, 200), prose(number + 5, 100));
        for number in 0..20 {
            rest.note(&format!("Runbook {number}"), Some(&content(number))).await;
        }
        let found = agent.check("search_items", json!({"query": "rollback"}), json!({"total": 20})).await;
        let items = found["items"].as_array().unwrap();
        assert_eq!(items.len(), 20);
        let mut whole = found.clone();
        for (index, item) in items.iter().enumerate() {
            assert_eq!(words(item, "content_preview").chars().count(), 150, "{item}");
            assert!(words(&item["snippet"], "text").contains("Rollback"), "{item}");
            let number = words(item, "title").strip_prefix("Runbook ").unwrap().parse().unwrap();
            whole["items"][index] = with_all_members(item, &content(number));
        }
        let (bytes, before) = (found.to_string().len(), whole.to_string().len());
        assert!(bytes * 2 <= before, "{bytes} of {before} bytes");
        let listed = agent.check("search_items", json!({}), json!({"total": 20})).await;
        assert_eq!(words(&listed["items"][0], "content_preview").chars().count(), 500, "there is no snippet");
    });
}

#[test]
fn a_search_answer_leaves_out_what_says_nothing() {
    on_sqlite(async |store| {
        let world = store.serve().await;
        let (agent, prompts) = (agent(&world, "content"), agent(&world, "prompts"));
        let members = |found: &Value| -> Vec<String> {
            let [item] = found["items"].as_array().unwrap().as_slice() else { panic!("{found}") };
            item.as_object().unwrap().keys().cloned().collect()
        };
        agent.check("create_note", json!({"title": "Milk", "content": "buy oats\n"}), json!({"tags": []})).await;
        let bare = ["content_length", "id", "snippet", "title", "type", "updated_at", "version"];
        let snippet = json!({"items": [{"snippet": {"line": 1, "text": "buy oats"}}]});
        let found = agent.check("search_items", json!({"query": "oats"}), snippet).await;
        assert_eq!(members(&found), bare, "the snippet is the preview");
        let title =
            json!({"items": [{"content_preview": "buy oats\n", "snippet": {"field": "title", "text": "Milk"}}]});
        agent.check("search_items", json!({"query": "milk"}), title).await;
        let by_creation = json!({"query": "oats", "sort_by": "created_at"});
        let found = agent.check("search_items", by_creation, json!({"total": 1})).await;
        assert!(members(&found).contains(&"created_at".to_owned()), "{found}");
        let tagged = json!({"title": "Tea", "content": "green\nor black", "tags": ["kitchen"]});
        agent.check("create_note", tagged, json!({})).await;
        let more = json!({"items": [{"tags": ["kitchen"], "content_preview": "green\nor black"}]});
        agent.check("search_items", json!({"query": "green"}), more).await;

        let prompt = json!({"name": "greet", "content": "Say hello"});
        prompts.check("create_prompt", prompt, json!({"tags": [], "arguments": []})).await;
        let found = prompts.check("search_prompts", json!({"query": "hello"}), json!({"total": 1})).await;
        assert_eq!(members(&found), ["id", "name", "prompt_length", "snippet", "updated_at", "version"]);
    });
}
