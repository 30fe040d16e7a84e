//! Clients that are told what they did not ask for: on a connection of their own, and on a stream over HTTP.

use std::collections::VecDeque;
use std::time::Duration;

use interline_server::{McpServer, serve_mcp_on};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, duplex};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::support::test_store::{TestServer, TestStore};

/// Longer than anything takes.
const PATIENCE: Duration = Duration::from_secs(30);
/// What the newest protocol wants with every request.
const PREFIX: &str = "io.modelcontextprotocol";

/// Parameters with what the newest protocol wants beside them.
pub(crate) fn with_meta(mut params: Value) -> Value {
    params["_meta"] = json!({
        format!("{PREFIX}/protocolVersion"): "2026-07-28",
        format!("{PREFIX}/clientInfo"): {"name": "test", "version": "1"},
        format!("{PREFIX}/clientCapabilities"): {},
    });
    params
}

/// What the client of a stream is told, without the stream's id, which must be this one.
fn told_on(stream: &Value, mut message: Value) -> Value {
    let meta = message["params"].as_object_mut().and_then(|params| params.remove("_meta")).unwrap_or_default();
    assert_eq!(&meta[format!("{PREFIX}/subscriptionId")], stream, "{message} {meta}");
    short(&message)
}

/// What was told, in few words.
fn short(message: &Value) -> Value {
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
    told: VecDeque<Value>,
    served: JoinHandle<std::io::Result<()>>,
}

impl Connection {
    /// Connects to a store, through pipes that hold so many bytes.
    pub(crate) fn new(place: &TestStore, server: McpServer, bytes: usize) -> Connection {
        let (to_server, input) = duplex(bytes);
        let (output, from_server) = duplex(bytes);
        let served = tokio::spawn(serve_mcp_on(server, place.interline.clone(), place.owner, (input, output)));
        Connection { to_server, from_server: BufReader::new(from_server), next_id: 1, told: VecDeque::new(), served }
    }

    /// The same, after a handshake: what the server says about itself.
    pub(crate) async fn greeted(place: &TestStore, server: McpServer, bytes: usize) -> (Connection, Value) {
        let mut connection = Connection::new(place, server, bytes);
        let client = json!({"name": "test", "version": "1"});
        let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
        let described = connection.request("initialize", params).await.unwrap();
        connection.say(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
        (connection, described)
    }

    pub(crate) async fn say(&mut self, message: &Value) {
        self.to_server.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }

    /// The next message.
    pub(crate) async fn hear(&mut self) -> Value {
        let mut line = String::new();
        timeout(PATIENCE, self.from_server.read_line(&mut line)).await.expect("a message in time").unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }

    /// Asks for something and does not wait: the id of the request.
    pub(crate) async fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = json!(self.next_id);
        self.next_id += 1;
        self.say(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await;
        id
    }

    /// The result of a request, or its error.
    pub(crate) async fn request(&mut self, method: &str, params: Value) -> Result<Value, Value> {
        let id = self.ask(method, params).await;
        loop {
            let mut message = self.hear().await;
            if message.get("method").is_some() {
                self.told.push_back(message);
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

    /// What is told next: an address, or `prompts` for their list.
    pub(crate) async fn told(&mut self) -> Value {
        let message = match self.told.pop_front() {
            Some(message) => message,
            None => self.hear().await,
        };
        short(&message)
    }

    /// The same on a stream.
    pub(crate) async fn told_on(&mut self, stream: &Value) -> Value {
        let message = match self.told.pop_front() {
            Some(message) => message,
            None => self.hear().await,
        };
        told_on(stream, message)
    }

    /// Says no more, and waits for the end, which must come soon.
    pub(crate) async fn end(self) {
        drop(self.to_server);
        timeout(Duration::from_secs(4), self.served).await.expect("an end in time").unwrap().unwrap();
    }
}

/// A stream over HTTP.
pub(crate) struct HttpStream {
    answer: reqwest::Response,
    ahead: Vec<u8>,
}

/// What is heard on a stream over HTTP.
impl HttpStream {
    /// Asks for a stream: what is there instead, if there is none.
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
            return Ok(HttpStream { answer, ahead: Vec::new() });
        }
        Err(serde_json::from_slice(&answer.bytes().await.unwrap()).unwrap())
    }

    /// The same, which must be granted all that it asks for.
    pub(crate) async fn granted(world: &TestServer, server: &str, notifications: Value) -> HttpStream {
        let opened = HttpStream::open(world, server, &world.store.secret, notifications.clone()).await;
        let mut stream = opened.unwrap_or_else(|refused| panic!("{refused}"));
        let granted = stream.told().await;
        assert_eq!(granted["method"], "notifications/subscriptions/acknowledged", "{granted}");
        assert_eq!(granted["params"]["notifications"], notifications);
        stream
    }

    /// The next message; `None` at the end.
    pub(crate) async fn hear(&mut self) -> Option<Value> {
        loop {
            if let Some(end) = self.ahead.windows(2).position(|bytes| bytes == b"\n\n") {
                let event: Vec<u8> = self.ahead.drain(..end + 2).collect();
                let event = String::from_utf8(event).unwrap();
                let data: String = event.split('\n').filter_map(|line| line.strip_prefix("data:")).collect();
                match data.trim() {
                    "" => continue,
                    data => return Some(serde_json::from_str(data).unwrap()),
                }
            }
            let more = timeout(PATIENCE, self.answer.chunk()).await.expect("a message in time").unwrap()?;
            self.ahead.extend_from_slice(&more);
        }
    }

    /// What is told next.
    pub(crate) async fn told(&mut self) -> Value {
        told_on(&json!("stream"), self.hear().await.expect("the stream goes on"))
    }
}
