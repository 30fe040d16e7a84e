//! Items as MCP resources, and the completion of their addresses.

use serde_json::{Value, json};

use crate::agent::Agent;
use crate::support::test_store::{TestServer, TestStore, on_sqlite};

on_both!(resources_are_listed_in_pages_and_read, keys_are_completed_by_words);

const NOT_FOUND: i64 = -32002;
const INVALID_PARAMS: i64 = -32602;
const NOBODY: &str = "0190a6f4-7b3c-7def-8123-456789abcdef";

fn agents(world: &TestServer) -> [Agent; 2] {
    ["content", "prompts"].map(|server| Agent::new(world.address, server, Some(&world.store.secret)))
}

fn id(item: &Value) -> String {
    item["id"].as_str().unwrap().to_owned()
}

async fn read(agent: &Agent, uri: &str) -> Value {
    agent.request("resources/read", json!({"uri": uri})).await.unwrap_or_else(|error| panic!("{uri}: {error}"))
}

async fn resources_are_listed_in_pages_and_read(store: TestStore) {
    let world = store.serve().await;
    let (rest, [content, prompts]) = (world.owner(), agents(&world));
    assert_eq!(content.request("resources/list", json!({})).await.unwrap(), json!({"resources": []}));

    let mut expected = Vec::new();
    for number in 0..101 {
        let note = rest.note(&format!("Note {number}"), Some("text")).await;
        expected.insert(0, format!("interline://note/{}", id(&note)));
    }
    let archived = rest.note("Archived", Some("old")).await;
    rest.send(&format!("POST /notes/{}/archive", id(&archived)), None).await.expect(200, json!({}));
    let page = json!({"url": "https://example.org/", "description": "A page", "content": "née"});
    let page = rest.create("bookmarks", page).await;
    let page_uri = format!("interline://bookmark/{}", id(&page));
    expected.insert(0, page_uri.clone());
    let empty = rest.note("Empty", None).await;
    let empty_uri = format!("interline://note/{}", id(&empty));
    expected.insert(0, empty_uri.clone());
    let prompt =
        json!({"name": "greet", "title": "Greet", "content": "Hello {{ who }}", "arguments": [{"name": "who"}]});
    let prompt = rest.create("prompts", prompt).await;

    let first = content.request("resources/list", json!({})).await.unwrap();
    let second = content.request("resources/list", json!({"cursor": first["nextCursor"]})).await.unwrap();
    assert!(second.get("nextCursor").is_none(), "{second}");
    let listed: Vec<&Value> = [&first, &second].iter().flat_map(|page| page["resources"].as_array().unwrap()).collect();
    let uris: Vec<&str> = listed.iter().map(|resource| resource["uri"].as_str().unwrap()).collect();
    assert_eq!(uris, expected);
    let annotations = json!({"lastModified": page["updated_at"]});
    let described = json!({"uri": page_uri, "name": "https://example.org/", "description": "A page",
        "mimeType": "text/markdown", "size": 4, "annotations": annotations});
    assert_eq!(*listed[1], described);
    assert!(listed[0].get("size").is_none() && listed[0]["title"] == "Empty", "{}", listed[0]);
    let result = prompts.request("resources/list", json!({})).await.unwrap();
    let described = json!([{"uri": "interline://prompt/greet", "name": "greet", "title": "Greet",
        "mimeType": "text/markdown", "size": 15, "annotations": {"lastModified": prompt["updated_at"]}}]);
    assert_eq!(result["resources"], described);

    let old = format!("interline://note/{}", id(&archived));
    for (agent, uri, text) in [
        (&content, &page_uri, "née"),
        (&content, &empty_uri, ""),
        (&content, &old, "old"),
        (&prompts, &"interline://prompt/greet".to_owned(), "Hello {{ who }}"),
    ] {
        let contents = json!([{"uri": uri, "mimeType": "text/markdown", "text": text}]);
        assert_eq!(read(agent, uri).await, json!({"contents": contents}));
    }
}

#[test]
fn the_templates_of_addresses_are_listed() {
    on_sqlite(async |store| {
        let world = store.serve().await;
        for (agent, expected) in agents(&world)
            .iter()
            .zip([&["interline://note/{id}", "interline://bookmark/{id}"][..], &["interline://prompt/{name}"]])
        {
            let result = agent.request("resources/templates/list", json!({})).await.unwrap();
            let templates = result["resourceTemplates"].as_array().unwrap();
            let forms: Vec<&str> = templates.iter().map(|form| form["uriTemplate"].as_str().unwrap()).collect();
            assert_eq!(forms, expected);
            for form in templates {
                assert_eq!(form["mimeType"], "text/markdown", "{form}");
                assert!(form["description"].as_str().unwrap().contains("start_line"), "{form}");
            }
        }
    });
}

