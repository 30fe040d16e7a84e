//! The protocol: what a server is asked for, and by whom.

use std::sync::Arc;

use interline_items::{Caller, Error, Interline, UserId};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestParams, CompleteResult,
    GetPromptRequestMethod, GetPromptRequestParams, GetPromptResponse, Implementation, ListPromptsRequestMethod,
    ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ReadResourceRequestParams, ReadResourceResponse, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};

use super::server::Offer;
use super::tool::{Call, Tool};
use super::{Effect, McpServer, answer, completion, prompts, resources};

/// A server at a door; cheap to clone.
#[derive(Clone)]
pub(crate) struct Handler {
    server: McpServer,
    offer: Arc<Offer>,
    interline: Interline,
    principal: Principal,
}

/// Who calls.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Principal {
    /// The [`Visitor`] that each request brings along.
    OfRequest,
    /// This user, whatever is asked.
    Owner(UserId),
}

/// Who sent a request, and which one it is.
#[derive(Clone)]
pub(crate) struct Visitor {
    pub(crate) caller: Caller,
    /// As in the log.
    pub(crate) request_id: String,
}

impl Handler {
    pub(crate) fn new(server: McpServer, interline: Interline, principal: Principal) -> Handler {
        Handler { server, offer: Arc::new(server.offer()), interline, principal }
    }

    /// What a tool does; `None` if there is none of that name.
    pub(crate) fn effect(&self, tool: &str) -> Option<Effect> {
        self.tool(tool).map(|tool| tool.about.effect)
    }

    fn tool(&self, name: &str) -> Option<&Tool> {
        self.offer.tools.iter().find(|tool| tool.about.name == name)
    }

    async fn visitor(&self, context: &RequestContext<RoleServer>) -> Result<Visitor, Error> {
        match self.principal {
            Principal::OfRequest => {
                let request = context.extensions.get::<axum::http::request::Parts>();
                request.and_then(|request| request.extensions.get::<Visitor>()).cloned().ok_or(Error::Unauthorized)
            }
            Principal::Owner(owner) => {
                let caller = self.interline.trusted(owner, self.server.source()).await?;
                Ok(Visitor { caller, request_id: context.id.to_string() })
            }
        }
    }

    /// What a request of the protocol's own has at hand, and its id in the log.
    async fn begun(&self, context: &RequestContext<RoleServer>) -> Result<(Call, String), ErrorData> {
        match self.visitor(context).await {
            Ok(Visitor { caller, request_id }) => Ok((Call { interline: self.interline.clone(), caller }, request_id)),
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
        let call = Call { interline: self.interline.clone(), caller: visitor.caller };
        match tool.run(call, request.arguments.unwrap_or_default()).await {
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
            McpServer::Content => Err(ErrorData::method_not_found::<ListPromptsRequestMethod>()),
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
            McpServer::Content => Err(ErrorData::method_not_found::<GetPromptRequestMethod>()),
            McpServer::Prompts => {
                let (call, request_id) = self.begun(&context).await?;
                let rendered = prompts::offered::get(&call, request).await;
                rendered.map(Into::into).map_err(|error| answer::protocol_error(&error, &request_id))
            }
        }
    }
}
