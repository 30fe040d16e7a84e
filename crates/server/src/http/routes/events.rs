//! `/events`: the event socket, a WebSocket that sends every change to its listener.

use std::collections::BTreeSet;
use std::sync::Weak;
use std::time::Duration;

use axum::Extension;
use axum::extract::State;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade, close_code};
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use axum::response::{IntoResponse, Response};
use futures_util::SinkExt as _;
use interline_items::{Error, EventCursor, ItemId, Kind, ListenFrom, ListenRequest, Listener, ReceivedEvent, Source};
use tokio::sync::watch;
use tokio::time::{Instant, Interval, interval, timeout};
use utoipa_axum::routes;
use uuid::Uuid;

use super::rules::{RouteRules, Routes};
use crate::connections::ForwardedRequest;
use crate::http::error::ApiError;
use crate::http::extract::caller::AuthenticatedCaller;
use crate::http::extract::query::QueryParams;
use crate::http::middleware::authentication::identity_from_headers;
use crate::http::state::AppState;
use crate::identity::Identity;
use crate::wire::{EventMessage, ItemType};

/// How long one message may take to be sent. A listener that reads more slowly than events come falls behind and gets them
/// later; a listener that does not read is cut off.
const SEND_TIMEOUT: Duration = Duration::from_secs(20);
/// How often the listener is pinged, and after how long a silence it counts as gone.
const PING: Duration = Duration::from_secs(30);
const SILENCE: Duration = Duration::from_secs(90);
/// How often what the token allows is read again; that it was removed is signalled within a second.
const REAUTHENTICATION: Duration = Duration::from_secs(5);
/// The longest message that a listener may send: there is nothing to say.
const MAX_MESSAGE: usize = 4 * 1024;
/// The bytes that a listener's buffers take in each direction.
const BUFFER: usize = 4 * 1024;
/// The most that the write buffer grows to, for an event whose cursor is long.
const MAX_BUFFER: usize = 1024 * 1024;
/// The cursor that the listening begins at.
const CURSOR: HeaderName = HeaderName::from_static("interline-cursor");
/// A longer cursor is not sent as a header, which proxies before the listener may find too long.
const MAX_CURSOR: usize = 2 * 1024;

/// The route of `/events`.
pub(super) fn routes() -> Routes {
    Routes::new().route(routes!(listen), RouteRules::read())
}

