//! What a tool answers: data with its text, or an error as JSON text.

use interline_items::Error;
use rmcp::model::{CallToolResult, ContentBlock};
use serde::Serialize;
use serde_json::Value;

use crate::wire::ErrorBody;

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
    let mut body = ErrorBody::of(error);
    if let Error::Internal(detail) | Error::Unavailable(detail) | Error::Unknown(detail) = error {
        tracing::error!(request_id, detail, code = body.code(), "a tool failed");
        body = body.with("request_id", request_id);
    }
    // Its parts are strings and numbers: there is nothing that could fail.
    let text = serde_json::to_string(&body.bounded()).unwrap_or_default();
    CallToolResult::error(vec![ContentBlock::text(text)])
}