#[test]
fn a_long_resource_is_read_in_parts() {
    on_sqlite(async |store| {
        let world = store.serve().await;
        let [agent, _] = agents(&world);
        let content: String = (1..=15_000).map(|line| format!("{line:09}\n")).collect();
        let uri = format!("interline://note/{}", agent.note("Long", &content).await);
        let first = read(&agent, &uri).await;
        let [text, note] = first["contents"].as_array().unwrap().as_slice() else { panic!("{first}") };
        let rest = format!("{uri}?start_line=10001");
        assert_eq!((&note["uri"], &note["mimeType"]), (&json!(rest), &json!("text/plain")));
        let message = format!("go on with start_line=10001 (of 15001 lines): {rest}");
        assert_eq!(note["text"], message);
        let second = read(&agent, &rest).await;
        let [more] = second["contents"].as_array().unwrap().as_slice() else { panic!("{second}") };
        assert_eq!(more["uri"], rest);
        let whole = format!("{}\n{}", text["text"].as_str().unwrap(), more["text"].as_str().unwrap());
        assert!(whole == content, "the parts make the whole");

        let bounded = read(&agent, &format!("{uri}?end_line=14000")).await;
        assert_eq!(bounded["contents"][1]["uri"], format!("{uri}?start_line=10001&end_line=14000"));
        let lines = read(&agent, &format!("{uri}?start_line=2&end_line=3")).await;
        assert_eq!(lines["contents"][0]["text"], "000000002\n000000003");
        let wide = agent.note("Wide", &format!("{}\nend", "x".repeat(100_001))).await;
        let wide = format!("interline://note/{wide}");
        for (uri, rest) in [
            (wide.clone(), format!("{wide}?start_line=2")),
            (format!("{wide}?end_line=1"), format!("{wide}?end_line=1")),
        ] {
            let result = read(&agent, &uri).await;
            let note = &result["contents"][1];
            assert_eq!(note["uri"], rest);
            assert!(note["text"].as_str().unwrap().starts_with("line 1 is cut"), "{note}");
        }
    });
}

#[test]
fn what_is_not_there_is_refused_in_the_words_of_the_protocol() {
    on_sqlite(async |store| {
        let world = store.serve().await;
        let (rest, [content, prompts]) = (world.owner(), agents(&world));
        let note = id(&rest.note("A note", Some("alpha\nbeta")).await);
        let empty = id(&rest.note("Empty", None).await);
        let prompt = id(&rest.create("prompts", json!({"name": "greet", "content": "Hello"})).await);
        let stranger = rest.check("POST /users", json!({"name": "other"}), 201, json!({})).await.json();
        let stranger = Agent::new(world.address, "content", stranger["token"].as_str());
        let at = |path: &str| format!("interline://{path}");
        for (agent, uri, code, part) in [
            (&content, at(&format!("note/{NOBODY}")), NOT_FOUND, "no note"),
            (&content, at(&format!("bookmark/{note}")), NOT_FOUND, "it is a note"),
            (&content, at(&format!("note/{}", note.replace('-', ""))), NOT_FOUND, "no item"),
            (&content, at("note/"), NOT_FOUND, "no item"),
            (&content, at("note"), NOT_FOUND, "no item"),
            (&content, at(&format!("prompt/{prompt}")), NOT_FOUND, "no item"),
            (&content, at("prompt/greet"), NOT_FOUND, "no item"),
            (&content, at(&format!("Note/{note}")), NOT_FOUND, "no item"),
            (&content, format!("file:///note/{note}"), NOT_FOUND, "no item"),
            (&content, String::new(), NOT_FOUND, "no item"),
            (&content, "x".repeat(100_000), NOT_FOUND, "no item"),
            (&stranger, at(&format!("note/{note}")), NOT_FOUND, "no note"),
            (&stranger, at(&format!("bookmark/{note}")), NOT_FOUND, "no bookmark"),
            (&prompts, at("prompt/nobody"), NOT_FOUND, "no prompt"),
            (&prompts, at(&format!("note/{note}")), NOT_FOUND, "no item"),
            (&content, at(&format!("note/{note}?start_line=3")), INVALID_PARAMS, "line"),
            (&content, at(&format!("note/{note}?start_line=0")), INVALID_PARAMS, "from 1"),
            (&content, at(&format!("note/{note}?start_line=1&start_line=1")), INVALID_PARAMS, "from 1"),
            (&content, at(&format!("note/{note}?line=1")), INVALID_PARAMS, "start_line"),
            (&content, at(&format!("note/{note}?")), INVALID_PARAMS, "start_line"),
            (&content, at(&format!("note/{empty}?start_line=1")), INVALID_PARAMS, "empty"),
        ] {
            let message = agent.protocol_error("resources/read", json!({"uri": uri}), code).await;
            assert!(message.contains(part) && message.len() < 400, "{uri}: {message}");
        }
        let message =
            stranger.protocol_error("resources/read", json!({"uri": at(&format!("bookmark/{note}"))}), NOT_FOUND);
        assert!(!message.await.contains("it is a"), "what others have is not result");
        assert_eq!(stranger.request("resources/list", json!({})).await.unwrap(), json!({"resources": []}));
        content.protocol_error("resources/list", json!({"cursor": "x"}), INVALID_PARAMS).await;
        // After a handshake over HTTP there is no stream for notifications.
        for (method, params) in [
            ("resources/subscribe", json!({"uri": at(&format!("note/{note}"))})),
            ("resources/unsubscribe", json!({"uri": at(&format!("note/{note}"))})),
            ("subscriptions/listen", json!({"notifications": {}})),
        ] {
            content.protocol_error(method, params, -32601).await;
        }
    });
}

