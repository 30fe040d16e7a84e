//! `GET /events`

use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use interline_items::Upkeep;
use interline_server::Settings;
use jiff::SignedDuration;
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{WebSocketStream, client_async};

use crate::support::client::text;
use crate::support::test_store::{TestServer, TestStore, unlimited};

on_both!(
    every_change_is_delivered_after_its_commit,
    a_cursor_goes_on_after_its_event,
    the_answer_says_from_where_it_is_listened,
    the_cursor_of_many_spaces_is_accepted,
    all_stored_events_are_delivered_from_the_start,
    types_and_ids_narrow_what_is_delivered,
    others_hear_nothing_of_it,
    a_change_at_another_server_is_delivered,
    an_old_cursor_is_refused_with_the_present_one,
    a_token_that_is_deleted_ends_it,
    a_user_who_is_removed_hears_no_more,
    a_shutdown_closes_the_socket_with_its_reason,
    what_cannot_be_listened_to_is_refused,
    a_long_message_ends_it,
    a_user_has_64_listeners_and_others_have_theirs,
);

/// Longer than anything takes.
const PATIENCE: Duration = Duration::from_secs(30);

pub(super) type Socket = WebSocketStream<TcpStream>;

/// Connects to `/events` with a query; what is heard there, and from where on.
async fn connect(server: &TestServer, token: Option<&str>, query: &str) -> Result<(Socket, String), Error> {
    let mut request = format!("ws://{}/events{query}", server.address).into_client_request().unwrap();
    if let Some(token) = token {
        request.headers_mut().insert("authorization", format!("Bearer {token}").parse().unwrap());
    }
    let stream = TcpStream::connect(server.address).await.unwrap();
    let (socket, answer) = client_async(request, stream).await?;
    Ok((socket, answer.headers()["interline-cursor"].to_str().unwrap().to_owned()))
}

pub(super) async fn listen(server: &TestServer, query: &str) -> Socket {
    connect(server, Some(&server.store.secret), query).await.unwrap().0
}

/// The status and the error of a connection that is refused.
async fn refused(server: &TestServer, token: Option<&str>, query: &str) -> (u16, Value) {
    match connect(server, token, query).await {
        Err(Error::Http(answer)) => {
            let body = answer.body().as_deref().unwrap_or_default();
            (answer.status().as_u16(), serde_json::from_slice(body).unwrap_or_default())
        }
        other => panic!("{other:?}"),
    }
}

async fn message(socket: &mut Socket) -> Message {
    loop {
        match tokio::time::timeout(PATIENCE, socket.next()).await.expect("there is more").expect("there is more") {
            Ok(Message::Ping(_) | Message::Pong(_)) => {}
            Ok(message) => return message,
            Err(error) => panic!("{error}"),
        }
    }
}

pub(super) async fn event(socket: &mut Socket) -> Value {
    match message(socket).await {
        Message::Text(text) => serde_json::from_str(&text).unwrap(),
        other => panic!("{other:?}"),
    }
}

async fn end(socket: &mut Socket) -> CloseFrame {
    match message(socket).await {
        Message::Close(Some(frame)) => frame,
        other => panic!("{other:?}"),
    }
}

async fn every_change_is_delivered_after_its_commit(store: TestStore) {
    let server = store.serve().await;
    let owner = server.owner();
    let mut socket = listen(&server, "").await;
    let note = owner.note("Plan", Some("one\n")).await;
    let id = text(&note["id"]);
    owner.patch(&format!("/notes/{id}/str-replace"), json!({"old_str": "one", "new_str": "two"})).await;
    owner.post(&format!("/notes/{id}/archive"), json!({})).await;
    owner.post(&format!("/notes/{id}/unarchive"), json!({})).await;
    owner.delete(&format!("/notes/{id}")).await;
    owner.post(&format!("/notes/{id}/restore"), json!({})).await;
    owner.delete(&format!("/notes/{id}?permanent=true")).await;
    for (what, version, fields) in [
        ("created", 1, None),
        ("updated", 2, Some(json!(["content"]))),
        ("archived", 2, None),
        ("unarchived", 2, None),
        ("deleted", 2, None),
        ("restored", 2, None),
        ("purged", 2, None),
    ] {
        let event = event(&mut socket).await;
        assert_eq!(event["event"], format!("item.{what}"));
        let shown = (&event["type"], text(&event["id"]), &event["version"], &event["source"]);
        assert_eq!(shown, (&json!("note"), id.clone(), &json!(version), &json!("rest")), "{event}");
        assert!(fields.is_none_or(|fields| event["changed_fields"] == fields), "{event}");
        assert!(event["cursor"].is_string() && text(&event["at"]).ends_with('Z'), "{event}");
    }
}

