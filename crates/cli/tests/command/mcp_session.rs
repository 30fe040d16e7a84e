//! A scripted agent's session over `interline mcp`: one change set, with the client's name and its reasons, by each way of
//! starting the server and of telling the client's name.

use serde_json::{Value, json};

use crate::harness::Sandbox;
use crate::mcp_client::McpClient;

const META: &str = "io.modelcontextprotocol/clientInfo";

/// A session whose client calls itself so.
fn session(sandbox: &Sandbox, options: &[&str], client: &Value) -> McpClient {
    let mut session = McpClient::spawn(&mut sandbox.command(&[&["mcp", "content"], options].concat()));
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
    let answer = session.request("initialize", params);
    assert_eq!(answer["result"]["serverInfo"]["name"], "interline-content", "{answer}");
    session.send(br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    session
}

/// The ids of three notes that a person makes.
fn notes(sandbox: &Sandbox) -> Vec<String> {
    let make =
        |title| sandbox.json(&["new", "note", title, "--content", "0\n"])["id"].as_str().expect("an id").to_owned();
    ["A", "B", "C"].into_iter().map(make).collect()
}

/// Twelve edits in three notes, each with its reason.
fn work(agent: &mut McpClient, notes: &[String]) {
    for edit in 0..12 {
        let (old, new) = ((edit / 3).to_string(), (edit / 3 + 1).to_string());
        let reason = format!("step {edit}");
        agent.call_tool(
            "edit_content",
            json!({"id": notes[edit % 3], "old_str": old, "new_str": new, "reason": reason}),
        );
    }
}

/// The one set that is not reviewed.
fn inbox(sandbox: &Sandbox) -> Value {
    let inbox = sandbox.json(&["changes", "--state", "unreviewed"]);
    let [set] = inbox["items"].as_array().expect("sets").as_slice() else { panic!("not one set: {inbox}") };
    set.clone()
}

fn check_set(set: &Value, notes: &[String]) {
    assert_eq!(set["client"], json!({"name": "claude-code", "version": "2.1"}), "{set}");
    assert_eq!((&set["source"], &set["agent"], &set["items_total"]), (&json!("mcp-content"), &json!(true), &json!(3)));
    assert_eq!(set["reasons"], json!(["step 0", "step 1", "step 2"]));
    let items = set["items"].as_array().expect("items");
    assert_eq!(items.iter().map(|item| item["id"].as_str().expect("an id")).collect::<Vec<_>>(), notes);
    for item in items {
        assert_eq!((&item["from_version"], &item["to_version"]), (&json!(1), &json!(5)), "{item}");
    }
}

fn claude_code() -> Value {
    json!({"name": "claude-code", "version": "2.1"})
}

/// A token for agents: its id.
fn token(sandbox: &Sandbox, name: &str) -> String {
    sandbox.json(&["token", "add", name, "--agent"])["id"].as_str().expect("an id").to_owned()
}

#[test]
fn a_session_of_the_local_agent_is_one_change_set() {
    let sandbox = Sandbox::new();
    let notes = notes(&sandbox);
    let mut agent = session(&sandbox, &[], &claude_code());
    work(&mut agent, &notes);
    agent.close();
    let set = inbox(&sandbox);
    check_set(&set, &notes);
    assert_eq!((&set["token"], &set["user"]["name"]), (&Value::Null, &json!("ada")), "{set}");
}

#[test]
fn a_session_with_a_token_of_its_own_is_one_change_set_of_the_token() {
    let sandbox = Sandbox::new();
    let notes = notes(&sandbox);
    let token = token(&sandbox, "Claude Code on desk");
    let mut agent = session(&sandbox, &["--as", &token], &claude_code());
    work(&mut agent, &notes);
    agent.close();
    let set = inbox(&sandbox);
    check_set(&set, &notes);
    assert_eq!(set["token"], json!({"id": token, "name": "Claude Code on desk"}), "{set}");
}

#[test]
fn a_session_through_a_server_is_one_change_set_of_the_token() {
    let sandbox = Sandbox::new();
    let notes = notes(&sandbox);
    let served = sandbox.serve(&[]);
    let (url, secret) = (served.url(), sandbox.token());
    let mut agent = session(&Sandbox::new(), &["--url", &url, "--token", &secret], &claude_code());
    work(&mut agent, &notes);
    agent.close();
    served.stop();
    check_set(&inbox(&sandbox), &notes);
}

#[test]
fn two_sessions_are_two_change_sets() {
    let sandbox = Sandbox::new();
    let notes = notes(&sandbox);
    let mut sessions = [session(&sandbox, &[], &claude_code()), session(&sandbox, &[], &claude_code())];
    for (number, agent) in sessions.iter_mut().enumerate() {
        agent.call_tool("update_item_metadata", json!({"id": notes[number], "title": "T"}));
    }
    for agent in sessions {
        agent.close();
    }
    let inbox = sandbox.json(&["changes", "--state", "unreviewed"]);
    assert_eq!(inbox["items"].as_array().map(Vec::len), Some(2), "each process has its own: {inbox}");
}

#[test]
fn a_client_is_known_by_each_way_of_telling() {
    let sandbox = Sandbox::new();
    let notes = notes(&sandbox);
    let named = token(&sandbox, "Desk");
    let with_token = ["--as", named.as_str()];
    let nameless = json!({"name": "", "version": ""});
    for (number, (options, session_client, in_meta, expected)) in [
        (&[][..], claude_code(), Some("in-meta"), "in-meta"),
        (&[], claude_code(), None, "claude-code"),
        (&[], nameless.clone(), None, "local agent"),
        (&with_token, claude_code(), Some("in-meta"), "in-meta"),
        (&with_token, claude_code(), None, "claude-code"),
        (&with_token, nameless, None, "Desk"),
    ]
    .into_iter()
    .enumerate()
    {
        let mut agent = session(&sandbox, options, &session_client);
        let arguments = json!({"id": notes[0], "title": format!("T{number}")});
        let mut params = json!({"name": "update_item_metadata", "arguments": arguments});
        if let Some(name) = in_meta {
            params["_meta"] = json!({META: {"name": name, "version": "3"}});
        }
        let answer = agent.request("tools/call", params);
        assert_eq!(answer["result"]["isError"], false, "{answer}");
        let history = agent.call_tool("item_history", json!({"id": notes[0], "limit": 1}));
        assert_eq!(history["records"][0]["client"], expected, "{number}");
        agent.close();
    }
}
