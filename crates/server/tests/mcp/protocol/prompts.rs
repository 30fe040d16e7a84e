//! `prompts/list` and `prompts/get`, and calls of the prompt tools that are refused.

use serde_json::{Value, json};

use crate::agent::Agent;
use crate::support::client::Client;
use crate::support::test_store::{TestServer, TestStore, on_sqlite};

on_both!(prompts_are_listed_in_pages, a_prompt_is_rendered);

/// What the protocol calls wrong parameters.
const INVALID_PARAMS: i64 = -32602;

fn agent(world: &TestServer) -> Agent {
    Agent::new(world.address, "prompts", Some(&world.store.secret))
}

async fn greeting(rest: &Client) -> Value {
    let arguments = json!([{"name": "who", "description": "Whom", "required": true}, {"name": "mood"}]);
    let content = "Hello {{ who }}{% if mood %}, be {{ mood }}{% endif %}!";
    let prompt = json!({"name": "greet", "title": "Greet", "description": "Says hello", "content": content,
        "arguments": arguments});
    rest.create("prompts", prompt).await
}

async fn prompts_are_listed_in_pages(store: TestStore) {
    let world = store.serve().await;
    let (rest, agent) = (world.owner(), agent(&world));
    assert_eq!(agent.request("prompts/list", json!({})).await.unwrap(), json!({"prompts": []}));
    greeting(&rest).await;
    for (name, verb) in [("archived", "POST"), ("deleted", "DELETE")] {
        let made = rest.create("prompts", json!({"name": name, "content": "x"})).await;
        let path = format!("/prompts/{}", made["id"].as_str().unwrap());
        let line = if verb == "POST" { format!("POST {path}/archive") } else { format!("DELETE {path}") };
        assert!(rest.send(&line, None).await.status < 300, "{line}");
    }
    rest.note("Not a prompt", None).await;
    let mut expected = vec!["greet".to_owned()];
    for number in 0..200 {
        let name = format!("prompt-{number}");
        rest.create("prompts", json!({"name": name, "content": "x"})).await;
        expected.push(name);
    }

    let mut names = Vec::new();
    let mut params = json!({});
    for length in [100, 100, 1] {
        let page = agent.request("prompts/list", params).await.unwrap();
        let prompts = page["prompts"].as_array().unwrap();
        assert_eq!(prompts.len(), length);
        names.extend(prompts.iter().map(|prompt| prompt["name"].as_str().unwrap().to_owned()));
        params = json!({"cursor": page["nextCursor"]});
        // What changes meanwhile neither comes again nor is left out.
        rest.patch("/prompts/name/prompt-150", json!({"title": names.len().to_string()})).await.expect(200, json!({}));
    }
    assert_eq!(params, json!({"cursor": null}));
    assert_eq!(names, expected);

    let first = &agent.request("prompts/list", json!({})).await.unwrap()["prompts"][0];
    let arguments =
        json!([{"name": "who", "description": "Whom", "required": true}, {"name": "mood", "required": false}]);
    let greet = json!({"name": "greet", "title": "Greet", "description": "Says hello", "arguments": arguments});
    assert_eq!(*first, greet);
    for cursor in ["x", "", ".", "1.", "1.x", "x.0190a6f4-7b3c-7def-8123-456789abcdef", &"x".repeat(10_000)] {
        let message = agent.protocol_error("prompts/list", json!({"cursor": cursor}), INVALID_PARAMS).await;
        assert!(message.len() < 500, "{message}");
    }
}

