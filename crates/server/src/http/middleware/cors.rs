//! CORS: what pages of the allowed origins may send, and which headers of a response their scripts may read.

use axum::http::{HeaderName, HeaderValue, Method, header};
use tower_http::cors::{AllowOrigin, CorsLayer};

use super::host_check::normalize_origin;
use crate::Settings;

/// The layer that answers preflight requests; `None` where no other origin is allowed.
pub(in crate::http) fn cors_layer(settings: &Settings) -> Option<CorsLayer> {
    if settings.allowed_origins.is_empty() {
        return None;
    }
    let origins: Vec<String> = settings.allowed_origins.iter().map(|origin| normalize_origin(origin)).collect();
    let is_allowed =
        move |origin: &HeaderValue| origin.to_str().is_ok_and(|origin| origins.contains(&normalize_origin(origin)));
    let layer = CorsLayer::new()
        .allow_origin(AllowOrigin::predicate(move |origin, _| is_allowed(origin)))
        .allow_methods([Method::GET, Method::POST, Method::PATCH, Method::DELETE])
        .allow_headers([
            header::AUTHORIZATION,
            header::CONTENT_TYPE,
            header::IF_MATCH,
            header::IF_NONE_MATCH,
            HeaderName::from_static("idempotency-key"),
            HeaderName::from_static("mcp-protocol-version"),
        ])
        .expose_headers([
            header::ETAG,
            header::LOCATION,
            header::RETRY_AFTER,
            HeaderName::from_static("idempotency-replayed"),
            HeaderName::from_static("x-request-id"),
            HeaderName::from_static("ratelimit-limit"),
            HeaderName::from_static("ratelimit-remaining"),
            HeaderName::from_static("ratelimit-reset"),
        ]);
    Some(layer)
}
