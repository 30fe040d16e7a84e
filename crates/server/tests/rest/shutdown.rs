//! Ending a server.

use std::time::Duration;

use interline_server::Settings;
use serde_json::json;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;

use crate::place::{Place, unlimited};
use crate::raw::read_to_end;

on_both!(
    a_request_in_flight_is_finished_and_new_ones_are_refused,
    a_request_that_does_not_end_is_not_waited_for,
    idle_connections_are_closed
);

async fn a_request_in_flight_is_finished_and_new_ones_are_refused(place: Place) {
    let mut world = place.serve().await;
    let interline = world.place.interline.clone();
    let body = json!({"title": "in flight"}).to_string();
    let mut stream = world.connect().await;
    // The server asks for the body when it has begun to answer, which is how the test knows that it has.
    let head = world.head("POST /notes", &format!("Content-Length: {}\r\nExpect: 100-continue\r\n", body.len()));
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut line = [0; 25];
    tokio::io::AsyncReadExt::read_exact(&mut stream, &mut line).await.unwrap();
    assert_eq!(&line, b"HTTP/1.1 100 Continue\r\n\r\n");

    world.stop();
    let address = world.address;
    while TcpStream::connect(address).await.is_ok() {
        tokio::task::yield_now().await;
    }
    stream.write_all(body.as_bytes()).await.unwrap();
    let answer = read_to_end(&mut stream).await;
    assert_eq!(answer.status(), 201, "{}", answer.text);
    world.stopped().await;
    assert!(TcpStream::connect(address).await.is_err());
    interline.health().await.unwrap();
}

async fn a_request_that_does_not_end_is_not_waited_for(place: Place) {
    let mut world = place.serve_with(Settings { shutdown_timeout: Duration::from_millis(50), ..unlimited() }).await;
    let mut stream = world.connect().await;
    let head = world.head("POST /notes", "Content-Length: 100\r\nExpect: 100-continue\r\n");
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut line = [0; 25];
    tokio::io::AsyncReadExt::read_exact(&mut stream, &mut line).await.unwrap();
    world.stop();
    world.stopped().await;
}

async fn idle_connections_are_closed(place: Place) {
    let mut world = place.serve().await;
    let mut idle = world.connect().await;
    idle.write_all(world.head("GET /health", "").replace("Connection: close\r\n", "").as_bytes()).await.unwrap();
    let mut byte = [0];
    tokio::io::AsyncReadExt::read_exact(&mut idle, &mut byte).await.unwrap();
    world.stop();
    read_to_end(&mut idle).await;
    world.stopped().await;
}