async fn a_prompt_is_rendered(store: TestStore) {
    let world = store.serve().await;
    let (rest, agent) = (world.owner(), agent(&world));
    let made = greeting(&rest).await;
    for (arguments, text) in
        [(json!({"who": "Ada"}), "Hello Ada!"), (json!({"who": "{{ x }}", "mood": "kind"}), "Hello {{ x }}, be kind!")]
    {
        let result = agent.request("prompts/get", json!({"name": "greet", "arguments": arguments})).await.unwrap();
        let message = json!({"role": "user", "content": {"type": "text", "text": text}});
        assert_eq!(result, json!({"messages": [message]}));
        agent.check("render_prompt", json!({"name": "greet", "arguments": arguments}), json!({"rendered": text})).await;
    }
    let used = rest.get(&format!("/prompts/{}", made["id"].as_str().unwrap())).await.json();
    assert!(used["last_used_at"].is_string() && used["version"] == 1, "{used}");
    let failing = json!({"name": "failing", "content": "{{ 1 // n }}", "arguments": [{"name": "n"}]});
    rest.create("prompts", failing).await;

    for (params, part) in [
        (json!({"name": "greet"}), "missing argument: `who`"),
        (json!({"name": "greet", "arguments": {"mood": "kind"}}), "missing argument: `who`"),
        (json!({"name": "greet", "arguments": {"who": "A", "x": "1", "y": "2"}}), "unknown arguments: `x`, `y`"),
        (json!({"name": "greet", "arguments": {"x": ""}}), "missing argument: `who`; unknown argument: `x`"),
        (json!({"name": "nobody"}), "nobody"),
        (json!({"name": "No Name"}), "name"),
        (json!({"name": ""}), "name"),
        (json!({"name": "x".repeat(10_000)}), "name"),
        (json!({"name": "failing", "arguments": {"n": 0}}), "line 1"),
        (json!({"name": "greet", "arguments": {"x".repeat(10_000): ""}}), "missing argument: `who`"),
    ] {
        let message = agent.protocol_error("prompts/get", params.clone(), INVALID_PARAMS).await;
        assert!(message.contains(part) && message.len() < 1_000, "{params}: {message}");
    }
    let error = agent.request("prompts/get", json!({"name": "greet"})).await.expect_err("one is missing");
    assert_eq!((&error["data"]["error"], &error["data"]["missing"]), (&json!("invalid_arguments"), &json!(["who"])));
}

#[test]
fn prompts_of_other_users_or_outside_the_token_are_not_found() {
    on_sqlite(async |store| {
        let world = store.serve().await;
        let rest = world.owner();
        greeting(&rest).await;
        let stranger = rest.check("POST /users", json!({"name": "other"}), 201, json!({})).await.json();
        let notes = json!({"name": "notes", "kinds": ["note"]});
        let notes = rest.check("POST /tokens", notes, 201, json!({})).await.json();
        for token in [&stranger["token"], &notes["token"]] {
            let agent = Agent::new(world.address, "prompts", token.as_str());
            assert_eq!(agent.request("prompts/list", json!({})).await.unwrap(), json!({"prompts": []}));
            agent.check("search_prompts", json!({}), json!({"total": 0})).await;
            let message = agent.protocol_error("prompts/get", json!({"name": "greet"}), INVALID_PARAMS).await;
            assert!(message.contains("greet"), "{message}");
            agent.refused("get_prompt_metadata", json!({"name": "greet"}), json!({"error": "not_found"})).await;
        }
    });
}

#[test]
fn reading_and_rendering_need_no_more_than_to_read() {
    on_sqlite(async |store| {
        let world = store.serve().await;
        let rest = world.owner();
        greeting(&rest).await;
        let token = rest.check("POST /tokens", json!({"name": "r", "scopes": ["read"]}), 201, json!({})).await.json();
        let reader = Agent::new(world.address, "prompts", token["token"].as_str());
        let values = json!({"name": "greet", "arguments": {"who": "Ada"}});
        reader.check("render_prompt", values.clone(), json!({"rendered": "Hello Ada!"})).await;
        assert!(reader.request("prompts/get", values).await.is_ok());
        for (tool, arguments) in [
            ("edit_prompt_template", json!({"name": "greet", "old_str": "Hello", "new_str": "Bye"})),
            ("update_prompt_metadata", json!({"name": "greet", "title": "x"})),
            ("create_prompt", json!({"name": "new", "content": "x"})),
            ("restore_prompt", json!({"name": "greet", "version": 1})),
        ] {
            reader.forbidden(tool, arguments).await;
        }
    });
}

#[test]
fn the_content_server_has_no_prompts() {
    on_sqlite(async |store| {
        let world = store.serve().await;
        greeting(&world.owner()).await;
        let agent = Agent::new(world.address, "content", Some(&world.store.secret));
        agent.protocol_error("prompts/get", json!({"name": "greet"}), -32601).await;
        agent.protocol_error("prompts/list", json!({}), -32601).await;
    });
}