async fn a_cursor_goes_on_after_its_event(store: TestStore) {
    let server = store.serve().await;
    let owner = server.owner();
    let mut socket = listen(&server, "").await;
    let id = text(&owner.note("0", None).await["id"]);
    let mut cursor = text(&event(&mut socket).await["cursor"]);
    let mut versions = Vec::new();
    for round in 1..6 {
        drop(socket);
        for number in 0..round {
            owner.patch(&format!("/notes/{id}"), json!({"title": format!("{round}.{number}")})).await;
        }
        socket = listen(&server, &format!("?since={cursor}")).await;
        for _ in 0..round {
            let event = event(&mut socket).await;
            versions.push(event["version"].as_u64().unwrap());
            cursor = text(&event["cursor"]);
        }
    }
    assert_eq!(versions, (2..=16).collect::<Vec<u64>>());
}

async fn the_answer_says_from_where_it_is_listened(store: TestStore) {
    let server = store.serve().await;
    let owner = server.owner();
    owner.note("before", None).await;
    let (socket, cursor) = connect(&server, Some(&server.store.secret), "").await.unwrap();
    drop(socket);
    let id = text(&owner.note("meanwhile", None).await["id"]);
    let (mut socket, again) = connect(&server, Some(&server.store.secret), &format!("?since={cursor}")).await.unwrap();
    assert_eq!(again, cursor);
    assert_eq!(event(&mut socket).await["id"], id);
}

/// A cursor has 32 characters for each space that the listener sees; those of spaces that are gone by now are ignored.
async fn the_cursor_of_many_spaces_is_accepted(store: TestStore) {
    let server = store.serve().await;
    let (socket, mut cursor) = connect(&server, Some(&server.store.secret), "").await.unwrap();
    drop(socket);
    assert_eq!(cursor.len() % 32, 0, "{cursor}");
    (cursor.len() / 32..1_500).for_each(|space| cursor += &format!("{space:010}{}", "A".repeat(22)));
    let id = text(&server.owner().note("after", None).await["id"]);
    let mut socket = listen(&server, &format!("?since={cursor}")).await;
    assert_eq!(event(&mut socket).await["id"], id);
}

async fn all_stored_events_are_delivered_from_the_start(store: TestStore) {
    let server = store.serve().await;
    for title in ["one", "two", "three"] {
        server.owner().note(title, None).await;
    }
    let mut socket = listen(&server, "?since=0").await;
    for _ in 0..3 {
        assert_eq!(event(&mut socket).await["event"], "item.created");
    }
}

async fn types_and_ids_narrow_what_is_delivered(store: TestStore) {
    let server = store.serve().await;
    let owner = server.owner();
    let (one, two) = (owner.note("one", None).await, owner.note("two", None).await);
    let bookmark = owner.create("bookmarks", json!({"url": "https://example.org/"})).await;
    let mut bookmarks = listen(&server, "?since=0&types=bookmark&types=prompt").await;
    assert_eq!(event(&mut bookmarks).await["id"], bookmark["id"]);
    let mut second = listen(&server, &format!("?since=0&ids={}", text(&two["id"]))).await;
    assert_eq!(event(&mut second).await["id"], two["id"]);
    owner.patch(&format!("/notes/{}", text(&one["id"])), json!({"title": "1"})).await;
    owner.patch(&format!("/notes/{}", text(&two["id"])), json!({"title": "2"})).await;
    let heard = event(&mut second).await;
    assert_eq!((&heard["id"], &heard["version"]), (&two["id"], &json!(2)));
}

async fn others_hear_nothing_of_it(store: TestStore) {
    let server = store.serve().await;
    let (ben, _) = server.owner().new_user("ben").await;
    let (mut his, _) = connect(&server, ben.secret(), "").await.unwrap();
    server.owner().note("hers", None).await;
    let own = ben.note("his", None).await;
    assert_eq!(event(&mut his).await["id"], own["id"]);
}

async fn a_change_at_another_server_is_delivered(store: TestStore) {
    let other = store.opened_again().await.serve().await;
    let server = store.serve().await;
    let mut socket = listen(&server, "").await;
    for number in 0..5 {
        let note = other.owner().note(&number.to_string(), None).await;
        assert_eq!(event(&mut socket).await["id"], note["id"]);
    }
}

async fn an_old_cursor_is_refused_with_the_present_one(store: TestStore) {
    let server = store.serve().await;
    let mut socket = listen(&server, "").await;
    server.owner().note("one", None).await;
    let old = text(&event(&mut socket).await["cursor"]);
    server.owner().note("two", None).await;
    server.owner().note("three", None).await;
    let rules = Upkeep { events: Some(SignedDuration::ZERO), ..Upkeep::default() };
    server.store.interline.run_upkeep(rules).await.unwrap();
    let (status, error) = refused(&server, Some(&server.store.secret), &format!("?since={old}")).await;
    assert_eq!((status, &error["error"]), (410, &json!("cursor_expired")), "{error}");
    let mut socket = listen(&server, &format!("?since={}", text(&error["cursor"]))).await;
    let last = server.owner().note("four", None).await;
    assert_eq!(event(&mut socket).await["id"], last["id"]);
}

