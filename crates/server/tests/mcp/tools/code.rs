//! The tools of the code server: what their results have beyond those of REST, and which calls they refuse.

use serde_json::{Value, json};

use crate::agent::Agent;
use crate::support::test_store::{TestServer, on_sqlite};

fn agent(world: &TestServer) -> Agent {
    Agent::new(world.address, "code", Some(&world.store.secret))
}

/// Arguments about the module at a path.
fn module(path: &str, more: Value) -> Value {
    let mut arguments = json!({"entity_type": "module", "path": path});
    let Value::Object(more) = more else { panic!("an object") };
    arguments.as_object_mut().unwrap().extend(more);
    arguments
}

async fn write(agent: &Agent, path: &str, content: &str) {
    let expected = json!({"success": true, "created": true, "version": 1, "entity_type": "module"});
    agent.check("replace_content", module(path, json!({"content": content})), expected).await;
}

#[test]
fn a_passage_that_is_there_several_times_is_located() {
    on_sqlite(async |store| {
        let world = store.serve().await;
        let agent = agent(&world);
        write(
            &agent,
            "lib/a.py",
            "import os\n\n\ndef one():\n    return os.name\n\n\ndef two():\n    return os.name\n",
        )
        .await;
        let patch = module("lib/a.py", json!({"old_string": "return os.name", "new_string": "return 1"}));
        let locations =
            json!([{"line": 5, "preview": "    return os.name"}, {"line": 9, "preview": "    return os.name"}]);
        let expected = json!({"error": "multiple_matches", "total_matches": 2, "match_locations": locations});
        let error = agent.refused("patch_content", patch, expected).await;
        assert_eq!(error["matches"][0]["line"], 5, "{error}");
        let edits =
            json!([{"old_string": "import os", "new_string": "import sys"}, {"old_str": "os", "new_str": "sys"}]);
        let expected =
            json!({"error": "multiple_matches", "edit_index": 1, "match_locations": [{"line": 5}, {"line": 9}]});
        agent.refused("patch_content", module("lib/a.py", json!({"edits": edits})), expected).await;
        let all = json!({"old_string": "os.name", "new_string": "os.sep", "expected_matches": 2});
        let expected = json!({"version": 2, "line": 5, "match_type": "exact", "replacements": 2, "lines_changed": 2});
        agent.check("patch_content", module("lib/a.py", all), expected).await;
    });
}

#[test]
fn line_endings_are_matched_and_kept() {
    on_sqlite(async |store| {
        let world = store.serve().await;
        let agent = agent(&world);
        write(&agent, "crlf.py", "a = 1\r\nb = 2\r\nc = 3\r\n").await;
        let patch = json!({"old_string": "a = 1\nb = 2", "new_string": "a = 1\nx = 0\nb = 2"});
        let expected = json!({"lines_changed": 1, "version": 2});
        agent.check("patch_content", module("crlf.py", patch), expected).await;
        let whole = json!({"content": "a = 1\r\nx = 0\r\nb = 2\r\nc = 3\r\n", "total_lines": 5, "version": 2});
        agent.check("get_content", module("crlf.py", json!({})), whole).await;
        // A line as `get_content` has it, without its `\n`.
        let patch = module("crlf.py", json!({"old_string": "b = 2\r", "new_string": "b = 4\ny = 5\r"}));
        agent.check("patch_content", patch, json!({"line": 3, "match_type": "exact"})).await;
        let whole = json!({"content": "a = 1\r\nx = 0\r\nb = 4\r\ny = 5\r\nc = 3\r\n"});
        agent.check("get_content", module("crlf.py", json!({})), whole).await;
    });
}

#[test]
fn lines_are_numbered_for_orientation() {
    on_sqlite(async |store| {
        let world = store.serve().await;
        let agent = agent(&world);
        let content: String = (1..=200).map(|line| format!("x{line} = {line}\n")).collect();
        write(&agent, "long.py", &content).await;
        let read = agent.check("read_content_lines", module("long.py", json!({})), json!({})).await;
        assert_eq!(
            (&read["start_line"], &read["end_line"], &read["total_lines"]),
            (&json!(1), &json!(101), &json!(201))
        );
        assert!(read["content"].as_str().unwrap().starts_with("1: x1 = 1\n2: x2 = 2\n"), "{read}");
        let lines = json!({"start_line": 200, "end_line": 999});
        let expected = json!({"content": "200: x200 = 200\n201: ", "end_line": 201});
        agent.check("read_content_lines", module("long.py", lines), expected).await;
        let beyond = module("long.py", json!({"start_line": 202}));
        agent.refused("read_content_lines", beyond, json!({"error": "invalid_lines", "total_lines": 201})).await;
        let backwards = module("long.py", json!({"start_line": 3, "end_line": 2}));
        agent.refused("read_content_lines", backwards, json!({"error": "invalid_lines"})).await;
    });
}

