//! A remote server, over its REST API.

mod events;

use std::time::Duration;

use interline_items::{Author, Kind, Rank, RemoveUser, Scope, UserDraft, Writes};
use interline_server::McpServer;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap};
use reqwest::{Body, Client, Method, RequestBuilder, Response, StatusCode, Url};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::api::{CLIENT, CLIENT_HEADER};
use crate::command_error::CommandError;
use crate::connection::{NewToken, find_user};
use crate::tls;
use crate::wire::{
    self, NewTokenResponse, NewUserResponse, TokenListResponse, TokenResponse, UserListResponse, UserResponse,
};

/// How long a server may take to accept a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// How long a server may take to respond.
const TIMEOUT: Duration = Duration::from_secs(60);

/// How long a request of an everyday command may take: imports and exports can be long.
const LONGEST_TRANSFER: Duration = Duration::from_secs(24 * 60 * 60);

/// A remote server and the token that it is sent.
pub(crate) struct RemoteServer {
    client: Client,
    url: Url,
    token: Option<String>,
}

impl RemoteServer {
    pub(crate) fn new(url: Url, token: Option<String>) -> Result<RemoteServer, CommandError> {
        // Our server never redirects, and a token must not go to another host.
        let client = Client::builder()
            .tls_backend_preconfigured(
                tls::configuration().map_err(|error| CommandError::failed(format!("TLS: {error}")))?,
            )
            .user_agent(concat!("interline/", env!("CARGO_PKG_VERSION")))
            .redirect(reqwest::redirect::Policy::none())
            .connect_timeout(CONNECT_TIMEOUT)
            .timeout(TIMEOUT)
            .build()
            .map_err(|error| CommandError::failed(with_causes(&error)))?;
        Ok(RemoteServer { client, url, token })
    }

    pub(crate) async fn add_user(&self, draft: &UserDraft) -> Result<NewUserResponse, CommandError> {
        let body = json!({ "name": draft.name, "email": draft.email, "admin": draft.rank == Rank::Admin });
        self.read_json(self.request(Method::POST, "users")?.json(&body)).await
    }

    pub(crate) async fn users(&self) -> Result<UserListResponse, CommandError> {
        self.read_json(self.request(Method::GET, "users")?).await
    }

    pub(crate) async fn remove_user(&self, name_or_id: &str, items: RemoveUser) -> Result<(), CommandError> {
        let id = self.user(name_or_id).await?.id;
        let path = match items {
            RemoveUser::IfEmpty => format!("users/{id}"),
            RemoveUser::Purge => format!("users/{id}?purge=true"),
        };
        self.send(self.request(Method::DELETE, &path)?).await.map(drop)
    }

    pub(crate) async fn add_token(&self, new: &NewToken) -> Result<NewTokenResponse, CommandError> {
        let mut body = json!({ "name": new.name });
        if let Some(scopes) = &new.scopes {
            body["scopes"] = scopes.iter().copied().map(Scope::name).collect();
        }
        if let Some(kinds) = &new.kinds {
            body["kinds"] = kinds.iter().copied().map(Kind::name).collect();
        }
        if let Some(expires_at) = new.expires_at {
            body["expires_at"] = wire::rfc3339(expires_at).into();
        }
        if new.author == Author::Agent {
            body["agent"] = true.into();
        }
        if new.writes != Writes::Apply {
            body["writes"] = new.writes.name().into();
        }
        if let Some(name_or_id) = &new.user {
            body["user_id"] = self.user(name_or_id).await?.id.into();
        }
        self.read_json(self.request(Method::POST, "tokens")?.json(&body)).await
    }

    pub(crate) async fn tokens(&self, user: Option<&str>) -> Result<TokenListResponse, CommandError> {
        if let Some(name_or_id) = user {
            let me: UserResponse = self.read_json(self.request(Method::GET, "users/me")?).await?;
            if me.name != name_or_id && !me.id.eq_ignore_ascii_case(name_or_id) {
                return Err(CommandError::refused("a server lists only the tokens of the user who asks")
                    .hint("leave --user out, give a token of that user, or run this where the store is"));
            }
        }
        self.read_json(self.request(Method::GET, "tokens")?).await
    }

    pub(crate) async fn rename_token(&self, id: &str, name: &str) -> Result<TokenResponse, CommandError> {
        let body = json!({ "name": name });
        self.read_json(self.request(Method::PATCH, &token_path(id)?)?.json(&body)).await
    }

    pub(crate) async fn remove_token(&self, id: &str) -> Result<(), CommandError> {
        self.send(self.request(Method::DELETE, &token_path(id)?)?).await.map(drop)
    }