#[test]
fn a_wrong_argument_is_named() {
    on_sqlite(async |store| {
        let world = store.serve().await;
        let (rest, agent) = (world.owner(), agent(&world));
        greeting(&rest).await;
        let edit = "edit_prompt_template";
        for (tool, arguments, field, part) in [
            ("get_prompt_template", json!({}), "name", "is required"),
            ("get_prompt_template", json!({"name": null}), "name", "is required"),
            ("get_prompt_template", json!({"name": 7}), "name", "expected a string"),
            ("get_prompt_template", json!({"name": "No Name"}), "name", "`code-review-2`"),
            ("get_prompt_template", json!({"id": "greet"}), "id", "is not a field here; expected one of `name`"),
            ("get_prompt_template", json!({"name": "greet", "end_line": 0}), "end_line", "at least 1"),
            (
                "get_prompt_metadata",
                json!({"name": "greet", "include_content": true}),
                "include_content",
                "not a field",
            ),
            ("search_prompts", json!({"type": "prompt"}), "type", "is not a field here"),
            ("search_prompts", json!({"query": "a\u{0}"}), "query", "NUL"),
            ("search_prompts", json!({"tags": ["a b"]}), "tags", "a b"),
            ("search_prompts", json!({"tag_match": "none"}), "tag_match", "expected `all` or `any`"),
            (edit, json!({"name": "greet"}), "old_str", "or `edits` or `arguments`"),
            (edit, json!({"name": "greet", "new_str": "x"}), "old_str", "is required"),
            (edit, json!({"name": "greet", "old_str": "x"}), "new_str", "is required"),
            (edit, json!({"name": "greet", "old_str": "x", "arguments": []}), "new_str", "is required"),
            (edit, json!({"name": "greet", "expected_matches": 1, "arguments": []}), "old_str", "is required"),
            (edit, json!({"name": "greet", "old_str": "a", "new_str": "b", "edits": []}), "edits", "combined"),
            (edit, json!({"name": "greet", "arguments": {"who": "x"}}), "arguments", "expected a list"),
            (edit, json!({"name": "greet", "arguments": ["who"]}), "arguments[0]", "expected an object"),
            (edit, json!({"name": "greet", "arguments": [{}]}), "arguments[0].name", "is required"),
            (edit, json!({"name": "greet", "arguments": [{"name": "A"}]}), "arguments[0].name", "`source_code`"),
            (
                edit,
                json!({"name": "greet", "arguments": [{"name": "a", "default": 1}]}),
                "arguments[0].default",
                "is not a field",
            ),
            ("update_prompt_metadata", json!({"name": "greet"}), "new_name", "at least one of"),
            ("update_prompt_metadata", json!({"name": "greet", "new_name": "A B"}), "new_name", "`code-review-2`"),
            ("update_prompt_metadata", json!({"name": "greet", "clear": ["name"]}), "clear[0]", "one of `title`"),
            (
                "update_prompt_metadata",
                json!({"name": "greet", "title": "x", "clear": ["title"]}),
                "title",
                "given and cleared",
            ),
            ("update_prompt_metadata", json!({"name": "greet", "content": "x"}), "content", "is not a field here"),
            ("create_prompt", json!({"name": "new"}), "content", "is required"),
            ("create_prompt", json!({"name": "New", "content": "x"}), "name", "`code-review-2`"),
            ("render_prompt", json!({"name": "greet", "arguments": "{}"}), "arguments", "expected an object"),
            ("render_prompt", json!({"name": "greet", "who": "Ada"}), "who", "is not a field here"),
            ("prompt_history", json!({"name": "greet", "against": 1}), "version", "is required"),
            ("restore_prompt", json!({"name": "greet"}), "version", "is required"),
        ] {
            let error = agent.refused(tool, arguments.clone(), json!({"error": "validation_failed"})).await;
            let [wrong] = error["errors"].as_array().unwrap().as_slice() else { panic!("{error}") };
            assert_eq!(wrong["field"], field, "{tool} {arguments}: {error}");
            assert!(wrong["message"].as_str().unwrap().contains(part), "{tool} {arguments}: {error}");
        }
        agent.check("get_prompt_metadata", json!({"name": "greet"}), json!({"version": 1})).await;
    });
}

