//! The memory budget: bodies that do not end, answers that nobody reads, and others meanwhile.

use std::net::SocketAddr;
use std::time::Duration;

use interline_server::Settings;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::{Instant, timeout};

use crate::support::client::{Client, text};
use crate::support::test_store::{TestServer, TestStore, unlimited};

on_both!(
    unfinished_bodies_of_one_user_leave_room_for_others,
    a_body_that_is_only_announced_takes_nothing,
    long_heads_of_one_address_take_no_more_than_its_part,
    unread_answers_of_one_user_leave_room_for_others,
    unread_answers_from_the_cache_leave_room_for_others,
    readers_of_one_long_item_share_it,
    a_forwarded_request_counts_until_its_answer_is_read,
    a_client_that_reads_nothing_is_cut_off,
    a_client_that_reads_slowly_is_not,
);

const MEGABYTE: usize = 1 << 20;
const DEADLINE: Duration = Duration::from_secs(20);

fn small_budget() -> Settings {
    Settings { memory_budget: 64 * MEGABYTE, ..unlimited() }
}

/// The head of a request on a connection that is kept.
fn head(server: &TestServer, client: &Client, line: &str, headers: &str) -> String {
    let (address, secret) = (server.address, client.secret().unwrap());
    format!("{line} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {secret}\r\n{headers}\r\n")
}

/// A connection that reads as little as the system allows.
async fn connect_to_read_little(address: SocketAddr) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(16 * 1024).unwrap();
    socket.connect(address).await.unwrap()
}

/// The head of the next answer.
async fn read_head(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    while !bytes.ends_with(b"\r\n\r\n") {
        bytes.push(timeout(DEADLINE, stream.read_u8()).await.expect("an answer in time").expect("an answer"));
    }
    String::from_utf8(bytes).unwrap()
}

async fn long_note(client: &Client, title: &str, bytes: usize) -> String {
    format!("/notes/{}", text(&client.note(title, Some(&"x".repeat(bytes))).await["id"]))
}

/// Sends a request until its answer has this status.
async fn send_until(client: &Client, line: &str, body: Option<&Value>, status: u16) {
    let deadline = Instant::now() + DEADLINE;
    loop {
        let answer = client.send_to_broken(line, &[], body).await;
        if answer.status == status {
            return;
        }
        assert!(Instant::now() < deadline, "{line}: still {}", answer.status);
        tokio::task::yield_now().await;
    }
}

async fn get_until(client: &Client, path: &str, status: u16) {
    send_until(client, &format!("GET {path}"), None, status).await;
}

async fn unfinished_bodies_of_one_user_leave_room_for_others(store: TestStore) {
    let server = store.serve_with(small_budget()).await;
    let owner = server.owner();
    let (greedy, _) = owner.new_user("greedy").await;
    let note = long_note(&owner, "before", 4 * MEGABYTE).await;
    let mut held = Vec::new();
    let refused = loop {
        assert!(held.len() < 32, "every body was taken");
        let mut stream = server.connect().await;
        let announced = head(&server, &greedy, "POST /notes", &format!("Content-Length: {}\r\n", 4 * MEGABYTE));
        stream.write_all(announced.as_bytes()).await.unwrap();
        // What is taken is read; what is refused is answered.
        let part = vec![b' '; 2 * MEGABYTE];
        let mut byte = [0];
        let _ = stream.write_all(&part).await;
        match timeout(Duration::from_millis(300), stream.peek(&mut byte)).await {
            Err(_) => held.push(stream),
            Ok(_) => break read_head(&mut stream).await,
        }
    };
    assert!(refused.starts_with("HTTP/1.1 503"), "{refused}");
    assert!(refused.to_ascii_lowercase().contains("retry-after: 1"), "{refused}");
    assert!(held.len() >= 2, "{}", held.len());
    owner.get(&note).await.expect(200, json!({"content_length": 4 * MEGABYTE}));
    owner.note("beside", Some(&"x".repeat(100_000))).await;
    greedy.get("/notes").await.expect(200, json!({}));
    drop(held);
    get_until(&greedy, &long_note(&owner, "after", MEGABYTE).await, 404).await;
    let body = json!({"title": "x", "content": "x".repeat(4 * MEGABYTE)});
    send_until(&greedy, "POST /notes", Some(&body), 201).await;
}

