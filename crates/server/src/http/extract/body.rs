//! Request bodies: read up to a length and in time, and parsed as JSON.

use std::io;
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody as _};
use axum::extract::{FromRequest, Request};
use axum::http::HeaderMap;
use axum::http::header::{CONTENT_LENGTH, EXPECT};
use axum::http::request::Parts;
use http_body_util::BodyExt as _;
use interline_items::fair::{FairPermit, QueueFull};
use interline_items::{Error, MemoryHolder, OverloadCause, Overloaded, RequestMemory, WORK_FACTOR};
use serde::de::DeserializeOwned;
use tokio::task::spawn_blocking;

use super::json_values::check_value_count;

use crate::http::error::ApiError;
use crate::http::extract::caller::WritingCaller;
use crate::http::state::AppState;
use crate::wire::{Attributed, json_field_error};

/// How much of a body that is refused is read and dropped while the response is on its way, for how long in all, and how long
/// the server waits for more of it. A client that is still sending when its connection is closed never reads the response.
const MAX_DISCARDED_BYTES: usize = 1024 * 1024 * 1024;
const MAX_DISCARD_TIME: Duration = Duration::from_secs(30);
const DISCARD_IDLE_TIME: Duration = Duration::from_millis(500);

/// How long an import or an export waits for a place.
const TRANSFER_WAIT: Duration = Duration::from_secs(30);

/// From how many bytes on a body is long: parsing it takes long enough to hold up the other requests of its thread.
pub(in crate::http) const LONG_BODY: usize = 64 * 1024;

/// A body that was read and counted already; an extension of its request, whose own body is empty then.
#[derive(Clone)]
pub(in crate::http) struct ReceivedBody(pub(in crate::http) Bytes);

/// The body of a request, parsed.
pub(in crate::http) struct JsonBody<T>(pub(in crate::http) T);

impl<T: DeserializeOwned + Send + 'static> FromRequest<AppState> for JsonBody<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &AppState) -> Result<JsonBody<T>, ApiError> {
        let (parts, body) = request.into_parts();
        let bytes = read_bounded(state, &parts, body).await?;
        Ok(JsonBody(parse_attributed(state, &parts, bytes).await?))
    }
}

/// The value of a body that may be left out.
pub(in crate::http) async fn parse_optional<T: DeserializeOwned + Default + Send + 'static>(
    state: &AppState,
    parts: &Parts,
    body: Body,
) -> Result<T, ApiError> {
    let bytes = read_bounded(state, parts, body).await?;
    if bytes.is_empty() { Ok(T::default()) } else { parse_attributed(state, parts, bytes).await }
}

/// A body of JSON that may be left out.
pub(in crate::http) struct OptionalJsonBody<T>(pub(in crate::http) T);

impl<T: DeserializeOwned + Default + Send + 'static> FromRequest<AppState> for OptionalJsonBody<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &AppState) -> Result<OptionalJsonBody<T>, ApiError> {
        let (parts, body) = request.into_parts();
        Ok(OptionalJsonBody(parse_optional(state, &parts, body).await?))
    }
}

/// Parses a body, and attributes the writes of its request as it says.
async fn parse_attributed<T: DeserializeOwned + Send + 'static>(
    state: &AppState,
    parts: &Parts,
    bytes: Bytes,
) -> Result<T, ApiError> {
    let Attributed { value, attribution } = parse_fairly(state, bytes).await?;
    if let Some(request) = attribution.into_request()?
        && let Some(WritingCaller(caller)) = parts.extensions.get()
    {
        state.interline.attribute(caller, request).await?;
    }
    Ok(value)
}

/// Parses a body: a long one on a blocking thread, in the turn of whose request it is.
async fn parse_fairly<T: DeserializeOwned + Send + 'static>(
    state: &AppState,
    bytes: Bytes,
) -> Result<Attributed<T>, ApiError> {
    if bytes.len() <= LONG_BODY {
        return Ok(parse(&bytes)?);
    }
    let permit = long_body_permit(state).await?;
    let parsing = spawn_blocking(move || {
        let _permit = permit;
        parse(&bytes)
    });
    Ok(parsing.await.map_err(|error| Error::Internal(error.to_string()))??)
}

