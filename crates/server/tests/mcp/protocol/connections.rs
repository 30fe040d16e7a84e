//! MCP over HTTP: authentication, hosts and origins, and bodies that are no messages.

use std::num::NonZeroU32;

use interline_server::{RateLimits, Settings};
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;

use crate::agent::{Agent, Answer};
use crate::support::json_assertion::assert_within;
use crate::support::test_store::{on_sqlite, unlimited};

const LIST: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;

#[expect(clippy::needless_pass_by_value, reason = "tests write it where they need it")]
fn assert_answer(what: &str, answer: &Answer, status: u16, expected: Value) {
    assert_eq!(answer.status, status, "{what}: {}", answer.text);
    assert_within(what, &expected, &answer.json());
}

#[test]
fn a_client_without_a_valid_token_is_refused() {
    on_sqlite(async |store| {
        let world = store.serve().await;
        let invalid = "Bearer error=\"invalid_token\"";
        for (token, asks) in
            [(None, "Bearer"), (Some(""), "Bearer"), (Some("il_wrong"), invalid), (Some("x y"), invalid)]
        {
            let answer = Agent::new(world.address, "content", token).post(LIST, &[]).await;
            assert_answer(&format!("{token:?}"), &answer, 401, json!({"error": "unauthorized"}));
            assert_eq!(answer.headers["www-authenticate"], asks);
        }
    });
}

#[test]
fn every_server_has_an_address_that_ends_in_mcp() {
    on_sqlite(async |store| {
        let world = store.serve().await;
        for server in ["content", "prompts", "code"] {
            let [plain, alias] = [server.to_owned(), format!("{server}/mcp")].map(|name| {
                let agent = Agent::new(world.address, &name, Some(&world.store.secret));
                async move { agent.post(LIST, &[]).await }
            });
            let (plain, alias) = (plain.await, alias.await);
            assert_eq!((plain.status, alias.status), (200, 200), "{server}: {}", alias.text);
            assert_eq!(plain.json(), alias.json());
        }
        let nobody = Agent::new(world.address, "content/mcp", None).post(LIST, &[]).await;
        assert_answer("alias", &nobody, 401, json!({"error": "unauthorized"}));
    });
}

#[test]
fn foreign_pages_and_names_are_refused() {
    on_sqlite(async |store| {
        let world = store.serve().await;
        let agent = Agent::new(world.address, "content", Some(&world.store.secret));
        for header in [("origin", "https://evil.example.org"), ("origin", "null"), ("host", "evil.example.org")] {
            assert_answer(header.1, &agent.post(LIST, &[header]).await, 403, json!({"error": "forbidden"}));
        }
        let own = format!("http://{}", world.address);
        assert_eq!(agent.post(LIST, &[("origin", own.as_str())]).await.status, 200);
    });
}

#[test]
fn a_name_that_was_allowed_is_answered() {
    on_sqlite(async |store| {
        let settings = Settings { allowed_hosts: vec!["notes.example.org".to_owned()], ..unlimited() };
        let world = store.serve_with(settings).await;
        let agent = Agent::new(world.address, "content", Some(&world.store.secret));
        assert_eq!(agent.post(LIST, &[("host", "notes.example.org")]).await.status, 200);
    });
}

#[test]
fn there_are_no_streams_and_no_sessions() {
    on_sqlite(async |store| {
        let world = store.serve().await;
        let agent = Agent::new(world.address, "content", Some(&world.store.secret));
        for method in ["GET", "DELETE", "PUT", "PATCH"] {
            let answer = agent.send(method, "", &[]).await;
            assert_answer(method, &answer, 405, json!({"error": "method_not_allowed"}));
            assert_eq!(answer.headers["allow"], "POST", "{method}");
        }
        let answer = agent.post(LIST, &[("mcp-session-id", "no-such-session")]).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        assert!(answer.headers.get("mcp-session-id").is_none());
    });
}

#[test]
fn what_is_no_message_is_refused_in_the_words_of_the_protocol() {
    on_sqlite(async |store| {
        let world = store.serve().await;
        let agent = Agent::new(world.address, "content", Some(&world.store.secret));
        let deep = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"get_item","arguments":{{"id":{}1{}}}}}}}"#,
            "[".repeat(100_000),
            "]".repeat(100_000)
        );
        for (body, code) in [
            (&b""[..], -32700),
            (b"{", -32700),
            (b"not JSON", -32700),
            (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}", -32700),
            (b"[]", -32600),
            (b" [{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}]", -32600),
            (b"null", -32600),
            (b"7", -32600),
            (b"{}", -32600),
            (b"{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"tools/list\"}", -32600),
            (b"{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"tools/list\"}", -32600),
            (deep.as_bytes(), -32600),
        ] {
            let shown = String::from_utf8_lossy(&body[..body.len().min(100)]).into_owned();
            let answer = agent.post(body, &[]).await;
            assert_answer(&shown, &answer, 400, json!({"jsonrpc": "2.0", "error": {"code": code}}));
        }
    });
}

#[test]
fn headers_that_do_not_fit_are_refused_in_json() {
    on_sqlite(async |store| {
        let world = store.serve().await;
        let agent = Agent::new(world.address, "content", Some(&world.store.secret));
        for (header, status) in [
            (("accept", "text/html"), 406),
            (("content-type", "text/plain"), 400),
            (("mcp-protocol-version", "1999-01-01"), 400),
        ] {
            let answer = agent.post(LIST, &[header]).await;
            assert_answer(header.1, &answer, status, json!({"jsonrpc": "2.0", "error": {"code": -32600}}));
        }
    });
}