#[test]
fn a_search_has_the_true_total_and_no_more_matches_than_an_answer_should_hold() {
    on_sqlite(async |store| {
        let world = store.serve().await;
        let agent = agent(&world);
        let content: String = (1..=900).map(|line| format!("x{line} = \"{}\"\n", "y".repeat(380))).collect();
        write(&agent, "long.py", &content).await;
        let search = json!({"entity_type": "module", "pattern": "^x9\\d = ", "context_lines": 1, "max_results": 2});
        let expected = json!({"total_matches": 10, "files_searched": 1, "truncated": true});
        let few = agent.check("search_content", search, expected).await;
        let lines: Vec<&Value> = few["matches"].as_array().unwrap().iter().map(|one| &one["line_number"]).collect();
        assert_eq!(lines, [90, 91]);
        let first = &few["matches"][0];
        let [before, after] = ["context_before", "context_after"].map(|context| first[context].as_array().unwrap());
        assert_eq!((&first["path"], before.len(), after.len()), (&json!("long.py"), 1, 1));
        assert!(before[0].as_str().unwrap().starts_with("89: x89 = "), "{first}");
        assert!(after[0].as_str().unwrap().starts_with("91: x91 = "), "{first}");
        let all = json!({"entity_type": "module", "pattern": "yyy", "literal": true, "max_results": 1000});
        let result = agent.check("search_content", all, json!({"total_matches": 900, "truncated": true})).await;
        assert!(result.to_string().len() < 150_000, "{}", result.to_string().len());
    });
}

#[test]
fn a_long_file_is_read_in_parts() {
    on_sqlite(async |store| {
        let world = store.serve().await;
        let agent = agent(&world);
        let content: String = (1..=15_000).map(|line| format!("x = {}\n", 10_000 + line)).collect();
        write(&agent, "long.py", &content).await;
        let expected = json!({"truncated": true, "content_length": 150_000, "total_lines": 15_001});
        let whole = agent.check("get_content", module("long.py", json!({})), expected).await;
        let next = whole["next"].as_str().unwrap();
        assert_eq!(next, "read_content_lines: go on with start_line=10001 (of 15001 lines)");
        let lines = module("long.py", json!({"start_line": 1, "end_line": 15_000}));
        let read = agent.check("read_content_lines", lines, json!({"truncated": true, "end_line": 10_000})).await;
        assert!(read["next"].as_str().unwrap().contains("start_line=10001"), "{}", read["next"]);
        let rewrite = module("long.py", json!({"content": content, "expected_version": 1}));
        let result = agent.check("replace_content", rewrite, json!({"created": false, "version": 1})).await;
        assert!(result.to_string().len() < 400, "{result}");
    });
}

#[test]
fn code_that_would_break_is_not_stored() {
    on_sqlite(async |store| {
        let world = store.serve().await;
        let agent = agent(&world);
        write(&agent, "a.py", "def f():\n    return 1\n").await;
        let broken = json!({"old_string": "return 1", "new_string": "return ("});
        let error = agent.refused("patch_content", module("a.py", broken), json!({"error": "invalid_code"})).await;
        assert!(error["line"].is_u64() && error["column"].is_u64() && error["detail"].is_string(), "{error}");
        let decorated = module("a.py", json!({"old_string": "def f", "new_string": "@workflow\ndef f"}));
        let message = "declared 'module' but content contains @workflow decorator. Use entity_type='workflow' instead.";
        let expected = json!({"error": "entity_type_mismatch", "message": message, "declared": "module",
            "detected": "workflow"});
        agent.refused("patch_content", decorated, expected).await;
        agent.check("get_content", module("a.py", json!({})), json!({"version": 1})).await;
        let checked = json!({"valid": true, "errors": [], "functions": [{"function": "f", "decorator": "tool"}]});
        agent.check("validate_workflow", json!({"content": "@tool\ndef f():\n    \"\"\"F.\"\"\"\n"}), checked).await;
    });
}

