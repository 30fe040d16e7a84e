//! `/`: the way on for who knows the address alone. A browser is led to `/docs`; a program is told where everything is.

use axum::Router;
use axum::http::header::{ACCEPT, CONTENT_TYPE, VARY};
use axum::http::{HeaderMap, HeaderValue};
use axum::response::{IntoResponse as _, Redirect, Response};
use axum::routing::get;
use serde_json::{Value, json};

use crate::http::state::AppState;
use crate::mcp::McpServer;

pub(in crate::http) fn routes() -> Router<AppState> {
    Router::new().route("/", get(root))
}

async fn root(headers: HeaderMap) -> Response {
    let mut response = match wants_page(&headers) {
        true => Redirect::temporary("/docs/").into_response(),
        false => ([(CONTENT_TYPE, "application/json")], signpost().to_string()).into_response(),
    };
    response.headers_mut().insert(VARY, HeaderValue::from_static("accept"));
    response
}

/// Whether the client is one that shows pages.
fn wants_page(headers: &HeaderMap) -> bool {
    headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok()).any(|value| value.contains("text/html"))
}

fn signpost() -> Value {
    let servers: Vec<String> = McpServer::ALL.iter().map(|server| format!("/mcp/{}", server.name())).collect();
    json!({
        "name": "Interline",
        "version": env!("CARGO_PKG_VERSION"),
        "docs": "/docs",
        "openapi": "/openapi.json",
        "health": "/health",
        "mcp": servers,
    })
}
