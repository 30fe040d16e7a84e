//! Connections: heads that are too large or no HTTP, clients that go away, and the limit of connections.

use std::time::Duration;

use interline_server::Settings;
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout};

use crate::support::client::Client;
use crate::support::raw_connection::read_to_end;
use crate::support::test_store::{TestServer, TestStore, unlimited};

on_both!(
    a_head_that_is_too_large_is_refused,
    what_is_not_http_ends_its_connection_only,
    a_connection_is_kept_for_the_next_request,
    requests_may_be_sent_ahead,
    a_client_that_goes_away_changes_nothing_about_its_write,
    further_connections_wait_for_their_turn,
    idle_connections_without_a_token_give_way,
    idle_connections_of_the_user_with_the_most_give_way,
    a_connection_without_a_place_is_closed_quickly,
    forwarded_requests_count_for_their_address,
    a_forwarded_event_socket_counts_for_its_address,
);

async fn a_head_that_is_too_large_is_refused(store: TestStore) {
    let server = store.serve().await;
    for (line, headers) in [
        ("GET /health".to_owned(), format!("X-Large: {}\r\n", "x".repeat(200_000))),
        ("GET /health".to_owned(), "X-Many: x\r\n".repeat(5_000)),
        (format!("GET /health?{}", "x".repeat(200_000)), String::new()),
        (format!("GET /health?{}", "x".repeat(85_000)), String::new()),
        ("GET /health".to_owned(), format!("X-Large: {}\r\n", "x".repeat(85_000))),
    ] {
        let answer = server.raw(server.head(&line, &headers).as_bytes()).await;
        // The answer may be lost when the server closes with bytes unread.
        assert!([0, 414, 431].contains(&answer.status()), "{}", answer.text);
    }
    server.owner().get(&format!("/health?{}", "x".repeat(63_000))).await.expect(200, json!({}));
}

async fn what_is_not_http_ends_its_connection_only(store: TestStore) {
    let server = store.serve().await;
    for bytes in [
        &b"\r\n\r\n\r\n"[..],
        b"hello\r\n\r\n",
        b"GET /health\r\n\r\n",
        b"GET /health HTTP/9.9\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00",
        b"GET /hea lth HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"GET /\xff HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"POST /notes HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
        b"POST /notes HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n",
        b"GET /health HTTP/1.1\r\nHost: localhost\r\nX: a\0b\r\n\r\n",
    ] {
        let mut stream = server.connect().await;
        stream.write_all(bytes).await.unwrap();
        stream.shutdown().await.unwrap();
        let answer = read_to_end(&mut stream).await;
        assert!([0, 400, 401, 403, 404, 505].contains(&answer.status()), "{bytes:?}: {}", answer.text);
    }
    server.owner().get("/health").await.expect(200, json!({}));
    server.owner().get("/notes").await.expect(200, json!({"total": 0}));
}

/// Reads one answer with a body of a known length.
async fn read_one(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    while !bytes.ends_with(b"\r\n\r\n") {
        bytes.push(stream.read_u8().await.unwrap());
    }
    let head = String::from_utf8(bytes).unwrap();
    let length = head
        .split("content-length: ")
        .nth(1)
        .and_then(|rest| rest.split('\r').next())
        .map_or(0, |n| n.parse().unwrap());
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.unwrap();
    head + &String::from_utf8(body).unwrap()
}

async fn a_connection_is_kept_for_the_next_request(store: TestStore) {
    let server = store.serve().await;
    let mut stream = server.connect().await;
    for (line, status) in [
        ("GET /health", "200"),
        ("GET /nothing", "404"),
        ("GET /notes?limit=0", "422"),
        ("PUT /notes", "405"),
        ("GET /notes", "200"),
    ] {
        let request = server.head(line, "").replace("Connection: close\r\n", "");
        stream.write_all(request.as_bytes()).await.unwrap();
        let answer = read_one(&mut stream).await;
        assert!(answer.starts_with(&format!("HTTP/1.1 {status}")), "{line}: {answer}");
    }
}

async fn requests_may_be_sent_ahead(store: TestStore) {
    let server = store.serve().await;
    let one = server.head("GET /notes", "").replace("Connection: close\r\n", "");
    let last = server.head("GET /tags", "");
    let answer = server.raw((one.clone() + &one + &last).as_bytes()).await;
    assert_eq!(answer.text.matches("HTTP/1.1 200").count(), 3, "{}", answer.text);
}

