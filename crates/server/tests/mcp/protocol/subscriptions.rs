//! Notifications about changes: which clients get them, and which do not.

use std::time::Duration;

use interline_server::{McpServer, Settings};
use serde_json::{Value, json};

use crate::agent::Agent;
use crate::listener::{Connection, HttpStream, with_meta};
use crate::support::test_store::{TestStore, on_sqlite, unlimited};

on_both!(
    a_change_is_notified_whichever_door_made_it,
    a_change_of_the_list_of_prompts_is_notified,
    an_address_by_name_follows_the_item_that_has_the_name,
    the_newest_protocol_has_streams_on_a_connection,
    the_newest_protocol_has_streams_over_http,
    streams_are_counted_among_the_listeners_of_a_user,
    a_stream_ends_with_its_token,
);

const INVALID_PARAMS: i64 = -32602;
const NOT_FOUND: i64 = -32002;
/// More than a test says.
const WIDE: usize = 1 << 20;

fn id(item: &Value) -> &str {
    item["id"].as_str().unwrap()
}

fn uri(item: &Value) -> String {
    format!("interline://note/{}", id(item))
}

fn edit(number: usize) -> Value {
    json!({"content": format!("text {number}")})
}

async fn a_change_is_notified_whichever_door_made_it(store: TestStore) {
    let elsewhere = store.opened_again().await;
    let world = store.serve().await;
    let rest = world.owner();
    let (note, other) = (rest.note("A note", Some("one")).await, rest.note("Another", Some("one")).await);
    let (path, other_path) = (format!("/notes/{}", id(&note)), format!("/notes/{}", id(&other)));
    let (mut agent, _) = Connection::initialized(&elsewhere, McpServer::Content, WIDE).await;
    rest.patch(&path, edit(0)).await.expect(200, json!({}));
    agent.subscribe(&uri(&note)).await;

    // At a server with a handle of its own, which is as another process.
    rest.patch(&path, edit(1)).await.expect(200, json!({}));
    assert_eq!(agent.notification().await, uri(&note));
    let arguments = json!({"id": id(&note), "old_str": "text 1", "new_str": "text 2"});
    agent.request("tools/call", json!({"name": "edit_content", "arguments": arguments})).await.unwrap();
    assert_eq!(agent.notification().await, uri(&note));
    rest.send(&format!("POST {path}/archive"), None).await.expect(200, json!({}));
    assert_eq!(agent.notification().await, uri(&note));
    let lines = format!("{}?start_line=1", uri(&note));
    agent.subscribe(&lines).await;
    rest.delete(&path).await.expect(204, Value::Null);
    assert_eq!([agent.notification().await, agent.notification().await], [json!(uri(&note)), json!(lines)]);
    rest.send(&format!("POST {path}/restore"), None).await.expect(200, json!({}));
    assert_eq!([agent.notification().await, agent.notification().await], [json!(uri(&note)), json!(lines)]);

    for uri in [&uri(&note), &lines, &lines] {
        assert_eq!(agent.request("resources/unsubscribe", json!({"uri": uri})).await, Ok(json!({})));
    }
    agent.subscribe(&uri(&other)).await;
    rest.patch(&path, edit(3)).await.expect(200, json!({}));
    rest.note("A third", Some("one")).await;
    rest.patch(&other_path, edit(1)).await.expect(200, json!({}));
    assert_eq!(agent.notification().await, uri(&other), "no notification about the others");
    rest.delete(&format!("{other_path}?permanent=true")).await.expect(204, Value::Null);
    assert_eq!(agent.notification().await, uri(&other));
    agent.end().await;
}

async fn a_change_of_the_list_of_prompts_is_notified(store: TestStore) {
    let elsewhere = store.opened_again().await;
    let world = store.serve().await;
    let rest = world.owner();
    let (mut agent, _) = Connection::initialized(&elsewhere, McpServer::Prompts, WIDE).await;
    rest.note("A note", Some("one")).await;
    let prompt = rest.create("prompts", json!({"name": "greet", "content": "Hello"})).await;
    assert_eq!(agent.notification().await, "prompts");
    let (path, address) = (format!("/prompts/{}", id(&prompt)), "interline://prompt/greet");
    agent.subscribe(address).await;
    // The notification about the list comes before the one about the prompt: the first one shows whether the list changed.
    for (body, is_listed) in [
        (json!({"content": "Hello!"}), false),
        (json!({"tags": ["polite"]}), false),
        (json!({"title": "Greeting"}), true),
        (json!({"description": "Says hello"}), true),
        (json!({"content": "Hello {{ who }}", "arguments": [{"name": "who"}]}), true),
        (json!({"content": "Hi {{ who }}"}), false),
    ] {
        let shown = body.to_string();
        rest.patch(&path, body).await.expect(200, json!({}));
        if is_listed {
            assert_eq!(agent.notification().await, "prompts", "{shown}");
        }
        assert_eq!(agent.notification().await, address, "{shown}");
    }
    for (line, status) in [
        (format!("POST {path}/archive"), 200),
        (format!("POST {path}/unarchive"), 200),
        (format!("DELETE {path}"), 204),
        (format!("POST {path}/restore"), 200),
    ] {
        assert_eq!(rest.send(&line, None).await.status, status, "{line}");
        assert_eq!(
            [agent.notification().await, agent.notification().await],
            [json!("prompts"), json!(address)],
            "{line}"
        );
    }
    rest.patch(&path, json!({"name": "welcome"})).await.expect(200, json!({}));
    assert_eq!([agent.notification().await, agent.notification().await], [json!("prompts"), json!(address)]);
    agent.end().await;
}

