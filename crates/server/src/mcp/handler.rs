//! The protocol: what a server is asked for, and by whom.

use std::sync::Arc;

use interline_items::{Caller, Error, Interline, UserId};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestParams, CompleteResult,
    GetPromptRequestMethod, GetPromptRequestParams, GetPromptResponse, Implementation, InitializeRequestParams,
    InitializeResult, ListPromptsRequestMethod, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
    ListToolsResult, PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, ServerConfig,
    SubscribeRequestMethod, SubscribeRequestParams, SubscriptionFilter, UnsubscribeRequestMethod,
    UnsubscribeRequestParams,
};
use rmcp::service::{RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};

use super::server::Offer;
use super::subscriptions::Connection;
use super::tool::{Call, Tool};
use super::{Effect, McpServer, answer, completion, prompts, resources};
use crate::identity::Identity;
use crate::shutdown::Shutdown;

/// A server at a door; cheap to clone.
#[derive(Clone)]
pub(crate) struct Handler {
    pub(super) server: McpServer,
    offer: Arc<Offer>,
    pub(super) interline: Interline,
    principal: Principal,
    pub(super) end: Shutdown,
}

/// Who calls.
#[derive(Clone)]
pub(crate) enum Principal {
    /// The [`Visitor`] that each request brings along.
    OfRequest,
    /// This user, whatever is asked, on a connection of their own.
    Owner(UserId, Arc<Connection>),
}

/// Who sent a request, and which one it is.
#[derive(Clone)]
pub(crate) struct Visitor {
    pub(crate) identity: Identity,
    pub(crate) caller: Caller,
    /// As in the log.
    pub(crate) request_id: String,
}

impl Handler {
    pub(crate) fn new(server: McpServer, interline: Interline, principal: Principal, end: Shutdown) -> Handler {
        Handler { server, offer: Arc::new(server.offer()), interline, principal, end }
    }

    /// What a tool does; `None` if there is none of that name.
    pub(crate) fn effect(&self, tool: &str) -> Option<Effect> {
        self.tool(tool).map(|tool| tool.about.effect)
    }

    fn tool(&self, name: &str) -> Option<&Tool> {
        self.offer.tools.iter().find(|tool| tool.about.name == name)
    }

    pub(super) async fn visitor(&self, context: &RequestContext<RoleServer>) -> Result<Visitor, Error> {
        match &self.principal {
            Principal::OfRequest => {
                let request = context.extensions.get::<axum::http::request::Parts>();
                request.and_then(|request| request.extensions.get::<Visitor>()).cloned().ok_or(Error::Unauthorized)
            }
            Principal::Owner(owner, _) => {
                let identity = Identity::User(*owner);
                let caller = identity.caller(&self.interline, self.server.source()).await?;
                Ok(Visitor { identity, caller, request_id: context.id.to_string() })
            }
        }
    }

    /// Why one more cannot be told of changes.
    pub(super) fn no_place(&self) -> Error {
        match self.principal {
            Principal::OfRequest => Error::Unavailable("there is no place for another listener".to_owned()),
            Principal::Owner(..) => {
                Error::InvalidParameters("there can be 16 streams at a time: cancel one that is not needed")
            }
        }
    }

    /// What a visitor's request has at hand.
    pub(super) fn call_of(&self, visitor: &Visitor) -> Call {
        Call { interline: self.interline.clone(), caller: visitor.caller.clone() }
    }

    /// What a request of the protocol's own has at hand, and its id in the log.
    async fn begun(&self, context: &RequestContext<RoleServer>) -> Result<(Call, String), ErrorData> {
        match self.visitor(context).await {
            Ok(visitor) => Ok((self.call_of(&visitor), visitor.request_id)),
            Err(error) => Err(answer::protocol_error(&error, &context.id.to_string())),
        }
    }

