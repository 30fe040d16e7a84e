//! Building responses: JSON bodies, `ETag` and `Location`.

use axum::body::{Body, Bytes};
use axum::http::header::{CONTENT_TYPE, ETAG, LOCATION};
use axum::http::{HeaderName, HeaderValue, Response, StatusCode};
use interline_items::{Error, Stamp};
use serde::Serialize;

use super::error::ApiError;
use super::extract::conditions;
use super::middleware::answer_memory::SharedBody;
use super::middleware::response_cache::CachedBody;

/// What a handler returns.
pub(super) type HandlerResult = Result<Response<Body>, ApiError>;

const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// A body in JSON.
pub(super) fn json(status: StatusCode, body: &impl Serialize) -> HandlerResult {
    Ok(respond(status, CONTENT_TYPE, JSON, to_json_with_capacity(0, body)?.into()))
}

/// JSON of about `bytes` bytes: the buffer of a long text is not moved while it is written.
fn to_json_with_capacity(bytes: usize, body: &impl Serialize) -> Result<Bytes, Error> {
    let mut text = Vec::with_capacity(bytes + 512);
    serde_json::to_writer(&mut text, body).map_err(|error| Error::Internal(error.to_string()))?;
    Ok(text.into())
}

/// An item in JSON, with the tag of its state.
pub(super) fn item(status: StatusCode, item: &crate::wire::ItemResponse<'_>, stamp: Stamp) -> HandlerResult {
    let mut response = respond(status, CONTENT_TYPE, JSON, item_bytes(item)?.into());
    response.headers_mut().insert(ETAG, conditions::etag(stamp));
    Ok(response)
}

/// Names the address of what a request created.
pub(super) fn set_location(response: &mut Response<Body>, path: &str) {
    if let Ok(location) = HeaderValue::from_str(path) {
        response.headers_mut().insert(LOCATION, location);
    }
}

/// The JSON of an item.
pub(super) fn item_bytes(item: &crate::wire::ItemResponse<'_>) -> Result<Bytes, Error> {
    let content = item.content.map_or(0, str::len);
    to_json_with_capacity(content + content / 16, item)
}

/// An item whose JSON comes from the response cache.
pub(super) fn cached_item(body: CachedBody) -> Response<Body> {
    let mut response = respond(StatusCode::OK, CONTENT_TYPE, JSON, body.bytes.into());
    response.headers_mut().insert(ETAG, conditions::etag(body.stamp));
    response.extensions_mut().insert(SharedBody);
    response
}

/// The result of an edit in JSON, with the tag of the item's state.
pub(super) fn edited(edited: &crate::wire::EditResponse<'_>, stamp: Stamp) -> HandlerResult {
    let text = edited.bytes();
    let body = to_json_with_capacity(text + text / 16, edited)?;
    let mut response = respond(StatusCode::OK, CONTENT_TYPE, JSON, body.into());
    response.headers_mut().insert(ETAG, conditions::etag(stamp));
    Ok(response)
}

/// A response without a body.
pub(super) fn empty(status: StatusCode) -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    response
}

fn respond(status: StatusCode, name: HeaderName, value: HeaderValue, body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response.headers_mut().insert(name, value);
    response
}
