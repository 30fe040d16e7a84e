//! `/events`

use std::collections::BTreeSet;
use std::time::Duration;

use axum::extract::State;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade, close_code};
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use axum::response::{IntoResponse, Response};
use futures_util::SinkExt as _;
use interline_items::{Error, EventCursor, ItemId, Kind, ListenFrom, ListenRequest, Listener, ReceivedEvent, Source};
use tokio::sync::watch;
use tokio::time::{Instant, Interval, interval, timeout};
use uuid::Uuid;

use super::app::App;
use super::error::ApiError;
use super::identify::{self, Caller};
use super::query::Query;
use crate::wire::EventMessage;

/// How long one message may take to be sent. Who reads more slowly than things happen falls behind and hears them later;
/// who does not read is cut off.
const SEND_TIMEOUT: Duration = Duration::from_secs(20);
/// How often it is asked whether the other end is there, and after how long a silence it is not.
const PING: Duration = Duration::from_secs(30);
const SILENCE: Duration = Duration::from_secs(90);
/// How often it is looked who the token stands for.
const RENEWAL: Duration = Duration::from_secs(5);
/// The longest message that is taken: there is nothing to say.
const MAX_MESSAGE: usize = 4 * 1024;
/// What is kept in memory for a listener in each direction.
const BUFFER: usize = 4 * 1024;
/// With an event whose cursor is long.
const MAX_BUFFER: usize = 1024 * 1024;
/// From where it is listened.
const CURSOR: HeaderName = HeaderName::from_static("interline-cursor");
/// One that is longer is not told as a header, which those between here and the listener may find too long.
const MAX_CURSOR: usize = 2 * 1024;

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
        ("types" = Option<Vec<String>>, Query, description = "Only items of these types; repeat it for several."),
        ("ids" = Option<Vec<Uuid>>, Query, description = "Only these items; repeat it for several."),
        ("since" = Option<String>, Query, description = "The `cursor` of an event, to hear what came after it; `0` for everything that is kept. Without it: from now on."),
    ),
    responses((status = 101, description = "Events follow, each as a text message.", body = EventMessage,
        headers(("interline-cursor" = String, description = "Where the listening begins; left out where it is over 2 KiB."))))
)]
pub(super) async fn listen(
    State(app): State<App>,
    caller: Caller,
    headers: HeaderMap,
    query: Query,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response, ApiError> {
    let wanted = wanted(query)?;
    let upgrade = upgrade.map_err(|_| {
        Error::InvalidParameters("this is a WebSocket: connect with one, as `ws://…/events` or `wss://…/events`")
    })?;
    let place = app.end.listeners.clone().try_acquire_owned();
    let place = place.map_err(|_| Error::Unavailable("there is no place for another listener".to_owned()))?;
    let listener = app.interline.listen(&caller.0, wanted).await?;
    let upgrade = upgrade.max_message_size(MAX_MESSAGE).max_frame_size(MAX_MESSAGE);
    let upgrade = upgrade.read_buffer_size(BUFFER).write_buffer_size(BUFFER).max_write_buffer_size(MAX_BUFFER);
    let begins = HeaderValue::try_from(listener.cursor().to_string()).ok().filter(|cursor| cursor.len() <= MAX_CURSOR);
    let mut answer = upgrade
        .on_upgrade(async move |socket| {
            let _place = place;
            let listening = metrics::gauge!("interline_event_listeners");
            listening.increment(1.0);
            Telling::new(app, headers, socket, listener).tell().await;
            listening.decrement(1.0);
        })
        .into_response();
    answer.headers_mut().extend(begins.map(|cursor| (CURSOR, cursor)));
    Ok(answer)
}

fn wanted(mut query: Query) -> Result<ListenRequest, Error> {
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

/// Somebody who is told what happens.
struct Telling {
    app: App,
    headers: HeaderMap,
    socket: WebSocket,
    listener: Listener,
    closing: watch::Receiver<()>,
    ping: Interval,
    renewal: Interval,
    heard_of: Instant,
}

/// Why the telling ends: a code of WebSocket, and words.
struct Ended(u16, &'static str);

/// What happens next.
enum Next {
    Tell(Result<ReceivedEvent, Error>),
    Take(Option<Result<Message, axum::Error>>),
    Ping,
    Renew,
    Close,
}

impl Telling {
    fn new(app: App, headers: HeaderMap, socket: WebSocket, listener: Listener) -> Telling {
        let closing = app.end.is_closing.clone();
        let (ping, renewal) = (interval(PING), interval(RENEWAL));
        Telling { app, headers, socket, listener, closing, ping, renewal, heard_of: Instant::now() }
    }

    async fn tell(mut self) {
        loop {
            if let Err(end) = self.step().await {
                if let Some(Ended(code, reason)) = end {
                    let close = Message::Close(Some(CloseFrame { code, reason: reason.into() }));
                    // Whoever does not take it is cut off all the same.
                    let _ = timeout(Duration::from_secs(1), self.socket.send(close)).await;
                }
                return;
            }
        }
    }

    /// One thing after the other; an error is the end, which is told if there is somebody to tell.
    async fn step(&mut self) -> Result<(), Option<Ended>> {
        let next = tokio::select! {
            heard = self.listener.next() => Next::Tell(heard),
            taken = self.socket.recv() => Next::Take(taken),
            _ = self.ping.tick() => Next::Ping,
            _ = self.renewal.tick() => Next::Renew,
            _ = self.closing.changed() => Next::Close,
        };
        match next {
            Next::Tell(Ok(heard)) => self.say(heard).await,
            Next::Tell(Err(error)) => {
                tracing::warn!(?error, "events cannot be read");
                Err(Some(Ended(close_code::ERROR, "events cannot be read now; come back with your cursor")))
            }
            // Whatever is said, it says that somebody is there.
            Next::Take(Some(Ok(_))) => {
                self.heard_of = Instant::now();
                Ok(())
            }
            Next::Take(_) => Err(None),
            Next::Ping if self.heard_of.elapsed() > SILENCE => Err(None),
            Next::Ping => in_time(self.socket.send(Message::Ping(axum::body::Bytes::new()))).await,
            Next::Renew => self.renew().await,
            Next::Close => Err(Some(Ended(close_code::AWAY, "the server ends; come back with your cursor"))),
        }
    }

    /// Tells an event and what else is at hand, in as few writes as it fits into.
    async fn say(&mut self, first: ReceivedEvent) -> Result<(), Option<Ended>> {
        let mut next = Some(first);
        while let Some(heard) = next {
            let text = serde_json::to_string(&EventMessage::from(&heard)).map_err(|_| None)?;
            metrics::counter!("interline_events_told_total").increment(1);
            in_time(self.socket.feed(Message::Text(text.into()))).await?;
            next = self.listener.at_hand();
        }
        in_time(self.socket.flush()).await
    }

    /// Sees to it that what is told is what the caller may see by now.
    async fn renew(&mut self) -> Result<(), Option<Ended>> {
        let renewed = async {
            let caller = identify::caller(&self.app, &self.headers, Source::Rest).await?;
            self.listener.update(&caller).await
        };
        match renewed.await {
            Err(Error::Unauthorized | Error::Forbidden(_)) => {
                Err(Some(Ended(close_code::POLICY, "the token is not valid any more")))
            }
            // A store that cannot be asked now will be asked again.
            Ok(()) | Err(_) => Ok(()),
        }
    }
}

/// Waits for somebody to take what is sent, for as long as is due.
async fn in_time(sending: impl Future<Output = Result<(), axum::Error>>) -> Result<(), Option<Ended>> {
    match timeout(SEND_TIMEOUT, sending).await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(_)) => Err(None),
        Err(_) => Err(Some(Ended(close_code::POLICY, "you read too slowly; come back with your cursor"))),
    }
}
