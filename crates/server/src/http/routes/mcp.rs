//! `POST /mcp/…`: the MCP servers over HTTP, without sessions, behind the same checks as the API.
//!
//! A request is authenticated and counted here, by the tool that it calls: whether a tool reads or writes is declared with
//! the tool. The SDK does the rest, and its refusals in plain text become JSON. A response is JSON, except for a stream of
//! notifications, which lasts as long as the client stays.

use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::request::Parts;
use axum::http::{HeaderValue, Response, StatusCode};
use axum::response::IntoResponse;
use axum::routing::post;
use http_body_util::{BodyExt as _, Collected, Full};
use interline_items::{AttributionRequest, Client, Error, MemoryHolder, RequestMemory, WORK_FACTOR};
use rmcp::model::{JsonRpcMessage, RequestId, ServerJsonRpcMessage, SubscriptionFilter};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::task::spawn_blocking;

use crate::http::error::ApiError;
use crate::http::extract::body::{self, LONG_BODY};
use crate::http::extract::json_values::check_value_count;
use crate::http::middleware::answer_memory::hold_until_sent;
use crate::http::middleware::attribution::attribution_from_headers;
use crate::http::middleware::authentication::{identity_from_headers, note_authenticated};
use crate::http::middleware::failed_authentication::authenticated_caller;
use crate::http::middleware::rate_limit::rate_limited;
use crate::http::middleware::request_log::{current_request_id, log_client};
use crate::http::response::{self, HandlerResult};
use crate::http::routes::rules::Access;
use crate::http::state::AppState;
use crate::mcp::{AuthenticatedRequest, Effect, Handler, McpServer, McpTransport};
use crate::wire::Object;

/// An MCP server with the SDK in front of it; cheap to clone.
#[derive(Clone)]
struct McpEndpoint {
    server: McpServer,
    handler: Handler,
    protocol: StreamableHttpService<Handler, NeverSessionManager>,
}

/// A route for each server.
pub(in crate::http) fn routes(state: &AppState) -> Router<AppState> {
    McpServer::ALL.into_iter().fold(Router::new(), |router, server| {
        let endpoint = McpEndpoint::new(state, server);
        let respond =
            async move |State(state): State<AppState>, request: Request| endpoint.clone().respond(state, request).await;
        let path = format!("/mcp/{}", server.name());
        // Some clients take an address for one of MCP only if it ends like that.
        let alias = format!("{path}/mcp");
        router.route(&path, post(respond.clone())).route(&alias, post(respond))
    })
}

impl McpEndpoint {
    fn new(state: &AppState, server: McpServer) -> McpEndpoint {
        let handler = Handler::new(server, state.interline.clone(), McpTransport::Http, state.shutdown.clone());
        // `Host` and `Origin` are checked for all routes, see `middleware::host_check`.
        let config = StreamableHttpServerConfig::default()
            .with_legacy_session_mode(false)
            .with_json_response(true)
            .with_max_request_body_bytes(state.settings.max_body_bytes)
            .disable_allowed_hosts()
            .disable_allowed_origins();
        let served = handler.clone();
        let protocol = StreamableHttpService::new(move || Ok(served.clone()), Arc::default(), config);
        McpEndpoint { server, handler, protocol }
    }

    async fn respond(self, state: AppState, request: Request) -> Result<Response<Body>, ApiError> {
        let (mut parts, body) = request.into_parts();
        let identity = identity_from_headers(&state, &parts.headers);
        let (identity, caller) =
            authenticated_caller(&state, identity, &parts.extensions, self.server.source()).await?;
        let user = caller.user();
        note_authenticated(&parts.extensions, &caller);
        let memory = state.memory.request(MemoryHolder::User(user));
        let received = memory.scope(receive(&state, &memory, &parts, body)).await;
        let named = received.as_ref().ok().and_then(|(message, _)| message.client.as_ref());
        if let Some(ClientName::Introduced(client)) = named {
            state.interline.introduce_client(&caller, client.clone());
        }
        let client = named.map(|named| named.client().clone());
        client.iter().for_each(log_client);
        let access = match &received {
            Ok((message, _)) => self.access(&message.asks),
            // Like a message that is none: it may have been meant to write.
            Err(_) => Access::Write,
        };
        let by_headers = attribution_from_headers(&parts.headers)?;
        let attribution = AttributionRequest { client: client.or(by_headers.client), ..by_headers };
        let (request_id, counted) = (current_request_id(), Some(memory.clone()));
        parts.extensions.insert(AuthenticatedRequest { identity, caller, attribution, request_id, memory: counted });
        let responding = memory.scope(async {
            let response = match received {
                Ok((message, bytes)) => self.dispatch(&state, message.asks, Request::from_parts(parts, bytes)).await,
                Err(refusal) => refusal.respond(),
            };
            response.unwrap_or_else(IntoResponse::into_response)
        });
        let response = rate_limited(&state, user, access, responding).await;
        Ok(hold_until_sent(memory, access, response))
    }

