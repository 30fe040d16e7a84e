//! An HTTP endpoint for outbound requests, webhook deliveries and completions, with scripted replies.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};

use crate::support::client::Client;

/// Longer than anything takes.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// What the endpoint answers.
#[derive(Clone, Debug)]
pub(crate) enum EndpointReply {
    /// A status without more.
    Status(u16),
    /// A status and a text.
    Text(u16, String),
    /// A redirect to this URL.
    Redirect(String),
    /// Nothing: the request hangs.
    Nothing,
}

/// A request that the endpoint received.
#[derive(Debug)]
pub(crate) struct ReceivedRequest {
    pub(crate) path: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: String,
}

impl ReceivedRequest {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).unwrap_or_else(|| panic!("no {name}")).to_str().unwrap()
    }
}

#[derive(Clone)]
struct Script {
    replies: Arc<Mutex<VecDeque<EndpointReply>>>,
    got: UnboundedSender<ReceivedRequest>,
    /// Notified when a caller that gets no answer gives up.
    left: UnboundedSender<()>,
}

/// An endpoint that answers with its replies, one after the other, and then with the last one for ever.
pub(crate) struct HttpEndpoint {
    pub(crate) address: SocketAddr,
    got: UnboundedReceiver<ReceivedRequest>,
    left: UnboundedReceiver<()>,
}

impl HttpEndpoint {
    pub(crate) async fn answering(replies: impl IntoIterator<Item = EndpointReply>) -> HttpEndpoint {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (got, hears) = mpsc::unbounded_channel();
        let (left, hears_left) = mpsc::unbounded_channel();
        let script = Script { replies: Arc::new(Mutex::new(replies.into_iter().collect())), got, left };
        let router = Router::new().fallback(answer).with_state(script);
        tokio::spawn(async move { axum::serve(listener, router).await });
        HttpEndpoint { address, got: hears, left: hears_left }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// The next request that the endpoint receives.
    pub(crate) async fn next(&mut self) -> ReceivedRequest {
        tokio::time::timeout(PATIENCE, self.got.recv()).await.expect("a request comes").unwrap()
    }

    /// Waits until a caller has given up.
    pub(crate) async fn given_up(&mut self) {
        tokio::time::timeout(PATIENCE, self.left.recv()).await.expect("a caller gives up").unwrap();
    }

    /// Whether there was no request since the last that was taken.
    pub(crate) fn is_quiet(&mut self) -> bool {
        self.got.try_recv().is_err()
    }
}

/// Notifies when it is dropped.
struct NotifyOnDrop(UnboundedSender<()>);

impl Drop for NotifyOnDrop {
    fn drop(&mut self) {
        let _ = self.0.send(());
    }
}

async fn answer(State(script): State<Script>, uri: Uri, headers: HeaderMap, body: Bytes) -> Response {
    let body = String::from_utf8(body.to_vec()).unwrap();
    let reply = {
        let mut replies = script.replies.lock().unwrap();
        if replies.len() > 1 { replies.pop_front() } else { replies.front().cloned() }.expect("a reply")
    };
    let leaving = NotifyOnDrop(script.left.clone());
    let _ = script.got.send(ReceivedRequest { path: uri.path().to_owned(), headers, body });
    match reply {
        EndpointReply::Status(status) => StatusCode::from_u16(status).unwrap().into_response(),
        EndpointReply::Text(status, text) => (StatusCode::from_u16(status).unwrap(), text).into_response(),
        EndpointReply::Redirect(url) => (StatusCode::FOUND, [("location", url)]).into_response(),
        EndpointReply::Nothing => {
            std::future::pending::<()>().await;
            drop(leaving);
            StatusCode::OK.into_response()
        }
    }
}

/// Reads a path again and again until its response is right, and returns it.
pub(crate) async fn until(client: &Client, path: &str, is_right: impl Fn(&Value) -> bool) -> Value {
    let asking = async {
        loop {
            let shown = client.get(path).await.expect(200, Value::Null).json();
            if is_right(&shown) {
                return shown;
            }
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(PATIENCE, asking).await.expect("it happens")
}
