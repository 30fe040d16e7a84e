//! The REST API without a connection: requests of this process itself, on behalf of one user.

use std::sync::Arc;

use axum::body::{Body, Bytes, HttpBody};
use axum::http::header::{HOST, HeaderMap, HeaderValue};
use axum::http::{Method, Request, Response, StatusCode, Uri};
use axum::{BoxError, Router};
use http_body_util::BodyExt as _;
use interline_items::{Interline, MemoryBudget, Source, UserId};
use tokio::sync::{Semaphore, watch};
use tower::ServiceExt as _;

use crate::connections::{ConnectionLimits, ConnectionTable};
use crate::http::{self, LocalDoor};
use crate::shutdown::Shutdown;
use crate::{Auth, Settings};

/// More than the JSON of any content that a store takes.
const MAX_BODY_BYTES: usize = 1024 * 1024 * 1024;
/// One request at a time runs, for its own user: what the machine has is the limit.
const MEMORY: usize = usize::MAX / 4;

/// The REST API over a store, called in this process: every request is the user's, made at the command line. Neither rate
/// limits nor host checks apply.
#[derive(Clone)]
pub struct LocalService {
    router: Router,
    interline: Interline,
    /// Dropped when the service is: listeners end then.
    _closing: Arc<watch::Sender<()>>,
}

/// The response to a request, whose body is read as it comes.
pub struct LocalResponse {
    status: StatusCode,
    body: Body,
}

impl LocalService {
    /// The API for requests of `user`.
    pub fn new(interline: Interline, user: UserId) -> LocalService {
        let settings = Settings {
            auth: Auth::Owner(user),
            rate_limits: None,
            max_body_bytes: MAX_BODY_BYTES,
            memory_budget: MEMORY,
            ..Settings::default()
        };
        let places = settings.max_connections;
        let limits = ConnectionLimits { places, per_address: places, trusted_proxies: Vec::new() };
        let (closing, is_closing) = watch::channel(());
        let shutdown = Shutdown { is_closing, listeners: Arc::new(Semaphore::new(places)) };
        let (table, memory) = (ConnectionTable::new(limits), MemoryBudget::new(MEMORY, || None));
        let router = http::local_router(interline.clone(), settings, table, memory, shutdown);
        LocalService { router, interline, _closing: Arc::new(closing) }
    }

    /// Indexes what requests have left unindexed, if that is much, as long as it may go on. What fails or is cut off is left
    /// for the next time: searches find the same without it.
    pub async fn index_backlog(&self, may_go_on: impl Fn() -> bool + Send) {
        if let Err(error) = self.interline.index_backlog(may_go_on).await {
            tracing::debug!(error = error.with_detail(), "the search index is left for the next command");
        }
    }

    /// Answers a request: its target is a path with its query. The body is read as it comes.
    pub async fn call<B>(&self, method: Method, target: Uri, headers: HeaderMap, body: B) -> LocalResponse
    where
        B: HttpBody<Data = Bytes> + Send + 'static,
        B::Error: Into<BoxError>,
    {
        let mut request = Request::new(Body::new(body));
        *request.method_mut() = method;
        *request.uri_mut() = target;
        *request.headers_mut() = headers;
        request.headers_mut().insert(HOST, HeaderValue::from_static("localhost"));
        request.extensions_mut().insert(LocalDoor(Source::Cli));
        let Ok(response): Result<Response<Body>, _> =
            self.router.clone().oneshot(http::without_final_slash(request)).await;
        let (head, body) = response.into_parts();
        LocalResponse { status: head.status, body }
    }
}

impl LocalResponse {
    /// Whether the request was carried out, or why not.
    pub fn status(&self) -> StatusCode {
        self.status
    }

    /// The next part of the body; `None` at its end. An error says why the rest is missing.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>, String> {
        while let Some(frame) = self.body.frame().await {
            match frame.map_err(|error| error.to_string())?.into_data() {
                Ok(bytes) if bytes.is_empty() => {}
                Ok(bytes) => return Ok(Some(bytes)),
                // Trailers.
                Err(_) => {}
            }
        }
        Ok(None)
    }
}