async fn an_address_by_name_follows_the_item_that_has_the_name(store: TestStore) {
    let elsewhere = store.opened_again().await;
    let world = store.serve().await;
    let rest = world.owner();
    let first = rest.create("prompts", json!({"name": "greet", "content": "Hello"})).await;
    let other = rest.create("prompts", json!({"name": "other", "content": "Hello"})).await;
    let (first, other) = (format!("/prompts/{}", id(&first)), format!("/prompts/{}", id(&other)));
    let (greet, marker) = ("interline://prompt/greet", "interline://prompt/other");
    // A stream, because its client has not asked for changes of the list.
    let mut agent = Connection::new(&elsewhere, McpServer::Prompts, WIDE);
    let wanted = json!({"notifications": {"resourceSubscriptions": [greet, marker]}});
    let stream = agent.send_request("subscriptions/listen", with_meta(wanted)).await;
    agent.notification_on(&stream).await;
    rest.patch(&first, json!({"name": "welcome"})).await.expect(200, json!({}));
    assert_eq!(agent.notification_on(&stream).await, greet, "it leads nowhere");
    rest.patch(&first, edit(1)).await.expect(200, json!({}));
    rest.patch(&other, edit(1)).await.expect(200, json!({}));
    assert_eq!(agent.notification_on(&stream).await, marker, "the first has another name");
    let second = rest.create("prompts", json!({"name": "greet", "content": "Good day"})).await;
    assert_eq!(agent.notification_on(&stream).await, greet, "it leads to the second");
    rest.patch(&format!("/prompts/{}", id(&second)), edit(1)).await.expect(200, json!({}));
    assert_eq!(agent.notification_on(&stream).await, greet);
    agent.end().await;
}

#[test]
fn what_cannot_be_read_cannot_be_subscribed_to() {
    on_sqlite(async |store| {
        let elsewhere = store.opened_again().await;
        let world = store.serve().await;
        let (stranger, _) = world.owner().new_user("other").await;
        let (own, foreign) = (world.owner().note("Own", Some("x")).await, stranger.note("Foreign", Some("x")).await);
        let (mut agent, _) = Connection::initialized(&elsewhere, McpServer::Content, WIDE).await;
        for (address, code) in [
            (uri(&foreign), NOT_FOUND),
            ("interline://note/0190a6f4-7b3c-7def-8123-456789abcdef".to_owned(), NOT_FOUND),
            ("interline://prompt/greet".to_owned(), NOT_FOUND),
            ("file:///etc/passwd".to_owned(), NOT_FOUND),
            (String::new(), NOT_FOUND),
            (format!("{}?line=1", uri(&own)), INVALID_PARAMS),
            (format!("{}?start_line={}1", uri(&own), "0".repeat(1_000)), INVALID_PARAMS),
        ] {
            let refused = agent.request("resources/subscribe", json!({"uri": address})).await.unwrap_err();
            assert_eq!(refused["code"], code, "{address}: {refused}");
            let wanted = json!({"resourceSubscriptions": [uri(&own), address]});
            let refused = HttpStream::open(&world, "content", &world.store.secret, wanted).await.err().unwrap();
            assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!("stream"), &json!(INVALID_PARAMS)));
        }
        // No client is notified of items that are not its own, also after a refused subscription.
        stranger.patch(&format!("/notes/{}", id(&foreign)), edit(1)).await.expect(200, json!({}));
        for line in 1..=1_000 {
            agent.subscribe(&format!("{}?start_line={line}", uri(&own))).await;
        }
        agent.subscribe(&format!("{}?start_line=1", uri(&own))).await;
        let refused = agent.request("resources/subscribe", json!({"uri": uri(&own)})).await.unwrap_err();
        assert!(refused["message"].as_str().unwrap().contains("1,000 subscriptions"), "{refused}");
        let wanted = json!({"resourceSubscriptions": vec![uri(&own); 1_001]});
        let refused = HttpStream::open(&world, "content", &world.store.secret, wanted).await.err().unwrap();
        assert!(refused["error"]["message"].as_str().unwrap().contains("1,000 subscriptions"), "{refused}");
        world.owner().patch(&format!("/notes/{}", id(&own)), edit(1)).await.expect(200, json!({}));
        assert_eq!(agent.notification().await, format!("{}?start_line=1", uri(&own)));
    });
}

