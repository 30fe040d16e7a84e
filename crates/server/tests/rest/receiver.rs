//! A server elsewhere, that a test tells what to answer.

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

use crate::client::Client;

/// Longer than anything takes.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// What it answers.
#[derive(Clone, Debug)]
pub(crate) enum Reply {
    /// A status without more.
    Status(u16),
    /// A status and a text.
    Text(u16, String),
    /// That it is elsewhere.
    Redirect(String),
    /// Nothing, for ever.
    Nothing,
}

/// A request that it got.
#[derive(Debug)]
pub(crate) struct Got {
    pub(crate) path: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: String,
}

impl Got {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).unwrap_or_else(|| panic!("no {name}")).to_str().unwrap()
    }
}

#[derive(Clone)]
struct Script {
    replies: Arc<Mutex<VecDeque<Reply>>>,
    got: UnboundedSender<Got>,
    /// Hears when a caller that gets no answer gives up.
    left: UnboundedSender<()>,
}

/// The server. It answers what it was told to, one after the other, and the last for ever.
pub(crate) struct Receiver {
    pub(crate) address: SocketAddr,
    got: UnboundedReceiver<Got>,
    left: UnboundedReceiver<()>,
}

impl Receiver {
    pub(crate) async fn answering(replies: impl IntoIterator<Item = Reply>) -> Receiver {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (got, hears) = mpsc::unbounded_channel();
        let (left, hears_left) = mpsc::unbounded_channel();
        let script = Script { replies: Arc::new(Mutex::new(replies.into_iter().collect())), got, left };
        let router = Router::new().fallback(answer).with_state(script);
        tokio::spawn(async move { axum::serve(listener, router).await });
        Receiver { address, got: hears, left: hears_left }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// The next request that it gets.
    pub(crate) async fn next(&mut self) -> Got {
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

/// Tells when it is dropped.
struct Leaving(UnboundedSender<()>);

impl Drop for Leaving {
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
    let leaving = Leaving(script.left.clone());
    let _ = script.got.send(Got { path: uri.path().to_owned(), headers, body });
    match reply {
        Reply::Status(status) => StatusCode::from_u16(status).unwrap().into_response(),
        Reply::Text(status, text) => (StatusCode::from_u16(status).unwrap(), text).into_response(),
        Reply::Redirect(url) => (StatusCode::FOUND, [("location", url)]).into_response(),
        Reply::Nothing => {
            std::future::pending::<()>().await;
            drop(leaving);
            StatusCode::OK.into_response()
        }
    }
}

/// What is at an address once it is as it should be: it is asked for again and again.
pub(crate) async fn until(client: &Client, path: &str, is_right: impl Fn(&Value) -> bool) -> Value {
    let asking = async {
        loop {
            let told = client.get(path).await.expect(200, Value::Null).json();
            if is_right(&told) {
                return told;
            }
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(PATIENCE, asking).await.expect("it happens")
}