/// A place for work on a long body, for as long as it is held.
pub(in crate::http) async fn long_body_permit(state: &AppState) -> Result<Option<FairPermit<MemoryHolder>>, Error> {
    let Some(memory) = RequestMemory::current() else { return Ok(None) };
    let acquired = state.long_bodies.acquire(memory.holder()).await;
    acquired.map(Some).map_err(|QueueFull(cause)| Overloaded { resource: "queue of long requests", cause }.into())
}

/// A place for an import or an export, for as long as it is held.
pub(in crate::http) async fn transfer_permit(state: &AppState) -> Result<Option<FairPermit<MemoryHolder>>, Error> {
    let overloaded = |cause| Error::from(Overloaded { resource: "queue of imports and exports", cause });
    let Some(memory) = RequestMemory::current() else { return Ok(None) };
    let acquired = tokio::time::timeout(TRANSFER_WAIT, state.transfers.acquire(memory.holder())).await;
    // Who waits that long waits for its own: others are served in turn.
    let acquired = acquired.map_err(|_| overloaded(OverloadCause::Caller))?;
    acquired.map(Some).map_err(|QueueFull(cause)| overloaded(cause))
}

/// A whole body, if it is not too long and arrives in time. Every body that a route reads is read here.
pub(in crate::http) async fn read_bounded(state: &AppState, parts: &Parts, body: Body) -> Result<Bytes, ApiError> {
    if let Some(ReceivedBody(bytes)) = parts.extensions.get() {
        return Ok(bytes.clone());
    }
    let headers = &parts.headers;
    let limit = state.settings.max_body_bytes;
    let declared = declared_length(headers);
    // A client that waits for `100 Continue` has sent nothing, and is not asked to.
    let refuse = |body: Body, refused: ApiError| {
        if !headers.contains_key(EXPECT) {
            tokio::spawn(discard(body));
        }
        Err(refused)
    };
    if let Some(actual) = declared.filter(|&declared| declared > limit as u64) {
        return refuse(body, ApiError::BodyTooLarge { limit, actual: Some(actual) });
    }
    let declared = declared.and_then(|declared| usize::try_from(declared).ok());
    let memory = RequestMemory::current();
    if let (Some(memory), Some(declared)) = (&memory, declared)
        && let Err(full) = memory.has_room_for(declared.saturating_mul(WORK_FACTOR))
    {
        return refuse(body, Error::Overloaded(full).into());
    }
    let reading = BodyReader { limit, declared, memory, bytes: Vec::new() }.read(body);
    tokio::time::timeout(state.settings.request_timeout, reading).await.unwrap_or(Err(ApiError::BodyIncomplete))
}