    async fn dispatch(self, state: &AppState, message: McpMessage, mut request: Request<Bytes>) -> HandlerResult {
        if let (McpMessage::Listen { id, filter }, Some(visitor)) =
            (message, request.extensions().get::<AuthenticatedRequest>())
        {
            match self.handler.open_stream(visitor, &filter).await {
                Ok(stream) => drop(request.extensions_mut().insert(stream)),
                Err(error) => {
                    let refused: ServerJsonRpcMessage = JsonRpcMessage::error(error, Some(id));
                    return response::json(StatusCode::OK, &refused);
                }
            }
        }
        let (protocol, is_long) = (self.protocol, request.body().len() > LONG_BODY);
        let handling = async move { protocol.handle(request.map(Full::new)).await };
        let response = if is_long { parse_fairly(state, handling).await? } else { handling.await };
        into_json(response.map(Body::new)).await
    }

    /// What a message counts as: the call of a tool counts as the tool declares.
    fn access(&self, message: &McpMessage) -> Access {
        match message {
            McpMessage::Call(tool) => match self.handler.effect(tool) {
                Some(Effect::Reads) | None => Access::Read,
                Some(Effect::Adds | Effect::Changes | Effect::ChangesIdempotently) => Access::Write,
            },
            McpMessage::Listen { .. } | McpMessage::Other => Access::Read,
            McpMessage::Malformed => Access::Write,
        }
    }
}

/// The message in a body, and its bytes.
async fn receive(
    state: &AppState,
    memory: &RequestMemory,
    parts: &Parts,
    body: Body,
) -> Result<(PeekedMessage, Bytes), Refusal> {
    let bytes = body::read_bounded(state, parts, body).await?;
    // The SDK reads the message into a tree of values, and the tool its arguments from that.
    memory.take(bytes.len().saturating_mul(WORK_FACTOR)).map_err(Error::Overloaded)?;
    Ok((peek_fairly(state, &bytes).await?, bytes))
}

/// What a message asks for; a long one is read on a blocking thread, in the turn of its user.
async fn peek_fairly(state: &AppState, bytes: &Bytes) -> Result<PeekedMessage, Refusal> {
    if bytes.len() <= LONG_BODY {
        return Ok(PeekedMessage::peek(bytes)?);
    }
    let (permit, bytes) = (body::long_body_permit(state).await?, bytes.clone());
    let peeking = spawn_blocking(move || {
        let _permit = permit;
        PeekedMessage::peek(&bytes)
    });
    Ok(peeking.await.map_err(|error| Error::Internal(error.to_string()))??)
}

/// Carries out work that parses a long message: the SDK does so where it is polled first. That is a blocking thread, in the
/// turn of the message's user; the call of the tool, which the rest of the work waits for, has no place there.
async fn parse_fairly<T: Send + 'static>(
    state: &AppState,
    work: impl Future<Output = T> + Send + 'static,
) -> Result<T, Error> {
    let permit = body::long_body_permit(state).await?;
    let mut work = Box::pin(work);
    let parsing = spawn_blocking(move || {
        let _permit = permit;
        let polled = work.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        (work, polled)
    });
    match parsing.await.map_err(|error| Error::Internal(error.to_string()))? {
        (_, Poll::Ready(done)) => Ok(done),
        (work, Poll::Pending) => Ok(work.await),
    }
}

/// What is read of a message before the SDK has it.
#[derive(Debug, PartialEq, Eq)]
struct PeekedMessage {
    asks: McpMessage,
    /// What the client calls itself, if the message says it: the first one of a connection does, and since 2026-07-28 each.
    client: Option<ClientName>,
}

