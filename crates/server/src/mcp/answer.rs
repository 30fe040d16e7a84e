//! What a tool answers: data with its text, or an error as JSON text.

use interline_items::Error;
use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ContentBlock};
use serde::Serialize;
use serde_json::Value;

use crate::wire::ErrorBody;

/// As much of an address as is told back.
const MAX_URI_CHARS: usize = 1_000;

/// The outcome of a tool in both forms: for programs, and the same as text for models.
#[derive(Debug)]
pub(super) struct Told {
    data: Value,
    text: String,
}

impl Told {
    pub(super) fn of(outcome: &impl Serialize) -> Result<Told, Error> {
        let failed = |error: serde_json::Error| Error::Internal(error.to_string());
        // The text is not made from the data: there the members are sorted, here they come as they matter.
        let text = serde_json::to_string(outcome).map_err(failed)?;
        Ok(Told { data: serde_json::to_value(outcome).map_err(failed)?, text })
    }

    pub(super) fn into_result(self) -> CallToolResult {
        let mut result = CallToolResult::success(vec![ContentBlock::text(self.text)]);
        result.structured_content = Some(self.data);
        result
    }
}

/// A refusal or failure in the one shape of errors. It has no data: that would have to fit the schema of successes.
pub(super) fn refused(error: &Error, request_id: &str) -> CallToolResult {
    // Its parts are strings and numbers: there is nothing that could fail.
    let text = serde_json::to_string(&body(error, request_id)).unwrap_or_default();
    CallToolResult::error(vec![ContentBlock::text(text)])
}

/// The same where the protocol has errors of its own: what is wrong as its message, and the one shape as its data.
pub(super) fn protocol_error(error: &Error, request_id: &str) -> ErrorData {
    let data = serde_json::to_value(body(error, request_id)).ok();
    let message = match error {
        Error::InvalidArguments { missing, unknown } => wrong_arguments(missing, unknown),
        error => error.to_string(),
    };
    match error {
        Error::Internal(_) | Error::Unavailable(_) | Error::Unknown(_) => ErrorData::internal_error(message, data),
        Error::Unauthorized | Error::Forbidden(_) => ErrorData::invalid_request(message, data),
        _ => ErrorData::invalid_params(message, data),
    }
}

/// The same for a resource, which has a code of its own where there is none.
pub(super) fn resource_error(error: &Error, uri: &str, request_id: &str) -> ErrorData {
    match error {
        Error::NotFound { .. } => {
            let body = body(error, request_id).with("uri", uri.chars().take(MAX_URI_CHARS).collect::<String>());
            ErrorData::resource_not_found(error.to_string(), serde_json::to_value(body).ok())
        }
        error => protocol_error(error, request_id),
    }
}

/// Names what is missing and what is not known: some clients show nothing but the message.
fn wrong_arguments(missing: &[String], unknown: &[String]) -> String {
    const MAX_NAMES: usize = 10;
    const MAX_CHARS: usize = 100;
    let named = |what: &str, names: &[String]| {
        let name = |name: &String| format!("`{}`", name.chars().take(MAX_CHARS).collect::<String>());
        let more = if names.len() > MAX_NAMES { ", …" } else { "" };
        let list: Vec<String> = names.iter().take(MAX_NAMES).map(name).collect();
        (!names.is_empty()).then(|| format!("{what} arguments: {}{more}", list.join(", ")))
    };
    let parts = [named("missing", missing), named("unknown", unknown)];
    parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
}

fn body(error: &Error, request_id: &str) -> ErrorBody {
    let mut body = ErrorBody::of(error);
    if let Error::Internal(detail) | Error::Unavailable(detail) | Error::Unknown(detail) = error {
        tracing::error!(request_id, detail, code = body.code(), "a request of an agent failed");
        body = body.with("request_id", request_id);
    }
    body.bounded()
}