fn declared_length(headers: &HeaderMap) -> Option<u64> {
    headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// Reads a body into one buffer, and takes the memory for it as the bytes arrive: a client that only announces a long body
/// takes none.
struct BodyReader {
    limit: usize,
    declared: Option<usize>,
    memory: Option<RequestMemory>,
    bytes: Vec<u8>,
}

impl BodyReader {
    async fn read(mut self, mut body: Body) -> Result<Bytes, ApiError> {
        while let Some(frame) = body.frame().await {
            let frame = frame.map_err(|error| body_error(&error))?;
            let Ok(data) = frame.into_data() else { continue };
            let is_whole = self.bytes.is_empty() && body.is_end_stream();
            if let Err(refused) = self.check(data.len()) {
                tokio::spawn(discard(body));
                return Err(refused);
            }
            if is_whole {
                return Ok(data);
            }
            self.add(&data);
        }
        Ok(self.bytes.into())
    }

    /// Whether so many bytes more are within the limit, and there is memory for them.
    fn check(&self, more: usize) -> Result<(), ApiError> {
        if self.bytes.len() + more > self.limit {
            return Err(ApiError::BodyTooLarge { limit: self.limit, actual: None });
        }
        match &self.memory {
            Some(memory) => Ok(memory.take(more.saturating_mul(WORK_FACTOR)).map_err(Error::Overloaded)?),
            None => Ok(()),
        }
    }

    /// The buffer doubles as it fills, up to the declared length: a client that only announces a long body has a short buffer.
    fn add(&mut self, data: &[u8]) {
        let needed = self.bytes.len() + data.len();
        if needed > self.bytes.capacity() {
            let doubled = needed.saturating_mul(2);
            let whole = self.declared.unwrap_or(usize::MAX).min(self.limit).max(needed);
            self.bytes.reserve_exact(doubled.min(whole) - self.bytes.len());
        }
        self.bytes.extend_from_slice(data);
    }
}

/// Why a body could not be read: it breaks the rules of its encoding, or its end never came.
pub(in crate::http) fn body_error(error: &axum::Error) -> ApiError {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(error) = cause {
        let kind = error.downcast_ref::<io::Error>().map(io::Error::kind);
        if matches!(kind, Some(io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData)) {
            return ApiError::BodyMalformed;
        }
        cause = error.source();
    }
    ApiError::BodyIncomplete
}

/// Reads and drops what the client sends, so that it comes to read the response.
pub(in crate::http) async fn discard(mut body: Body) {
    let discarding = async {
        let mut left = MAX_DISCARDED_BYTES;
        while let Ok(Some(Ok(frame))) = tokio::time::timeout(DISCARD_IDLE_TIME, body.frame()).await {
            match left.checked_sub(frame.data_ref().map_or(0, Bytes::len)) {
                Some(rest) => left = rest,
                None => break,
            }
        }
    };
    // Whether the body ended or the time: the connection is closed now.
    let _ = tokio::time::timeout(MAX_DISCARD_TIME, discarding).await;
}

/// The value of a JSON text. An error names the field.
fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<Attributed<T>, Error> {
    check_value_count(bytes)?;
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let value = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        let path = error.path().to_string();
        json_field_error(&path, error.inner())
    })?;
    reader.end().map_err(|error| json_field_error(".", &error))?;
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{CreateItemRequest, CreateTokenRequest, UpdateItemRequest};

    fn refused<T: DeserializeOwned>(body: &str) -> (String, String) {
        match parse::<T>(body.as_bytes()) {
            Err(Error::ValidationFailed(errors)) => (errors[0].field.clone(), errors[0].message.clone()),
            Err(other) => panic!("{other:?}"),
            Ok(_) => panic!("{body} was accepted"),
        }
    }

    #[test]
    fn an_error_names_the_field() {
        for (body, field, part) in [
            (r#"{"titel": "x"}"#, "titel", "is not a field here; expected one of `type`, `title`"),
            (r#"{"tags": "abc"}"#, "tags", "invalid type: string \"abc\", expected a list"),
            (r#"{"tags": [1]}"#, "tags[0]", "invalid type: integer `1`, expected a string"),
            (r#"{"tags": null}"#, "tags", "invalid type: null, expected a list"),
            (r#"{"arguments": null}"#, "arguments", "invalid type: null"),
            (r#"{"title": 1.5}"#, "title", "invalid type: number `1.5`, expected a string"),
            (r#"{"tags": "ends at line 7"}"#, "tags", "invalid type: string \"ends at line 7\", expected a list"),
            (r#"{"arguments": [{"name": "x", "kind": 1}]}"#, "arguments[0].kind", "is not a field here"),
            (r#"{"arguments": [{}]}"#, "arguments[0].name", "is required"),
            (r#"{"title": "a", "title": "b"}"#, "title", "is given more than once"),
            ("[]", "body", "invalid type: a list, expected an object"),
            (r#"{"arguments": [["x"]]}"#, "arguments[0]", "invalid type: a list, expected an object"),
            ("", "body", "is not valid JSON: EOF"),
            ("{", "body", "is not valid JSON: EOF"),
            ("{} x", "body", "is not valid JSON: trailing characters"),
            (r#"{"title": "\ud800"}"#, "body", "is not valid JSON"),
            ("{\"title\": \"\u{0}\"}", "body", "is not valid JSON: control character"),
        ] {
            let (named, message) = refused::<CreateItemRequest>(body);
            assert_eq!(named, field, "{body}: {message}");
            assert!(message.contains(part), "{body}: {message}");
        }
        assert_eq!(refused::<CreateTokenRequest>("{}"), ("name".to_owned(), "is required".to_owned()));
        let negative = "invalid value: integer `-1`, expected a whole number of at least 0".to_owned();
        let refusal = refused::<UpdateItemRequest>(r#"{"expected_version": -1}"#);
        assert_eq!(refusal, ("expected_version".to_owned(), negative));
        assert_eq!(refused::<UpdateItemRequest>(r#"{"expected_version": null}"#).0, "expected_version");
    }

    #[test]
    fn what_is_quoted_is_cut() {
        let (_, message) = refused::<CreateItemRequest>(&format!(r#"{{"tags": "{}"}}"#, "x".repeat(10_000)));
        assert!(message.chars().count() <= 301, "{message}");
    }
}
