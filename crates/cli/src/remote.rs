//! A server, over its REST API.

mod events;

use std::time::Duration;

use interline_items::{Kind, Rank, RemoveUser, Scope, UserDraft};
use interline_server::McpServer;
use reqwest::header::{ACCEPT, CONTENT_TYPE};
use reqwest::{Client, Method, RequestBuilder, StatusCode, Url};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::shapes::{self, NewTokenShape, NewUserShape, TokenList, UserList, UserShape};
use crate::target::{NewToken, named};
use crate::tls;

/// How long a server may take to let us in.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// How long a server may take to answer.
const TIMEOUT: Duration = Duration::from_secs(60);

/// A server and what it is shown.
pub(crate) struct Server {
    client: Client,
    url: Url,
    token: Option<String>,
}

/// What every refusal of a server holds.
#[derive(Deserialize)]
struct Refusal {
    error: String,
    message: String,
    suggestion: String,
    #[serde(default)]
    errors: Vec<WrongField>,
}

#[derive(Deserialize)]
struct WrongField {
    field: String,
    message: String,
}

impl Server {
    pub(crate) fn at(url: Url, token: Option<String>) -> Result<Server, Failure> {
        // A server of ours redirects nowhere, and a token goes nowhere else.
        let client = Client::builder()
            .tls_backend_preconfigured(tls::configuration().map_err(|error| Failure::failed(format!("TLS: {error}")))?)
            .redirect(reqwest::redirect::Policy::none())
            .connect_timeout(CONNECT_TIMEOUT)
            .timeout(TIMEOUT)
            .build()
            .map_err(|error| Failure::failed(told(&error)))?;
        Ok(Server { client, url, token })
    }

    pub(crate) async fn add_user(&self, draft: &UserDraft) -> Result<NewUserShape, Failure> {
        let body = json!({ "name": draft.name, "email": draft.email, "admin": draft.rank == Rank::Admin });
        self.read(self.request(Method::POST, "users")?.json(&body)).await
    }

    pub(crate) async fn users(&self) -> Result<UserList, Failure> {
        self.read(self.request(Method::GET, "users")?).await
    }

    pub(crate) async fn remove_user(&self, wanted: &str, items: RemoveUser) -> Result<(), Failure> {
        let id = self.user(wanted).await?.id;
        let path = match items {
            RemoveUser::IfEmpty => format!("users/{id}"),
            RemoveUser::Purge => format!("users/{id}?purge=true"),
        };
        self.send(self.request(Method::DELETE, &path)?).await.map(drop)
    }

    pub(crate) async fn add_token(&self, new: &NewToken) -> Result<NewTokenShape, Failure> {
        let mut body = json!({ "name": new.name });
        if let Some(scopes) = &new.scopes {
            body["scopes"] = scopes.iter().copied().map(Scope::name).collect();
        }
        if let Some(kinds) = &new.kinds {
            body["kinds"] = kinds.iter().copied().map(Kind::name).collect();
        }
        if let Some(expires_at) = new.expires_at {
            body["expires_at"] = shapes::time(expires_at).into();
        }
        if let Some(wanted) = &new.user {
            body["user_id"] = self.user(wanted).await?.id.into();
        }
        self.read(self.request(Method::POST, "tokens")?.json(&body)).await
    }

    pub(crate) async fn tokens(&self, user: Option<&str>) -> Result<TokenList, Failure> {
        if let Some(wanted) = user {
            let me: UserShape = self.read(self.request(Method::GET, "users/me")?).await?;
            if me.name != wanted && !me.id.eq_ignore_ascii_case(wanted) {
                return Err(Failure::refused("a server lists the tokens of their own user alone")
                    .hint("leave --user out, give a token of that user, or run this where the store is"));
            }
        }
        self.read(self.request(Method::GET, "tokens")?).await
    }