#[test]
fn null_is_the_same_as_nothing_and_both_spellings_are_known() {
    on_sqlite(async |store| {
        let world = store.serve().await;
        let agent = agent(&world);
        let prompt = json!({"name": "greet", "title": null, "content": "Hello {{ who }}", "tags": null,
            "arguments": [{"name": "who", "description": null, "required": null}]});
        agent.check("create_prompt", prompt, json!({"version": 1, "prompt_length": 15})).await;
        let edit =
            json!({"name": "greet", "old_string": "Hello", "new_string": "Bye", "edits": null, "arguments": null});
        let result = agent.check("edit_prompt_template", edit, json!({"version": 2, "prompt_length": 13})).await;
        assert!(result.get("content_length").is_none(), "{result}");
        let edits = json!([{"old_string": "Bye", "new_string": "Hi", "expected_matches": null}]);
        agent.check("edit_prompt_template", json!({"name": "greet", "edits": edits}), json!({"version": 3})).await;
        let read = json!({"name": "greet", "start_line": null, "end_line": null});
        let expected = json!({"content": "Hi {{ who }}", "arguments": [{"name": "who", "required": false}]});
        agent.check("get_prompt_template", read, expected).await;
        agent.check("render_prompt", json!({"name": "greet", "arguments": {"who": null}}), json!({})).await;
    });
}

#[test]
fn a_refused_edit_says_how_text_and_arguments_go_together() {
    on_sqlite(async |store| {
        let world = store.serve().await;
        let agent = agent(&world);
        greeting(&world.owner()).await;
        let edit = json!({"name": "greet", "old_str": "{{ who }}", "new_str": "{{ person }}"});
        let expected = json!({"error": "invalid_template", "undefined_variables": ["person"],
            "unused_arguments": ["who"], "suggestion": "…`arguments` in one request…"});
        agent.refused("edit_prompt_template", edit, expected).await;
        let alone = json!({"name": "greet", "arguments": [{"name": "who"}, {"name": "mood"}]});
        let result = agent.check("edit_prompt_template", alone, json!({"version": 2, "changes": []})).await;
        assert!(result.get("match_type").is_none() && result.get("line").is_none(), "{result}");
    });
}

#[test]
fn a_long_template_is_read_in_parts() {
    on_sqlite(async |store| {
        let world = store.serve().await;
        let agent = agent(&world);
        let content: String = (1..=15_000).map(|line| format!("{line:09}\n")).collect();
        let made = json!({"name": "long", "content": content});
        let made = agent.check("create_prompt", made, json!({"prompt_length": 150_000})).await;
        assert!(made.to_string().len() < 1_024, "{made}");
        let first = agent.check("get_prompt_template", json!({"name": "long"}), json!({"truncated": true})).await;
        assert_eq!(first["content_metadata"]["end_line"], 10_000);
        assert!(first["next"].as_str().unwrap().contains("start_line=10001 (of 15001 lines)"), "{}", first["next"]);
        let rest = json!({"name": "long", "start_line": 10_001});
        let rest = agent.check("get_prompt_template", rest, json!({})).await;
        let whole = format!("{}\n{}", first["content"].as_str().unwrap(), rest["content"].as_str().unwrap());
        assert_eq!(whole, content);
        let rendered = agent.check("render_prompt", json!({"name": "long"}), json!({"truncated": true})).await;
        assert_eq!(rendered["rendered"], first["content"]);
        assert!(rendered["next"].as_str().unwrap().contains("prompts/get"), "{}", rendered["next"]);
        let whole = agent.request("prompts/get", json!({"name": "long"})).await.unwrap();
        let whole = whole["messages"][0]["content"]["text"].as_str().unwrap();
        assert!(content.starts_with(whole) && whole.len() >= 149_999, "{}", whole.len());
        let found = agent.check("search_prompts", json!({}), json!({"total": 1})).await;
        assert!(found.to_string().len() < 2_048, "{found}");
    });
}