/// Listen to what happens
///
/// A WebSocket that tells every change of what the caller may see, after its commit, from every door and every process: one
/// JSON text for each event. In order for each item, none twice.
///
/// Use cases: show changes as they happen; keep a copy up to date. Keep the `cursor` of the last event that you have dealt
/// with, and come back with it as `since`: nothing is missed. Who has heard nothing yet comes back with the
/// `Interline-Cursor` of the answer.
#[utoipa::path(
    get,
    path = "/events",
    tag = "events",
    operation_id = "listen",
    params(
        ("types" = Option<Vec<ItemType>>, Query, description = "Only items of these types; repeat it for several."),
        ("ids" = Option<Vec<Uuid>>, Query, description = "Only these items; repeat it for several."),
        ("since" = Option<String>, Query, description = "The `cursor` of an event, to hear what came after it; `0` for everything that is kept. Without it: from now on."),
    ),
    responses((status = 101, description = "Events follow, each as a text message.", body = EventMessage,
        headers(("interline-cursor" = String, description = "Where the listening begins; left out where it is over 2 KiB."))),
        (status = 410, description = "What is asked for is not known any more"))
)]
async fn listen(
    State(state): State<AppState>,
    caller: AuthenticatedCaller,
    headers: HeaderMap,
    query: QueryParams,
    forwarded: Option<Extension<Weak<ForwardedRequest>>>,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response, ApiError> {
    let request = listen_request(query)?;
    // Not the headers, which keep the whole head in memory.
    let identity = identity_from_headers(&state, &headers)?;
    let upgrade = upgrade.map_err(|_| {
        Error::InvalidParameters("this is a WebSocket: connect with one, as `ws://…/events` or `wss://…/events`")
    })?;
    let permit = state.shutdown.listeners.clone().try_acquire_owned();
    let permit = permit.map_err(|_| Error::Unavailable("there is no place for another listener".to_owned()))?;
    let listener = state.interline.listen(&caller.0, request).await?;
    let forwarded = forwarded.and_then(|Extension(forwarded)| forwarded.upgrade());
    let upgrade = upgrade.max_message_size(MAX_MESSAGE).max_frame_size(MAX_MESSAGE);
    let upgrade = upgrade.read_buffer_size(BUFFER).write_buffer_size(BUFFER).max_write_buffer_size(MAX_BUFFER);
    let begin = HeaderValue::try_from(listener.cursor().to_string()).ok().filter(|cursor| cursor.len() <= MAX_CURSOR);
    let mut response = upgrade
        .on_upgrade(async move |socket| {
            let _held = (permit, forwarded);
            let listeners = metrics::gauge!("interline_event_listeners");
            listeners.increment(1.0);
            EventSocket::new(state, identity, socket, listener).run().await;
            listeners.decrement(1.0);
        })
        .into_response();
    response.headers_mut().extend(begin.map(|cursor| (CURSOR, cursor)));
    Ok(response)
}

/// What the query asks to hear.
fn listen_request(mut query: QueryParams) -> Result<ListenRequest, Error> {
    let kind = |text: &str| {
        Kind::from_name(text).ok_or_else(|| format!("must be one of {}", Kind::ALL.map(Kind::name).join(", ")))
    };
    let kinds: BTreeSet<Kind> = query.many("types", kind).into_iter().collect();
    let id =
        |text: &str| Uuid::parse_str(text).map(ItemId::from_uuid).map_err(|_| "must be the id of an item".to_owned());
    let ids: BTreeSet<ItemId> = query.many("ids", id).into_iter().collect();
    let since = query.one("since", |text| match text {
        "0" => Ok(ListenFrom::Oldest),
        _ => EventCursor::parse(text)
            .map(ListenFrom::After)
            .ok_or_else(|| "must be the cursor of an event, or 0".to_owned()),
    });
    query.finish()?;
    Ok(ListenRequest {
        from: since.unwrap_or(ListenFrom::Now),
        kinds: Some(kinds).filter(|kinds| !kinds.is_empty()),
        ids: Some(ids).filter(|ids| !ids.is_empty()),
    })
}

/// A listener at the other end of a WebSocket.
struct EventSocket {
    state: AppState,
    /// By which the listener is authenticated again and again.
    identity: Identity,
    socket: WebSocket,
    listener: Listener,
    closing: watch::Receiver<()>,
    ping: Interval,
    reauthentication: Interval,
    last_heard: Instant,
}

/// Why the server closes the socket: a close code of WebSocket, and a text.
struct CloseReason(u16, &'static str);

impl CloseReason {
    const INVALID_TOKEN: CloseReason = CloseReason(close_code::POLICY, "the token is not valid any more");
}

/// What the socket waits for.
enum SocketEvent {
    Event(Result<ReceivedEvent, Error>),
    Message(Option<Result<Message, axum::Error>>),
    Ping,
    Reauthenticate,
    Shutdown,
}

impl EventSocket {
    fn new(state: AppState, identity: Identity, socket: WebSocket, listener: Listener) -> EventSocket {
        let closing = state.shutdown.is_closing.clone();
        let (ping, reauthentication) = (interval(PING), interval(REAUTHENTICATION));
        EventSocket { state, identity, socket, listener, closing, ping, reauthentication, last_heard: Instant::now() }
    }

    /// Sends events until the socket is closed, by whichever side.
    async fn run(mut self) {
        let revoked = self.listener.revoked();
        let reason = tokio::select! {
            reason = self.serve() => reason,
            // Also where it waits for a listener that does not read.
            () = revoked => Some(CloseReason::INVALID_TOKEN),
        };
        if let Some(CloseReason(code, reason)) = reason {
            let close = Message::Close(Some(CloseFrame { code, reason: reason.into() }));
            // A listener that does not read it is cut off all the same.
            let _ = timeout(Duration::from_secs(1), self.socket.send(close)).await;
        }
    }

    /// Sends events until there is a reason to close the socket, which is returned if the listener is still there.
    async fn serve(&mut self) -> Option<CloseReason> {
        loop {
            if let Err(reason) = self.step().await {
                return reason;
            }
        }
    }

    /// Handles the next thing that happens. An error closes the socket, with a reason if the listener is still there.
    async fn step(&mut self) -> Result<(), Option<CloseReason>> {
        let happened = tokio::select! {
            event = self.listener.next() => SocketEvent::Event(event),
            message = self.socket.recv() => SocketEvent::Message(message),
            _ = self.ping.tick() => SocketEvent::Ping,
            _ = self.reauthentication.tick() => SocketEvent::Reauthenticate,
            _ = self.closing.changed() => SocketEvent::Shutdown,
        };
        match happened {
            SocketEvent::Event(Ok(event)) => self.send_events(event).await,
            SocketEvent::Event(Err(error)) => {
                tracing::warn!(error = error.with_detail(), "events cannot be read");
                Err(Some(CloseReason(close_code::ERROR, "events cannot be read now; come back with your cursor")))
            }
            // Any message shows that the listener is there.
            SocketEvent::Message(Some(Ok(_))) => {
                self.last_heard = Instant::now();
                Ok(())
            }
            SocketEvent::Message(_) => Err(None),
            SocketEvent::Ping if self.last_heard.elapsed() > SILENCE => Err(None),
            SocketEvent::Ping => with_send_timeout(self.socket.send(Message::Ping(axum::body::Bytes::new()))).await,
            SocketEvent::Reauthenticate => self.reauthenticate().await,
            SocketEvent::Shutdown => {
                Err(Some(CloseReason(close_code::AWAY, "the server ends; come back with your cursor")))
            }
        }
    }

    /// Sends an event and those that wait behind it, in as few writes as they fit into.
    async fn send_events(&mut self, first: ReceivedEvent) -> Result<(), Option<CloseReason>> {
        let mut next = Some(first);
        while let Some(event) = next {
            let text = serde_json::to_string(&EventMessage::from(&event)).map_err(|_| None)?;
            metrics::counter!("interline_events_told_total").increment(1);
            with_send_timeout(self.socket.feed(Message::Text(text.into()))).await?;
            next = self.listener.next_buffered();
        }
        with_send_timeout(self.socket.flush()).await
    }

    /// Authenticates the listener again, so that it gets only events that its token allows by now.
    async fn reauthenticate(&mut self) -> Result<(), Option<CloseReason>> {
        let updated = async {
            let caller = self.identity.caller(&self.state.interline, Source::Rest).await?;
            self.listener.update(&caller).await
        };
        match updated.await {
            Err(Error::Unauthorized | Error::Forbidden(_)) => Err(Some(CloseReason::INVALID_TOKEN)),
            // A store that cannot answer now is asked again.
            Ok(()) | Err(_) => Ok(()),
        }
    }
}

/// Waits until the listener has taken what is sent; a listener that takes too long is cut off.
async fn with_send_timeout(sending: impl Future<Output = Result<(), axum::Error>>) -> Result<(), Option<CloseReason>> {
    match timeout(SEND_TIMEOUT, sending).await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(_)) => Err(None),
        Err(_) => Err(Some(CloseReason(close_code::POLICY, "you read too slowly; come back with your cursor"))),
    }
}
