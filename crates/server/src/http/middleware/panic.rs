//! The response to a request whose handler panicked.

use std::any::Any;

use axum::body::Body;
use axum::http::Response;
use axum::response::IntoResponse;
use interline_items::Error;

use crate::http::error::ApiError;

/// An internal error. A panic is a bug, and must not close the connection.
#[expect(clippy::needless_pass_by_value, reason = "the signature that `CatchPanicLayer` calls")]
pub(in crate::http) fn panic_response(panic: Box<dyn Any + Send + 'static>) -> Response<Body> {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&'static str>().copied()).unwrap_or("unknown");
    ApiError::Refused(Error::Internal(format!("a handler panicked: {text}"))).into_response()
}
