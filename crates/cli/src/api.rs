//! The REST API as commands call it: of a remote server over HTTP, of the local store in this process. Both answer alike, so
//! that no rule about items is here.

use interline_server::LocalService;
use reqwest::{Method, StatusCode, Url};
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
        let target = request.relative();
        let (status, bytes) = match &self.door {
            Door::Server(server) => server.call(request.method, &target, body.map(|body| (JSON, body))).await?,
            Door::Local(service) => {
                call_locally(service, request.method, &target, body.map(|body| (JSON, body))).await?
            }
        };
        if !status.is_success() {
            return Err(match &self.door {
                Door::Server(server) => server.refusal(status, &bytes),
                Door::Local(_) => CommandError::from_response(status, &bytes)
                    .unwrap_or_else(|| CommandError::failed(format!("the store answers {status}"))),
            });
        }
        if bytes.is_empty() {
            return Ok(Value::Null);
        }
        serde_json::from_slice(&bytes).map_err(|error| CommandError::failed(format!("the answer is no JSON: {error}")))
    }

    pub(crate) async fn get(&self, path: &[&str]) -> Result<Value, CommandError> {
        self.send(ApiRequest::new(Method::GET, path)?).await
    }
}

async fn call_locally(
    service: &LocalService,
    method: Method,
    target: &str,
    body: Option<(&'static str, Vec<u8>)>,
) -> Result<(StatusCode, Vec<u8>), CommandError> {
    let target = format!("/{target}").parse().map_err(|_| CommandError::refused("the request is too long"))?;
    let mut response = service.call(method, target, body).await;
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(CommandError::failed)? {
        bytes.extend_from_slice(&chunk);
    }
    Ok((response.status(), bytes))
}
