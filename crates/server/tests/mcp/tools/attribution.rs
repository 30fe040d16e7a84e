//! Who writes through MCP, and why: the client by each way that it is told, the reason, and one change set for one go.

use serde_json::json;

use crate::agent::Agent;
use crate::support::client::text;
use crate::support::test_store::TestStore;

on_both!(a_session_of_an_agent_is_one_change_set, a_client_is_known_by_each_way_of_telling, a_reason_is_bounded,);

const META: &str = "io.modelcontextprotocol/clientInfo";

async fn a_session_of_an_agent_is_one_change_set(store: TestStore) {
    let world = store.serve().await;
    let owner = world.owner();
    let (_, token) = token(&owner, "Claude Code on desk").await;
    let agent = Agent::new(world.address, "content", Some(&token));
    let introduction = json!({"protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "claude-code", "version": "2.1"}});
    agent.request("initialize", introduction).await.unwrap();
    let mut notes = Vec::new();
    for name in ["A", "B", "C"] {
        notes.push(text(&owner.note(name, Some("0\n")).await["id"]));
    }
    for edit in 0..12 {
        let (old, new) = ((edit / 3).to_string(), (edit / 3 + 1).to_string());
        let reason = format!("step {edit}");
        let edit = json!({"id": notes[edit % 3], "old_str": old, "new_str": new, "reason": reason});
        agent.check("edit_content", edit, json!({})).await;
    }
    let inbox = owner.get("/changes?state=unreviewed").await.expect(200, json!({})).json();
    let [set] = inbox["items"].as_array().unwrap().as_slice() else { panic!("{inbox}") };
    assert_eq!(set["client"], json!({"name": "claude-code", "version": "2.1"}));
    assert_eq!((&set["source"], &set["agent"], &set["items_total"]), (&json!("mcp-content"), &json!(true), &json!(3)));
    assert_eq!(set["reasons"], json!(["step 0", "step 1", "step 2"]));
    let item = json!({"from_version": 1, "to_version": 5, "state": "unreviewed"});
    for changed in set["items"].as_array().unwrap() {
        for (member, value) in item.as_object().unwrap() {
            assert_eq!(&changed[member], value, "{changed}");
        }
    }
    let history = agent.check("item_history", json!({"id": notes[2]}), json!({})).await;
    assert_eq!(
        (&history["records"][0]["client"], &history["records"][0]["reason"]),
        (&json!("claude-code"), &json!("step 11"))
    );
}

/// A token for an agent: its id and its secret.
async fn token(owner: &crate::support::client::Client, name: &str) -> (String, String) {
    let made = owner.post("/tokens", json!({"name": name, "agent": true})).await.expect(201, json!({})).json();
    (text(&made["id"]), text(&made["token"]))
}

async fn a_client_is_known_by_each_way_of_telling(store: TestStore) {
    let world = store.serve().await;
    let owner = world.owner();
    let note = text(&owner.note("A", Some("text")).await["id"]);
    let meta = || json!({META: {"name": "in-meta", "version": "3"}});
    let introduction = json!({"protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "introduced", "version": "1"}});
    for (number, (introduces, in_meta, headers, expected)) in [
        (true, true, &[("interline-client", "in-header/2")][..], "in-meta"),
        (true, false, &[("interline-client", "in-header/2")][..], "in-header"),
        (true, false, &[("user-agent", "python/3")][..], "introduced"),
        (false, false, &[("user-agent", "python/3 lib/2")][..], "python"),
        (false, false, &[][..], "token 4"),
    ]
    .into_iter()
    .enumerate()
    {
        let (_, secret) = token(&owner, &format!("token {number}")).await;
        let agent = Agent::new(world.address, "content", Some(&secret));
        if introduces {
            agent.request("initialize", introduction.clone()).await.unwrap();
        }
        let mut params =
            json!({"name": "update_item_metadata", "arguments": {"id": note, "title": format!("T{number}")}});
        if in_meta {
            params["_meta"] = meta();
        }
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        let headers = [&[("mcp-protocol-version", "2025-11-25")], headers].concat();
        let answer = agent.post(body.to_string(), &headers).await.json();
        assert_eq!(answer["result"]["isError"], false, "{answer}");
        let history = owner.get(&format!("/notes/{note}/history")).await.json();
        assert_eq!(history["items"][0]["client"]["name"], expected, "{number}");
    }
}

async fn a_reason_is_bounded(store: TestStore) {
    let world = store.serve().await;
    let agent = Agent::new(world.address, "content", Some(&world.store.secret));
    let refused = json!({"error": "validation_failed", "errors": [{"field": "reason"}]});
    for reason in [json!("x".repeat(501)), json!(7), json!(["a"]), json!("x".repeat(10_000_000))] {
        agent.refused("create_note", json!({"title": "A", "reason": reason}), refused.clone()).await;
    }
    agent.check("create_note", json!({"title": "A", "reason": null}), json!({})).await;
    // As at REST: a header and an argument that differ are a mistake.
    for (argument, is_error) in [("one", false), ("two", true)] {
        let params = json!({"name": "create_note", "arguments": {"title": "A", "reason": argument}});
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        let headers = [("mcp-protocol-version", "2025-11-25"), ("interline-reason", "one")];
        let answer = agent.post(body.to_string(), &headers).await.json();
        assert_eq!(answer["result"]["isError"], is_error, "{answer}");
    }
    let reading = json!({"reason": "none is needed"});
    agent.refused("list_tags", reading, json!({"error": "validation_failed"})).await;
}
