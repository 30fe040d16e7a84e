//! Writes HTTP requests as bytes.

use std::io::Write as _;

use serde_json::json;

/// The headers that a client sends in every request.
#[derive(Clone, Debug)]
pub(crate) struct RequestWriter {
    /// The secret of its token.
    pub(crate) token: String,
}

impl RequestWriter {
    /// `GET path`.
    pub(crate) fn get(&self, request: &mut Vec<u8>, path: &str) {
        self.head(request, "GET", path);
        request.extend_from_slice(b"\r\n");
    }

    /// `method path` with a body in JSON.
    pub(crate) fn send(&self, request: &mut Vec<u8>, method: &str, path: &str, body: &str) {
        self.head(request, method, path);
        let length = body.len();
        let _ = write!(request, "Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}");
    }

    // Writing to a vector cannot fail: the results of `write!` are dropped.
    fn head(&self, request: &mut Vec<u8>, method: &str, path: &str) {
        let _ = write!(
            request,
            "{method} {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\nAccept: application/json\r\n",
            self.token
        );
    }
}

/// The body that makes a note.
pub(crate) fn new_note(title: &str, tags: &[&str], content: &str) -> String {
    json!({ "title": title, "tags": tags, "content": content }).to_string()
}