#[test]
fn other_messages_are_answered_by_the_rules() {
    on_sqlite(async |store| {
        let world = store.serve().await;
        let agent = Agent::new(world.address, "content", Some(&world.store.secret));
        assert_eq!(agent.request("ping", json!({})).await, Ok(json!({})));
        let initialized = agent.post(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#, &[]).await;
        assert_eq!((initialized.status, initialized.text.as_str()), (202, ""));
        // Over HTTP a request is cancelled by leaving; the message is taken, and means nothing.
        let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#;
        assert_eq!(agent.post(cancel, &[]).await.status, 202);
        let unknown = agent.request("tools/burn", json!({})).await.expect_err("no such method");
        assert_eq!(unknown["code"], -32601, "{unknown}");
        let nameless = agent.post(r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}"#, &[]).await;
        assert!(nameless.json()["error"]["code"].is_i64(), "{}", nameless.text);
    });
}

#[test]
fn a_message_that_is_too_long_is_refused() {
    on_sqlite(async |store| {
        let settings = Settings { max_body_bytes: 100_000, ..unlimited() };
        let world = store.serve_with(settings).await;
        let agent = Agent::new(world.address, "content", Some(&world.store.secret));
        let answer = agent.post(" ".repeat(100_001), &[]).await;
        assert_answer("too long", &answer, 413, json!({"error": "too_large", "limit": 100_000}));
    });
    on_sqlite(async |store| {
        let world = store.serve().await;
        let agent = Agent::new(world.address, "content", Some(&world.store.secret));
        let answer = agent.post(vec![b' '; 21 * 1024 * 1024], &[]).await;
        assert_answer("a frame of 21 MiB", &answer, 413, json!({"error": "too_large", "limit": 20_971_520}));
    });
}

#[test]
fn clients_that_never_read_hold_up_nobody() {
    on_sqlite(async |store| {
        let world = store.serve().await;
        let agent = Agent::new(world.address, "content", Some(&world.store.secret));
        let id = agent.note("Long", &"0123456789abcdef\n".repeat(6_000)).await;
        let params = json!({"name": "get_item", "arguments": {"id": id}});
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).to_string();
        let request = format!(
            "POST /mcp/content HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {}\r\ncontent-type: \
             application/json\r\naccept: application/json, text/event-stream\r\ncontent-length: {}\r\n\r\n{body}",
            world.store.secret,
            body.len()
        );
        let mut silent = Vec::new();
        for _ in 0..20 {
            let mut stream = TcpStream::connect(world.address).await.unwrap();
            stream.write_all(request.repeat(20).as_bytes()).await.unwrap();
            silent.push(stream);
        }
        for number in 0..20 {
            let edit = json!({"id": id, "content": number.to_string(), "expected_version": number + 1});
            agent.check("rewrite_content", edit, json!({"version": number + 2})).await;
        }
    });
}

#[test]
fn a_long_note_goes_through() {
    on_sqlite(async |store| {
        let world = store.serve().await;
        let agent = Agent::new(world.address, "content", Some(&world.store.secret));
        // More than the SDK accepts by default.
        let id = agent.note("Long", &"0123456789abcde\n".repeat(400_000)).await;
        agent
            .check("get_item", json!({"id": id, "include_content": false}), json!({"content_length": 6_400_000}))
            .await;
        let content = "x".repeat(9 * 1024 * 1024);
        agent.refused("create_note", json!({"title": "x", "content": content}), json!({"error": "too_large"})).await;
    });
}

#[test]
fn tools_count_as_what_they_do() {
    on_sqlite(async |store| {
        let per_minute = |number| NonZeroU32::new(number).unwrap();
        let limits = RateLimits { reads_per_minute: per_minute(100), writes_per_minute: per_minute(2) };
        let world = store.serve_with(Settings { rate_limits: Some(limits), ..Settings::default() }).await;
        let agent = Agent::new(world.address, "content", Some(&world.store.secret));
        let id = agent.note("One", "alpha").await;
        agent.check("edit_content", json!({"id": id, "old_str": "alpha", "new_str": "beta"}), json!({})).await;
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
            "name": "edit_content", "arguments": {"id": id, "old_str": "beta", "new_str": "gamma"}}});
        let answer = agent.post(message.to_string(), &[]).await;
        assert_answer("the third write", &answer, 429, json!({"error": "rate_limited"}));
        assert!(answer.headers.contains_key("retry-after"));
        assert_eq!(answer.headers["ratelimit-limit"], "2");
        assert_eq!(agent.content(&id).await, "beta");
        let listed = agent.post(LIST, &[]).await;
        assert_eq!((listed.status, &listed.headers["ratelimit-limit"]), (200, &"100".parse().unwrap()));
    });
}

#[test]
fn a_client_that_leaves_takes_nothing_along() {
    on_sqlite(async |store| {
        let world = store.serve().await;
        let agent = Agent::new(world.address, "content", Some(&world.store.secret));
        let id = agent.note("One", "0\n").await;
        for number in 0..20 {
            let edit = json!({"id": id, "content": format!("{}\n", number + 1), "expected_version": number + 1});
            let params = json!({"name": "rewrite_content", "arguments": edit});
            let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).to_string();
            let head = format!(
                "POST /mcp/content HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {}\r\ncontent-type: \
                 application/json\r\naccept: application/json, text/event-stream\r\ncontent-length: {}\r\n\r\n",
                world.store.secret,
                body.len()
            );
            let mut stream = TcpStream::connect(world.address).await.unwrap();
            stream.write_all(format!("{head}{body}").as_bytes()).await.unwrap();
            drop(stream);
            let result = agent.check("get_item", json!({"id": id}), json!({})).await;
            let (version, content) = (result["version"].as_u64().unwrap(), result["content"].as_str().unwrap());
            assert_eq!(content, format!("{}\n", version - 1), "a version is whole or not there");
        }
        agent.check("search_items", json!({}), json!({"total": 1})).await;
    });
}
