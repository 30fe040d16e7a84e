//! Connections: heads that are too large or no HTTP, clients that go away, and the limit of connections.

use interline_server::Settings;
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::support::raw_connection::read_to_end;
use crate::support::test_store::{TestStore, unlimited};

on_both!(
    a_head_that_is_too_large_is_refused,
    what_is_not_http_ends_its_connection_only,
    a_connection_is_kept_for_the_next_request,
    requests_may_be_sent_ahead,
    a_client_that_goes_away_changes_nothing_about_its_write,
    further_connections_wait_for_their_turn,
);

async fn a_head_that_is_too_large_is_refused(store: TestStore) {
    let server = store.serve().await;
    for (line, headers) in [
        ("GET /health".to_owned(), format!("X-Large: {}\r\n", "x".repeat(200_000))),
        ("GET /health".to_owned(), "X-Many: x\r\n".repeat(5_000)),
        (format!("GET /health?{}", "x".repeat(200_000)), String::new()),
    ] {
        let answer = server.raw(server.head(&line, &headers).as_bytes()).await;
        // The answer may be lost when the server closes with bytes unread.
        assert!([0, 414, 431].contains(&answer.status()), "{}", answer.text);
    }
    server.owner().get("/health").await.expect(200, json!({}));
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
async fn read_one(stream: &mut tokio::net::TcpStream) -> String {
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

async fn further_connections_wait_for_their_turn(store: TestStore) {
    let server = store.serve_with(Settings { max_connections: 2, ..unlimited() }).await;
    let mut held = Vec::new();
    for _ in 0..2 {
        let mut stream = server.connect().await;
        stream.write_all(server.head("GET /health", "").replace("Connection: close\r\n", "").as_bytes()).await.unwrap();
        assert!(read_one(&mut stream).await.starts_with("HTTP/1.1 200"));
        held.push(stream);
    }
    let mut third = server.connect().await;
    third.write_all(server.head("GET /health", "").as_bytes()).await.unwrap();
    let mut byte = [0];
    let early = tokio::time::timeout(std::time::Duration::from_millis(100), third.read(&mut byte)).await;
    assert!(early.is_err(), "a third was answered while two were open");
    held.pop();
    assert_eq!(read_to_end(&mut third).await.status(), 200);
}
