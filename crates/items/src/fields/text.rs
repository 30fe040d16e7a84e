//! The error of a field, and the checks that all text fields share.

use std::fmt;

/// Why a value cannot be that of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldError {
    /// The field as it is named on the wire: `title`, `tags[2]`, `arguments[0].name`.
    pub field: String,
    /// What is wrong, with the figures, and what would be right.
    pub message: String,
}

impl FieldError {
    /// An error of a field; the message is what the client reads.
    pub fn new(field: impl Into<String>, message: impl Into<String>) -> FieldError {
        FieldError { field: field.into(), message: message.into() }
    }

    /// More of `what` (a noun in the plural) than the field may have.
    pub(super) fn too_many(field: impl Into<String>, what: &str, limit: usize, actual: usize) -> FieldError {
        FieldError::new(field, format!("has {actual} {what}; the limit is {limit}"))
    }
}

impl fmt::Display for FieldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.field, self.message)
    }
}

impl std::error::Error for FieldError {}

/// Refuses text with a NUL character: PostgreSQL cannot store one, so no store may.
pub fn refuse_nul(field: &str, text: &str) -> Result<(), FieldError> {
    match text.find('\0') {
        None => Ok(()),
        Some(offset) => {
            let position = text[..offset].chars().count() + 1;
            Err(FieldError::new(field, format!("character {position} is NUL (U+0000); remove it")))
        }
    }
}

/// The checks of every bounded text field.
pub(super) fn check(field: &str, text: &str, limit: usize) -> Result<(), FieldError> {
    refuse_nul(field, text)?;
    check_length(field, text, limit)
}

/// Refuses text of more than `limit` characters.
pub(super) fn check_length(field: &str, text: &str, limit: usize) -> Result<(), FieldError> {
    // No text has more characters than bytes, so most need no counting.
    if text.len() <= limit {
        return Ok(());
    }
    match text.chars().count() {
        actual if actual > limit => Err(FieldError::too_many(field, "characters", limit, actual)),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_counted_in_characters_and_named_with_their_limit() {
        for (text, limit, message) in [
            ("", 0, None),
            ("abc", 3, None),
            ("äöü", 3, None),
            ("👍👍", 2, None),
            ("abcd", 3, Some("has 4 characters; the limit is 3")),
            ("äöüß", 3, Some("has 4 characters; the limit is 3")),
            ("e\u{301}", 1, Some("has 2 characters; the limit is 1")),
        ] {
            let outcome = check("note", text, limit);
            assert_eq!(outcome.err().map(|error| error.message).as_deref(), message, "{text:?}");
        }
    }

    #[test]
    fn nul_is_refused_with_its_position() {
        let error = refuse_nul("title", "äb\0c").unwrap_err();
        assert_eq!(error.to_string(), "title: character 3 is NUL (U+0000); remove it");
        assert_eq!(refuse_nul("title", "\u{1}\u{7f}\n"), Ok(()));
    }
}
