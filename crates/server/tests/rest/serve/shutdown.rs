//! Shutting a server down.

use std::time::Duration;

use interline_server::Settings;
use serde_json::json;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;

use crate::support::raw_connection::read_to_end;
use crate::support::test_store::{TestStore, unlimited};

on_both!(
    a_request_in_flight_is_finished_and_new_ones_are_refused,
    a_request_that_does_not_end_is_not_waited_for,
    idle_connections_are_closed
);

async fn a_request_in_flight_is_finished_and_new_ones_are_refused(store: TestStore) {
    let mut server = store.serve().await;
    let interline = server.store.interline.clone();
    let body = json!({"title": "in flight"}).to_string();
    let mut stream = server.connect().await;
    // The server asks for the body when it has begun to answer, which is how the test knows that it has.
    let head = server.head("POST /notes", &format!("Content-Length: {}\r\nExpect: 100-continue\r\n", body.len()));
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut line = [0; 25];
    tokio::io::AsyncReadExt::read_exact(&mut stream, &mut line).await.unwrap();
    assert_eq!(&line, b"HTTP/1.1 100 Continue\r\n\r\n");

    server.stop();
    let address = server.address;
    while TcpStream::connect(address).await.is_ok() {
        tokio::task::yield_now().await;
    }
    stream.write_all(body.as_bytes()).await.unwrap();
    let answer = read_to_end(&mut stream).await;
    assert_eq!(answer.status(), 201, "{}", answer.text);
    server.stopped().await;
    assert!(TcpStream::connect(address).await.is_err());
    assert_eq!(interline.health().await.writes, Ok(()));
}

async fn a_request_that_does_not_end_is_not_waited_for(store: TestStore) {
    let mut server = store.serve_with(Settings { shutdown_timeout: Duration::from_millis(50), ..unlimited() }).await;
    let mut stream = server.connect().await;
    let head = server.head("POST /notes", "Content-Length: 100\r\nExpect: 100-continue\r\n");
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut line = [0; 25];
    tokio::io::AsyncReadExt::read_exact(&mut stream, &mut line).await.unwrap();
    server.stop();
    server.stopped().await;
}

async fn idle_connections_are_closed(store: TestStore) {
    let mut server = store.serve().await;
    let mut idle = server.connect().await;
    idle.write_all(server.head("GET /health", "").replace("Connection: close\r\n", "").as_bytes()).await.unwrap();
    let mut byte = [0];
    tokio::io::AsyncReadExt::read_exact(&mut idle, &mut byte).await.unwrap();
    server.stop();
    read_to_end(&mut idle).await;
    server.stopped().await;
}
