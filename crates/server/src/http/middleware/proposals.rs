//! Middleware for tokens whose writes are kept as proposals: their answers say so.

use axum::body::{Body, to_bytes};
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE, ETAG, LOCATION};
use axum::http::{HeaderValue, Response, StatusCode};
use interline_items::Caller;
use serde_json::{Map, Value};

use crate::wire::proposed_members;

/// The answer to a request of a proposing caller: 202 with the proposal, if a write was kept as one. The tag of an item's state is
/// left out where the item is shown as it was proposed: it changes without the item's stamp.
pub(super) async fn with_proposal(mut response: Response<Body>, caller: &Caller) -> Response<Body> {
    if caller.was_shown_pending() {
        response.headers_mut().remove(ETAG);
    }
    let Some(members) = caller.proposed().as_ref().and_then(proposed_members) else { return response };
    if !response.status().is_success() {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    // Our own answer, which is in memory already.
    let bytes = to_bytes(body, usize::MAX).await.unwrap_or_default();
    let mut answer: Map<String, Value> = serde_json::from_slice(&bytes).unwrap_or_default();
    answer.extend(members);
    parts.status = StatusCode::ACCEPTED;
    for header in [CONTENT_LENGTH, ETAG, LOCATION] {
        parts.headers.remove(header);
    }
    parts.headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    Response::from_parts(parts, Body::from(Value::Object(answer).to_string()))
}
