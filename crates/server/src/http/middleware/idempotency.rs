//! Middleware for `Idempotency-Key`: a write that is sent again gets the stored response of the first, and applies nothing.

use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::header::{ETAG, IF_MATCH, LOCATION};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode};
use axum::middleware::Next;
use axum::response::IntoResponse;
use interline_items::fields::FieldError;
use interline_items::{Caller, EditMode, Error, IdempotentRequest, IdempotentStart, Item, WriteOutcome};
use serde_json::{Value, json};

use crate::http::error::ApiError;
use crate::http::extract::caller::AuthenticatedCaller;
use crate::http::extract::{body, conditions};
use crate::http::middleware::attribution::run_attributed;
use crate::http::response::{self, HandlerResult};
use crate::http::routes::rules::{Idempotency, StoredResponse};
use crate::http::state::AppState;
use crate::wire::code::{DeleteFileResponse, PatchFileResponse, ReplaceFileResponse};
use crate::wire::{EditResponse, ItemResponse, collection_of, proposed_members};

const KEY: HeaderName = HeaderName::from_static("idempotency-key");
const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");

/// Passes a request on as its route declares: a write with a key is carried out once.
pub(super) async fn run_idempotent(
    state: &AppState,
    idempotency: Idempotency,
    request: Request,
    next: Next,
) -> Response<Body> {
    let shape = match idempotency {
        Idempotency::Ignored => return run_attributed(state, request, next).await,
        _ if !request.headers().contains_key(KEY) => return run_attributed(state, request, next).await,
        Idempotency::Refused => {
            let refused = invalid_key("is not taken here: list what there is before you send it again");
            return ApiError::from(refused).into_response();
        }
        Idempotency::Stored(shape) => shape,
        Idempotency::NotOffered => StoredResponse::Item,
    };
    let (mut parts, body) = request.into_parts();
    let bytes = match body::read_bounded(state, &parts, body).await {
        Ok(bytes) => bytes,
        Err(error) => return error.into_response(),
    };
    let Some(caller) = parts.extensions.remove::<AuthenticatedCaller>() else {
        return ApiError::Refused(Error::Unauthorized).into_response();
    };
    match start(state, shape, caller.clone(), &parts, &bytes).await {
        Ok(IdempotentStart::First(first)) => {
            // Without the caller: while that lives, the key is in flight.
            let again = parts.clone();
            parts.extensions.insert(AuthenticatedCaller(first));
            parts.extensions.insert(body::ReceivedBody(bytes.clone()));
            let response = run_attributed(state, Request::from_parts(parts, Body::empty()), next).await;
            if response.status().is_success() {
                return response;
            }
            // The same request may have succeeded in another process meanwhile, and this one failed because of it.
            match start(state, shape, caller, &again, &bytes).await {
                Ok(IdempotentStart::Replay(stored)) => replay(&stored).unwrap_or_else(IntoResponse::into_response),
                Ok(IdempotentStart::First(_)) | Err(_) => response,
            }
        }
        Ok(IdempotentStart::Replay(stored)) => replay(&stored).unwrap_or_else(IntoResponse::into_response),
        Err(error) => error.into_response(),
    }
}

/// Whether the request is the first with its key, or which response was stored under the key.
async fn start(
    state: &AppState,
    shape: StoredResponse,
    caller: AuthenticatedCaller,
    parts: &Parts,
    bytes: &Bytes,
) -> Result<IdempotentStart, ApiError> {
    let key = key_from_headers(&parts.headers)?;
    let uri = parts.uri.to_string();
    let condition = parts.headers.get(IF_MATCH).map_or(&b""[..], HeaderValue::as_bytes);
    let request = [parts.method.as_str().as_bytes(), uri.as_bytes(), condition, bytes];
    let AuthenticatedCaller(caller) = caller;
    let viewer = caller.clone();
    let store_response = move |outcome: &WriteOutcome<'_>| {
        let stored = match shape {
            StoredResponse::Item => stored_item_response(outcome, &viewer),
            StoredResponse::Code => stored_code_response(outcome, &viewer),
            StoredResponse::Empty => json!({"status": 204}),
        };
        with_proposal(stored, outcome).to_string()
    };
    let write = IdempotentRequest::parse(key, &request, store_response)?;
    Ok(state.interline.begin(caller, write).await?)
}

