//! Results of tools, as data with their text, and the errors of tools, of the protocol and of resources.

use interline_items::Error;
use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ContentBlock, JsonObject};
use serde::Serialize;
use serde_json::Value;

use super::{McpServer, messages};
use crate::wire::ErrorBody;

/// How many characters of an address an error quotes.
const MAX_URI_CHARS: usize = 1_000;

/// The result of a tool in both forms: as data for programs, and as text for models.
#[derive(Debug)]
pub(super) struct ToolResult {
    data: Value,
    text: String,
    /// Words beside the data.
    note: Option<String>,
}

impl ToolResult {
    pub(super) fn from_output(output: &impl Serialize) -> Result<ToolResult, Error> {
        let failed = |error: serde_json::Error| Error::Internal(error.to_string());
        // The text is not made from the data: the data has its members sorted, the text has the most important ones
        // first.
        let text = serde_json::to_string(output).map_err(failed)?;
        Ok(ToolResult { data: serde_json::to_value(output).map_err(failed)?, text, note: None })
    }

    /// The same with more members, in both forms.
    pub(super) fn with_members(mut self, members: JsonObject) -> ToolResult {
        let Value::Object(data) = &mut self.data else { return self };
        let (more, is_empty) = (Value::Object(members.clone()).to_string(), data.is_empty());
        data.extend(members);
        if let (Some(whole), Some(more)) = (self.text.strip_suffix('}'), more.strip_prefix('{')) {
            let comma = if is_empty { "" } else { "," };
            self.text = format!("{whole}{comma}{more}");
        }
        self
    }

    /// The same with words beside it.
    pub(super) fn with_note(self, note: String) -> ToolResult {
        ToolResult { note: Some(note), ..self }
    }

    pub(super) fn into_response(self) -> CallToolResult {
        let blocks = [Some(self.text), self.note].into_iter().flatten().map(ContentBlock::text);
        let mut result = CallToolResult::success(blocks.collect());
        result.structured_content = Some(self.data);
        result
    }
}

/// The result of a tool that failed: the error body that all doors share, as text. It has no structured data: that would
/// have to fit the schema of successes.
pub(super) fn tool_error(server: McpServer, error: &Error, request_id: &str) -> CallToolResult {
    let body = error_body(error, request_id);
    let body = body.reworded(messages::message(error), messages::suggestion(server, error));
    // The body is strings, numbers and JSON values: serializing it cannot fail.
    let text = serde_json::to_string(&body.bounded()).unwrap_or_default();
    CallToolResult::error(vec![ContentBlock::text(text)])
}

/// An error of the protocol itself: what is wrong as its message, and the error body that all doors share as its data.
pub(super) fn protocol_error(error: &Error, request_id: &str) -> ErrorData {
    let data = serde_json::to_value(error_body(error, request_id).bounded()).ok();
    let message = error.to_string();
    match error {
        Error::Internal(_)
        | Error::Unavailable(_)
        | Error::Overloaded(_)
        | Error::Unknown(_)
        | Error::CorruptContent { .. } => ErrorData::internal_error(message, data),
        Error::Unauthorized | Error::Forbidden(_) => ErrorData::invalid_request(message, data),
        _ => ErrorData::invalid_params(message, data),
    }
}

/// A protocol error about a resource: a missing one has an error code of its own.
pub(super) fn resource_error(error: &Error, uri: &str, request_id: &str) -> ErrorData {
    match error {
        Error::NotFound { .. } => {
            let body = error_body(error, request_id).with("uri", uri.chars().take(MAX_URI_CHARS).collect::<String>());
            ErrorData::resource_not_found(error.to_string(), serde_json::to_value(body.bounded()).ok())
        }
        error => protocol_error(error, request_id),
    }
}

fn error_body(error: &Error, request_id: &str) -> ErrorBody {
    let mut body = ErrorBody::from_error(error);
    if let Error::Internal(detail) | Error::Unavailable(detail) | Error::Unknown(detail) = error {
        tracing::error!(request_id, detail, code = body.code(), "a request of an agent failed");
        body = body.with("request_id", request_id);
    }
    body
}
