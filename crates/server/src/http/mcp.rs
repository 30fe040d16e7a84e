//! `POST /mcp/…`: the MCP servers over HTTP, without sessions, behind the same checks as the API.
//!
//! Here it is found out who calls and what for; the SDK does the rest, and its refusals in plain text become JSON. An answer
//! is JSON, but for a stream of what happens, which lasts as long as the client stays.

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderValue, Response, StatusCode};
use axum::response::IntoResponse;
use axum::routing::post;
use http_body_util::{BodyExt as _, Collected, Full};
use rmcp::model::{JsonRpcMessage, RequestId, ServerJsonRpcMessage, SubscriptionFilter};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde::Deserialize;
use serde_json::json;

use super::answer::{self, Answer};
use super::app::App;
use super::body;
use super::error::ApiError;
use super::identify::{self, counted};
use super::limiter::Access;
use super::observe::CurrentRequest;
use crate::mcp::{AuthenticatedRequest, Effect, Handler, McpServer, McpTransport};
use crate::wire::Object;

/// A server with the SDK in front of it; cheap to clone.
#[derive(Clone)]
struct Mounted {
    server: McpServer,
    handler: Handler,
    protocol: StreamableHttpService<Handler, NeverSessionManager>,
}

/// A route for each server.
pub(super) fn routes(app: &App) -> Router<App> {
    McpServer::ALL.into_iter().fold(Router::new(), |router, server| {
        let mounted = Mounted::new(app, server);
        let answer = async move |State(app): State<App>, request: Request| mounted.clone().answer(app, request).await;
        router.route(&format!("/mcp/{}", server.name()), post(answer))
    })
}

impl Mounted {
    fn new(app: &App, server: McpServer) -> Mounted {
        let handler = Handler::new(server, app.interline.clone(), McpTransport::Http, app.end.clone());
        // Whom a request may be sent to and by is checked for all routes.
        let config = StreamableHttpServerConfig::default()
            .with_legacy_session_mode(false)
            .with_json_response(true)
            .with_max_request_body_bytes(app.settings.max_body_bytes)
            .disable_allowed_hosts()
            .disable_allowed_origins();
        let made = handler.clone();
        let protocol = StreamableHttpService::new(move || Ok(made.clone()), Arc::default(), config);
        Mounted { server, handler, protocol }
    }

    async fn answer(self, app: App, request: Request) -> Result<Response<Body>, ApiError> {
        let (mut parts, body) = request.into_parts();
        let identity = identify::identity(&app, &parts.headers)?;
        let caller = identity.caller(&app.interline, self.server.source()).await?;
        let bytes = body::bounded(&app, &parts.headers, body).await?;
        let message = match Message::peek(&bytes) {
            Ok(message) => message,
            Err(refusal) => return refusal.answer(),
        };
        let (user, access) = (caller.user(), self.access(&message));
        parts.extensions.insert(AuthenticatedRequest { identity, caller, request_id: CurrentRequest::id() });
        let answered = async move {
            let answer = self.dispatch(message, Request::from_parts(parts, bytes)).await;
            answer.unwrap_or_else(IntoResponse::into_response)
        };
        Ok(counted(&app, user, access, answered).await)
    }

    async fn dispatch(self, message: Message, mut request: Request<Bytes>) -> Answer {
        if let (Message::ListenRequest { id, wanted }, Some(visitor)) =
            (message, request.extensions().get::<AuthenticatedRequest>())
        {
            match self.handler.open_stream(visitor, &wanted).await {
                Ok(stream) => drop(request.extensions_mut().insert(stream)),
                Err(error) => {
                    let refused: ServerJsonRpcMessage = JsonRpcMessage::error(error, Some(id));
                    return answer::json(StatusCode::OK, &refused);
                }
            }
        }
        in_json(self.protocol.handle(request.map(Full::new)).await.map(Body::new)).await
    }

    /// What a message counts as: a call of a tool as what the tool does.
    fn access(&self, message: &Message) -> Access {
        match message {
            Message::Call(tool) => match self.handler.effect(tool) {
                Some(Effect::Reads) | None => Access::Read,
                Some(Effect::Adds | Effect::Changes | Effect::ChangesIdempotently) => Access::Write,
            },
            Message::ListenRequest { .. } | Message::Other => Access::Read,
            Message::Unclear => Access::Write,
        }
    }
}

