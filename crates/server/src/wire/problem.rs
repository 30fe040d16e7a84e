//! What is wrong with JSON that was sent, by field.

use interline_items::Error;
use interline_items::fields::FieldError;

/// How much of what a parser says is shown: it quotes the sender.
const MAX_MESSAGE_CHARS: usize = 300;

/// The error of the field at `path`, or of the whole where it is no JSON.
pub(crate) fn problem(path: &str, error: &serde_json::Error) -> Error {
    let told = error.to_string();
    let message = told.split(" at line ").next().unwrap_or(&told);
    let field_error = if error.is_data() {
        named_field(path, message)
    } else {
        FieldError::new("body", shortened(&format!("is not valid JSON: {told}")))
    };
    Error::ValidationFailed(vec![field_error])
}

/// The error of the field that it is about: that of the path, or one in it that is unknown or missing.
fn named_field(path: &str, message: &str) -> FieldError {
    let inside = |name: &str| if path == "." { name.to_owned() } else { format!("{path}.{name}") };
    // The parser quotes the name of the field first.
    let quoted = message.split('`').nth(1).unwrap_or_default();
    if message.starts_with("unknown field") {
        let known = message.split_once(", ").map_or("there are no fields", |(_, known)| known);
        // Where the path has the name already, the parser was inside of it.
        let field =
            if path == quoted || path.ends_with(&format!(".{quoted}")) { path.to_owned() } else { inside(quoted) };
        FieldError::new(shortened(&field), shortened(&format!("is not a field here; {known}")))
    } else if message.starts_with("missing field") {
        FieldError::new(inside(quoted), "is required")
    } else if message.starts_with("duplicate field") {
        FieldError::new(inside(quoted), "is given more than once")
    } else {
        let field = if path == "." { "body" } else { path };
        FieldError::new(shortened(field), shortened(message))
    }
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(MAX_MESSAGE_CHARS) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}
