//! The REST API as commands call it: of a remote server over HTTP, of the local store in this process. Both answer alike, so
//! that no rule about items is here.

use std::time::{Duration, Instant};

use interline_server::{LocalResponse, LocalService};
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Body, Method, Response, StatusCode, Url};
use serde_json::Value;

use crate::args::{StoreAddressArgs, WriteCommandArgs};
use crate::command_error::CommandError;
use crate::environment::Environment;
use crate::last_item::LastItem;
use crate::local::{IfMissing, LocalStore};
use crate::remote::RemoteServer;
use crate::settings::StoreAddress;

pub(crate) const JSON: &str = "application/json";
/// By which header a program says what it is.
pub(crate) const CLIENT_HEADER: HeaderName = HeaderName::from_static("interline-client");
/// What the command line calls itself in histories and change sets.
pub(crate) const CLIENT: HeaderValue = HeaderValue::from_static(concat!("interline-cli/", env!("CARGO_PKG_VERSION")));
const REASON_HEADER: HeaderName = HeaderName::from_static("interline-reason");
/// How long a command may go on after its answer, to index what it and those before it have written.
const INDEXING: Duration = Duration::from_millis(250);

/// A store that requests are sent to.
pub(crate) struct Api {
    door: Door,
    /// The headers of every request: who writes, and why.
    attribution: HeaderMap,
    /// What this command line last made or changed there.
    pub(crate) last: LastItem,
}

enum Door {
    Local(Box<LocalService>),
    Server(Box<RemoteServer>),
}

/// A request: the parts of its path, its query, its body.
pub(crate) struct ApiRequest {
    method: Method,
    target: Url,
    body: Option<Value>,
}

impl ApiRequest {
    /// A request to the path with these parts, none of which can mean more than itself.
    pub(crate) fn new(method: Method, path: &[&str]) -> Result<ApiRequest, CommandError> {
        let mut target = Url::parse("http://localhost/").map_err(CommandError::failed)?;
        if let Ok(mut segments) = target.path_segments_mut() {
            segments.pop_if_empty().extend(path);
        }
        // A part that is `.` or `..` would be taken for a step.
        if path.iter().any(|part| matches!(*part, "." | ".." | "")) {
            return Err(CommandError::refused(format!("there is nothing called '{}'", path.join("/"))));
        }
        Ok(ApiRequest { method, target, body: None })
    }

    pub(crate) fn query(mut self, name: &str, value: impl AsRef<str>) -> ApiRequest {
        self.target.query_pairs_mut().append_pair(name, value.as_ref());
        self
    }

    pub(crate) fn maybe_query(self, name: &str, value: Option<impl AsRef<str>>) -> ApiRequest {
        match value {
            Some(value) => self.query(name, value),
            None => self,
        }
    }

    pub(crate) fn body(self, body: Value) -> ApiRequest {
        ApiRequest { body: Some(body), ..self }
    }

    /// The path and query, without the first slash.
    fn relative(&self) -> String {
        let path = self.target.path().trim_start_matches('/');
        self.target.query().map_or_else(|| path.to_owned(), |query| format!("{path}?{query}"))
    }
}

impl Api {
    /// Opens the store that the arguments name.
    pub(crate) async fn open(
        args: &StoreAddressArgs,
        environment: &Environment,
        if_missing: IfMissing,
    ) -> Result<Api, CommandError> {
        let address = StoreAddress::from_args(args, environment)?;
        let last = LastItem::of_store(&address, environment);
        let door = match address {
            StoreAddress::Local(store) => {
                Door::Local(Box::new(LocalStore::open(&store, if_missing).await?.into_service()))
            }
            StoreAddress::Server { url, token } => Door::Server(Box::new(RemoteServer::new(url, token)?)),
        };
        Ok(Api { door, attribution: HeaderMap::from_iter([(CLIENT_HEADER, CLIENT)]), last })
    }

    /// Opens the store for a command that changes items, with the reason that its user gives.
    pub(crate) async fn open_to_write(
        args: &WriteCommandArgs,
        environment: &Environment,
        if_missing: IfMissing,
    ) -> Result<Api, CommandError> {
        let reason = args.reason.as_deref().map(reason_value).transpose()?;
        let mut api = Api::open(&args.store.address, environment, if_missing).await?;
        api.attribution.extend(reason.map(|reason| (REASON_HEADER, reason)));
        Ok(api)
    }

    /// Sends a request; its answer, null if it has none. A refusal is an error that has the body of the answer.
    pub(crate) async fn send(&self, request: ApiRequest) -> Result<Value, CommandError> {
        let body = request.body.as_ref().map(serde_json::to_vec).transpose().map_err(CommandError::failed)?;
        let (content_type, body) = body.map_or((None, Body::default()), |body| (Some(JSON), Body::from(body)));
        let bytes = self.stream(request, content_type, body).await?.read_whole().await?;
        if bytes.is_empty() {
            return Ok(Value::Null);
        }
        serde_json::from_slice(&bytes).map_err(|error| CommandError::failed(format!("the answer is no JSON: {error}")))
    }