/// What a client calls itself.
#[derive(Debug, PartialEq, Eq)]
enum ClientName {
    /// As it introduces itself at the start: it holds for later messages with the same token, which may not say it.
    Introduced(Client),
    /// In this message.
    OfThisMessage(Client),
}

impl ClientName {
    fn client(&self) -> &Client {
        match self {
            ClientName::Introduced(client) | ClientName::OfThisMessage(client) => client,
        }
    }
}

/// What a JSON-RPC message asks for, as far as authentication and rate limits need it.
#[derive(Debug, PartialEq, Eq)]
enum McpMessage {
    /// A call of this tool.
    Call(String),
    /// For a stream of notifications.
    Listen {
        id: RequestId,
        filter: SubscriptionFilter,
    },
    Other,
    /// JSON that is not a JSON-RPC message.
    Malformed,
}

#[derive(Deserialize)]
struct MessageShape {
    id: Option<RequestId>,
    method: Option<String>,
    params: Option<Object<MessageParams>>,
}

#[derive(Default, Deserialize)]
struct MessageParams {
    name: Option<String>,
    notifications: Option<SubscriptionFilter>,
    #[serde(rename = "clientInfo")]
    client_info: Option<Value>,
    #[serde(rename = "_meta")]
    meta: Option<Value>,
}

impl MessageParams {
    /// What the client calls itself: whatever is wrong about it is the SDK's to judge.
    fn client(&self) -> Option<ClientName> {
        let in_meta = || self.meta.as_ref()?.get("io.modelcontextprotocol/clientInfo");
        match &self.client_info {
            Some(info) => client_from_info(info).map(ClientName::Introduced),
            None => client_from_info(in_meta()?).map(ClientName::OfThisMessage),
        }
    }
}

fn client_from_info(info: &Value) -> Option<Client> {
    Client::from_self_description(info.get("name")?.as_str()?, info.get("version").and_then(Value::as_str))
}

impl PeekedMessage {
    /// Reads a message without taking it from the SDK.
    fn peek(bytes: &[u8]) -> Result<PeekedMessage, RpcRefusal> {
        if bytes.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'[') {
            return Err(RpcRefusal::BATCH);
        }
        if check_value_count(bytes).is_err() {
            return Err(RpcRefusal::TOO_MANY_VALUES);
        }
        match serde_json::from_slice(bytes) {
            Ok(Object(MessageShape { id, method, params })) => {
                let params = params.map(|Object(params)| params).unwrap_or_default();
                let client = params.client();
                let MessageParams { name, notifications, .. } = params;
                let asks = match (method.as_deref(), name, notifications, id) {
                    (Some("tools/call"), Some(name), _, _) => McpMessage::Call(name),
                    (Some("subscriptions/listen"), _, Some(filter), Some(id)) => McpMessage::Listen { id, filter },
                    _ => McpMessage::Other,
                };
                Ok(PeekedMessage { asks, client })
            }
            Err(error) if error.is_data() => Ok(PeekedMessage { asks: McpMessage::Malformed, client: None }),
            Err(_) => Err(RpcRefusal::NO_JSON),
        }
    }
}

/// Why a request is refused before the SDK has it.
enum Refusal {
    /// As at every route.
    Api(ApiError),
    /// In the terms of the protocol.
    Rpc(RpcRefusal),
}

impl Refusal {
    fn respond(self) -> HandlerResult {
        match self {
            Refusal::Api(refused) => Err(refused),
            Refusal::Rpc(refused) => refused.respond(),
        }
    }
}

impl From<ApiError> for Refusal {
    fn from(error: ApiError) -> Refusal {
        Refusal::Api(error)
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Refusal {
        Refusal::Api(error.into())
    }
}

impl From<RpcRefusal> for Refusal {
    fn from(refusal: RpcRefusal) -> Refusal {
        Refusal::Rpc(refusal)
    }
}

/// Why a body is refused before the SDK reads it.
#[derive(Debug, PartialEq, Eq)]
struct RpcRefusal {
    code: i64,
    message: &'static str,
}

impl RpcRefusal {
    const BATCH: RpcRefusal =
        RpcRefusal { code: -32600, message: "batches are not a part of the protocol; send one message in a request" };
    const TOO_MANY_VALUES: RpcRefusal =
        RpcRefusal { code: -32600, message: "the message has too many values; send less at a time" };
    const NO_JSON: RpcRefusal = RpcRefusal { code: -32700, message: "the body of the request is not valid JSON" };

