//! `Idempotency-Key`: a write that is sent again gets the answer of the first, and applies nothing.

use axum::body::{Body, Bytes};
use axum::extract::{FromRequestParts, Request};
use axum::http::header::{ETAG, IF_MATCH, LOCATION};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode};
use axum::middleware::Next;
use axum::response::IntoResponse;
use interline_items::fields::FieldError;
use interline_items::{EditMode, Error, IdempotentRequest, IdempotentStart, Item, WriteOutcome};
use serde_json::{Value, json};

use super::app::App;
use super::error::ApiError;
use super::identify::{Caller, access};
use super::limiter::Access;
use super::{answer, body, condition};
use crate::wire::code::{DeleteFileResponse, PatchFileResponse, ReplaceFileResponse};
use crate::wire::{EditResponse, ItemResponse, collection_of};

const KEY: HeaderName = HeaderName::from_static("idempotency-key");
const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");

/// Carries out a write with a key once; other requests go their way.
pub(super) async fn once(app: &App, request: Request, next: Next) -> Response<Body> {
    if access(&request) == Access::Read || !request.headers().contains_key(KEY) {
        return next.run(request).await;
    }
    let (mut parts, body) = request.into_parts();
    let bytes = match body::bounded(app, &parts.headers, body).await {
        Ok(bytes) => bytes,
        Err(error) => return error.into_response(),
    };
    let Some(caller) = parts.extensions.remove::<Caller>() else {
        return ApiError::Refused(Error::Unauthorized).into_response();
    };
    match begin(app, caller.clone(), &parts, &bytes).await {
        Ok(IdempotentStart::First(first)) => {
            // Without the caller: while that lives, the request is under way.
            let again = parts.clone();
            parts.extensions.insert(Caller(first));
            let answer = next.run(Request::from_parts(parts, Body::from(bytes.clone()))).await;
            if answer.status().is_success() {
                return answer;
            }
            // The same request may have succeeded elsewhere meanwhile, and this one failed for what it changed.
            match begin(app, caller, &again, &bytes).await {
                Ok(IdempotentStart::Replay(text)) => replayed(&text).unwrap_or_else(IntoResponse::into_response),
                Ok(IdempotentStart::First(_)) | Err(_) => answer,
            }
        }
        Ok(IdempotentStart::Replay(text)) => replayed(&text).unwrap_or_else(IntoResponse::into_response),
        Err(error) => error.into_response(),
    }
}

async fn begin(app: &App, caller: Caller, parts: &Parts, bytes: &Bytes) -> Result<IdempotentStart, ApiError> {
    let key = key(&parts.headers)?;
    let uri = parts.uri.to_string();
    let condition = parts.headers.get(IF_MATCH).map_or(&b""[..], HeaderValue::as_bytes);
    let said = [parts.method.as_str().as_bytes(), uri.as_bytes(), condition, bytes];
    let by = caller.0.clone();
    let is_code = parts.uri.path().starts_with("/code/");
    let answer = move |outcome: &WriteOutcome<'_>| {
        let answer = if is_code { remembered_code(outcome, &by) } else { remembered(outcome, &by) };
        answer.to_string()
    };
    let write = IdempotentRequest::parse(key, &said, answer)?;
    Ok(app.interline.begin(caller.0, write).await?)
}

/// The caller of a write that is not remembered, since its answer shows secrets or is none of an item: with a key it is
/// refused.
pub(super) struct Keyless(pub(super) interline_items::Caller);

impl<S: Sync> FromRequestParts<S> for Keyless {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Keyless, ApiError> {
        if parts.headers.contains_key(KEY) {
            return Err(invalid("is not taken here: list what there is before you send it again").into());
        }
        let Caller(caller) = Caller::from_request_parts(parts, state).await?;
        Ok(Keyless(caller))
    }
}

fn invalid(message: &str) -> Error {
    Error::ValidationFailed(vec![FieldError::new("Idempotency-Key", message)])
}

fn key(headers: &HeaderMap) -> Result<&str, Error> {
    let mut keys = headers.get_all(KEY).iter();
    match (keys.next().and_then(|key| key.to_str().ok()), keys.next()) {
        (Some(key), None) => Ok(key),
        _ => Err(invalid("must be given once, in ASCII")),
    }
}

/// What is remembered of an answer: nothing of the content, be it a preview or a diff. It may outlive the item.
fn remembered(outcome: &WriteOutcome<'_>, caller: &interline_items::Caller) -> Value {
    match outcome {
        WriteOutcome::Created(item) => {
            let location = format!("/{}/{}", collection_of(item.kind), item.id);
            json!({"status": 201, "etag": tag(item), "location": location, "body": ItemResponse::without_text(item).with_owner(item, caller)})
        }
        WriteOutcome::Changed(item) => {
            json!({"status": 200, "etag": tag(item), "body": ItemResponse::without_text(item).with_owner(item, caller)})
        }
        WriteOutcome::Edited(edited) => {
            let item = &edited.after.item;
            let body = EditResponse::without_diff(edited, ItemResponse::without_text(item).with_owner(item, caller));
            json!({"status": 200, "etag": tag(item), "body": body})
        }
        WriteOutcome::Removed(_) => json!({"status": 204}),
        WriteOutcome::Retagged(changed) => json!({"status": 200, "body": {"changed": changed}}),
    }
}

/// What is remembered of an answer about a file of code.
fn remembered_code(outcome: &WriteOutcome<'_>, caller: &interline_items::Caller) -> Value {
    match outcome {
        WriteOutcome::Created(item) => json!({"status": 201, "body": ReplaceFileResponse::created(item, caller)}),
        WriteOutcome::Changed(item) => json!({"status": 200, "body": ReplaceFileResponse::changed(item, caller)}),
        WriteOutcome::Edited(edited) => {
            json!({"status": 200, "body": PatchFileResponse::new(edited, EditMode::Write, caller)})
        }
        WriteOutcome::Removed(item) => json!({"status": 200, "body": DeleteFileResponse::new(item, caller)}),
        WriteOutcome::Retagged(_) => remembered(outcome, caller),
    }
}

fn tag(item: &Item) -> String {
    condition::etag(item.stamp).to_str().unwrap_or_default().to_owned()
}

/// The remembered answer, marked as such.
fn replayed(text: &str) -> Result<Response<Body>, ApiError> {
    let remembered: Value = serde_json::from_str(text).map_err(|error| Error::Internal(error.to_string()))?;
    let status = remembered["status"].as_u64().and_then(|status| u16::try_from(status).ok());
    let status = status.and_then(|status| StatusCode::from_u16(status).ok()).unwrap_or(StatusCode::OK);
    let mut answer = match &remembered["body"] {
        Value::Null => answer::empty(status),
        body => answer::json(status, body)?,
    };
    let headers = answer.headers_mut();
    for (name, member) in [(ETAG, "etag"), (LOCATION, "location")] {
        if let Some(value) = remembered[member].as_str().and_then(|value| HeaderValue::from_str(value).ok()) {
            headers.insert(name, value);
        }
    }
    headers.insert(REPLAYED, HeaderValue::from_static("true"));
    Ok(answer)
}