fn invalid_key(message: &str) -> Error {
    Error::ValidationFailed(vec![FieldError::new("Idempotency-Key", message)])
}

/// The key of a request.
fn key_from_headers(headers: &HeaderMap) -> Result<&str, Error> {
    let mut keys = headers.get_all(KEY).iter();
    match (keys.next().and_then(|key| key.to_str().ok()), keys.next()) {
        (Some(key), None) => Ok(key),
        _ => Err(invalid_key("must be given once, in ASCII")),
    }
}

/// What is stored of a response: nothing of the content, be it a preview or a diff. A stored response may outlive the item.
fn stored_item_response(outcome: &WriteOutcome<'_>, caller: &Caller) -> Value {
    match outcome {
        WriteOutcome::Created(item) => {
            let location = format!("/{}/{}", collection_of(item.kind), item.id);
            json!({"status": 201, "etag": etag_text(item), "location": location, "body": ItemResponse::without_text(item).with_owner(item, caller)})
        }
        WriteOutcome::Changed(item) => {
            json!({"status": 200, "etag": etag_text(item), "body": ItemResponse::without_text(item).with_owner(item, caller)})
        }
        WriteOutcome::Merged(item, merged_from) => {
            let body = ItemResponse::without_text(item).with_owner(item, caller).with_merge(Some(*merged_from));
            json!({"status": 200, "etag": etag_text(item), "body": body})
        }
        WriteOutcome::Edited(edited) => {
            let item = &edited.after.item;
            let body = EditResponse::without_diff(edited, ItemResponse::without_text(item).with_owner(item, caller));
            json!({"status": 200, "etag": etag_text(item), "body": body})
        }
        WriteOutcome::Removed(_) => json!({"status": 204}),
        WriteOutcome::Retagged(changed) => json!({"status": 200, "body": {"changed": changed}}),
    }
}

/// What is stored of a response about a file of code.
fn stored_code_response(outcome: &WriteOutcome<'_>, caller: &Caller) -> Value {
    match outcome {
        WriteOutcome::Created(item) => json!({"status": 201, "body": ReplaceFileResponse::created(item, caller)}),
        WriteOutcome::Changed(item) => json!({"status": 200, "body": ReplaceFileResponse::changed(item, caller)}),
        WriteOutcome::Merged(item, merged_from) => {
            json!({"status": 200, "body": ReplaceFileResponse::merged(item, *merged_from, caller)})
        }
        WriteOutcome::Edited(edited) => {
            json!({"status": 200, "body": PatchFileResponse::new(edited, EditMode::Write, caller).without_text()})
        }
        WriteOutcome::Removed(item) => json!({"status": 200, "body": DeleteFileResponse::new(item, caller)}),
        WriteOutcome::Retagged(_) => stored_item_response(outcome, caller),
    }
}

/// The stored response of a write that was kept as a proposal, which says so.
fn with_proposal(stored: Value, outcome: &WriteOutcome<'_>) -> Value {
    let proposal = outcome.item().and_then(|item| item.proposal.as_deref());
    let Some(members) = proposal.and_then(proposed_members) else { return stored };
    let mut body = stored["body"].as_object().cloned().unwrap_or_default();
    body.extend(members);
    json!({"status": 202, "body": body})
}

fn etag_text(item: &Item) -> String {
    conditions::etag(item.stamp).to_str().unwrap_or_default().to_owned()
}

/// A stored response, marked as a replay.
fn replay(text: &str) -> HandlerResult {
    let stored: Value = serde_json::from_str(text).map_err(|error| Error::Internal(error.to_string()))?;
    let status = stored["status"].as_u64().and_then(|status| u16::try_from(status).ok());
    let status = status.and_then(|status| StatusCode::from_u16(status).ok()).unwrap_or(StatusCode::OK);
    let mut response = match &stored["body"] {
        Value::Null => response::empty(status),
        body => response::json(status, body)?,
    };
    let headers = response.headers_mut();
    for (name, member) in [(ETAG, "etag"), (LOCATION, "location")] {
        if let Some(value) = stored[member].as_str().and_then(|value| HeaderValue::from_str(value).ok()) {
            headers.insert(name, value);
        }
    }
    headers.insert(REPLAYED, HeaderValue::from_static("true"));
    Ok(response)
}
