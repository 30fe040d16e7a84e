//! The REST API as commands call it: of a remote server over HTTP, of the local store in this process. Both answer alike, so
//! that no rule about items is here.

use interline_server::{LocalResponse, LocalService};
use reqwest::{Body, Method, Response, StatusCode, Url};
use serde_json::Value;

use crate::args::StoreAddressArgs;
use crate::command_error::CommandError;
use crate::environment::Environment;
use crate::last_item::LastItem;
use crate::local::{IfMissing, LocalStore};
use crate::remote::RemoteServer;
use crate::settings::StoreAddress;

pub(crate) const JSON: &str = "application/json";

/// A store that requests are sent to.
pub(crate) struct Api {
    door: Door,
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
        Ok(Api { door, last })
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
        let target = request.relative();
        let mut answer = match &self.door {
            Door::Server(server) => {
                ApiAnswer::Server(server, Box::new(server.call(request.method, &target, content_type, body).await?))
            }
            Door::Local(service) => {
                let target =
                    format!("/{target}").parse().map_err(|_| CommandError::refused("the request is too long"))?;
                ApiAnswer::Local(service.call(request.method, target, content_type, body).await)
            }
        };
        if answer.status().is_success() {
            return Ok(answer);
        }
        let bytes = answer.read_to_end().await?;
        Err(match &answer {
            ApiAnswer::Server(server, response) => server.refusal(response.status(), &bytes),
            ApiAnswer::Local(response) => CommandError::from_response(response.status(), &bytes)
                .unwrap_or_else(|| CommandError::failed(format!("the store answers {}", response.status()))),
        })
    }

    pub(crate) async fn get(&self, path: &[&str]) -> Result<Value, CommandError> {
        self.send(ApiRequest::new(Method::GET, path)?).await
    }
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