    /// Sends a request with a body that is read as it is sent; its answer is read as it comes.
    pub(crate) async fn stream(
        &self,
        request: ApiRequest,
        content_type: Option<&'static str>,
        body: Body,
    ) -> Result<ApiAnswer<'_>, CommandError> {
        let answer = self.call(request, content_type, body).await?;
        if answer.status().is_success() {
            return Ok(answer);
        }
        let error = answer.into_error().await?;
        if error.response("unavailable").is_none() {
            return Err(error);
        }
        Err(match self.outage().await {
            Some(reason) => error.because(reason),
            None => error,
        })
    }

    async fn call(
        &self,
        request: ApiRequest,
        content_type: Option<&'static str>,
        body: Body,
    ) -> Result<ApiAnswer<'_>, CommandError> {
        let target = request.relative();
        let mut headers = self.attribution.clone();
        headers.extend(content_type.map(|name| (CONTENT_TYPE, HeaderValue::from_static(name))));
        Ok(match &self.door {
            Door::Server(server) => {
                ApiAnswer::Server(server, Box::new(server.call(request.method, &target, headers, body).await?))
            }
            Door::Local(service) => {
                let target =
                    format!("/{target}").parse().map_err(|_| CommandError::refused("the request is too long"))?;
                ApiAnswer::Local(service.call(request.method, target, headers, body).await)
            }
        })
    }

    /// Why the store does not work, in the words that it has for everybody: `disk full`, `locked`.
    async fn outage(&self) -> Option<String> {
        let answer = self.call(ApiRequest::new(Method::GET, &["health"]).ok()?, None, Body::default()).await.ok()?;
        let health: Value = serde_json::from_slice(&answer.read_whole().await.ok()?).ok()?;
        let mut states = ["reads", "writes"].into_iter().filter_map(|name| health[name].as_str());
        states.find(|state| *state != "ok").map(str::to_owned)
    }

    pub(crate) async fn get(&self, path: &[&str]) -> Result<Value, CommandError> {
        self.send(ApiRequest::new(Method::GET, path)?).await
    }

    /// Ends a command that has printed its answer: what has piled up unindexed is indexed, a part of it at a time.
    pub(crate) async fn finish(&self) {
        let begin = Instant::now();
        self.index_backlog(|| begin.elapsed() < INDEXING).await;
    }

    /// Indexes what has piled up in a local store, as long as it may go on. A server does so by itself.
    pub(crate) async fn index_backlog(&self, may_go_on: impl Fn() -> bool + Send) {
        match &self.door {
            Door::Local(service) => service.index_backlog(may_go_on).await,
            Door::Server(_) => {}
        }
    }
}

/// A reason as the value of a header, in UTF-8. A header has no line breaks: a reason of several lines becomes one.
fn reason_value(reason: &str) -> Result<HeaderValue, CommandError> {
    let words: Vec<&str> = reason.split_whitespace().collect();
    HeaderValue::from_bytes(words.join(" ").as_bytes())
        .map_err(|_| CommandError::usage("--reason has control characters").hint("write it in plain words"))
}

/// An answer whose body is still to be read.
pub(crate) enum ApiAnswer<'a> {
    Local(LocalResponse),
    Server(&'a RemoteServer, Box<Response>),
}

impl ApiAnswer<'_> {
    fn status(&self) -> StatusCode {
        match self {
            ApiAnswer::Local(response) => response.status(),
            ApiAnswer::Server(_, response) => response.status(),
        }
    }

    /// The next part of the body; `None` at its end. A body that is cut off is an error.
    pub(crate) async fn chunk(&mut self) -> Result<Option<Vec<u8>>, CommandError> {
        match self {
            ApiAnswer::Local(response) => Ok(response.chunk().await.map_err(CommandError::failed)?.map(Vec::from)),
            ApiAnswer::Server(server, response) => server.chunk(response).await,
        }
    }

    /// The error of an answer that refuses.
    async fn into_error(mut self) -> Result<CommandError, CommandError> {
        let bytes = self.read_to_end().await?;
        Ok(match &self {
            ApiAnswer::Server(server, response) => server.refusal(response.status(), &bytes),
            ApiAnswer::Local(response) => CommandError::from_response(response.status(), &bytes)
                .unwrap_or_else(|| CommandError::failed(format!("the store answers {}", response.status()))),
        })
    }

    async fn read_to_end(&mut self) -> Result<Vec<u8>, CommandError> {
        let mut bytes = Vec::new();
        while let Some(chunk) = self.chunk().await? {
            bytes.extend_from_slice(&chunk);
        }
        Ok(bytes)
    }

    pub(crate) async fn read_whole(mut self) -> Result<Vec<u8>, CommandError> {
        self.read_to_end().await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_one_line_of_any_language() {
        assert_eq!(reason_value(" größer\n  日本 ").expect("a value").as_bytes(), "größer 日本".as_bytes());
        assert!(reason_value("\u{1b}[31m").is_err());
    }
}