/// A second, which is promised, and one more for a machine that is busy.
const WITHIN: Duration = Duration::from_secs(2);

async fn ends_soon(socket: &mut Socket) {
    let ended = tokio::time::timeout(WITHIN, end(socket)).await.expect("it ends within a second");
    assert_eq!(ended.code, CloseCode::Policy);
}

async fn a_token_that_is_deleted_ends_it(store: TestStore) {
    let server = store.serve().await;
    let elsewhere = server.store.opened_again().await.serve().await;
    for deleting in [&server, &elsewhere] {
        let (short, id) = server.owner().new_token(json!({"name": "short"})).await;
        let (mut socket, _) = connect(&server, short.secret(), "").await.unwrap();
        let mut other = listen(&server, "").await;
        deleting.owner().delete(&format!("/tokens/{id}")).await.expect(204, Value::Null);
        ends_soon(&mut socket).await;
        let note = server.owner().note("heard by others", None).await;
        assert_eq!(event(&mut other).await["id"], note["id"]);
    }
}

async fn a_user_who_is_removed_hears_no_more(store: TestStore) {
    let server = store.serve().await;
    let elsewhere = server.store.opened_again().await.serve().await;
    for removing in [&server, &elsewhere] {
        let (ada, id) = server.owner().new_user("ada").await;
        let (mut socket, _) = connect(&server, ada.secret(), "").await.unwrap();
        removing.owner().delete(&format!("/users/{id}")).await.expect(204, Value::Null);
        ends_soon(&mut socket).await;
    }
}

async fn a_user_has_64_listeners_and_others_have_theirs(store: TestStore) {
    let server = store.serve().await;
    let (ada, _) = server.owner().new_user("ada").await;
    let mut sockets = Vec::new();
    for _ in 0..64 {
        sockets.push(connect(&server, ada.secret(), "").await.unwrap().0);
    }
    let (status, error) = refused(&server, ada.secret(), "").await;
    assert_eq!((status, &error["error"]), (503, &json!("overloaded")));
    assert!(text(&error["message"]).contains("close an event socket"), "{error}");
    // Another user listens as if nothing were.
    let mut other = listen(&server, "").await;
    let note = server.owner().note("heard", None).await;
    assert_eq!(event(&mut other).await["id"], note["id"]);
    // A socket that is closed makes room for another.
    sockets.pop().unwrap().close(None).await.unwrap();
    let again = async { while connect(&server, ada.secret(), "").await.is_err() {} };
    tokio::time::timeout(PATIENCE, again).await.expect("there is room again");
}

async fn a_shutdown_closes_the_socket_with_its_reason(store: TestStore) {
    let mut server = store.serve().await;
    let mut socket = listen(&server, "").await;
    server.stop();
    assert_eq!(end(&mut socket).await.code, CloseCode::Away);
}

async fn what_cannot_be_listened_to_is_refused(store: TestStore) {
    let server = store.serve_with(Settings { max_connections: 1_000, ..unlimited() }).await;
    let token = Some(server.store.secret.clone());
    for (token, query, status, code) in [
        (None, "", 401, "unauthorized"),
        (Some("il_wrong".to_owned()), "", 401, "unauthorized"),
        (token.clone(), "?types=page", 422, "validation_failed"),
        (token.clone(), "?ids=7", 422, "validation_failed"),
        (token.clone(), "?since=yesterday", 422, "validation_failed"),
        (token.clone(), "?since=0&since=0", 422, "validation_failed"),
    ] {
        let (actual, error) = refused(&server, token.as_deref(), query).await;
        assert_eq!((actual, &error["error"]), (status, &json!(code)), "{query}: {error}");
    }
    let plain = server.owner().get("/events").await;
    assert_eq!((plain.status, &plain.json()["error"]), (400, &json!("invalid_parameters")));
    let (write_only, _) = server.owner().new_token(json!({"name": "w", "scopes": ["write"]})).await;
    assert_eq!(refused(&server, write_only.secret(), "").await.0, 403);
}

async fn a_long_message_ends_it(store: TestStore) {
    let server = store.serve().await;
    let mut socket = listen(&server, "").await;
    socket.send(Message::Text("hello".into())).await.unwrap();
    let note = server.owner().note("still there", None).await;
    assert_eq!(event(&mut socket).await["id"], note["id"]);
    socket.send(Message::Binary(vec![0; 100_000].into())).await.unwrap();
    let ended = async {
        while let Some(Ok(message)) = socket.next().await {
            assert!(!matches!(message, Message::Text(_)), "{message:?}");
        }
    };
    tokio::time::timeout(PATIENCE, ended).await.expect("it ends");
}
