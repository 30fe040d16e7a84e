//! Telling clients that items have changed which they subscribed to, and that the list of prompts has: after the commit,
//! whichever door made the change.
//!
//! A client that has shaken hands subscribes to addresses one by one and is told on its connection, if it has one
//! ([`Connection`]). Since protocol 2026-07-28 there is no handshake: a request says all that is wanted, and is answered by a
//! stream ([`Stream`]) that ends with it.

mod telling;
mod wanted;

use std::sync::{Arc, PoisonError};

use interline_items::{Error, Item, ItemRef, ReadContent};
use rmcp::model::{
    ClientNotification, ClientRequest, ErrorCode, ProtocolVersion, ServerConfig, ServerResult, SubscriptionFilter,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{ErrorData, Peer, RoleServer, Service};
use tokio::sync::{Mutex, OnceCell};
use tokio::task::JoinSet;

use self::telling::{Listening, Sink, Telling};
use self::wanted::{MAX_ADDRESSES, Wanted, Watched, too_many};
use super::tool::Call;
use super::{Handler, McpServer, Visitor, answer, resources};

/// What a client is told on its connection.
#[derive(Default)]
pub(crate) struct Connection {
    wanted: Arc<Mutex<Wanted>>,
    /// Tells it, once there is something to tell; ends with the connection.
    telling: OnceCell<JoinSet<()>>,
}

/// A stream that was asked for and not begun.
#[derive(Clone)]
pub(crate) struct Stream(Arc<std::sync::Mutex<Option<Telling>>>);

/// What an address leads to; refused as reading it would be.
async fn watched(call: &Call, server: McpServer, uri: &str) -> Result<Watched, Error> {
    let which = resources::item_at(server, uri, call.interline.limits())?;
    let Item { id, .. } = call.interline.read(&call.caller, &which, ReadContent::Omit).await?.item;
    let name = match which {
        ItemRef::Id(..) => None,
        ItemRef::PromptName(name) => Some(name),
    };
    Ok(Watched { item: Some(id), name })
}

impl Connection {
    /// Sees to it that what is wanted from now on is told.
    async fn begin(&self, handler: &Handler, visitor: &Visitor, peer: Peer<RoleServer>) -> Result<(), Error> {
        let begun = self.telling.get_or_try_init(async || {
            let telling = handler.telling(visitor, Arc::clone(&self.wanted)).await?;
            let mut task = JoinSet::new();
            task.spawn(async move {
                if let Err(error) = telling.run(&Sink::Connection(peer)).await {
                    tracing::warn!(?error, "nothing more is told of changes");
                }
            });
            Ok(task)
        });
        begun.await.map(drop)
    }

    /// Tells from now on that the list of prompts has changed.
    pub(super) async fn tell_prompt_list(
        &self,
        handler: &Handler,
        visitor: &Visitor,
        peer: Peer<RoleServer>,
    ) -> Result<(), Error> {
        self.wanted.lock().await.add_prompt_list();
        self.begin(handler, visitor, peer).await
    }

    pub(super) async fn subscribe(
        &self,
        handler: &Handler,
        visitor: &Visitor,
        peer: Peer<RoleServer>,
        uri: &str,
    ) -> Result<(), Error> {
        self.begin(handler, visitor, peer).await?;
        // Nothing is told meanwhile, so that no event comes between what the address leads to and its being watched.
        let mut wanted = self.wanted.lock().await;
        wanted.check_room(uri)?;
        let watched = watched(&handler.call_of(visitor), handler.server, uri).await?;
        wanted.add(uri, watched);
        Ok(())
    }

    pub(super) async fn unsubscribe(&self, uri: &str) {
        self.wanted.lock().await.remove(uri);
    }
}

impl Handler {
    async fn telling(&self, visitor: &Visitor, wanted: Arc<Mutex<Wanted>>) -> Result<Telling, Error> {
        let place = Arc::clone(&self.end.listeners).try_acquire_owned();
        let place = place.map_err(|_| self.no_place())?;
        let Visitor { identity, caller, .. } = visitor.clone();
        let listening = Listening { identity, caller, is_closing: self.end.is_closing.clone(), place };
        Telling::new(self.server, self.interline.clone(), listening, wanted).await
    }

    /// What is asked for as a stream. It listens at once, and not when it begins: before that the client is told that it has
    /// it, and must miss nothing from then on.
    pub(crate) async fn open(&self, visitor: &Visitor, filter: &SubscriptionFilter) -> Result<Stream, ErrorData> {
        let refused = |error: &Error| answer::protocol_error(error, &visitor.request_id);
        let uris = filter.resource_subscriptions.as_deref().unwrap_or_default();
        if uris.len() > MAX_ADDRESSES {
            return Err(refused(&too_many()));
        }
        let wanted = Arc::new(Mutex::new(Wanted::default()));
        let telling = self.telling(visitor, Arc::clone(&wanted)).await.map_err(|error| refused(&error))?;
        let (mut wanted, call) = (wanted.lock().await, self.call_of(visitor));
        // Only the server of prompts hears of them.
        if filter.prompts_list_changed == Some(true) {
            wanted.add_prompt_list();
        }
        for uri in uris {
            wanted.check_room(uri).map_err(|error| refused(&error))?;
            let watched = watched(&call, self.server, uri).await.map_err(|error| {
                let mut refused = answer::resource_error(&error, uri, &visitor.request_id);
                // A missing resource has no code of its own where there are streams.
                if refused.code == ErrorCode::RESOURCE_NOT_FOUND {
                    refused.code = ErrorCode::INVALID_PARAMS;
                }
                refused
            })?;
            wanted.add(uri, watched);
        }
        Ok(Stream(Arc::new(std::sync::Mutex::new(Some(telling)))))
    }

    /// What of a request for a stream is granted. The rest was refused when it was opened.
    pub(super) fn granted(requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        // The SDK compares each with each.
        let is_bounded = requested.resource_subscriptions.iter().flatten().count() <= MAX_ADDRESSES;
        is_bounded.then(|| requested.clone())
    }

    /// Tells on a stream that the client was told it has.
    pub(super) async fn tell_stream(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let request = context.request_context();
        let of_http = request.extensions.get::<axum::http::request::Parts>();
        let opened = of_http.and_then(|parts| parts.extensions.get()).or_else(|| request.extensions.get::<Stream>());
        let Some(telling) = opened.and_then(Stream::take) else {
            return Err(ErrorData::invalid_request("this is not a request for a stream", None));
        };
        let sink = Sink::Stream(context.sink().clone());
        tokio::select! {
            ended = telling.run(&sink) => ended.map_err(|error| answer::protocol_error(&error, &request.id.to_string())),
            () = context.cancelled() => Ok(()),
        }
    }
}

impl Stream {
    fn take(&self) -> Option<Telling> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// A server on a connection of its own: streams are opened before they are promised.
pub(super) struct Connected(pub(super) Handler);

impl Service<RoleServer> for Connected {
    async fn handle_request(
        &self,
        request: ClientRequest,
        mut context: RequestContext<RoleServer>,
    ) -> Result<ServerResult, ErrorData> {
        if let ClientRequest::SubscriptionsListenRequest(listen) = &request {
            let visitor = self.0.visitor(&context).await;
            let visitor = visitor.map_err(|error| answer::protocol_error(&error, &context.id.to_string()))?;
            let stream = self.0.open(&visitor, &listen.params.notifications).await?;
            context.extensions.insert(stream);
        }
        self.0.handle_request(request, context).await
    }

    async fn handle_notification(
        &self,
        notification: ClientNotification,
        context: NotificationContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.0.handle_notification(notification, context).await
    }

    fn get_info(&self) -> ServerConfig {
        Service::get_info(&self.0)
    }

    fn supported_protocol_versions(&self) -> std::borrow::Cow<'static, [ProtocolVersion]> {
        Service::supported_protocol_versions(&self.0)
    }
}
