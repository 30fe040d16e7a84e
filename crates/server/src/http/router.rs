//! The router: all routes behind the middleware, and the responses where no route matches.

use std::net::{Ipv4Addr, SocketAddr};

use axum::Router;
use axum::extract::Request;
use axum::http::{Method, Uri};
use axum::middleware::from_fn_with_state;
use interline_items::{Interline, MemoryBudget};
use tower_http::catch_panic::CatchPanicLayer;

use super::error::ApiError;
use super::middleware::cors::cors_layer;
use super::middleware::panic::panic_response;
use super::middleware::request_log::log_request;
use super::routes::{self, docs, mcp, root};
use super::state::AppState;
use crate::Settings;
use crate::connections::ConnectionTable;
use crate::shutdown::Shutdown;

/// The API, for requests that arrive at `address`.
pub(crate) fn router(
    interline: Interline,
    settings: Settings,
    address: SocketAddr,
    connections: ConnectionTable,
    memory: MemoryBudget,
    shutdown: Shutdown,
) -> Router {
    let state = AppState::new(interline, settings, address, connections, memory, shutdown);
    let pages = docs::routes(&state).merge(root::routes()).merge(mcp::routes(&state));
    with_layers(routes::all().into_router(&state).merge(pages), state)
}

/// The API for requests of this process itself: without pages and MCP, which cost time to set up.
pub(crate) fn local_router(
    interline: Interline,
    settings: Settings,
    connections: ConnectionTable,
    memory: MemoryBudget,
    shutdown: Shutdown,
) -> Router {
    let address = (Ipv4Addr::LOCALHOST, 0).into();
    let state = AppState::new(interline, settings, address, connections, memory, shutdown);
    with_layers(routes::all().into_router(&state), state)
}

fn with_layers(routes: Router<AppState>, state: AppState) -> Router {
    let outer_layers = (
        from_fn_with_state(state.clone(), log_request),
        tower::util::option_layer(cors_layer(&state.settings)),
        CatchPanicLayer::custom(panic_response),
    );
    routes
        .method_not_allowed_fallback(async |method: Method| ApiError::MethodNotAllowed(method.to_string()))
        .fallback(async |uri: Uri| ApiError::UnknownRoute(uri.path().chars().take(200).collect()))
        .layer(outer_layers)
        .with_state(state)
}

/// `/notes/` is `/notes`, except where a route needs its final slash.
pub(crate) fn without_final_slash<B>(mut request: Request<B>) -> Request<B> {
    let path = request.uri().path();
    if path.len() > 1 && path.ends_with('/') && !docs::keeps_final_slash(path) {
        let mut shorter = path.trim_end_matches('/').to_owned();
        if shorter.is_empty() {
            shorter.push('/');
        }
        if let Some(query) = request.uri().query() {
            shorter.push('?');
            shorter.push_str(query);
        }
        let mut parts = request.uri().clone().into_parts();
        parts.path_and_query = shorter.parse().ok();
        if let Ok(uri) = Uri::from_parts(parts) {
            *request.uri_mut() = uri;
        }
    }
    request
}
