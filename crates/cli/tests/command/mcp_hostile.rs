//! Hostile MCP clients on standard input and output, which must neither end nor hurt the server.

use serde_json::json;

use crate::harness::Sandbox;
use crate::mcp_client::McpClient;

#[test]
fn what_is_no_message_is_answered_and_does_not_end_a_talk() {
    let sandbox = Sandbox::new();
    let mut client = McpClient::connect(&sandbox, "content", &["--log", "off"]);
    let too_long = format!(r#"{{"jsonrpc":"2.0","id":7,"method":"{}"}}"#, "x".repeat(21 * 1024 * 1024));
    let (open, close) = ("[".repeat(100_000), "]".repeat(100_000));
    let deep = format!(r#"{{"jsonrpc":"2.0","id":7,"method":"ping","params":{open}1{close}}}"#);
    let batch = r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#;
    for (message, code) in [
        (&b"not JSON"[..], -32700),
        (b"{", -32700),
        (b"\xff\xfe", -32700),
        (deep.as_bytes(), -32700),
        (too_long.as_bytes(), -32600),
        (b"[]", -32600),
        (b"7", -32600),
        (b"{}", -32600),
        (batch.as_bytes(), -32600),
    ] {
        client.send(message);
        let shown = String::from_utf8_lossy(&message[..message.len().min(50)]);
        assert_eq!(client.receive()["error"]["code"], code, "{shown}");
        assert_eq!(client.request("ping", json!({}))["result"], json!({}), "{shown}");
    }
    for unheard in [&b""[..], b" ", b"\r"] {
        client.send(unheard);
        assert_eq!(client.request("ping", json!({}))["result"], json!({}));
    }
    for (tool, code) in [("burn", -32602), ("", -32602)] {
        let refused = client.request("tools/call", json!({"name": tool}));
        assert_eq!(refused["error"]["code"], code, "{refused}");
    }
    assert_eq!(client.request("tools/burn", json!({}))["error"]["code"], -32601);
    assert!(client.peak_mib() < 400, "{} MiB", client.peak_mib());
    assert_eq!(client.close().code, Some(0));
}

#[test]
fn what_is_cancelled_in_the_middle_is_done_whole_or_not_at_all() {
    let sandbox = Sandbox::new();
    let mut client = McpClient::connect(&sandbox, "content", &[]);
    let note = client.call_tool("create_note", json!({"title": "One", "content": "0\n"}));
    let id = note["id"].as_str().expect("an id").to_owned();
    for _ in 0..20 {
        let version = client.call_tool("get_item", json!({"id": id}))["version"].as_u64().expect("a version");
        let content = format!("{version}\n");
        let rewrite = json!({"id": id, "content": content, "expected_version": version});
        let asked = client.send_request("tools/call", json!({"name": "rewrite_content", "arguments": rewrite}));
        let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": asked}});
        client.send(cancel.to_string().as_bytes());
        let last = client.send_request("tools/call", json!({"name": "get_item", "arguments": {"id": id}}));
        // It may have been answered before it was cancelled.
        let mut answer = client.receive();
        if answer["id"] == asked {
            answer = client.receive();
        }
        assert_eq!(answer["id"], last, "{answer}");
        let read = &answer["result"]["structuredContent"];
        let version = read["version"].as_u64().expect("a version");
        assert_eq!(read["content"], format!("{}\n", version - 1), "a version is whole or not there");
    }
    assert_eq!(client.close().code, Some(0));
}

#[test]
fn an_agent_that_never_reads_costs_little_and_ends_the_server_by_leaving() {
    let sandbox = Sandbox::new();
    let mut client = McpClient::connect(&sandbox, "content", &["--log", "off"]);
    let content = "0123456789abcdef\n".repeat(6_000);
    let note = client.call_tool("create_note", json!({"title": "Long", "content": content}));
    // Together their answers would be more than 400 MiB.
    for _ in 0..2_000 {
        client.send_request("tools/call", json!({"name": "get_item", "arguments": {"id": note["id"]}}));
    }
    // Another client's server goes on.
    let mut other = McpClient::connect(&sandbox, "content", &[]);
    let edit = json!({"id": note["id"], "old_str": "0123456789abcdef\n", "new_str": "x\n", "expected_matches": 6_000});
    assert_eq!(other.call_tool("edit_content", edit)["version"], 2);
    assert_eq!(other.close().code, Some(0));
    assert!(client.peak_mib() < 200, "{} MiB", client.peak_mib());
    assert_eq!(client.close_without_reading(), Some(0));
}
