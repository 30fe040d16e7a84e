//! An agent that distrusts the server: whatever a test calls, every answer keeps the promises of all answers.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};

use reqwest::header::HeaderMap;
use serde_json::{Value, json};
use tokio::sync::OnceCell;

use crate::schema::mismatch;
use crate::support::json_assertion::assert_within;

/// The longest error body, in bytes.
const MAX_ERROR_BYTES: usize = 64 * 1024;

/// A client of one server.
pub(crate) struct Agent {
    http: reqwest::Client,
    url: String,
    token: Option<String>,
    tools: OnceCell<Vec<Value>>,
    calls: AtomicUsize,
    sent_bytes: AtomicUsize,
    received_bytes: AtomicUsize,
}

/// An answer over HTTP.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) text: String,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error}: {} {:?}", self.status, self.text))
    }
}

impl Agent {
    pub(crate) fn new(address: SocketAddr, server: &str, token: Option<&str>) -> Agent {
        // Whoever is first installs it; the others find it there.
        let _ = rustls::crypto::ring::default_provider().install_default();
        Agent {
            http: reqwest::Client::new(),
            url: format!("http://{address}/mcp/{server}"),
            token: token.map(str::to_owned),
            tools: OnceCell::new(),
            calls: AtomicUsize::new(0),
            sent_bytes: AtomicUsize::new(0),
            received_bytes: AtomicUsize::new(0),
        }
    }

    /// Sends a body as it is.
    pub(crate) async fn post(&self, body: impl Into<Vec<u8>>, headers: &[(&str, &str)]) -> Answer {
        self.send("POST", body, headers).await
    }

    /// The same with another method.
    pub(crate) async fn send(&self, method: &str, body: impl Into<Vec<u8>>, headers: &[(&str, &str)]) -> Answer {
        let body = body.into();
        self.sent_bytes.fetch_add(body.len(), Ordering::Relaxed);
        let mut all = vec![("accept", "application/json, text/event-stream"), ("content-type", "application/json")];
        all.retain(|(name, _)| headers.iter().all(|(given, _)| given != name));
        all.extend(headers);
        let mut request = self.http.request(method.parse().unwrap(), &self.url);
        for (name, value) in all {
            request = request.header(name, value);
        }
        if let Some(token) = &self.token {
            request = request.bearer_auth(token);
        }
        let answer = request.body(body).send().await.unwrap();
        let (status, headers) = (answer.status().as_u16(), answer.headers().clone());
        let text = answer.text().await.unwrap();
        self.received_bytes.fetch_add(text.len(), Ordering::Relaxed);
        Answer { status, headers, text }
    }

    /// The result of a request, or its error.
    pub(crate) async fn request(&self, method: &str, params: Value) -> Result<Value, Value> {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let answer = self.post(body.to_string(), &[("mcp-protocol-version", "2025-11-25")]).await;
        assert_eq!(answer.headers["content-type"], "application/json", "{method}: {}", answer.text);
        let answer = answer.json();
        assert_eq!((&answer["jsonrpc"], &answer["id"]), (&json!("2.0"), &json!(1)), "{method}: {answer}");
        match answer.get("result") {
            Some(result) => Ok(result.clone()),
            None => Err(answer["error"].clone()),
        }
    }

    /// The tools, as the server lists them.
    pub(crate) async fn tools(&self) -> &[Value] {
        let list = async || {
            let listed = self.request("tools/list", json!({})).await.unwrap();
            listed["tools"].as_array().expect("tools").clone()
        };
        self.tools.get_or_init(list).await
    }

