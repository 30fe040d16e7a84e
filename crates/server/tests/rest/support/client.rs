//! A client that checks every response against the promises of all responses, whatever a test asks for.

use std::net::SocketAddr;

use reqwest::Method;
use reqwest::header::HeaderMap;
use serde_json::{Value, json};

use crate::support::json_assertion::assert_within;
use crate::support::openapi_document;

/// What no message of the server may hold: names of what is inside.
const INTERNAL: &[&str] = &[
    "SELECT ",
    "INSERT ",
    "UPDATE ",
    "sqlite",
    "postgres",
    "rusqlite",
    "tokio",
    "serde",
    "axum",
    "hyper",
    "/tmp/",
    "/src/",
    ".rs:",
    "panicked",
    "constraint",
];

/// The longest error body, in bytes.
const MAX_ERROR_BYTES: usize = 64 * 1024;

/// A user of the API, over connections that are kept alive.
#[derive(Clone)]
pub(crate) struct Client {
    http: reqwest::Client,
    address: SocketAddr,
    token: Option<String>,
}

impl Client {
    pub(crate) fn new(address: SocketAddr, token: Option<&str>) -> Client {
        // Whoever is first installs it; the others find it there.
        let _ = rustls::crypto::ring::default_provider().install_default();
        Client { http: reqwest::Client::new(), address, token: token.map(str::to_owned) }
    }

    /// The secret that it sends.
    pub(crate) fn secret(&self) -> Option<&str> {
        self.token.as_deref()
    }

    /// The same user, on a connection of its own.
    pub(crate) fn afresh(&self) -> Client {
        Client::new(self.address, self.token.as_deref())
    }

    /// Sends `METHOD path` with a body, if there is one.
    pub(crate) async fn send(&self, line: &str, body: Option<&Value>) -> Answer {
        self.send_with(line, &[], body).await
    }

    /// As [`Client::send`], with further headers.
    pub(crate) async fn send_with(&self, line: &str, headers: &[(&str, &str)], body: Option<&Value>) -> Answer {
        let answer = self.send_to_broken(line, headers, body).await;
        assert!(answer.status < 500, "{line}: {}", answer.json());
        answer
    }

