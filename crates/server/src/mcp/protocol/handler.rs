//! The handler of MCP requests: authenticates the caller of each and dispatches it to tools, prompts, resources,
//! subscriptions and completion.

use std::sync::Arc;

use interline_items::{AttributionRequest, Caller, Client, Error, Interline, Refusal, RequestMemory, Scope};
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

use super::server::Toolset;
use super::subscriptions::ConnectionSubscriptions;
use super::tool::{self, CallContext, Tool};
use super::{Effect, McpServer, completion, prompts, resources, results};
use crate::identity::Identity;
use crate::shutdown::Shutdown;
use crate::wire::{REASON, invalid_field};

/// The request handler of one server on one transport; cheap to clone.
#[derive(Clone)]
pub(crate) struct Handler {
    pub(super) server: McpServer,
    toolset: Arc<Toolset>,
    pub(super) interline: Interline,
    transport: McpTransport,
    pub(super) shutdown: Shutdown,
}

/// How clients reach a handler, and so who the caller of a request is.
#[derive(Clone)]
pub(crate) enum McpTransport {
    /// Over HTTP: each request carries its [`AuthenticatedRequest`] as an extension.
    Http,
    /// Over a connection that has this identity, such as standard input and output.
    Connection(Identity, Arc<ConnectionSubscriptions>),
}

/// A request whose sender is authenticated.
#[derive(Clone)]
pub(crate) struct AuthenticatedRequest {
    pub(crate) identity: Identity,
    pub(crate) caller: Caller,
    /// What the request says about its writes.
    pub(crate) attribution: AttributionRequest,
    /// The id that the request has in the log.
    pub(crate) request_id: String,
    /// What it takes of the memory budget, where there is one.
    pub(crate) memory: Option<RequestMemory>,
}

impl AuthenticatedRequest {
    /// Runs the work of the request, which takes its memory.
    async fn run<T>(&self, work: impl Future<Output = T>) -> T {
        match &self.memory {
            Some(memory) => memory.scope(work).await,
            None => work.await,
        }
    }
}

impl Handler {
    pub(crate) fn new(server: McpServer, interline: Interline, transport: McpTransport, shutdown: Shutdown) -> Handler {
        Handler { server, toolset: Arc::new(server.toolset()), interline, transport, shutdown }
    }

    /// The effect of a tool; `None` if the server has no tool of that name.
    pub(crate) fn effect(&self, tool: &str) -> Option<Effect> {
        self.tool(tool).map(|tool| tool.info.effect)
    }

    fn tool(&self, name: &str) -> Option<&Tool> {
        self.toolset.tools.iter().find(|tool| tool.info.name == name)
    }

    /// The authentication of a request, by the transport that it came over.
    pub(super) async fn authenticate(
        &self,
        context: &RequestContext<RoleServer>,
    ) -> Result<AuthenticatedRequest, Error> {
        match &self.transport {
            McpTransport::Http => {
                let request = context.extensions.get::<axum::http::request::Parts>();
                request
                    .and_then(|request| request.extensions.get::<AuthenticatedRequest>())
                    .cloned()
                    .ok_or(Error::Unauthorized)
            }
            McpTransport::Connection(identity, _) => {
                let identity = *identity;
                let caller = identity.caller(&self.interline, self.server.source()).await?;
                let attribution =
                    AttributionRequest { client: session_client(context), ..AttributionRequest::default() };
                let request_id = context.id.to_string();
                Ok(AuthenticatedRequest { identity, caller, attribution, request_id, memory: None })
            }
        }
    }

    /// The error where there is no room for another listener.
    pub(super) fn too_many_listeners(&self) -> Error {
        match self.transport {
            McpTransport::Http => Error::Unavailable("there is no place for another listener".to_owned()),
            McpTransport::Connection(..) => {
                Error::InvalidParameters("there can be 16 streams at a time: cancel one that is not needed")
            }
        }
    }

    pub(super) fn call_context(&self, request: &AuthenticatedRequest) -> CallContext {
        CallContext { interline: self.interline.clone(), caller: request.caller.clone() }
    }

    /// The context of a request that calls no tool, and the request.
    async fn begin(
        &self,
        context: &RequestContext<RoleServer>,
    ) -> Result<(CallContext, AuthenticatedRequest), ErrorData> {
        match self.authenticate(context).await {
            Ok(request) => Ok((self.call_context(&request), request)),
            Err(error) => Err(results::protocol_error(&error, &context.id.to_string())),
        }
    }