async fn a_body_that_is_only_announced_takes_nothing(store: TestStore) {
    let server = store.serve_with(small_budget()).await;
    let owner = server.owner();
    let mut announced = Vec::new();
    for _ in 0..50 {
        let mut stream = server.connect().await;
        let head = head(&server, &owner, "POST /notes", &format!("Content-Length: {}\r\n", 20 * MEGABYTE));
        stream.write_all(head.as_bytes()).await.unwrap();
        stream.write_all(b"{").await.unwrap();
        announced.push(stream);
    }
    let note = long_note(&owner, "beside", 4 * MEGABYTE).await;
    owner.get(&note).await.expect(200, json!({"content_length": 4 * MEGABYTE}));
}

/// Whether the server has closed a connection.
async fn is_closed(stream: &mut TcpStream) -> bool {
    let mut byte = [0];
    !matches!(timeout(Duration::from_millis(100), stream.read(&mut byte)).await, Err(_) | Ok(Ok(1)))
}

/// Heads of 60 KB on all connections would take more memory than the budget and what is beside it.
async fn long_heads_of_one_address_take_no_more_than_its_part(store: TestStore) {
    let server = store.serve_with(Settings { memory_budget: 8 * MEGABYTE, ..unlimited() }).await;
    let owner = server.owner();
    let long = format!("GET /notes?{}", "x".repeat(60_000));
    let mut held = Vec::new();
    loop {
        assert!(held.len() < 32, "every head was taken");
        let mut stream = server.connect().await;
        let _ = stream.write_all(long.as_bytes()).await;
        if is_closed(&mut stream).await {
            break;
        }
        held.push(stream);
    }
    assert!(held.len() >= 10, "{}", held.len());
    owner.get("/notes").await.expect(200, json!({}));
    owner.note("beside", Some(&"x".repeat(100_000))).await;
    // A head that ends counts as long as its connection is open: the buffer it was read into stays.
    for stream in &mut held {
        stream.write_all(b" HTTP/1.1\r\nHost: localhost\r\n\r\n").await.unwrap();
        assert!(read_head(stream).await.starts_with("HTTP/1.1 401"));
    }
    let mut further = server.connect().await;
    let _ = further.write_all(long.as_bytes()).await;
    assert!(is_closed(&mut further).await);
    drop(held);
    let (whole, deadline) = (server.head(&long, ""), Instant::now() + DEADLINE);
    while server.raw(whole.as_bytes()).await.status() == 0 {
        assert!(Instant::now() < deadline, "heads that are gone still count");
    }
}

async fn unread_answers_of_one_user_leave_room_for_others(store: TestStore) {
    let server = store.serve_with(small_budget()).await;
    let owner = server.owner();
    let (greedy, _) = owner.new_user("greedy").await;
    let own = long_note(&owner, "own", 4 * MEGABYTE).await;
    let mut unread = Vec::new();
    let refused = loop {
        assert!(unread.len() < 32, "every answer was sent");
        let note = long_note(&greedy, "unread", 6 * MEGABYTE).await;
        let mut stream = connect_to_read_little(server.address).await;
        stream.write_all(head(&server, &greedy, &format!("GET {note}"), "").as_bytes()).await.unwrap();
        let answered = read_head(&mut stream).await;
        if !answered.starts_with("HTTP/1.1 200") {
            break answered;
        }
        unread.push(stream);
        // It could not be made any more: not even the body fits.
        let probe = json!({"title": "probe", "content": "x".repeat(6 * MEGABYTE)});
        let probe = greedy.send_to_broken("POST /notes?dry_run=true", &[], Some(&probe)).await;
        if probe.status == 503 {
            break format!("HTTP/1.1 503 {}", probe.json());
        }
    };
    assert!(refused.starts_with("HTTP/1.1 503"), "{refused}");
    assert!(unread.len() >= 2, "{}", unread.len());
    owner.get(&own).await.expect(200, json!({"content_length": 4 * MEGABYTE}));
    drop(unread);
    let body = json!({"title": "after", "content": "x".repeat(6 * MEGABYTE)});
    send_until(&greedy, "POST /notes", Some(&body), 201).await;
}

