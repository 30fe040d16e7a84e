//! Tests of the line transport and its buffer.

use rmcp::model::{EmptyResult, ServerResult};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, BufReader, DuplexStream};

use super::*;

/// The two pipes of a client and the transport that it talks to; each pipe holds so many bytes.
fn pair(bytes: usize) -> (DuplexStream, BufReader<DuplexStream>, LineTransport<DuplexStream, DuplexStream>) {
    let (to_server, input) = tokio::io::duplex(bytes);
    let (output, from_server) = tokio::io::duplex(bytes);
    (to_server, BufReader::new(from_server), LineTransport::new(input, output))
}

fn ping(id: usize) -> String {
    format!("{}\n", json!({"jsonrpc": "2.0", "id": id, "method": "ping"}))
}

fn pong(message: &Received) -> Sent {
    let JsonRpcMessage::Request(request) = message else { panic!("{message:?}") };
    JsonRpcMessage::response(ServerResult::EmptyResult(EmptyResult {}), request.id.clone())
}

async fn receive_line(from_server: &mut BufReader<DuplexStream>) -> Value {
    let mut line = String::new();
    from_server.read_line(&mut line).await.unwrap();
    serde_json::from_str(&line).unwrap()
}

#[tokio::test]
async fn what_is_no_message_is_answered_and_the_next_is_receive_line() {
    let (mut to_server, mut from_server, mut transport) = pair(1 << 20);
    for (text, id, code) in [
        (&b"not JSON"[..], json!(null), -32700),
        (b"\xff\xfe", json!(null), -32700),
        (b"{", json!(null), -32700),
        (br#"{"id":"a"} 7"#, json!(null), -32700),
        (b"[]", json!(null), -32600),
        (b"7", json!(null), -32600),
        (b"{}", json!(null), -32600),
        (br#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, json!(null), -32600),
        (br#"{"jsonrpc":"2.0","id":"a","method":7}"#, json!(null), -32600),
        (br#"{"jsonrpc":"1.0","id":"a","method":"ping"}"#, json!("a"), -32600),
    ] {
        to_server.write_all(&[text, b"\n\r\n", ping(5).as_bytes()].concat()).await.unwrap();
        let next = transport.receive().await.unwrap();
        let shown = String::from_utf8_lossy(text);
        assert!(matches!(&next, JsonRpcMessage::Request(request) if request.id == RequestId::Number(5)), "{shown}");
        let refused = receive_line(&mut from_server).await;
        assert_eq!(
            (&refused["error"]["code"], refused.get("id").unwrap_or(&Value::Null)),
            (&json!(code), &id),
            "{shown}"
        );
        transport.send(pong(&next)).await.unwrap();
        assert_eq!(receive_line(&mut from_server).await["id"], 5);
    }
    // Nobody waits for an answer to what has no id.
    to_server.write_all(b"{\"jsonrpc\":\"1.0\",\"method\":\"x\"}\n").await.unwrap();
    drop(to_server);
    assert!(transport.receive().await.is_none());
    drop(transport);
    let mut rest = String::new();
    from_server.read_line(&mut rest).await.unwrap();
    assert_eq!(rest, "");
}

#[tokio::test]
async fn a_message_that_is_too_long_is_refused_and_not_kept() {
    let (mut to_server, mut from_server, mut transport) = pair(1 << 16);
    let writing = tokio::spawn(async move {
        for _ in 0..3 {
            to_server.write_all(&vec![b'x'; MAX_MESSAGE_BYTES]).await.unwrap();
        }
        to_server.write_all(format!("\n{}", ping(1)).as_bytes()).await.unwrap();
    });
    let next = transport.receive().await.unwrap();
    assert!(matches!(next, JsonRpcMessage::Request(_)));
    assert!(transport.buffer.bytes.capacity() <= 2 * MAX_MESSAGE_BYTES, "{}", transport.buffer.bytes.capacity());
    let refused = receive_line(&mut from_server).await;
    assert_eq!(refused["error"]["code"], -32600, "{refused}");
    writing.await.unwrap();
    assert!(transport.receive().await.is_none());
}

#[tokio::test]
async fn a_client_that_never_reads_is_not_heard_any_more_and_ends_with_its_input() {
    let (mut to_server, from_server, mut transport) = pair(1_000);
    transport.max_wait = Duration::from_millis(1);
    let writing = tokio::spawn(async move {
        for id in 0..500 {
            to_server.write_all(ping(id).as_bytes()).await.unwrap();
        }
    });
    let mut taken = 0;
    while let Some(message) = transport.receive().await {
        taken += 1;
        tokio::spawn(transport.send(pong(&message)));
    }
    // The pipe holds some answers more.
    assert!((MAX_UNANSWERED..2 * MAX_UNANSWERED).contains(&taken), "{taken}");
    writing.await.unwrap();
    drop(from_server);
}

#[tokio::test]
async fn a_client_that_reads_late_is_answered_in_full() {
    let (mut to_server, mut from_server, mut transport) = pair(1_000);
    tokio::spawn(async move {
        for id in 0..500 {
            to_server.write_all(ping(id).as_bytes()).await.unwrap();
        }
    });
    tokio::spawn(async move {
        while let Some(message) = transport.receive().await {
            tokio::spawn(transport.send(pong(&message)));
        }
    });
    for id in 0..500 {
        assert_eq!(receive_line(&mut from_server).await["id"], id);
    }
}

#[tokio::test]
async fn requests_under_way_leave_no_room_for_more_until_they_are_answered() {
    let (mut to_server, mut from_server, mut transport) = pair(1 << 20);
    let mut first = Vec::new();
    for id in 0..=MAX_UNANSWERED {
        to_server.write_all(ping(id).as_bytes()).await.unwrap();
    }
    for _ in 0..MAX_UNANSWERED {
        first.push(transport.receive().await.unwrap());
    }
    let more = tokio::time::timeout(Duration::from_millis(1), transport.receive()).await;
    assert!(more.is_err(), "{more:?}");
    transport.send(pong(&first[0])).await.unwrap();
    assert_eq!(receive_line(&mut from_server).await["id"], 0);
    assert!(transport.receive().await.is_some());
}

#[tokio::test]
async fn what_is_cancelled_is_not_waited_for() {
    let (mut to_server, _from_server, mut transport) = pair(1 << 20);
    let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}});
    to_server.write_all(format!("{}{cancel}\n", ping(1)).as_bytes()).await.unwrap();
    assert!(transport.receive().await.is_some());
    assert_eq!(transport.unanswered.len(), 1);
    assert!(transport.receive().await.is_some());
    assert_eq!(transport.unanswered.len(), 0);
}

#[test]
fn lines_are_taken_however_they_come() {
    let mut buffer = LineBuffer::default();
    let mut taken = Vec::new();
    for part in [&b"on"[..], b"e\ntwo\n\nth", b"", b"ree", b"\n"] {
        buffer.bytes.extend_from_slice(part);
        while let Some(line) = buffer.take_line() {
            taken.push(line);
        }
    }
    let whole = |text: &str| Line::Whole(text.as_bytes().to_vec());
    assert_eq!(taken, [whole("one"), whole("two"), whole(""), whole("three")]);
}
