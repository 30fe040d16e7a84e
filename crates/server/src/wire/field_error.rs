//! Errors about one field of a request: a value that is refused, or JSON that does not parse.

use interline_items::Error;
use interline_items::fields::FieldError;

use super::plain_parser_message;

/// How much of a parser's message is shown: it quotes the client.
const MAX_MESSAGE_CHARS: usize = 300;

/// The error of one field, or argument, whose value is refused.
pub(crate) fn invalid_field(field: &str, message: impl Into<String>) -> Error {
    Error::ValidationFailed(vec![FieldError::new(field, message)])
}

/// The parser's error about the field at `path`, or about the whole body where that is no JSON.
pub(crate) fn json_field_error(path: &str, error: &serde_json::Error) -> Error {
    let full_message = error.to_string();
    let field_error = if error.is_data() {
        // Where it is in the text; a value has no lines.
        let place = format!(" at line {} column {}", error.line(), error.column());
        named_field(path, full_message.strip_suffix(&place).unwrap_or(&full_message))
    } else {
        FieldError::new("body", shortened(&format!("is not valid JSON: {full_message}")))
    };
    Error::ValidationFailed(vec![field_error])
}

/// The error with the field that it is about: the one at `path`, or an unknown or missing one inside it.
fn named_field(path: &str, message: &str) -> FieldError {
    let inside = |name: &str| if path == "." { name.to_owned() } else { format!("{path}.{name}") };
    // The parser quotes the name of the field first.
    let quoted = message.split('`').nth(1).unwrap_or_default();
    if message.starts_with("unknown field") {
        let known = message.split_once(", ").map_or("there are no fields", |(_, known)| known);
        // Where the path ends with the name already, the parser was inside that field.
        let field =
            if path == quoted || path.ends_with(&format!(".{quoted}")) { path.to_owned() } else { inside(quoted) };
        FieldError::new(shortened(&field), shortened(&format!("is not a field here; {known}")))
    } else if message.starts_with("missing field") {
        FieldError::new(inside(quoted), "is required")
    } else if message.starts_with("duplicate field") {
        FieldError::new(inside(quoted), "is given more than once")
    } else {
        let field = if path == "." { "body" } else { path };
        FieldError::new(shortened(field), shortened(&plain_parser_message(message)))
    }
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(MAX_MESSAGE_CHARS) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}