/// What is asked for, as far as it matters here.
#[derive(Debug, PartialEq, Eq)]
enum Message {
    /// A call of this tool.
    Call(String),
    /// For a stream of this.
    ListenRequest {
        id: RequestId,
        wanted: SubscriptionFilter,
    },
    Other,
    /// JSON, but not of a shape that is understood here.
    Unclear,
}

#[derive(Deserialize)]
struct Shape {
    id: Option<RequestId>,
    method: Option<String>,
    params: Option<Object<Params>>,
}

#[derive(Default, Deserialize)]
struct Params {
    name: Option<String>,
    notifications: Option<SubscriptionFilter>,
}

impl Message {
    fn peek(bytes: &[u8]) -> Result<Message, RpcRefusal> {
        if bytes.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'[') {
            return Err(RpcRefusal::BATCH);
        }
        match serde_json::from_slice(bytes) {
            Ok(Object(Shape { id, method, params })) => {
                let Params { name, notifications } = params.map(|Object(params)| params).unwrap_or_default();
                Ok(match (method.as_deref(), name, notifications, id) {
                    (Some("tools/call"), Some(name), _, _) => Message::Call(name),
                    (Some("subscriptions/listen"), _, Some(wanted), Some(id)) => Message::ListenRequest { id, wanted },
                    _ => Message::Other,
                })
            }
            Err(error) if error.is_data() => Ok(Message::Unclear),
            Err(_) => Err(RpcRefusal::NO_JSON),
        }
    }
}

/// A message that the protocol has no place for.
#[derive(Debug, PartialEq, Eq)]
struct RpcRefusal {
    code: i64,
    message: &'static str,
}

impl RpcRefusal {
    const BATCH: RpcRefusal =
        RpcRefusal { code: -32600, message: "batches are not a part of the protocol; send one message in a request" };
    const NO_JSON: RpcRefusal = RpcRefusal { code: -32700, message: "the body of the request is not valid JSON" };

    fn answer(self) -> Answer {
        rpc_error(StatusCode::BAD_REQUEST, self.code, self.message)
    }
}

fn rpc_error(status: StatusCode, code: i64, message: &str) -> Answer {
    answer::json(status, &json!({"jsonrpc": "2.0", "id": null, "error": {"code": code, "message": message}}))
}

/// The answer of the SDK, which tells some refusals in plain text, in JSON.
async fn in_json(answer: Response<Body>) -> Answer {
    let status = answer.status();
    let is_json = answer.headers().get(CONTENT_TYPE) == Some(&HeaderValue::from_static("application/json"));
    if is_json || status.is_success() {
        return Ok(answer);
    }
    if status == StatusCode::UNSUPPORTED_MEDIA_TYPE {
        // It is this one too where the message is JSON, but not one of the protocol.
        return rpc_error(StatusCode::BAD_REQUEST, -32600, "this is not a JSON-RPC message sent as application/json");
    }
    let text = answer.into_body().collect().await.map(Collected::to_bytes).unwrap_or_default();
    rpc_error(status, -32600, &String::from_utf8_lossy(&text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_counted_by_what_it_calls() {
        for (text, expected) in [
            (
                r#"{"method":"tools/call","params":{"name":"x","arguments":{"name":1}},"id":1}"#,
                Message::Call("x".to_owned()),
            ),
            (
                r#"{"id":"a","method":"subscriptions/listen","params":{"notifications":{"promptsListChanged":true}}}"#,
                Message::ListenRequest {
                    id: RequestId::String("a".into()),
                    wanted: SubscriptionFilter::builder().prompts_list_changed().build(),
                },
            ),
            (r#"{"id":1,"method":"subscriptions/listen","params":{}}"#, Message::Other),
            (r#"{"id":1,"method":"subscriptions/listen","params":{"notifications":7}}"#, Message::Unclear),
            (r#"{"method":"tools/list"}"#, Message::Other),
            (r#"{"method":"prompts/get","params":{"name":"x"}}"#, Message::Other),
            (r#"{"method":"tools/call","params":["x"]}"#, Message::Unclear),
            (r#"{"method":"tools/list","method":"tools/call"}"#, Message::Unclear),
            ("3", Message::Unclear),
        ] {
            assert_eq!(Message::peek(text.as_bytes()), Ok(expected), "{text}");
        }
        for (bytes, expected) in [
            (&b" \n[{}]"[..], RpcRefusal::BATCH),
            (b"", RpcRefusal::NO_JSON),
            (b"{", RpcRefusal::NO_JSON),
            (b"{\"method\":\"\xff\"}", RpcRefusal::NO_JSON),
        ] {
            assert_eq!(Message::peek(bytes), Err(expected));
        }
    }
}