    /// Sends a request to a path below the root of the API. It may take as long as its body and its answer do.
    pub(crate) async fn call(
        &self,
        method: Method,
        target: &str,
        headers: HeaderMap,
        body: Body,
    ) -> Result<Response, CommandError> {
        let request = self.request(method, target)?.headers(headers).timeout(LONGEST_TRANSFER).body(body);
        request.send().await.map_err(|error| self.unreachable(&error))
    }

    /// The next part of the body of an answer.
    pub(crate) async fn chunk(&self, response: &mut Response) -> Result<Option<Vec<u8>>, CommandError> {
        let chunk = response.chunk().await.map_err(|error| self.unreachable(&error))?;
        Ok(chunk.map(Vec::from))
    }

    /// Posts a message to an MCP server and returns its response: none to a notification.
    pub(crate) async fn send_mcp_message(
        &self,
        server: McpServer,
        headers: &[(&'static str, String)],
        message: Vec<u8>,
    ) -> Result<Option<Vec<u8>>, CommandError> {
        let mut request = self.unnamed_request(Method::POST, &format!("mcp/{}", server.name()))?.body(message);
        request =
            request.header(ACCEPT, "application/json, text/event-stream").header(CONTENT_TYPE, "application/json");
        for (name, value) in headers {
            request = request.header(*name, value);
        }
        let (status, body) = self.response(request).await?;
        let is_json_rpc = || serde_json::from_slice::<Value>(&body).is_ok_and(|body| body.get("jsonrpc").is_some());
        match status {
            StatusCode::ACCEPTED => Ok(None),
            status if status.is_success() || is_json_rpc() => Ok(Some(body)),
            status => Err(self.refusal(status, &body)),
        }
    }

    async fn user(&self, name_or_id: &str) -> Result<UserResponse, CommandError> {
        find_user(self.users().await?.users, name_or_id, |user| (user.id.clone(), &user.name))
    }

    fn request(&self, method: Method, path: &str) -> Result<RequestBuilder, CommandError> {
        Ok(self.unnamed_request(method, path)?.header(CLIENT_HEADER, CLIENT))
    }

    /// A request that does not say what this program is: it is passed on for a client that names itself.
    fn unnamed_request(&self, method: Method, path: &str) -> Result<RequestBuilder, CommandError> {
        let url = self.url.join(path).map_err(|error| CommandError::failed(format!("{path}: {error}")))?;
        let request = self.client.request(method, url);
        Ok(match &self.token {
            Some(token) => request.bearer_auth(token),
            None => request,
        })
    }

    async fn read_json<T: DeserializeOwned>(&self, request: RequestBuilder) -> Result<T, CommandError> {
        let body = self.send(request).await?;
        serde_json::from_slice(&body).map_err(|error| self.unexpected_response(&error.to_string()))
    }

    /// The body of a successful response.
    async fn send(&self, request: RequestBuilder) -> Result<Vec<u8>, CommandError> {
        let (status, body) = self.response(request).await?;
        if status.is_success() { Ok(body) } else { Err(self.refusal(status, &body)) }
    }

    async fn response(&self, request: RequestBuilder) -> Result<(StatusCode, Vec<u8>), CommandError> {
        let response = request.send().await.map_err(|error| self.unreachable(&error))?;
        let status = response.status();
        Ok((status, response.bytes().await.map_err(|error| self.unreachable(&error))?.to_vec()))
    }

    fn unreachable(&self, error: &reqwest::Error) -> CommandError {
        CommandError::failed(format!("{} does not answer: {}", self.url, with_causes(error)))
            .hint("check the address, and that a server runs there")
    }

    /// The error of a response that refuses.
    pub(crate) fn refusal(&self, status: StatusCode, body: &[u8]) -> CommandError {
        CommandError::from_response(status, body)
            .unwrap_or_else(|| self.unexpected_response(&format!("it answers {status}")))
    }

    /// The error for a response that is not of our API.
    fn unexpected_response(&self, detail: &str) -> CommandError {
        CommandError::failed(format!("{} does not answer as an Interline server: {detail}", self.url))
            .hint("check the address")
    }
}

/// The path of a token. What is no id does not become a part of a path.
fn token_path(id: &str) -> Result<String, CommandError> {
    if !id.chars().all(|c| c.is_ascii_hexdigit() || c == '-') || id.is_empty() {
        return Err(
            CommandError::refused(format!("there is no token {id}")).hint("`interline token list` shows the ids")
        );
    }
    Ok(format!("tokens/{id}"))
}

/// The message of an error and of its causes, which reqwest's own message leaves out.
fn with_causes(error: &reqwest::Error) -> String {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}
