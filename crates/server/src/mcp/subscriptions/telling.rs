//! Telling what happens, as long as somebody listens.

use std::sync::Arc;
use std::time::Duration;

use interline_items::{
    Caller, Error, Event, Interline, ItemRef, Kind, ListenFrom, ListenRequest, Listener, ReadContent, ReceivedEvent,
};
use rmcp::model::ResourceUpdatedNotificationParam;
use rmcp::service::SubscriptionSink;
use rmcp::{Peer, RoleServer};
use tokio::sync::{Mutex, OwnedSemaphorePermit, watch};
use tokio::time::{MissedTickBehavior, interval, sleep};

use super::wanted::{News, Wanted};
use crate::identity::Identity;
use crate::mcp::McpServer;

/// How often it is looked who is told.
const RENEWAL: Duration = Duration::from_secs(5);
/// How long to wait after events could not be read.
const RETRY: Duration = Duration::from_secs(1);
/// How many events are put together, where they have happened already.
const MAX_TOGETHER: usize = 512;

/// A client that is told what it wants. What it has not read yet waits in the store, not here.
pub(super) struct Telling {
    server: McpServer,
    interline: Interline,
    identity: Identity,
    caller: Caller,
    listener: Listener,
    wanted: Arc<Mutex<Wanted>>,
    /// Its sender is gone when nothing more is to be told.
    is_closing: watch::Receiver<()>,
    _place: OwnedSemaphorePermit,
}

/// Where it is told.
pub(super) enum Sink {
    /// On the connection, to a client that has shaken hands.
    Connection(Peer<RoleServer>),
    /// As a part of the answer to a request.
    Stream(SubscriptionSink),
}

/// What a client that is told comes with.
pub(super) struct Listening {
    pub(super) identity: Identity,
    pub(super) caller: Caller,
    pub(super) is_closing: watch::Receiver<()>,
    pub(super) place: OwnedSemaphorePermit,
}

/// What happens next.
enum Next {
    Tell(Result<ReceivedEvent, Error>),
    Renew,
}

impl Telling {
    /// Listens from now on.
    pub(super) async fn new(
        server: McpServer,
        interline: Interline,
        listening: Listening,
        wanted: Arc<Mutex<Wanted>>,
    ) -> Result<Telling, Error> {
        let Listening { identity, caller, is_closing, place } = listening;
        let kinds = Some(server.kinds().iter().copied().collect());
        let listener = interline.listen(&caller, ListenRequest { from: ListenFrom::Now, kinds, ids: None }).await?;
        Ok(Telling { server, interline, identity, caller, listener, wanted, is_closing, _place: place })
    }

    /// Tells until nobody hears it or the server ends; an error if the client may not be told any more.
    pub(super) async fn run(mut self, sink: &Sink) -> Result<(), Error> {
        let mut is_closing = self.is_closing.clone();
        tokio::select! {
            ended = self.tell(sink) => ended,
            _ = is_closing.changed() => Ok(()),
        }
    }

    async fn tell(&mut self, sink: &Sink) -> Result<(), Error> {
        let mut renewal = interval(RENEWAL);
        renewal.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let next = tokio::select! {
                // Who has not read for long may not be told any more.
                biased;
                _ = renewal.tick() => Next::Renew,
                heard = self.listener.next() => Next::Tell(heard),
            };
            match next {
                Next::Tell(Ok(heard)) => {
                    let news = self.news(&heard.event).await;
                    if sink.send(news).await.is_err() {
                        return Ok(());
                    }
                }
                Next::Tell(Err(error)) => {
                    tracing::warn!(?error, "events cannot be read; it is tried again");
                    sleep(RETRY).await;
                }
                Next::Renew => self.renew().await?,
            }
        }
    }

    /// What an event and those that came right after it are to the client.
    async fn news(&mut self, first: &Event) -> News {
        let mut news = News::default();
        self.note(first, &mut news).await;
        for _ in 1..MAX_TOGETHER {
            let more = tokio::select! {
                biased;
                heard = self.listener.next() => heard,
                () = std::future::ready(()) => return news,
            };
            match more {
                Ok(heard) => self.note(&heard.event, &mut news).await,
                // It is asked for again after these are told.
                Err(_) => return news,
            }
        }
        news
    }

    async fn note(&self, event: &Event, news: &mut News) {
        let mut wanted = self.wanted.lock().await;
        wanted.note(event, news);
        if wanted.depends_on_name(event) {
            let which = ItemRef::Id(event.item, Some(Kind::Prompt));
            match self.interline.read(&self.caller, &which, ReadContent::Omit).await {
                Ok(read) => wanted.note_name(event.item, read.item.fields.name.as_ref(), news),
                Err(Error::NotFound { .. }) => wanted.note_name(event.item, None, news),
                Err(error) => tracing::warn!(?error, "the name of a prompt cannot be read"),
            }
        }
    }

    /// Sees to it that what is told is what the client may see by now.
    async fn renew(&mut self) -> Result<(), Error> {
        let renewed = async {
            let caller = self.identity.caller(&self.interline, self.server.source()).await?;
            self.listener.update(&caller).await?;
            self.caller = caller;
            Ok(())
        };
        match renewed.await {
            Err(error @ (Error::Unauthorized | Error::Forbidden(_))) => Err(error),
            // A store that cannot be asked now will be asked again.
            Ok(()) | Err(_) => Ok(()),
        }
    }
}

/// There is nobody any more.
struct Gone;

impl Sink {
    /// Returns when all of it is taken: who reads slowly is told later, and of several changes once.
    async fn send(&self, news: News) -> Result<(), Gone> {
        if news.has_new_prompt_list {
            match self {
                Sink::Connection(peer) => peer.notify_prompt_list_changed().await.map_err(|_| Gone)?,
                Sink::Stream(stream) => stream.notify_prompt_list_changed().await.map_err(|_| Gone)?,
            }
        }
        for uri in news.addresses {
            match self {
                Sink::Connection(peer) => {
                    let told = ResourceUpdatedNotificationParam::new(uri);
                    peer.notify_resource_updated(told).await.map_err(|_| Gone)?;
                }
                Sink::Stream(stream) => stream.notify_resource_updated(uri).await.map_err(|_| Gone)?,
            }
        }
        Ok(())
    }
}
