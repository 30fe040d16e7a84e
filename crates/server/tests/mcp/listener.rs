//! Clients that receive notifications: on a connection of their own, and on a stream over HTTP.

use std::collections::VecDeque;
use std::time::Duration;

use interline_server::{Identity, McpServer, serve_mcp_on};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, duplex};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::support::test_store::{TestServer, TestStore};

/// Longer than anything takes.
const PATIENCE: Duration = Duration::from_secs(30);
/// The prefix of the metadata that the newest protocol requires in every request.
const PREFIX: &str = "io.modelcontextprotocol";

/// Parameters with the metadata that the newest protocol requires.
pub(crate) fn with_meta(mut params: Value) -> Value {
    params["_meta"] = json!({
        format!("{PREFIX}/protocolVersion"): "2026-07-28",
        format!("{PREFIX}/clientInfo"): {"name": "test", "version": "1"},
        format!("{PREFIX}/clientCapabilities"): {},
    });
    params
}

/// A notification on a stream, without the stream's id, which must be this one.
fn stream_notification(stream: &Value, mut message: Value) -> Value {
    let meta = message["params"].as_object_mut().and_then(|params| params.remove("_meta")).unwrap_or_default();
    assert_eq!(&meta[format!("{PREFIX}/subscriptionId")], stream, "{message} {meta}");
    summary(&message)
}

/// A notification in short: the address, or `prompts` for their list.
fn summary(message: &Value) -> Value {
    match (message["method"].as_str(), &message["params"]["uri"]) {
        (Some("notifications/resources/updated"), Value::String(uri)) => json!(uri),
        (Some("notifications/prompts/list_changed"), _) => json!("prompts"),
        _ => message.clone(),
    }
}

/// A client on an input and output of its own.
pub(crate) struct Connection {
    to_server: DuplexStream,
    from_server: BufReader<DuplexStream>,
    next_id: u64,
    /// Notifications that came while an answer was awaited.
    notifications: VecDeque<Value>,
    served: JoinHandle<std::io::Result<()>>,
}

impl Connection {
    /// Connects to a store, through pipes that hold so many bytes.
    pub(crate) fn new(store: &TestStore, server: McpServer, bytes: usize) -> Connection {
        let (to_server, input) = duplex(bytes);
        let (output, from_server) = duplex(bytes);
        let served =
            tokio::spawn(serve_mcp_on(server, store.interline.clone(), Identity::User(store.owner), (input, output)));
        Connection {
            to_server,
            from_server: BufReader::new(from_server),
            next_id: 1,
            notifications: VecDeque::new(),
            served,
        }
    }

    /// A connection after the handshake, with the answer to `initialize`.
    pub(crate) async fn initialized(store: &TestStore, server: McpServer, bytes: usize) -> (Connection, Value) {
        let mut connection = Connection::new(store, server, bytes);
        let client = json!({"name": "test", "version": "1"});
        let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
        let described = connection.request("initialize", params).await.unwrap();
        connection.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
        (connection, described)
    }

    pub(crate) async fn send(&mut self, message: &Value) {
        self.to_server.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }

    /// The next message.
    pub(crate) async fn receive(&mut self) -> Value {
        let mut line = String::new();
        timeout(PATIENCE, self.from_server.read_line(&mut line)).await.expect("a message in time").unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }

    /// Sends a request and does not wait for the answer: the id of the request.
    pub(crate) async fn send_request(&mut self, method: &str, params: Value) -> Value {
        let id = json!(self.next_id);
        self.next_id += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await;
        id
    }

    /// The result of a request, or its error.
    pub(crate) async fn request(&mut self, method: &str, params: Value) -> Result<Value, Value> {
        let id = self.send_request(method, params).await;
        loop {
            let mut message = self.receive().await;
            if message.get("method").is_some() {
                self.notifications.push_back(message);
                continue;
            }
            assert_eq!(message["id"], id, "{message}");
            return match message.get("error") {
                Some(error) => Err(error.clone()),
                None => Ok(message["result"].take()),
            };
        }
    }

    pub(crate) async fn subscribe(&mut self, uri: &str) {
        assert_eq!(self.request("resources/subscribe", json!({"uri": uri})).await, Ok(json!({})), "{uri}");
    }

    /// The next notification: an address, or `prompts` for their list.
    pub(crate) async fn notification(&mut self) -> Value {
        let message = match self.notifications.pop_front() {
            Some(message) => message,
            None => self.receive().await,
        };
        summary(&message)
    }

    /// The next notification on a stream of the connection.
    pub(crate) async fn notification_on(&mut self, stream: &Value) -> Value {
        let message = match self.notifications.pop_front() {
            Some(message) => message,
            None => self.receive().await,
        };
        stream_notification(stream, message)
    }

    /// Ends the input, and waits for the server to end, which must be soon.
    pub(crate) async fn end(self) {
        drop(self.to_server);
        timeout(Duration::from_secs(4), self.served).await.expect("an end in time").unwrap().unwrap();
    }
}

/// A stream over HTTP.
pub(crate) struct HttpStream {
    answer: reqwest::Response,
    buffer: Vec<u8>,
}

impl HttpStream {
    /// Opens a stream; the error is the answer that comes instead of one.
    pub(crate) async fn open(
        world: &TestServer,
        server: &str,
        token: &str,
        notifications: Value,
    ) -> Result<HttpStream, Value> {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let params = with_meta(json!({"notifications": notifications}));
        let message = json!({"jsonrpc": "2.0", "id": "stream", "method": "subscriptions/listen", "params": params});
        let request = reqwest::Client::new().post(format!("http://{}/mcp/{server}", world.address));
        let request = request.bearer_auth(token).header("accept", "application/json, text/event-stream");
        let request = request.header("content-type", "application/json").header("mcp-protocol-version", "2026-07-28");
        let request = request.header("mcp-method", "subscriptions/listen").body(message.to_string());
        let answer = request.send().await.unwrap();
        let is_stream = answer.headers()["content-type"].to_str().unwrap().starts_with("text/event-stream");
        if is_stream {
            return Ok(HttpStream { answer, buffer: Vec::new() });
        }
        Err(serde_json::from_slice(&answer.bytes().await.unwrap()).unwrap())
    }

    /// A stream that must be granted all the notifications that it asks for.
    pub(crate) async fn granted(world: &TestServer, server: &str, notifications: Value) -> HttpStream {
        let opened = HttpStream::open(world, server, &world.store.secret, notifications.clone()).await;
        let mut stream = opened.unwrap_or_else(|refused| panic!("{refused}"));
        let granted = stream.notification().await;
        assert_eq!(granted["method"], "notifications/subscriptions/acknowledged", "{granted}");
        assert_eq!(granted["params"]["notifications"], notifications);
        stream
    }

    /// The next message; `None` at the end.
    pub(crate) async fn receive(&mut self) -> Option<Value> {
        loop {
            if let Some(end) = self.buffer.windows(2).position(|bytes| bytes == b"\n\n") {
                let event: Vec<u8> = self.buffer.drain(..end + 2).collect();
                let event = String::from_utf8(event).unwrap();
                let data: String = event.split('\n').filter_map(|line| line.strip_prefix("data:")).collect();
                match data.trim() {
                    "" => continue,
                    data => return Some(serde_json::from_str(data).unwrap()),
                }
            }
            let more = timeout(PATIENCE, self.answer.chunk()).await.expect("a message in time").unwrap()?;
            self.buffer.extend_from_slice(&more);
        }
    }

    /// The next notification.
    pub(crate) async fn notification(&mut self) -> Value {
        stream_notification(&json!("stream"), self.receive().await.expect("the stream goes on"))
    }
}