async fn the_newest_protocol_has_streams_on_a_connection(store: TestStore) {
    let elsewhere = store.opened_again().await;
    let world = store.serve().await;
    let rest = world.owner();
    let note = rest.note("A note", Some("one")).await;
    let path = format!("/notes/{}", id(&note));
    let mut agent = Connection::new(&elsewhere, McpServer::Content, WIDE);
    let wanted = json!({"notifications": {"resourceSubscriptions": [uri(&note)], "promptsListChanged": true}});
    let first = agent.send_request("subscriptions/listen", with_meta(wanted.clone())).await;
    let granted = agent.notification_on(&first).await;
    assert_eq!(granted["params"], json!({"notifications": {"resourceSubscriptions": [uri(&note)]}}), "{granted}");
    let subscribed = agent.request("resources/subscribe", with_meta(json!({"uri": uri(&note)}))).await;
    assert_eq!(subscribed.unwrap_err()["code"], -32601, "there is one way");
    rest.patch(&path, edit(1)).await.expect(200, json!({}));
    assert_eq!(agent.notification_on(&first).await, uri(&note));

    let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": first}});
    agent.send(&cancel).await;
    let second = agent.send_request("subscriptions/listen", with_meta(wanted.clone())).await;
    agent.notification_on(&second).await;
    rest.patch(&path, edit(2)).await.expect(200, json!({}));
    assert_eq!(agent.notification_on(&second).await, uri(&note), "the first has ended");

    let mut refused = Vec::new();
    for _ in 0..16 {
        let asked = agent.send_request("subscriptions/listen", with_meta(json!({"notifications": {}}))).await;
        let answer = agent.receive().await;
        if answer.get("method").is_none() {
            assert_eq!(answer["id"], asked, "{answer}");
            refused.push(answer["error"]["message"].clone());
        }
    }
    assert_eq!(refused, [json!("there can be 16 streams at a time: cancel one that is not needed")]);
    agent.request("tools/list", with_meta(json!({}))).await.expect("others are answered meanwhile");
    agent.end().await;
}

async fn streams_are_counted_among_the_listeners_of_a_user(store: TestStore) {
    let world = store.serve_with(Settings { listeners_per_user: 2, ..unlimited() }).await;
    let (stranger, _) = world.owner().new_user("other").await;
    let wanted = || json!({"promptsListChanged": true});
    let first = HttpStream::granted(&world, "prompts", wanted()).await;
    let _second = HttpStream::granted(&world, "prompts", wanted()).await;
    let refused = HttpStream::open(&world, "prompts", &world.store.secret, wanted()).await.err().unwrap();
    assert_eq!(refused["error"]["data"]["error"], "overloaded", "{refused}");
    HttpStream::open(&world, "prompts", stranger.secret().unwrap(), wanted()).await.expect("others have theirs");
    drop(first);
    let again = async { while HttpStream::open(&world, "prompts", &world.store.secret, wanted()).await.is_err() {} };
    tokio::time::timeout(Duration::from_secs(30), again).await.expect("there is room again");
}

