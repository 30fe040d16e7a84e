//! The notifier: a task that listens to events and sends a client the notifications that it subscribed to.

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

use super::client_subscriptions::{ClientSubscriptions, PendingNotifications};
use crate::identity::Identity;
use crate::mcp::McpServer;

/// How often the permissions of the client are read again; that its token was removed is signalled within a second.
const RENEWAL: Duration = Duration::from_secs(5);
/// How long to wait after events could not be read.
const RETRY: Duration = Duration::from_secs(1);
/// How many events are merged into one set of notifications, where they have happened already.
const MAX_MERGED: usize = 512;

/// Sends a client its notifications. Events that the client has not read yet wait in the store, not here.
pub(super) struct EventNotifier {
    server: McpServer,
    interline: Interline,
    identity: Identity,
    caller: Caller,
    listener: Listener,
    subscriptions: Arc<Mutex<ClientSubscriptions>>,
    /// The sender is dropped when the server or the connection ends.
    is_closing: watch::Receiver<()>,
    _permit: OwnedSemaphorePermit,
}

/// Where notifications are sent to.
pub(super) enum NotificationSink {
    /// The connection of a client that has done the handshake.
    Connection(Peer<RoleServer>),
    /// The stream that answers a request.
    Stream(SubscriptionSink),
}

/// A client that listens: its authentication, and its permit among the listeners of the server.
pub(super) struct Subscriber {
    pub(super) identity: Identity,
    pub(super) caller: Caller,
    pub(super) is_closing: watch::Receiver<()>,
    pub(super) permit: OwnedSemaphorePermit,
}

/// What the notifier has waited for.
enum NotifierWakeup {
    Event(Result<ReceivedEvent, Error>),
    Renewal,
}

impl EventNotifier {
    /// A notifier that listens from now on.
    pub(super) async fn new(
        server: McpServer,
        interline: Interline,
        subscriber: Subscriber,
        subscriptions: Arc<Mutex<ClientSubscriptions>>,
    ) -> Result<EventNotifier, Error> {
        let Subscriber { identity, caller, is_closing, permit } = subscriber;
        let kinds = Some(server.kinds().iter().copied().collect());
        let listener = interline.listen(&caller, ListenRequest { from: ListenFrom::Now, kinds, ids: None }).await?;
        Ok(EventNotifier { server, interline, identity, caller, listener, subscriptions, is_closing, _permit: permit })
    }

    /// Sends notifications until the client is gone or the server ends; an error if the client loses its permission.
    pub(super) async fn run(mut self, sink: &NotificationSink) -> Result<(), Error> {
        let mut is_closing = self.is_closing.clone();
        let revoked = self.listener.revoked();
        tokio::select! {
            ended = self.send_notifications(sink) => ended,
            _ = is_closing.changed() => Ok(()),
            // Also where it waits for a client that does not read.
            () = revoked => Err(Error::Unauthorized),
        }
    }

    async fn send_notifications(&mut self, sink: &NotificationSink) -> Result<(), Error> {
        let mut renewal = interval(RENEWAL);
        renewal.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let wakeup = tokio::select! {
                // The renewal comes first: a client that has not read for long may have lost its permission.
                biased;
                _ = renewal.tick() => NotifierWakeup::Renewal,
                received = self.listener.next() => NotifierWakeup::Event(received),
            };
            match wakeup {
                NotifierWakeup::Event(Ok(received)) => {
                    let pending = self.pending_notifications(&received.event).await;
                    if sink.send(pending).await.is_err() {
                        return Ok(());
                    }
                }
                NotifierWakeup::Event(Err(error)) => {
                    tracing::warn!(error = error.with_detail(), "events cannot be read; it is tried again");
                    sleep(RETRY).await;
                }
                NotifierWakeup::Renewal => self.renew_caller().await?,
            }
        }
    }

    /// The notifications for an event and for those that came right after it.
    async fn pending_notifications(&mut self, first: &Event) -> PendingNotifications {
        let mut pending = PendingNotifications::default();
        self.add_notifications(first, &mut pending).await;
        for _ in 1..MAX_MERGED {
            let next = tokio::select! {
                biased;
                received = self.listener.next() => received,
                () = std::future::ready(()) => return pending,
            };
            match next {
                Ok(received) => self.add_notifications(&received.event, &mut pending).await,
                // The events are read again after these notifications are sent.
                Err(_) => return pending,
            }
        }
        pending
    }

    async fn add_notifications(&self, event: &Event, pending: &mut PendingNotifications) {
        let mut subscriptions = self.subscriptions.lock().await;
        subscriptions.add_notifications(event, pending);
        if let Some(event) = event.item_event().filter(|_| subscriptions.depends_on_name(event)) {
            let prompt = ItemRef::Id(event.item, Some(Kind::Prompt));
            match self.interline.read(&self.caller.seeing_stored(), &prompt, ReadContent::Omit).await {
                Ok(read) => {
                    subscriptions.update_name(event.item, read.item.fields.name.as_ref(), pending);
                }
                Err(Error::NotFound { .. }) => subscriptions.update_name(event.item, None, pending),
                Err(error) => tracing::warn!(error = error.with_detail(), "the name of a prompt cannot be read"),
            }
        }
    }

    /// Authenticates the client again, so that notifications follow its present permissions.
    async fn renew_caller(&mut self) -> Result<(), Error> {
        let renewed = async {
            let caller = self.identity.caller(&self.interline, self.server.source()).await?;
            self.listener.update(&caller).await?;
            self.caller = caller;
            Ok(())
        };
        match renewed.await {
            Err(error @ (Error::Unauthorized | Error::Forbidden(_))) => Err(error),
            // A store that cannot be asked now is asked again at the next renewal.
            Ok(()) | Err(_) => Ok(()),
        }
    }
}

/// The client is gone.
struct ClientGone;

impl NotificationSink {
    /// Returns when the client has taken all notifications: a client that reads slowly gets them later, and one for several
    /// changes.
    async fn send(&self, pending: PendingNotifications) -> Result<(), ClientGone> {
        if pending.has_new_prompt_list {
            match self {
                NotificationSink::Connection(peer) => {
                    peer.notify_prompt_list_changed().await.map_err(|_| ClientGone)?;
                }
                NotificationSink::Stream(stream) => {
                    stream.notify_prompt_list_changed().await.map_err(|_| ClientGone)?;
                }
            }
        }
        for uri in pending.addresses {
            match self {
                NotificationSink::Connection(peer) => {
                    let params = ResourceUpdatedNotificationParam::new(uri);
                    peer.notify_resource_updated(params).await.map_err(|_| ClientGone)?;
                }
                NotificationSink::Stream(stream) => {
                    stream.notify_resource_updated(uri).await.map_err(|_| ClientGone)?;
                }
            }
        }
        Ok(())
    }
}
