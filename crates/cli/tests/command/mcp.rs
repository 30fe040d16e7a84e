//! `interline mcp`: the servers on standard input and output.

use std::thread;

use serde_json::{Value, json};

use crate::harness::Sandbox;
use crate::mcp_client::McpClient;

fn use_tools(client: &mut McpClient) -> String {
    let listed = client.request("tools/list", json!({}));
    assert_eq!(listed["result"]["tools"].as_array().map(Vec::len), Some(12), "{listed}");
    let note = client.call_tool("create_note", json!({"title": "Plan", "content": "one\ntwo\n"}));
    let id = note["id"].as_str().expect("an id").to_owned();
    let edited = client.call_tool("edit_content", json!({"id": id, "old_str": "two", "new_str": "three"}));
    assert_eq!((&edited["version"], &edited["line"]), (&json!(2), &json!(2)), "{edited}");
    let found = client.call_tool("search_items", json!({"query": "three"}));
    assert_eq!(found["items"][0]["id"], id.as_str(), "{found}");
    id
}

#[test]
fn an_agent_works_on_the_local_store_and_leaves() {
    let sandbox = Sandbox::new();
    // The first start, which prints a note on stderr.
    let mut client = McpClient::connect(&sandbox, "content", &[]);
    let id = use_tools(&mut client);
    let history = client.call_tool("item_history", json!({"id": id}));
    let record = &history["records"][0];
    assert_eq!((&record["source"], &record["user"]), (&json!("mcp-content"), &json!("ada")), "{history}");
    let output = client.close();
    assert_eq!((output.code, output.stdout.as_str()), (Some(0), ""), "{output:?}");
    assert!(output.stderr.starts_with("note: made a new store in ") && !output.stderr.contains("il_"), "{output:?}");

    let silent = McpClient::spawn(&mut sandbox.command(&["mcp", "content"])).close();
    assert_eq!((silent.code, silent.stdout.as_str(), silent.stderr.as_str()), (Some(0), "", ""));
}

#[test]
fn an_agent_works_on_a_server() {
    let sandbox = Sandbox::new();
    let served = sandbox.serve(&[]);
    let elsewhere = Sandbox::new();
    let (url, token) = (served.url(), sandbox.token());
    let mut client = McpClient::connect(&elsewhere, "content", &["--url", &url, "--token", &token]);
    let id = use_tools(&mut client);
    let unknown = client.request("tools/call", json!({"name": "burn"}));
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
    client.send(b"not JSON");
    assert_eq!(client.receive()["error"]["code"], -32700);
    let output = client.close();
    assert_eq!((output.code, output.stderr.as_str()), (Some(0), ""), "{output:?}");
    assert!(!elsewhere.data_dir().exists(), "nothing is made here");
    let note = served.get(&format!("/notes/{id}"), Some(&token));
    assert!(note.body.contains("three"), "{}", note.body);

    let mut stranger = McpClient::spawn(&mut elsewhere.command(&["mcp", "content", "--url", &url, "--token", "il_x"]));
    let refused = stranger.request("tools/list", json!({}));
    assert!(refused["error"]["message"].as_str().is_some_and(|text| text.contains("token")), "{refused}");
    assert_eq!(stranger.close().code, Some(0));
}

#[test]
fn prompts_have_a_server_of_their_own() {
    let sandbox = Sandbox::new();
    let served = sandbox.serve(&[]);
    let (url, token) = (served.url(), sandbox.token());
    for (name, options) in [("local", &[][..]), ("bridged", &["--url", &url, "--token", &token])] {
        let mut client = McpClient::connect(&sandbox, "prompts", options);
        let listed = client.request("tools/list", json!({}));
        assert_eq!(listed["result"]["tools"].as_array().map(Vec::len), Some(10), "{listed}");
        let arguments = json!([{"name": "who", "required": true}]);
        client.call_tool("create_prompt", json!({"name": name, "content": "Hello {{ who }}", "arguments": arguments}));
        let arguments = json!([{"name": "person", "required": true}]);
        let edit = json!({"name": name, "old_str": "who", "new_str": "person", "arguments": arguments});
        assert_eq!(client.call_tool("edit_prompt_template", edit)["version"], 2);
        let prompts = client.request("prompts/list", json!({}));
        let prompts = prompts["result"]["prompts"].as_array().expect("prompts");
        assert!(prompts.iter().any(|prompt| prompt["name"] == name), "{prompts:?}");
        let rendered = client.request("prompts/get", json!({"name": name, "arguments": {"person": "Ada"}}));
        assert_eq!(rendered["result"]["messages"][0]["content"]["text"], "Hello Ada", "{rendered}");
        let missing = client.request("prompts/get", json!({"name": name}));
        assert_eq!(missing["error"]["code"], -32602, "{missing}");
        let read = client.request("resources/read", json!({"uri": format!("interline://prompt/{name}")}));
        assert_eq!(read["result"]["contents"][0]["text"], "Hello {{ person }}", "{read}");
        let history = client.call_tool("prompt_history", json!({"name": name}));
        assert_eq!(history["records"][0]["source"], "mcp-prompts", "{history}");
        assert_eq!(client.close().code, Some(0));
    }
}