    async fn call(
        &self,
        tool: &Tool,
        request: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> CallToolResult {
        let visitor = match self.visitor(context).await {
            Ok(visitor) => visitor,
            Err(error) => return answer::refused(&error, &context.id.to_string()),
        };
        match tool.run(self.call_of(&visitor), request.arguments.unwrap_or_default()).await {
            Ok(told) => told.into_result(),
            Err(error) => answer::refused(&error, &visitor.request_id),
        }
    }
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let name = format!("interline-{}", self.server.name());
        let this = Implementation::new(name, env!("CARGO_PKG_VERSION")).with_title(self.offer.title);
        ServerConfig::new(self.server.capabilities()).with_server_info(this).with_instructions(self.offer.instructions)
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        context.peer.set_peer_info(request.clone());
        let mut told = self.negotiate_initialize(&request)?;
        match (&self.principal, self.server) {
            // After a handshake over HTTP there is no session, and without one no stream.
            (Principal::OfRequest, _) => told.capabilities = self.server.capabilities_without_telling(),
            (Principal::Owner(..), McpServer::Content | McpServer::Code) => {}
            (Principal::Owner(_, connection), McpServer::Prompts) => {
                let refused = |error: &Error| answer::protocol_error(error, &context.id.to_string());
                let visitor = self.visitor(&context).await.map_err(|error| refused(&error))?;
                let begun = connection.tell_prompt_list(self, &visitor, context.peer.clone()).await;
                begun.map_err(|error| refused(&error))?;
            }
        }
        Ok(told)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.offer.tools.iter().map(Tool::described).collect()))
    }

    fn get_tool(&self, name: &str) -> Option<rmcp::model::Tool> {
        self.tool(name).map(Tool::described)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = self.tool(&request.name) else {
            let known: Vec<&str> = self.offer.tools.iter().map(|tool| tool.about.name).collect();
            let wanted: String = request.name.chars().take(100).collect();
            let message = format!("there is no tool `{wanted}`; there are {}", known.join(", "));
            return Err(ErrorData::invalid_params(message, None));
        };
        Ok(self.call(tool, request, &context).await.into())
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(resources::templates(self.server))
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let (call, request_id) = self.begun(&context).await?;
        let cursor = request.and_then(|request| request.cursor);
        let listed = resources::list(&call, self.server, cursor.as_deref()).await;
        listed.map_err(|error| answer::protocol_error(&error, &request_id))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let (call, request_id) = self.begun(&context).await?;
        let read = resources::read(&call, self.server, &request.uri).await;
        read.map(Into::into).map_err(|error| answer::resource_error(&error, &request.uri, &request_id))
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let Principal::Owner(_, connection) = &self.principal else {
            return Err(ErrorData::method_not_found::<SubscribeRequestMethod>());
        };
        let subscribed = async {
            let visitor = self.visitor(&context).await?;
            connection.subscribe(self, &visitor, context.peer.clone(), &request.uri).await
        };
        subscribed.await.map_err(|error| answer::resource_error(&error, &request.uri, &context.id.to_string()))
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let Principal::Owner(_, connection) = &self.principal else {
            return Err(ErrorData::method_not_found::<UnsubscribeRequestMethod>());
        };
        connection.unsubscribe(&request.uri).await;
        Ok(())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Handler::granted(requested)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        self.tell_stream(context).await
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let (call, request_id) = self.begun(&context).await?;
        let offered = completion::complete(&call, self.server, request).await;
        offered.map_err(|error| answer::protocol_error(&error, &request_id))
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        match self.server {
            McpServer::Content | McpServer::Code => Err(ErrorData::method_not_found::<ListPromptsRequestMethod>()),
            McpServer::Prompts => {
                let (call, request_id) = self.begun(&context).await?;
                let cursor = request.and_then(|request| request.cursor);
                let listed = prompts::offered::list(&call, cursor.as_deref()).await;
                listed.map_err(|error| answer::protocol_error(&error, &request_id))
            }
        }
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        match self.server {
            McpServer::Content | McpServer::Code => Err(ErrorData::method_not_found::<GetPromptRequestMethod>()),
            McpServer::Prompts => {
                let (call, request_id) = self.begun(&context).await?;
                let rendered = prompts::offered::get(&call, request).await;
                rendered.map(Into::into).map_err(|error| answer::protocol_error(&error, &request_id))
            }
        }
    }
}