    /// Calls a tool: its data, or the body of its error.
    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> Result<Value, Value> {
        let output = {
            let tools = self.tools().await;
            let about = tools.iter().find(|about| about["name"] == tool).unwrap_or_else(|| panic!("no tool {tool}"));
            about["outputSchema"].clone()
        };
        self.calls.fetch_add(1, Ordering::Relaxed);
        let result = self.request("tools/call", json!({"name": tool, "arguments": arguments})).await.unwrap();
        let blocks = result["content"].as_array().expect("content").as_slice();
        let [block, notes @ ..] = blocks else { panic!("{tool}: {result}") };
        assert_eq!(block["type"], "text", "{tool}");
        let text = block["text"].as_str().expect("text");
        let data: Value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{tool}: {error}: {text}"));
        // Words beside the data are for agents whose writes are kept as proposals.
        assert_eq!(notes.len(), usize::from(data["applied"] == false), "{tool}: {result}");
        if result["isError"] == true {
            assert!(result.get("structuredContent").is_none(), "{tool}: {result}");
            assert!(text.len() <= MAX_ERROR_BYTES, "{tool}: an error of {} bytes", text.len());
            for member in ["error", "message", "suggestion"] {
                assert!(!data[member].as_str().unwrap_or_default().is_empty(), "{tool}: no `{member}` in {data}");
            }
            assert_ne!(data["error"], "internal", "{tool}: {data}");
            return Err(data);
        }
        assert_eq!(result["isError"], false, "{tool}: {result}");
        assert_eq!(result["structuredContent"], data, "{tool}: the text differs from the data");
        assert_eq!(mismatch(&output, &data, tool), None, "{data}");
        Ok(data)
    }

    /// Calls a tool that must succeed, and demands, within its data, what is expected.
    pub(crate) async fn check(&self, tool: &str, arguments: Value, expected: Value) -> Value {
        let data = self.call(tool, arguments).await;
        let data = data.unwrap_or_else(|error| panic!("{tool}: {error}"));
        assert_within(tool, &expected, &data);
        data
    }

    /// Calls a tool that must refuse, and demands, within the error, what is expected.
    pub(crate) async fn refused(&self, tool: &str, arguments: Value, expected: Value) -> Value {
        let shown = arguments.to_string();
        let error = self.call(tool, arguments).await.expect_err("a refusal");
        assert_within(&format!("{tool} {shown}"), &expected, &error);
        error
    }

    /// Calls a tool that writes with a token that only reads, which is not offered it.
    pub(crate) async fn forbidden(&self, tool: &str, arguments: Value) {
        assert!(self.tools().await.iter().all(|about| about["name"] != tool), "{tool} is offered");
        let result = self.request("tools/call", json!({"name": tool, "arguments": arguments})).await.unwrap();
        assert_eq!(result["isError"], true, "{tool}: {result}");
        let error: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
        let expected = json!({"error": "forbidden", "message": "the token does not have the scope `write`",
            "suggestion": "use a token with the scope `write`"});
        assert_eq!(error, expected, "{tool}");
    }

    /// A new note: its id.
    pub(crate) async fn note(&self, title: &str, content: &str) -> String {
        let made = self.check("create_note", json!({"title": title, "content": content}), json!({"version": 1})).await;
        made["id"].as_str().unwrap().to_owned()
    }

    /// The whole content of an item.
    pub(crate) async fn content(&self, id: &str) -> String {
        let read = self.check("get_item", json!({"id": id}), json!({})).await;
        read["content"].as_str().unwrap_or_default().to_owned()
    }

    /// Asks for what the protocol must refuse, and demands the code of the refusal: its message.
    pub(crate) async fn protocol_error(&self, method: &str, params: Value, code: i64) -> String {
        let shown = params.to_string();
        let error = self.request(method, params).await.expect_err("a refusal");
        assert_eq!(error["code"], code, "{method} {shown}: {error}");
        error["message"].as_str().expect("a message").to_owned()
    }

    /// How many tools were called.
    pub(crate) fn calls(&self) -> usize {
        self.calls.load(Ordering::Relaxed)
    }

    /// How many bytes of messages went and came.
    pub(crate) fn bytes(&self) -> usize {
        self.sent_bytes.load(Ordering::Relaxed) + self.received_bytes.load(Ordering::Relaxed)
    }
}