async fn the_newest_protocol_has_streams_over_http(store: TestStore) {
    let elsewhere = store.opened_again().await;
    let world = store.serve().await;
    let rest = world.owner();
    let (stranger, _) = rest.new_user("other").await;
    let secret = stranger.secret().unwrap();
    let (note, foreign) = (rest.note("A note", Some("one")).await, stranger.note("Foreign", Some("one")).await);
    let (path, foreign_path) = (format!("/notes/{}", id(&note)), format!("/notes/{}", id(&foreign)));
    let mut own = HttpStream::granted(&world, "content", json!({"resourceSubscriptions": [uri(&note)]})).await;
    let mut prompts = HttpStream::granted(&world, "prompts", json!({"promptsListChanged": true})).await;
    let wanted = json!({"resourceSubscriptions": [uri(&foreign)]});
    let mut others = HttpStream::open(&world, "content", secret, wanted).await.unwrap();
    others.notification().await;
    let refused = HttpStream::open(&world, "content", secret, json!({"resourceSubscriptions": [uri(&note)]})).await;
    assert_eq!(refused.err().unwrap()["error"]["code"], INVALID_PARAMS);

    let (mut agent, _) = Connection::initialized(&elsewhere, McpServer::Content, WIDE).await;
    stranger.patch(&foreign_path, edit(1)).await.expect(200, json!({}));
    let arguments = json!({"id": id(&note), "old_str": "one", "new_str": "two"});
    agent.request("tools/call", json!({"name": "edit_content", "arguments": arguments})).await.unwrap();
    assert_eq!(own.notification().await, uri(&note));
    assert_eq!(others.notification().await, uri(&foreign));
    stranger.create("prompts", json!({"name": "theirs", "content": "Hello"})).await;
    let greet = rest.create("prompts", json!({"name": "greet", "content": "Hello"})).await;
    assert_eq!(prompts.notification().await, "prompts");
    rest.patch(&format!("/prompts/{}", id(&greet)), edit(1)).await.expect(200, json!({}));
    rest.delete(&path).await.expect(204, Value::Null);
    assert_eq!(own.notification().await, uri(&note));
    // The last notification of each stream is the last one there is: no other came between.
    let (mut own_rest, mut prompts_rest) = (Vec::new(), Vec::new());
    let mut world = world;
    world.stop();
    while let Some(message) = own.receive().await {
        own_rest.push(message);
    }
    while let Some(message) = prompts.receive().await {
        prompts_rest.push(message);
    }
    for rest in [own_rest, prompts_rest] {
        let [ended] = rest.as_slice() else { panic!("{rest:?}") };
        assert_eq!((&ended["id"], ended["result"].is_object()), (&json!("stream"), true), "{ended}");
    }
}

async fn a_stream_ends_with_its_token(store: TestStore) {
    let world = store.serve().await;
    let rest = world.owner();
    let (guest, token) = rest.new_token(json!({"name": "guest"})).await;
    let mut stream = HttpStream::open(&world, "content", guest.secret().unwrap(), json!({})).await.unwrap();
    stream.notification().await;
    rest.delete(&format!("/tokens/{token}")).await.expect(204, Value::Null);
    // A second, which is promised, and one more for a machine that is busy.
    let ended = tokio::time::timeout(Duration::from_secs(2), stream.receive()).await.expect("it ends within a second");
    let ended = ended.expect("a reason");
    assert_eq!((&ended["id"], &ended["error"]["data"]["error"]), (&json!("stream"), &json!("unauthorized")), "{ended}");
    assert_eq!(stream.receive().await, None);
}

#[test]
fn a_client_that_does_not_read_is_notified_later() {
    on_sqlite(async |store| {
        let elsewhere = store.opened_again().await;
        let world = store.serve().await;
        let rest = world.owner();
        let (note, last) = (rest.note("A note", Some("one")).await, rest.note("The last", Some("one")).await);
        let (mut agent, _) = Connection::initialized(&elsewhere, McpServer::Content, 2_000).await;
        agent.subscribe(&uri(&note)).await;
        agent.subscribe(&uri(&last)).await;
        for number in 0..100 {
            rest.patch(&format!("/notes/{}", id(&note)), edit(number)).await.expect(200, json!({}));
        }
        rest.patch(&format!("/notes/{}", id(&last)), edit(1)).await.expect(200, json!({}));
        let mut count = 0;
        loop {
            match agent.notification().await {
                address if address == uri(&note) => count += 1,
                address => break assert_eq!(address, uri(&last)),
            }
        }
        assert!((1..=100).contains(&count), "{count}");
        agent.end().await;
    });
}

#[test]
fn notifications_are_offered_where_they_can_be_sent() {
    on_sqlite(async |store| {
        let elsewhere = store.opened_again().await;
        let world = store.serve().await;
        for server in McpServer::ALL {
            let (agent, described) = Connection::initialized(&elsewhere, server, WIDE).await;
            let mut discovered = Connection::new(&elsewhere, server, WIDE);
            let discovered = discovered.request("server/discover", with_meta(json!({}))).await.unwrap();
            let http = Agent::new(world.address, server.name(), Some(&world.store.secret));
            let headers = [("mcp-protocol-version", "2026-07-28"), ("mcp-method", "server/discover")];
            let discover =
                json!({"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": with_meta(json!({}))});
            let over_http = http.post(discover.to_string(), &headers).await.json();
            for response in [&described, &discovered, &over_http["result"]] {
                let offered = &response["capabilities"];
                assert_eq!(offered["resources"], json!({"subscribe": true}), "{response}");
                let prompts = (server == McpServer::Prompts).then(|| json!({"listChanged": true}));
                assert_eq!(offered.get("prompts"), prompts.as_ref(), "{response}");
            }
            agent.end().await;
        }
    });
}