#[test]
fn what_a_server_changes_is_told_to_agents_beside_it() {
    let sandbox = Sandbox::new();
    let served = sandbox.serve(&[]);
    let (url, token) = (served.url(), sandbox.token());
    let mut client = McpClient::connect(&sandbox, "content", &[]);
    let note = client.call_tool("create_note", json!({"title": "Plan", "content": "one"}));
    let id = note["id"].as_str().expect("an id");
    let uri = format!("interline://note/{id}");
    assert_eq!(client.request("resources/subscribe", json!({"uri": uri}))["result"], json!({}));
    let edit = json!({"edits": [{"old_str": "one", "new_str": "two"}]}).to_string();
    assert_eq!(served.post(&format!("/notes/{id}/edits"), &token, &edit).status, 200);
    let message = client.receive();
    assert_eq!(message["method"], "notifications/resources/updated", "{message}");
    assert_eq!(message["params"], json!({"uri": uri}));
    assert_eq!(client.close().code, Some(0));

    // Nothing comes through the bridge that was not asked for, and it says so.
    let prefix = "io.modelcontextprotocol";
    let meta = json!({
        format!("{prefix}/protocolVersion"): "2026-07-28",
        format!("{prefix}/clientInfo"): {"name": "test", "version": "1"},
        format!("{prefix}/clientCapabilities"): {},
    });
    let mut bridged = McpClient::spawn(&mut sandbox.command(&["mcp", "prompts", "--url", &url, "--token", &token]));
    let described = bridged.request("server/discover", json!({"_meta": meta}));
    let offered = &described["result"]["capabilities"];
    assert_eq!((&offered["resources"], &offered["prompts"]), (&json!({}), &json!({})), "{described}");
    let listen = json!({"notifications": {"promptsListChanged": true}, "_meta": meta});
    assert_eq!(bridged.request("subscriptions/listen", listen)["error"]["code"], -32601);
    assert_eq!(bridged.request("tools/list", json!({"_meta": meta}))["result"]["tools"][0]["name"], "search_prompts");
    assert_eq!(bridged.close().code, Some(0));
}

/// Where edits of one writer go, in each of the shared notes.
const WRITERS: [&str; 3] = ["agent 1", "agent 2", "server"];

#[test]
fn two_agents_and_a_server_lose_nothing_of_each_other() {
    const EDITS: usize = 20;
    let sandbox = Sandbox::new();
    let served = sandbox.serve(&[]);
    let token = sandbox.token();
    let mut first = McpClient::connect(&sandbox, "content", &[]);
    let notes = ["one", "other"].map(|title| {
        let content: String = WRITERS.iter().map(|writer| format!("== {writer}\n")).collect();
        let note = first.call_tool("create_note", json!({"title": title, "content": content}));
        note["id"].as_str().expect("an id").to_owned()
    });
    let second = McpClient::connect(&sandbox, "content", &[]);
    // Each writes below its own heading, so that every edit is of another passage of the same notes.
    let edit = |writer: &str, number: usize| {
        let heading = format!("== {writer}\n");
        json!({"old_str": heading, "new_str": format!("{heading}{writer}: {number}\n")})
    };
    thread::scope(|scope| {
        for (writer, mut client) in [(WRITERS[0], first), (WRITERS[1], second)] {
            let (notes, edit) = (&notes, &edit);
            scope.spawn(move || {
                for (number, id) in (0..EDITS).flat_map(|number| notes.iter().map(move |id| (number, id))) {
                    let mut edit = edit(writer, number);
                    edit["id"] = id.as_str().into();
                    client.call_tool("edit_content", edit);
                }
                assert_eq!(client.close().code, Some(0));
            });
        }
        for (number, id) in (0..EDITS).flat_map(|number| notes.iter().map(move |id| (number, id))) {
            let body = json!({"edits": [edit(WRITERS[2], number)]}).to_string();
            let answer = served.post(&format!("/notes/{id}/edits"), &token, &body);
            assert_eq!(answer.status, 200, "{}", answer.body);
        }
    });
    let get = |path: &str| -> Value { serde_json::from_str(&served.get(path, Some(&token)).body).expect("JSON") };
    let below = |writer: &&str| -> String {
        let lines: String = (0..EDITS).rev().map(|number| format!("{writer}: {number}\n")).collect();
        format!("== {writer}\n{lines}")
    };
    for id in &notes {
        let note = get(&format!("/notes/{id}"));
        assert_eq!(note["content"], WRITERS.iter().map(below).collect::<String>());
        assert_eq!(note["version"], 1 + WRITERS.len() * EDITS, "each edit is a version");
        let history = get(&format!("/notes/{id}/history?limit=100"));
        let records = history["items"].as_array().expect("records");
        let count = |source: &str| records.iter().filter(|record| record["source"] == source).count();
        assert_eq!((count("mcp-content"), count("rest")), (1 + 2 * EDITS, EDITS), "{history}");
    }
}
