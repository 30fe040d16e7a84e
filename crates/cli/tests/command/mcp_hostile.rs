//! What an agent may do to a server on standard input and output without ending or hurting it.

use serde_json::json;

use crate::running::Place;
use crate::talk::Talk;

#[test]
fn what_is_no_message_is_answered_and_does_not_end_a_talk() {
    let place = Place::new();
    let mut talk = Talk::with(&place, "content", &["--log", "off"]);
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
        talk.say(message);
        let shown = String::from_utf8_lossy(&message[..message.len().min(50)]);
        assert_eq!(talk.hear()["error"]["code"], code, "{shown}");
        assert_eq!(talk.request("ping", json!({}))["result"], json!({}), "{shown}");
    }
    for unheard in [&b""[..], b" ", b"\r"] {
        talk.say(unheard);
        assert_eq!(talk.request("ping", json!({}))["result"], json!({}));
    }
    for (tool, code) in [("burn", -32602), ("", -32602)] {
        let refused = talk.request("tools/call", json!({"name": tool}));
        assert_eq!(refused["error"]["code"], code, "{refused}");
    }
    assert_eq!(talk.request("tools/burn", json!({}))["error"]["code"], -32601);
    assert!(talk.peak_mib() < 400, "{} MiB", talk.peak_mib());
    assert_eq!(talk.end().code, Some(0));
}

#[test]
fn what_is_cancelled_in_the_middle_is_done_whole_or_not_at_all() {
    let place = Place::new();
    let mut talk = Talk::with(&place, "content", &[]);
    let note = talk.call("create_note", json!({"title": "One", "content": "0\n"}));
    let id = note["id"].as_str().expect("an id").to_owned();
    for _ in 0..20 {
        let version = talk.call("get_item", json!({"id": id}))["version"].as_u64().expect("a version");
        let content = format!("{version}\n");
        let rewrite = json!({"id": id, "content": content, "expected_version": version});
        let asked = talk.ask("tools/call", json!({"name": "rewrite_content", "arguments": rewrite}));
        let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": asked}});
        talk.say(cancel.to_string().as_bytes());
        let last = talk.ask("tools/call", json!({"name": "get_item", "arguments": {"id": id}}));
        // It may have been answered before it was cancelled.
        let mut answer = talk.hear();
        if answer["id"] == asked {
            answer = talk.hear();
        }
        assert_eq!(answer["id"], last, "{answer}");
        let read = &answer["result"]["structuredContent"];
        let version = read["version"].as_u64().expect("a version");
        assert_eq!(read["content"], format!("{}\n", version - 1), "a version is whole or not there");
    }
    assert_eq!(talk.end().code, Some(0));
}

#[test]
fn an_agent_that_never_reads_costs_little_and_ends_the_server_by_leaving() {
    let place = Place::new();
    let mut talk = Talk::with(&place, "content", &["--log", "off"]);
    let content = "0123456789abcdef\n".repeat(6_000);
    let note = talk.call("create_note", json!({"title": "Long", "content": content}));
    // Together their answers would be more than 400 MiB.
    for _ in 0..2_000 {
        talk.ask("tools/call", json!({"name": "get_item", "arguments": {"id": note["id"]}}));
    }
    // The server of others goes on.
    let mut other = Talk::with(&place, "content", &[]);
    let edit = json!({"id": note["id"], "old_str": "0123456789abcdef\n", "new_str": "x\n", "expected_matches": 6_000});
    assert_eq!(other.call("edit_content", edit)["version"], 2);
    assert_eq!(other.end().code, Some(0));
    assert!(talk.peak_mib() < 200, "{} MiB", talk.peak_mib());
    assert_eq!(talk.leave_unread(), Some(0));
}