async fn keys_are_completed_by_words(store: TestStore) {
    let world = store.serve().await;
    let (rest, [content, prompts]) = (world.owner(), agents(&world));
    let plan = id(&rest.note("Deployment plan", Some("steps")).await);
    let page = rest.create("bookmarks", json!({"url": "https://example.org/", "title": "Deployment"})).await;
    for (name, argument) in [("code-review", "language"), ("summary", "length")] {
        let content = format!("About {{{{ {argument} }}}}");
        rest.create("prompts", json!({"name": name, "content": content, "arguments": [{"name": argument}]})).await;
    }
    let complete = async |agent: &Agent, of: Value, argument: &str, value: &str| {
        let params = json!({"ref": of, "argument": {"name": argument, "value": value}});
        agent.request("completion/complete", params).await.map(|result| result["completion"].clone())
    };
    let resource = |uri: &str| json!({"type": "ref/resource", "uri": uri});
    let prompt = |name: &str| json!({"type": "ref/prompt", "name": name});
    let (notes, pages, named) = ("interline://note/{id}", "interline://bookmark/{id}", "interline://prompt/{name}");
    for (agent, uri, argument, typed, values) in [
        (&content, notes, "id", "deploy", json!([plan])),
        (&content, notes, "id", "", json!([plan])),
        (&content, notes, "id", "nothing", json!([])),
        (&content, pages, "id", "Deploy", json!([page["id"]])),
        (&prompts, named, "name", "code-re", json!(["code-review"])),
        (&prompts, named, "name", "sum", json!(["summary"])),
    ] {
        let result = complete(agent, resource(uri), argument, typed).await.unwrap();
        let total = values.as_array().unwrap().len();
        assert_eq!(result, json!({"values": values, "total": total, "hasMore": false}), "{uri} {typed}");
    }
    // Which values an argument takes is not stored.
    assert_eq!(complete(&prompts, prompt("summary"), "length", "s").await.unwrap(), json!({"values": []}));
    for (agent, of, argument, typed) in [
        (&content, resource(named), "name", "sum"),
        (&content, resource(&format!("interline://note/{plan}")), "id", ""),
        (&content, resource(notes), "name", ""),
        (&content, resource(notes), "id", "-deploy"),
        (&content, prompt("summary"), "length", ""),
        (&prompts, prompt("summary"), "size", ""),
        (&prompts, prompt("nobody"), "length", ""),
        (&prompts, prompt("No Name"), "length", ""),
    ] {
        let error = complete(agent, of.clone(), argument, typed).await.expect_err("a refusal");
        assert_eq!(error["code"], INVALID_PARAMS, "{of} {argument}: {error}");
    }
}

#[test]
fn the_newest_protocol_calls_a_missing_resource_wrong_parameters() {
    on_sqlite(async |store| {
        let world = store.serve().await;
        let [agent, _] = agents(&world);
        let uri = format!("interline://note/{NOBODY}");
        let prefix = "io.modelcontextprotocol";
        let meta = json!({
            format!("{prefix}/protocolVersion"): "2026-07-28",
            format!("{prefix}/clientInfo"): {"name": "test", "version": "1"},
            format!("{prefix}/clientCapabilities"): {},
        });
        let params = json!({"uri": uri, "_meta": meta});
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": params});
        let headers =
            [("mcp-protocol-version", "2026-07-28"), ("mcp-method", "resources/read"), ("mcp-name", uri.as_str())];
        let result = agent.post(message.to_string(), &headers).await.json();
        let error = &result["error"];
        assert_eq!((&error["code"], &error["data"]["uri"]), (&json!(INVALID_PARAMS), &json!(uri)), "{result}");
    });
}