    fn respond(self) -> HandlerResult {
        rpc_error(StatusCode::BAD_REQUEST, self.code, self.message)
    }
}

fn rpc_error(status: StatusCode, code: i64, message: &str) -> HandlerResult {
    response::json(status, &json!({"jsonrpc": "2.0", "id": null, "error": {"code": code, "message": message}}))
}

/// The response of the SDK, with its refusals in plain text turned into JSON.
async fn into_json(response: Response<Body>) -> HandlerResult {
    let status = response.status();
    let is_json = response.headers().get(CONTENT_TYPE) == Some(&HeaderValue::from_static("application/json"));
    if is_json || status.is_success() {
        return Ok(response);
    }
    if status == StatusCode::UNSUPPORTED_MEDIA_TYPE {
        // The SDK answers with this status too where the body is JSON, but not a message of the protocol.
        return rpc_error(StatusCode::BAD_REQUEST, -32600, "this is not a JSON-RPC message sent as application/json");
    }
    let text = response.into_body().collect().await.map(Collected::to_bytes).unwrap_or_default();
    rpc_error(status, -32600, &String::from_utf8_lossy(&text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_counted_by_the_tool_that_it_calls() {
        for (text, expected) in [
            (
                r#"{"method":"tools/call","params":{"name":"x","arguments":{"name":1}},"id":1}"#,
                McpMessage::Call("x".to_owned()),
            ),
            (
                r#"{"id":"a","method":"subscriptions/listen","params":{"notifications":{"promptsListChanged":true}}}"#,
                McpMessage::Listen {
                    id: RequestId::String("a".into()),
                    filter: SubscriptionFilter::builder().prompts_list_changed().build(),
                },
            ),
            (r#"{"id":1,"method":"subscriptions/listen","params":{}}"#, McpMessage::Other),
            (r#"{"id":1,"method":"subscriptions/listen","params":{"notifications":7}}"#, McpMessage::Malformed),
            (r#"{"method":"tools/list"}"#, McpMessage::Other),
            (r#"{"method":"prompts/get","params":{"name":"x"}}"#, McpMessage::Other),
            (r#"{"method":"tools/call","params":["x"]}"#, McpMessage::Malformed),
            (r#"{"method":"tools/list","method":"tools/call"}"#, McpMessage::Malformed),
            ("3", McpMessage::Malformed),
        ] {
            assert_eq!(PeekedMessage::peek(text.as_bytes()).map(|message| message.asks), Ok(expected), "{text}");
        }
        for (bytes, expected) in [
            (&b" \n[{}]"[..], RpcRefusal::BATCH),
            (b"", RpcRefusal::NO_JSON),
            (b"{", RpcRefusal::NO_JSON),
            (b"{\"method\":\"\xff\"}", RpcRefusal::NO_JSON),
        ] {
            assert_eq!(PeekedMessage::peek(bytes), Err(expected));
        }
    }

    #[test]
    fn a_message_may_say_what_its_client_is_called() {
        for (params, expected) in [
            (r#"{"clientInfo":{"name":"inspector","version":"2","title":"x"}}"#, Some(("inspector", Some("2")))),
            (r#"{"clientInfo":{"name":"inspector"}}"#, Some(("inspector", None))),
            (r#"{"_meta":{"io.modelcontextprotocol/clientInfo":{"name":"x"},"progressToken":1}}"#, Some(("x", None))),
            (r#"{"_meta":{"progressToken":1}}"#, None),
            (r#"{"_meta":null,"clientInfo":null}"#, None),
            (r#"{"clientInfo":7}"#, None),
            (r#"{"clientInfo":{"name":"x","version":2}}"#, Some(("x", None))),
            (r#"{"_meta":[]}"#, None),
        ] {
            let text = format!(r#"{{"id":1,"method":"initialize","params":{params}}}"#);
            let message = PeekedMessage::peek(text.as_bytes()).unwrap();
            let client =
                message.client.as_ref().map(ClientName::client).map(|client| (client.name(), client.version()));
            assert_eq!((&message.asks, client), (&McpMessage::Other, expected), "{text}");
        }
    }
}