    async fn run_tool(
        &self,
        tool: &Tool,
        request: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> CallToolResult {
        let authenticated = match self.authenticate(context).await {
            Ok(authenticated) => authenticated,
            Err(error) => return results::tool_error(self.server, &error, &context.id.to_string()),
        };
        let refused = |error| results::tool_error(self.server, &error, &authenticated.request_id);
        if !tool.is_for(&authenticated.caller) {
            return refused(Error::Forbidden(Refusal::Scope(Scope::Write)));
        }
        let mut arguments = request.arguments.unwrap_or_default();
        if tool.info.effect != Effect::Reads {
            let reason = match tool::take_reason(&mut arguments) {
                Ok(reason) => reason,
                Err(error) => return refused(error),
            };
            let in_header = authenticated.attribution.reason.clone();
            if in_header.is_some() && reason.is_some() && in_header != reason {
                return refused(invalid_field(REASON, "is given twice, with two values"));
            }
            let attribution = AttributionRequest { reason: reason.or(in_header), ..authenticated.attribution.clone() };
            if let Err(error) = self.interline.attribute(&authenticated.caller, attribution).await {
                return refused(error);
            }
        }
        let running = tool.run(self.call_context(&authenticated), arguments);
        match authenticated.run(running).await {
            Ok(result) => result.into_response(),
            Err(error) => refused(error),
        }
    }
}

/// The client of a connection: as the request names it, or as it was named when the connection was made.
fn session_client(context: &RequestContext<RoleServer>) -> Option<Client> {
    let in_request = context.meta.get("io.modelcontextprotocol/clientInfo").and_then(|info| {
        let version = info.get("version").and_then(serde_json::Value::as_str);
        Client::from_self_description(info.get("name")?.as_str()?, version)
    });
    in_request.or_else(|| {
        let info = &context.peer.peer_info()?.client_info;
        Client::from_self_description(&info.name, Some(&info.version))
    })
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let name = format!("interline-{}", self.server.name());
        let this = Implementation::new(name, env!("CARGO_PKG_VERSION")).with_title(self.toolset.title);
        ServerConfig::new(self.server.capabilities())
            .with_server_info(this)
            .with_instructions(self.toolset.instructions)
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        context.peer.set_peer_info(request.clone());
        let mut response = self.negotiate_initialize(&request)?;
        match (&self.transport, self.server) {
            // After a handshake over HTTP there is no session, and so no stream to send notifications on.
            (McpTransport::Http, _) => response.capabilities = self.server.capabilities_without_notifications(),
            (McpTransport::Connection(..), McpServer::Content | McpServer::Code) => {}
            (McpTransport::Connection(_, connection), McpServer::Prompts) => {
                let protocol_error = |error: &Error| results::protocol_error(error, &context.id.to_string());
                let authenticated = self.authenticate(&context).await.map_err(|error| protocol_error(&error))?;
                let started = connection.notify_prompt_list(self, &authenticated, context.peer.clone()).await;
                started.map_err(|error| protocol_error(&error))?;
            }
        }
        Ok(response)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let (call, _) = self.begin(&context).await?;
        let tools = self.toolset.tools.iter().filter(|tool| tool.is_for(&call.caller));
        Ok(ListToolsResult::with_all_items(tools.map(Tool::listing).collect()))
    }

    fn get_tool(&self, name: &str) -> Option<rmcp::model::Tool> {
        self.tool(name).map(Tool::listing)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = self.tool(&request.name) else {
            let names: Vec<&str> = self.toolset.tools.iter().map(|tool| tool.info.name).collect();
            let requested: String = request.name.chars().take(100).collect();
            let message = format!("there is no tool `{requested}`; there are {}", names.join(", "));
            return Err(ErrorData::invalid_params(message, None));
        };
        Ok(self.run_tool(tool, request, &context).await.into())
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
        let (call, authenticated) = self.begin(&context).await?;
        let cursor = request.and_then(|request| request.cursor);
        let listed = authenticated.run(resources::list(&call, self.server, cursor.as_deref())).await;
        listed.map_err(|error| results::protocol_error(&error, &authenticated.request_id))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let (call, authenticated) = self.begin(&context).await?;
        let read = authenticated.run(resources::read(&call, self.server, &request.uri)).await;
        read.map(Into::into).map_err(|error| results::resource_error(&error, &request.uri, &authenticated.request_id))
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let McpTransport::Connection(_, connection) = &self.transport else {
            return Err(ErrorData::method_not_found::<SubscribeRequestMethod>());
        };
        let subscribed = async {
            let authenticated = self.authenticate(&context).await?;
            connection.subscribe(self, &authenticated, context.peer.clone(), &request.uri).await
        };
        subscribed.await.map_err(|error| results::resource_error(&error, &request.uri, &context.id.to_string()))
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let McpTransport::Connection(_, connection) = &self.transport else {
            return Err(ErrorData::method_not_found::<UnsubscribeRequestMethod>());
        };
        connection.unsubscribe(&request.uri).await;
        Ok(())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Handler::granted_filter(requested)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        self.run_stream(context).await
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let (call, authenticated) = self.begin(&context).await?;
        let completed = authenticated.run(completion::complete(&call, self.server, request)).await;
        completed.map_err(|error| results::protocol_error(&error, &authenticated.request_id))
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        match self.server {
            McpServer::Content | McpServer::Code => Err(ErrorData::method_not_found::<ListPromptsRequestMethod>()),
            McpServer::Prompts => {
                let (call, authenticated) = self.begin(&context).await?;
                let cursor = request.and_then(|request| request.cursor);
                let listed = authenticated.run(prompts::list(&call, cursor.as_deref())).await;
                listed.map_err(|error| results::protocol_error(&error, &authenticated.request_id))
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
                let (call, authenticated) = self.begin(&context).await?;
                let rendered = authenticated.run(prompts::get(&call, request)).await;
                rendered.map(Into::into).map_err(|error| results::protocol_error(&error, &authenticated.request_id))
            }
        }
    }
}
