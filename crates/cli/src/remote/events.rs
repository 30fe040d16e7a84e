//! The event socket of a remote server: a WebSocket at `/events`.

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

use super::{RemoteServer, with_causes};
use crate::command_error::CommandError;
use crate::wire::EventMessage;

/// The header with the cursor from which a server sends events.
const CURSOR_HEADER: &str = "interline-cursor";
/// After how long a silence the connection counts as lost.
const SILENCE_LIMIT: Duration = Duration::from_secs(90);

/// An open event socket.
pub(crate) struct EventSocket {
    socket: WebSocketStream<Upgraded>,
    /// The cursor from which the server sends events, if it says so.
    pub(crate) start_cursor: Option<String>,
}

impl RemoteServer {
    /// Opens the event socket: for events after a cursor, of these kinds, of these items. Empty means all.
    pub(crate) async fn listen(
        &self,
        since: Option<&str>,
        kinds: &BTreeSet<Kind>,
        ids: &[String],
    ) -> Result<EventSocket, CommandError> {
        let of_kinds = kinds.iter().map(|kind| ("types", kind.name()));
        let of_ids = ids.iter().map(|id| ("ids", id.as_str()));
        let query: Vec<(&str, &str)> =
            since.map(|since| ("since", since)).into_iter().chain(of_kinds).chain(of_ids).collect();
        let key = generate_key();
        let mut url = self.url.join("events").map_err(|error| self.unexpected_response(&error.to_string()))?;
        url.query_pairs_mut().extend_pairs(query);
        let request = self
            .request(Method::GET, url.as_str())?
            .header(CONNECTION, "upgrade")
            .header(UPGRADE, "websocket")
            .header(SEC_WEBSOCKET_VERSION, "13")
            .header(SEC_WEBSOCKET_KEY, &key);
        let response = request.send().await.map_err(|error| self.unreachable(&error))?;
        let status = response.status();
        if status == StatusCode::TOO_MANY_REQUESTS {
            return Err(CommandError::failed("the server has had too many requests").hint("wait a minute"));
        }
        if status != StatusCode::SWITCHING_PROTOCOLS {
            let body = response.bytes().await.map_err(|error| self.unreachable(&error))?;
            return Err(self.refusal(status, &body));
        }
        let accepted = response.headers().get(SEC_WEBSOCKET_ACCEPT).map(|value| value.as_bytes().to_vec());
        if accepted != Some(derive_accept_key(key.as_bytes()).into_bytes()) {
            return Err(self.unexpected_response("it accepts a WebSocket that was not asked for"));
        }
        let start_cursor =
            response.headers().get(CURSOR_HEADER).and_then(|cursor| cursor.to_str().ok()).map(str::to_owned);
        let socket = response.upgrade().await.map_err(|error| self.unexpected_response(&with_causes(&error)))?;
        Ok(EventSocket { socket: WebSocketStream::from_raw_socket(socket, Role::Client, None).await, start_cursor })
    }
}

impl EventSocket {
    /// The next event; `None` when the connection has ended.
    pub(crate) async fn next(&mut self) -> Option<EventMessage> {
        loop {
            // A server that is alive sends pings more often than this.
            match tokio::time::timeout(SILENCE_LIMIT, self.socket.next()).await.ok()??.ok()? {
                Message::Text(text) => return serde_json::from_str(&text).ok(),
                // The pong is queued, and goes out with a flush.
                Message::Ping(_) => self.socket.flush().await.ok()?,
                Message::Close(_) => return None,
                Message::Binary(_) | Message::Pong(_) | Message::Frame(_) => {}
            }
        }
    }
}