    pub(crate) async fn remove_token(&self, id: &str) -> Result<(), Failure> {
        // The id becomes a part of a path.
        if !id.chars().all(|c| c.is_ascii_hexdigit() || c == '-') || id.is_empty() {
            return Err(
                Failure::refused(format!("there is no token {id}")).hint("`interline token list` shows the ids")
            );
        }
        self.send(self.request(Method::DELETE, &format!("tokens/{id}"))?).await.map(drop)
    }

    /// Hands a message over to an MCP server, and brings its answer: none to a notification.
    pub(crate) async fn exchange(
        &self,
        server: McpServer,
        headers: &[(&'static str, String)],
        message: Vec<u8>,
    ) -> Result<Option<Vec<u8>>, Failure> {
        let mut request = self.request(Method::POST, &format!("mcp/{}", server.name()))?.body(message);
        request =
            request.header(ACCEPT, "application/json, text/event-stream").header(CONTENT_TYPE, "application/json");
        for (name, value) in headers {
            request = request.header(*name, value);
        }
        let (status, body) = self.answer(request).await?;
        let is_of_protocol = || serde_json::from_slice::<Value>(&body).is_ok_and(|body| body.get("jsonrpc").is_some());
        match status {
            StatusCode::ACCEPTED => Ok(None),
            status if status.is_success() || is_of_protocol() => Ok(Some(body)),
            status => Err(self.refusal(status, &body)),
        }
    }

    async fn user(&self, wanted: &str) -> Result<UserShape, Failure> {
        named(self.users().await?.users, wanted, |user| (user.id.clone(), &user.name))
    }

    fn request(&self, method: Method, path: &str) -> Result<RequestBuilder, Failure> {
        let url = self.url.join(path).map_err(|error| Failure::failed(format!("{path}: {error}")))?;
        let request = self.client.request(method, url);
        Ok(match &self.token {
            Some(token) => request.bearer_auth(token),
            None => request,
        })
    }

    async fn read<T: DeserializeOwned>(&self, request: RequestBuilder) -> Result<T, Failure> {
        let body = self.send(request).await?;
        serde_json::from_slice(&body).map_err(|error| self.stranger(&error.to_string()))
    }

    /// The body of a success.
    async fn send(&self, request: RequestBuilder) -> Result<Vec<u8>, Failure> {
        let (status, body) = self.answer(request).await?;
        if status.is_success() { Ok(body) } else { Err(self.refusal(status, &body)) }
    }

    async fn answer(&self, request: RequestBuilder) -> Result<(StatusCode, Vec<u8>), Failure> {
        let answer = request.send().await.map_err(|error| self.unreachable(&error))?;
        let status = answer.status();
        Ok((status, answer.bytes().await.map_err(|error| self.unreachable(&error))?.to_vec()))
    }

    fn unreachable(&self, error: &reqwest::Error) -> Failure {
        Failure::failed(format!("{} does not answer: {}", self.url, told(error)))
            .hint("check the address, and that a server runs there")
    }

    fn refusal(&self, status: StatusCode, body: &[u8]) -> Failure {
        let Ok(refusal) = serde_json::from_slice::<Refusal>(body) else {
            return self.stranger(&format!("it answers {status}"));
        };
        if status.is_server_error() {
            return Failure::failed(refusal.message).hint(refusal.suggestion);
        }
        match refusal.error.as_str() {
            "unauthorized" => {
                Failure::refused(refusal.message).hint("give a valid token by --token or INTERLINE_TOKEN")
            }
            "validation_failed" if !refusal.errors.is_empty() => {
                let problems: Vec<_> =
                    refusal.errors.iter().map(|error| format!("{}: {}", error.field, error.message)).collect();
                Failure::refused(problems.join("; "))
            }
            _ => Failure::refused(refusal.message).hint(refusal.suggestion),
        }
    }

    /// Something answers, and it does not speak our API.
    fn stranger(&self, detail: &str) -> Failure {
        Failure::failed(format!("{} does not answer as an Interline server: {detail}", self.url))
            .hint("check the address")
    }
}

/// An error with its causes, which reqwest leaves to the reader.
fn told(error: &reqwest::Error) -> String {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}
