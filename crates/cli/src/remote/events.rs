//! Events of a server, over a WebSocket.

use std::collections::BTreeSet;
use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use interline_items::Kind;
use reqwest::header::{CONNECTION, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_VERSION, UPGRADE};
use reqwest::{Method, StatusCode, Upgraded};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::handshake::client::generate_key;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::Role;

use super::{Server, told};
use crate::failure::Failure;
use crate::shapes::EventShape;

/// From where a server lets us listen.
const CURSOR: &str = "interline-cursor";
/// After how long a silence a server is not there any more.
const SILENCE: Duration = Duration::from_secs(90);

/// What happens at a server.
pub(crate) struct Events {
    socket: WebSocketStream<Upgraded>,
    /// From where it is listened, if the server says so.
    pub(crate) begin: Option<String>,
}

impl Server {
    /// Listens to what happens: after a cursor, of some types, to some items.
    pub(crate) async fn listen(
        &self,
        since: Option<&str>,
        kinds: &BTreeSet<Kind>,
        ids: &[String],
    ) -> Result<Events, Failure> {
        let of_kinds = kinds.iter().map(|kind| ("types", kind.name()));
        let of_ids = ids.iter().map(|id| ("ids", id.as_str()));
        let query: Vec<(&str, &str)> =
            since.map(|since| ("since", since)).into_iter().chain(of_kinds).chain(of_ids).collect();
        let key = generate_key();
        let mut wanted = self.url.join("events").map_err(|error| self.stranger(&error.to_string()))?;
        wanted.query_pairs_mut().extend_pairs(query);
        let request = self
            .request(Method::GET, wanted.as_str())?
            .header(CONNECTION, "upgrade")
            .header(UPGRADE, "websocket")
            .header(SEC_WEBSOCKET_VERSION, "13")
            .header(SEC_WEBSOCKET_KEY, &key);
        let answer = request.send().await.map_err(|error| self.unreachable(&error))?;
        let status = answer.status();
        if status == StatusCode::TOO_MANY_REQUESTS {
            return Err(Failure::failed("the server has had too many requests").hint("wait a minute"));
        }
        if status != StatusCode::SWITCHING_PROTOCOLS {
            let body = answer.bytes().await.map_err(|error| self.unreachable(&error))?;
            return Err(self.refusal(status, &body));
        }
        let accepted = answer.headers().get(SEC_WEBSOCKET_ACCEPT).map(|value| value.as_bytes().to_vec());
        if accepted != Some(derive_accept_key(key.as_bytes()).into_bytes()) {
            return Err(self.stranger("it accepts a WebSocket that was not asked for"));
        }
        let begin = answer.headers().get(CURSOR).and_then(|cursor| cursor.to_str().ok()).map(str::to_owned);
        let socket = answer.upgrade().await.map_err(|error| self.stranger(&told(&error)))?;
        Ok(Events { socket: WebSocketStream::from_raw_socket(socket, Role::Client, None).await, begin })
    }
}

impl Events {
    /// The next event; `None` when the connection has ended.
    pub(crate) async fn next(&mut self) -> Option<EventShape> {
        loop {
            // A server that is there asks whether we are, more often than this.
            match tokio::time::timeout(SILENCE, self.socket.next()).await.ok()??.ok()? {
                Message::Text(text) => return serde_json::from_str(&text).ok(),
                // The answer to a ping waits to be sent.
                Message::Ping(_) => self.socket.flush().await.ok()?,
                Message::Close(_) => return None,
                Message::Binary(_) | Message::Pong(_) | Message::Frame(_) => {}
            }
        }
    }
}