#[test]
fn a_wrong_argument_is_named() {
    on_sqlite(async |store| {
        let world = store.serve().await;
        let agent = agent(&world);
        write(&agent, "a.py", "x = 1\n").await;
        let organization = "0190a6f4-7b3c-7def-8123-456789abcdef";
        for (tool, arguments, field, part) in [
            ("get_content", json!({"path": "a.py"}), "entity_type", "is required"),
            (
                "get_content",
                json!({"entity_type": "note", "path": "a.py"}),
                "entity_type",
                "expected one of `app_file`",
            ),
            ("get_content", json!({"entity_type": "module"}), "path", "is required"),
            ("get_content", json!({"entity_type": "app_file", "path": "a"}), "app_id", "is required"),
            ("get_content", module("a.py", json!({"organization_id": organization})), "organization_id", "modules"),
            ("get_content", module("a.py", json!({"organization_id": "x"})), "organization_id", "must be a UUID"),
            ("get_content", module("a.py", json!({"app_id": "x"})), "app_id", "app files"),
            ("get_content", module("../a.py", json!({})), "path", "path"),
            ("get_content", module("a.txt", json!({})), "path", ".py"),
            ("get_content", module("a.py", json!({"start_line": 1})), "start_line", "is not a field here"),
            ("read_content_lines", module("a.py", json!({"start_line": 0})), "start_line", "at least 1"),
            ("patch_content", module("a.py", json!({})), "old_string", "is required"),
            ("patch_content", module("a.py", json!({"old_string": "x"})), "new_string", "is required"),
            ("patch_content", module("a.py", json!({"old_string": "", "new_string": "x"})), "old_string", "empty"),
            (
                "patch_content",
                module("a.py", json!({"old_string": "x", "old_str": "x", "new_string": "y"})),
                "old_string",
                "more than once",
            ),
            ("replace_content", module("a.py", json!({})), "content", "is required"),
            ("get_workflow", json!({}), "workflow_name", "is required"),
            ("get_workflow", json!({"function": "f"}), "path", "is required"),
            ("get_workflow", json!({"workflow_name": "f", "path": "a.py"}), "path", "cannot be combined"),
            ("validate_workflow", json!({}), "content", "is required"),
            ("create_app", json!({}), "name", "is required"),
            ("create_app", json!({"name": "A", "navigation": []}), "navigation", "expected an object"),
            ("update_app", json!({"app_id": "x"}), "name", "at least one of"),
            ("list_apps", json!({"limit": 1}), "limit", "is not a field here"),
        ] {
            let error = agent.refused(tool, arguments.clone(), json!({"error": "validation_failed"})).await;
            let [wrong] = error["errors"].as_array().unwrap().as_slice() else { panic!("{error}") };
            assert_eq!(wrong["field"], field, "{tool} {arguments}: {error}");
            assert!(wrong["message"].as_str().unwrap().contains(part), "{tool} {arguments}: {error}");
        }
    });
}

#[test]
fn an_app_is_named_by_id_or_slug_and_published_as_it_is() {
    on_sqlite(async |store| {
        let world = store.serve().await;
        let agent = agent(&world);
        let made = json!({"name": "Field reports", "description": "d"});
        let made = agent.check("create_app", made, json!({"slug": "field-reports", "file_count": 2})).await;
        let id = made["id"].as_str().unwrap();
        for named in [id, "field-reports"] {
            let expected =
                json!({"id": id, "file_count": 2, "files": [{"path": "_layout.tsx"}, {"path": "pages/index.tsx"}]});
            agent.check("get_app", json!({"app_id": named}), expected).await;
            let list = json!({"entity_type": "app_file", "app_id": named, "path_prefix": "pages/"});
            agent.check("list_content", list, json!({"count": 1, "files": [{"path": "pages/index.tsx"}]})).await;
        }
        agent.check("update_app", json!({"app_id": id, "slug": "reports", "clear": ["description"]}), json!({})).await;
        let result = agent.check("get_app", json!({"app_id": "reports"}), json!({"slug": "reports"})).await;
        assert!(result.get("description").is_none() && result.get("published_version").is_none(), "{result}");
        let published = json!({"published_version": 1, "file_count": 2});
        agent.check("publish_app", json!({"app_id": "reports"}), published).await;
        for path in ["_layout.tsx", "pages/index.tsx"] {
            let file = json!({"entity_type": "app_file", "app_id": id, "path": path});
            agent.check("delete_content", file.clone(), json!({"success": true, "path": path})).await;
            agent.refused("delete_content", file, json!({"error": "not_found"})).await;
        }
        agent.refused("publish_app", json!({"app_id": id}), json!({"error": "validation_failed"})).await;
        agent.refused("get_app", json!({"app_id": "field-reports"}), json!({"error": "not_found"})).await;
        agent.refused("create_app", json!({"name": "Reports"}), json!({"error": "duplicate", "field": "slug"})).await;
    });
}
