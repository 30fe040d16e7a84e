//! Subscriptions: notifies clients, after the commit, that items which they subscribed to or the list of prompts have
//! changed, whichever door made the change.
//!
//! A client that has done the handshake subscribes to addresses one by one and gets notifications on its connection, if
//! it has one ([`ConnectionSubscriptions`]). Since protocol 2026-07-28 there is no handshake: one request lists all
//! subscriptions, and is answered by a stream ([`NotificationStream`]) that ends with the request.

mod client_subscriptions;
mod notifier;

use std::sync::{Arc, PoisonError};

use interline_items::{Error, Item, ItemRef, ReadContent};
use rmcp::model::{
    ClientNotification, ClientRequest, ErrorCode, ProtocolVersion, ServerConfig, ServerResult, SubscriptionFilter,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{ErrorData, Peer, RoleServer, Service};
use tokio::sync::{Mutex, OnceCell};
use tokio::task::JoinSet;

use self::client_subscriptions::{ClientSubscriptions, MAX_ADDRESSES, SubscribedItem, too_many_subscriptions};
use self::notifier::{EventNotifier, NotificationSink, Subscriber};
use super::tool::CallContext;
use super::{AuthenticatedRequest, Handler, McpServer, resources, results};

/// The subscriptions of a client whose notifications go to its connection.
#[derive(Default)]
pub(crate) struct ConnectionSubscriptions {
    subscriptions: Arc<Mutex<ClientSubscriptions>>,
    /// The task of the notifier, from the first subscription on; ends with the connection.
    notifier: OnceCell<JoinSet<()>>,
}

/// A stream of notifications that was requested and has not begun: its notifier, until it is taken to run.
#[derive(Clone)]
pub(crate) struct NotificationStream(Arc<std::sync::Mutex<Option<EventNotifier>>>);

/// The item that an address leads to, with the errors that reading it would have.
async fn subscribed_item(call: &CallContext, server: McpServer, uri: &str) -> Result<SubscribedItem, Error> {
    let item_ref = resources::parse_item_ref(server, uri, call.interline.limits())?;
    let Item { id, .. } = call.interline.read(&call.caller.seeing_stored(), &item_ref, ReadContent::Omit).await?.item;
    let name = match item_ref {
        ItemRef::Id(..) => None,
        ItemRef::PromptName(name) => Some(name),
    };
    Ok(SubscribedItem { item: Some(id), name })
}

impl ConnectionSubscriptions {
    /// Starts the notifier, unless it runs already.
    async fn start_notifier(
        &self,
        handler: &Handler,
        request: &AuthenticatedRequest,
        peer: Peer<RoleServer>,
    ) -> Result<(), Error> {
        let started = self.notifier.get_or_try_init(async || {
            let notifier = handler.notifier(request, Arc::clone(&self.subscriptions)).await?;
            let mut task = JoinSet::new();
            task.spawn(async move {
                if let Err(error) = notifier.run(&NotificationSink::Connection(peer)).await {
                    tracing::warn!(error = error.with_detail(), "nothing more is told of changes");
                }
            });
            Ok(task)
        });
        started.await.map(drop)
    }

    /// Subscribes to changes of the list of prompts.
    pub(super) async fn notify_prompt_list(
        &self,
        handler: &Handler,
        request: &AuthenticatedRequest,
        peer: Peer<RoleServer>,
    ) -> Result<(), Error> {
        self.subscriptions.lock().await.add_prompt_list();
        self.start_notifier(handler, request, peer).await
    }

    pub(super) async fn subscribe(
        &self,
        handler: &Handler,
        request: &AuthenticatedRequest,
        peer: Peer<RoleServer>,
        uri: &str,
    ) -> Result<(), Error> {
        self.start_notifier(handler, request, peer).await?;
        // The lock holds the notifier back, so that it handles no event between reading the item and subscribing to it.
        let mut subscriptions = self.subscriptions.lock().await;
        subscriptions.check_room(uri)?;
        let item = subscribed_item(&handler.call_context(request), handler.server, uri).await?;
        subscriptions.add(uri, item);
        Ok(())
    }

    pub(super) async fn unsubscribe(&self, uri: &str) {
        self.subscriptions.lock().await.remove(uri);
    }
}

impl Handler {
    async fn notifier(
        &self,
        request: &AuthenticatedRequest,
        subscriptions: Arc<Mutex<ClientSubscriptions>>,
    ) -> Result<EventNotifier, Error> {
        let permit = Arc::clone(&self.shutdown.listeners).try_acquire_owned();
        let permit = permit.map_err(|_| self.too_many_listeners())?;
        let AuthenticatedRequest { identity, caller, .. } = request.clone();
        let subscriber = Subscriber { identity, caller, is_closing: self.shutdown.is_closing.clone(), permit };
        EventNotifier::new(self.server, self.interline.clone(), subscriber, subscriptions).await
    }

    /// Opens the stream that a request asks for. It listens at once, and not only when it begins: before that the client
    /// is told that it has the stream, and must miss no event from then on.
    pub(crate) async fn open_stream(
        &self,
        request: &AuthenticatedRequest,
        filter: &SubscriptionFilter,
    ) -> Result<NotificationStream, ErrorData> {
        let refused = |error: &Error| results::protocol_error(error, &request.request_id);
        let uris = filter.resource_subscriptions.as_deref().unwrap_or_default();
        if uris.len() > MAX_ADDRESSES {
            return Err(refused(&too_many_subscriptions()));
        }
        let subscriptions = Arc::new(Mutex::new(ClientSubscriptions::default()));
        let notifier = self.notifier(request, Arc::clone(&subscriptions)).await.map_err(|error| refused(&error))?;
        let (mut subscriptions, call) = (subscriptions.lock().await, self.call_context(request));
        // Only the prompt server listens to events of prompts, so that this has no effect on the others.
        if filter.prompts_list_changed == Some(true) {
            subscriptions.add_prompt_list();
        }
        for uri in uris {
            subscriptions.check_room(uri).map_err(|error| refused(&error))?;
            let item = subscribed_item(&call, self.server, uri).await.map_err(|error| {
                let mut refused = results::resource_error(&error, uri, &request.request_id);
                // In protocol versions that have streams, a missing resource has no error code of its own.
                if refused.code == ErrorCode::RESOURCE_NOT_FOUND {
                    refused.code = ErrorCode::INVALID_PARAMS;
                }
                refused
            })?;
            subscriptions.add(uri, item);
        }
        Ok(NotificationStream(Arc::new(std::sync::Mutex::new(Some(notifier)))))
    }

    /// The part of a request for a stream that is granted: all of it, because opening the stream has refused the rest.
    pub(super) fn granted_filter(requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        // The SDK compares each address with each.
        let is_bounded = requested.resource_subscriptions.iter().flatten().count() <= MAX_ADDRESSES;
        is_bounded.then(|| requested.clone())
    }

    /// Sends notifications on a stream that was opened, until it ends.
    pub(super) async fn run_stream(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let request = context.request_context();
        let http_request = request.extensions.get::<axum::http::request::Parts>();
        let opened = http_request
            .and_then(|parts| parts.extensions.get())
            .or_else(|| request.extensions.get::<NotificationStream>());
        let Some(notifier) = opened.and_then(NotificationStream::take) else {
            return Err(ErrorData::invalid_request("this is not a request for a stream", None));
        };
        let sink = NotificationSink::Stream(context.sink().clone());
        tokio::select! {
            ended = notifier.run(&sink) => ended.map_err(|error| results::protocol_error(&error, &request.id.to_string())),
            () = context.cancelled() => Ok(()),
        }
    }
}

impl NotificationStream {
    fn take(&self) -> Option<EventNotifier> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// The service of a handler on a connection: it opens streams before the client is told that it has them.
pub(super) struct ConnectionService(pub(super) Handler);

impl Service<RoleServer> for ConnectionService {
    async fn handle_request(
        &self,
        request: ClientRequest,
        mut context: RequestContext<RoleServer>,
    ) -> Result<ServerResult, ErrorData> {
        if let ClientRequest::SubscriptionsListenRequest(listen) = &request {
            let authenticated = self.0.authenticate(&context).await;
            let authenticated =
                authenticated.map_err(|error| results::protocol_error(&error, &context.id.to_string()))?;
            let stream = self.0.open_stream(&authenticated, &listen.params.notifications).await?;
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
