//! Answers in JSON.

use axum::body::Body;
use axum::http::header::{CONTENT_TYPE, ETAG};
use axum::http::{HeaderName, HeaderValue, Response, StatusCode};
use interline_items::{Error, Stamp};
use serde::Serialize;

use super::condition;
use super::error::ApiError;

/// What a handler gives back.
pub(super) type Answer = Result<Response<Body>, ApiError>;

const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// A body in JSON.
pub(super) fn json(status: StatusCode, body: &impl Serialize) -> Answer {
    json_of_about(0, status, body)
}

/// A body in JSON of about `bytes` bytes: a long text is not moved while it is written.
fn json_of_about(bytes: usize, status: StatusCode, body: &impl Serialize) -> Answer {
    let mut text = Vec::with_capacity(bytes + 512);
    serde_json::to_writer(&mut text, body).map_err(|error| Error::Internal(error.to_string()))?;
    Ok(respond(status, CONTENT_TYPE, JSON, text.into()))
}

/// An item in JSON with the tag of its state.
pub(super) fn item(status: StatusCode, item: &super::wire::ItemBody<'_>, stamp: Stamp) -> Answer {
    let content = item.content.map_or(0, str::len);
    let mut answer = json_of_about(content + content / 16, status, item)?;
    answer.headers_mut().insert(ETAG, condition::etag(stamp));
    Ok(answer)
}

/// What an edit did, with the tag of the item's state.
pub(super) fn edited(edited: &super::wire::EditedBody<'_>, stamp: Stamp) -> Answer {
    let text = edited.bytes();
    let mut answer = json_of_about(text + text / 16, StatusCode::OK, edited)?;
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
