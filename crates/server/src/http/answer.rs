//! Answers in JSON.

use axum::body::{Body, Bytes};
use axum::http::header::{CONTENT_TYPE, ETAG};
use axum::http::{HeaderName, HeaderValue, Response, StatusCode};
use interline_items::{Error, Stamp};
use serde::Serialize;

use super::condition;
use super::error::ApiError;
use super::kept::KeptBody;

/// What a handler gives back.
pub(super) type Answer = Result<Response<Body>, ApiError>;

const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// A body in JSON.
pub(super) fn json(status: StatusCode, body: &impl Serialize) -> Answer {
    Ok(respond(status, CONTENT_TYPE, JSON, json_of_about(0, body)?.into()))
}

/// JSON of about `bytes` bytes: a long text is not moved while it is written.
fn json_of_about(bytes: usize, body: &impl Serialize) -> Result<Bytes, Error> {
    let mut text = Vec::with_capacity(bytes + 512);
    serde_json::to_writer(&mut text, body).map_err(|error| Error::Internal(error.to_string()))?;
    Ok(text.into())
}

/// An item in JSON with the tag of its state.
pub(super) fn item(status: StatusCode, item: &crate::wire::ItemResponse<'_>, stamp: Stamp) -> Answer {
    let mut answer = respond(status, CONTENT_TYPE, JSON, item_bytes(item)?.into());
    answer.headers_mut().insert(ETAG, condition::etag(stamp));
    Ok(answer)
}

/// The JSON of an item.
pub(super) fn item_bytes(item: &crate::wire::ItemResponse<'_>) -> Result<Bytes, Error> {
    let content = item.content.map_or(0, str::len);
    json_of_about(content + content / 16, item)
}

/// An item that was written as JSON before.
pub(super) fn kept(body: KeptBody) -> Response<Body> {
    let mut answer = respond(StatusCode::OK, CONTENT_TYPE, JSON, body.bytes.into());
    answer.headers_mut().insert(ETAG, condition::etag(body.stamp));
    answer
}

/// What an edit did, with the tag of the item's state.
pub(super) fn edited(edited: &crate::wire::EditResponse<'_>, stamp: Stamp) -> Answer {
    let text = edited.bytes();
    let body = json_of_about(text + text / 16, edited)?;
    let mut answer = respond(StatusCode::OK, CONTENT_TYPE, JSON, body.into());
    answer.headers_mut().insert(ETAG, condition::etag(stamp));
    Ok(answer)
}

/// No body.
pub(super) fn empty(status: StatusCode) -> Response<Body> {
    let mut answer = Response::new(Body::empty());
    *answer.status_mut() = status;
    answer
}

fn respond(status: StatusCode, name: HeaderName, value: HeaderValue, body: Body) -> Response<Body> {
    let mut answer = Response::new(body);
    *answer.status_mut() = status;
    answer.headers_mut().insert(name, value);
    answer
}