    /// As [`Client::send_with`], to a server that is allowed to fail.
    pub(crate) async fn send_to_broken(&self, line: &str, headers: &[(&str, &str)], body: Option<&Value>) -> Answer {
        let (method, path) = line.split_once(' ').expect("METHOD path");
        let mut request =
            self.http.request(Method::from_bytes(method.as_bytes()).unwrap(), format!("http://{}{path}", self.address));
        if let Some(token) = &self.token {
            request = request.bearer_auth(token);
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        if let Some(body) = body {
            request = request.json(body);
        }
        let answer = request.send().await.unwrap_or_else(|error| panic!("{line}: {error:?}"));
        let (status, headers) = (answer.status().as_u16(), answer.headers().clone());
        let answer = Answer { line: line.to_owned(), status, headers, bytes: answer.bytes().await.unwrap().to_vec() };
        answer.assert_keeps_promises();
        answer
    }

    /// Sends bytes that are no JSON.
    pub(crate) async fn send_bytes(&self, line: &str, body: impl Into<reqwest::Body>) -> Answer {
        let (method, path) = line.split_once(' ').expect("METHOD path");
        let method = Method::from_bytes(method.as_bytes()).unwrap();
        let mut request = self.http.request(method, format!("http://{}{path}", self.address)).body(body);
        if let Some(token) = &self.token {
            request = request.bearer_auth(token);
        }
        let answer = request.send().await.unwrap_or_else(|error| panic!("{line}: {error:?}"));
        let (status, headers) = (answer.status().as_u16(), answer.headers().clone());
        let answer = Answer { line: line.to_owned(), status, headers, bytes: answer.bytes().await.unwrap().to_vec() };
        answer.assert_keeps_promises();
        answer
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.send(&format!("GET {path}"), None).await
    }

    pub(crate) async fn post(&self, path: &str, body: Value) -> Answer {
        self.send(&format!("POST {path}"), Some(&body)).await
    }

    pub(crate) async fn patch(&self, path: &str, body: Value) -> Answer {
        self.send(&format!("PATCH {path}"), Some(&body)).await
    }

    pub(crate) async fn delete(&self, path: &str) -> Answer {
        self.send(&format!("DELETE {path}"), None).await
    }

    /// Sends a request and demands the status and, within the answer, what is expected.
    pub(crate) async fn check(&self, line: &str, body: Value, status: u16, expected: Value) -> Answer {
        let body = Some(&body).filter(|body| !body.is_null());
        self.send(line, body).await.expect(status, expected)
    }

    /// The fields of a refusal with 422, sorted.
    pub(crate) async fn refused_fields(&self, line: &str, body: Value) -> Vec<String> {
        let answer = self.check(line, body, 422, json!({"error": "validation_failed"})).await;
        let errors = answer.json()["errors"].as_array().unwrap().clone();
        let mut fields: Vec<String> = errors.iter().map(|error| error["field"].as_str().unwrap().to_owned()).collect();
        fields.sort();
        fields
    }

    /// A new item in a collection, as it was answered.
    pub(crate) async fn create(&self, collection: &str, body: Value) -> Value {
        self.check(&format!("POST /{collection}"), body, 201, json!({})).await.json()
    }

    /// A new note.
    pub(crate) async fn note(&self, title: &str, content: Option<&str>) -> Value {
        self.create("notes", json!({"title": title, "content": content})).await
    }

    /// A new user: its client and its id.
    pub(crate) async fn new_user(&self, name: &str) -> (Client, String) {
        let made = self.check("POST /users", json!({"name": name}), 201, json!({"name": name})).await.json();
        (Client::new(self.address, made["token"].as_str()), text(&made["id"]))
    }

    /// A new token of the same user: its client and its id.
    pub(crate) async fn new_token(&self, body: Value) -> (Client, String) {
        let made = self.check("POST /tokens", body, 201, json!({})).await.json();
        (Client::new(self.address, made["token"].as_str()), text(&made["id"]))
    }
}

/// A string of an answer.
pub(crate) fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("{value} is not a string")).to_owned()
}

/// What the server answered.
pub(crate) struct Answer {
    /// The request.
    pub(crate) line: String,
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) bytes: Vec<u8>,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.bytes)
            .unwrap_or_else(|error| panic!("{}: {error}: {}", self.line, String::from_utf8_lossy(&self.bytes)))
    }

    /// A header, or nothing.
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    /// The id of the item that was answered.
    pub(crate) fn id(&self) -> String {
        text(&self.json()["id"])
    }

    /// Demands the status and, within the body, what is expected; `null` is any body.
    #[expect(clippy::needless_pass_by_value, reason = "tests write it where they need it")]
    pub(crate) fn expect(self, status: u16, expected: Value) -> Answer {
        let shown: String = String::from_utf8_lossy(&self.bytes).chars().take(2_000).collect();
        assert_eq!(self.status, status, "{}: {shown}", self.line);
        if !expected.is_null() {
            assert_within(&self.line, &expected, &self.json());
        }
        self
    }

    /// What holds for every answer.
    fn assert_keeps_promises(&self) {
        let Answer { line, status, .. } = self;
        assert!(!self.header("x-request-id").is_empty(), "{line}: no request id");
        openapi_document::assert_describes(line, *status, &self.bytes);
        if *status < 400 || line.starts_with("HEAD ") {
            return;
        }
        assert_eq!(self.header("content-type"), "application/json", "{line}");
        assert!(self.bytes.len() <= MAX_ERROR_BYTES, "{line}: an error of {} bytes", self.bytes.len());
        let body = self.json();
        for member in ["error", "message", "suggestion"] {
            assert!(!body[member].as_str().unwrap_or_default().is_empty(), "{line}: no `{member}` in {body}");
        }
        let reported = format!("{} {}", body["message"], body["suggestion"]);
        for name in INTERNAL {
            assert!(!reported.contains(name), "{line}: `{name}` is reported: {reported}");
        }
        assert_eq!(*status == 401, !self.header("www-authenticate").is_empty(), "{line}");
    }
}