async fn unread_answers_from_the_cache_leave_room_for_others(store: TestStore) {
    let server = store.serve_with(small_budget()).await;
    let owner = server.owner();
    let (greedy, _) = owner.new_user("greedy").await;
    let own = long_note(&owner, "own", MEGABYTE).await;
    let mut notes = Vec::new();
    for _ in 0..40 {
        notes.push(long_note(&greedy, "unread", 3 * MEGABYTE / 2).await);
    }
    let after = notes.pop().unwrap();
    let mut unread = Vec::new();
    let refused = loop {
        let note = notes.pop().expect("one of the answers is refused");
        // From now on it is in the cache; where there is no room for it, this is refused too.
        greedy.send_to_broken(&format!("GET {note}"), &[], None).await;
        let mut stream = connect_to_read_little(server.address).await;
        // So many in a row that the system cannot take all of them.
        let asked = head(&server, &greedy, &format!("GET {note}"), "").repeat(4);
        stream.write_all(asked.as_bytes()).await.unwrap();
        let answered = read_head(&mut stream).await;
        if answered.starts_with("HTTP/1.1 200") {
            unread.push(stream);
        } else if greedy.send_to_broken(&format!("GET {after}"), &[], None).await.status == 503 {
            // Not for a moment alone, while an answer before it gave back what it took.
            break answered;
        }
    };
    assert!(refused.starts_with("HTTP/1.1 503"), "{refused}");
    assert!(unread.len() >= 10, "{}", unread.len());
    owner.get(&own).await.expect(200, json!({"content_length": MEGABYTE}));
    drop(unread);
    get_until(&greedy, &after, 200).await;
}

async fn readers_of_one_long_item_share_it(store: TestStore) {
    let server = store.serve_with(small_budget()).await;
    let owner = server.owner();
    let note = long_note(&owner, "shared", 7 * MEGABYTE).await;
    let mut unread = Vec::new();
    for number in 0..40 {
        let mut stream = connect_to_read_little(server.address).await;
        stream.write_all(head(&server, &owner, &format!("GET {note}"), "").as_bytes()).await.unwrap();
        let answered = read_head(&mut stream).await;
        assert!(answered.starts_with("HTTP/1.1 200"), "{number}: {answered}");
        unread.push(stream);
    }
    let mut last = unread.pop().unwrap();
    let mut body = vec![0; 7 * MEGABYTE];
    timeout(DEADLINE, last.read_exact(&mut body)).await.expect("in time").expect("the whole of it");
}

async fn a_forwarded_request_counts_until_its_answer_is_read(store: TestStore) {
    let settings = Settings {
        max_connections_per_address: Some(2),
        trusted_proxies: vec!["127.0.0.1".parse().unwrap()],
        ..unlimited()
    };
    let server = store.serve_with(settings).await;
    let owner = server.owner();
    let note = long_note(&owner, "unread", 8 * MEGABYTE).await;
    let get = |path: &str, address: &str| {
        head(&server, &owner, &format!("GET {path}"), &format!("X-Forwarded-For: {address}\r\n"))
    };
    // A loopback address too: a client writes that where its proxy writes nothing.
    for address in ["203.0.113.9", "127.0.0.1"] {
        let mut unread = Vec::new();
        for _ in 0..2 {
            let mut stream = connect_to_read_little(server.address).await;
            stream.write_all(get(&note, address).as_bytes()).await.unwrap();
            let answered = read_head(&mut stream).await;
            assert!(answered.starts_with("HTTP/1.1 200"), "{answered}");
            unread.push(stream);
        }
        let mut third = server.connect().await;
        third.write_all(get("/tags", address).as_bytes()).await.unwrap();
        let refused = read_head(&mut third).await;
        assert!(refused.starts_with("HTTP/1.1 503"), "{address}: {refused}");
    }
}

async fn a_client_that_reads_nothing_is_cut_off(store: TestStore) {
    let server = store.serve_with(Settings { write_timeout: Duration::from_millis(300), ..unlimited() }).await;
    let owner = server.owner();
    let note = long_note(&owner, "unread", 8 * MEGABYTE).await;
    let mut stream = connect_to_read_little(server.address).await;
    stream.write_all(head(&server, &owner, &format!("GET {note}"), "").as_bytes()).await.unwrap();
    // A server that has closed the connection refuses what is sent on it.
    let deadline = Instant::now() + DEADLINE;
    while stream.write_all(b"G").await.is_ok() {
        assert!(Instant::now() < deadline, "it is still served");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

async fn a_client_that_reads_slowly_is_not(store: TestStore) {
    let server = store.serve_with(Settings { write_timeout: Duration::from_secs(1), ..unlimited() }).await;
    let owner = server.owner();
    let note = long_note(&owner, "slow", 8 * MEGABYTE).await;
    let mut stream = connect_to_read_little(server.address).await;
    stream.write_all(head(&server, &owner, &format!("GET {note}"), "").as_bytes()).await.unwrap();
    let answered = read_head(&mut stream).await;
    assert!(answered.starts_with("HTTP/1.1 200"), "{answered}");
    let mut piece = vec![0; 64 * 1024];
    for number in 0..128 {
        stream.read_exact(&mut piece).await.unwrap_or_else(|error| panic!("piece {number}: {error}"));
        // A client that takes longer for the whole than a write may wait.
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