async fn a_client_that_goes_away_changes_nothing_about_its_write(store: TestStore) {
    let server = store.serve().await;
    let owner = server.owner();
    for number in 0..20 {
        let body = json!({"title": format!("left {number}"), "content": "x".repeat(10_000)}).to_string();
        let head = server.head("POST /notes", &format!("Content-Length: {}\r\n", body.len()));
        let mut stream = server.connect().await;
        stream.write_all((head + &body).as_bytes()).await.unwrap();
        drop(stream);
    }
    // Each was made whole or not at all, and the server goes on.
    let made = owner.note("after", Some("x")).await;
    let list = owner.get("/notes?include_content=true&limit=100").await.expect(200, json!({})).json();
    for item in list["items"].as_array().unwrap().iter().filter(|item| item["id"] != made["id"]) {
        assert_eq!(
            (item["content_length"].as_u64(), item["content"].as_str().map(str::len)),
            (Some(10_000), Some(10_000))
        );
    }
}

/// A connection with a request of this client in flight, whose body is not finished.
async fn busy_connection(server: &TestServer, client: &Client) -> TcpStream {
    let mut stream = server.connect().await;
    let (address, secret) = (server.address, client.secret().unwrap());
    let head = format!(
        "POST /notes HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {secret}\r\nContent-Length: 100\r\n\
         Expect: 100-continue\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    // The server asks for the body when it has begun to answer.
    let mut line = [0; 25];
    stream.read_exact(&mut line).await.unwrap();
    assert_eq!(&line, b"HTTP/1.1 100 Continue\r\n\r\n");
    stream
}

/// A connection on which a request was answered, and that is kept.
async fn idle_connection(server: &TestServer, token: Option<&str>) -> TcpStream {
    let mut stream = server.connect().await;
    let bearer = token.map(|token| format!("Authorization: Bearer {token}\r\n")).unwrap_or_default();
    let path = if token.is_some() { "/tags" } else { "/health" };
    let request = format!("GET {path} HTTP/1.1\r\nHost: {}\r\n{bearer}\r\n", server.address);
    stream.write_all(request.as_bytes()).await.unwrap();
    assert!(read_one(&mut stream).await.starts_with("HTTP/1.1 200"));
    stream
}

/// Whether the server has closed a connection.
async fn is_closed(stream: &mut TcpStream) -> bool {
    timeout(Duration::from_millis(200), stream.read_u8()).await.is_ok_and(|read| read.is_err())
}

async fn further_connections_wait_for_their_turn(store: TestStore) {
    let server = store.serve_with(Settings { max_connections: 2, ..unlimited() }).await;
    let (other, _) = server.owner().new_user("other").await;
    let mut held = Vec::new();
    for client in [&server.owner(), &other] {
        held.push(busy_connection(&server, client).await);
    }
    let mut third = server.connect().await;
    third.write_all(server.head("GET /health", "").as_bytes()).await.unwrap();
    let mut byte = [0];
    let early = timeout(Duration::from_millis(100), third.read(&mut byte)).await;
    assert!(early.is_err(), "a third was answered while two were open");
    held.pop();
    assert_eq!(read_to_end(&mut third).await.status(), 200);
}

/// Thousands of them had all places for more than a minute.
async fn idle_connections_without_a_token_give_way(store: TestStore) {
    let server = store.serve_with(Settings { max_connections: 16, ..unlimited() }).await;
    let mut with_token = idle_connection(&server, Some(&server.store.secret)).await;
    let mut idle = Vec::new();
    for _ in 0..40 {
        idle.push(timeout(Duration::from_secs(5), idle_connection(&server, None)).await.expect("a place"));
    }
    let answer = timeout(Duration::from_secs(5), server.raw(server.head("GET /notes", "").as_bytes())).await;
    assert_eq!(answer.expect("an answer").status(), 200);
    let request = server.head("GET /tags", "");
    with_token.write_all(request.as_bytes()).await.unwrap();
    assert!(read_one(&mut with_token).await.starts_with("HTTP/1.1 200"), "who has shown a token stays");
    assert!(is_closed(&mut idle[0]).await);
}

async fn idle_connections_of_the_user_with_the_most_give_way(store: TestStore) {
    let server = store.serve_with(Settings { max_connections: 8, ..unlimited() }).await;
    let (modest, _) = server.owner().new_user("modest").await;
    // The connections of those clients are idle ones of both users too.
    let mut kept = idle_connection(&server, modest.secret()).await;
    let mut idle = Vec::new();
    for _ in 0..20 {
        let place = timeout(Duration::from_secs(5), idle_connection(&server, Some(&server.store.secret))).await;
        idle.push(place.expect("a place"));
    }
    let request = format!(
        "GET /tags HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\n\r\n",
        server.address,
        modest.secret().unwrap()
    );
    kept.write_all(request.as_bytes()).await.unwrap();
    assert!(read_one(&mut kept).await.starts_with("HTTP/1.1 200"));
    assert!(is_closed(&mut idle[0]).await);
}

async fn a_connection_without_a_place_is_closed_quickly(store: TestStore) {
    let server = store.serve_with(Settings { max_connections: 4, ..unlimited() }).await;
    let (other, _) = server.owner().new_user("other").await;
    let sockets = [event_socket(&server, "").await, event_socket(&server, "").await];
    let busy = [busy_connection(&server, &other).await, busy_connection(&server, &other).await];
    let started = Instant::now();
    let answer = timeout(Duration::from_secs(10), server.raw(server.head("GET /health", "").as_bytes())).await;
    assert_eq!(answer.expect("closed").status(), 0);
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    drop((busy, sockets));
}

/// A connection that has become an event socket.
async fn event_socket(server: &TestServer, headers: &str) -> TcpStream {
    let mut stream = server.connect().await;
    let request = format!(
        "GET /events HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
         Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n{headers}\r\n",
        server.address, server.store.secret
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    assert!(read_one(&mut stream).await.starts_with("HTTP/1.1 101"));
    stream
}

/// Settings with a trusted proxy, for each of whose clients there are two places.
fn behind_a_proxy() -> Settings {
    Settings {
        max_connections_per_address: Some(2),
        trusted_proxies: vec!["127.0.0.1".parse().unwrap()],
        ..unlimited()
    }
}

/// Sends a request until it is answered with 200.
async fn send_until_answered(server: &TestServer, request: &str) {
    let deadline = Instant::now() + Duration::from_secs(10);
    while server.raw(request.as_bytes()).await.status() != 200 {
        assert!(Instant::now() < deadline, "what has ended still counts");
    }
}

async fn a_forwarded_event_socket_counts_for_its_address(store: TestStore) {
    let server = store.serve_with(behind_a_proxy()).await;
    let forwarded = "X-Forwarded-For: 203.0.113.9\r\n";
    let sockets = [event_socket(&server, forwarded).await, event_socket(&server, forwarded).await];
    let get = server.head("GET /notes", forwarded);
    let refused = server.raw(get.as_bytes()).await;
    assert_eq!(refused.status(), 503, "{}", refused.text);
    drop(sockets);
    send_until_answered(&server, &get).await;
}

async fn forwarded_requests_count_for_their_address(store: TestStore) {
    let server = store.serve_with(behind_a_proxy()).await;
    let forwarded = |address: &str| format!("X-Forwarded-For: 198.51.100.1, {address}\r\n");
    let mut held = Vec::new();
    for _ in 0..2 {
        let mut stream = server.connect().await;
        let headers = format!("{}Content-Length: 100\r\nExpect: 100-continue\r\n", forwarded("203.0.113.9"));
        stream.write_all(server.head("POST /notes", &headers).as_bytes()).await.unwrap();
        let mut line = [0; 25];
        stream.read_exact(&mut line).await.unwrap();
        held.push(stream);
    }
    let get = |address: &str| server.head("GET /notes", &forwarded(address));
    let refused = server.raw(get("203.0.113.9").as_bytes()).await;
    assert_eq!(refused.status(), 503, "{}", refused.text);
    assert!(refused.text.to_ascii_lowercase().contains("retry-after: 1"), "{}", refused.text);
    assert_eq!(refused.json()["error"], "overloaded");
    assert_eq!(server.raw(get("203.0.113.10").as_bytes()).await.status(), 200, "another client of the same proxy");
    assert_eq!(server.raw(server.head("GET /notes", "").as_bytes()).await.status(), 200, "the proxy itself");
    held.pop();
    send_until_answered(&server, &get("203.0.113.9")).await;
}
