//! The titles of items.

use super::text;
use super::{FieldError, Limits};

const FIELD: &str = "title";

/// An item's title, as it was given.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Title(String);

impl Title {
    /// The title of a kind that does not need one; it may be blank.
    pub fn parse(title: &str, limits: &Limits) -> Result<Title, FieldError> {
        text::check(FIELD, title, limits.title)?;
        Ok(Title(title.to_owned()))
    }

    /// The title of a kind that needs one.
    pub fn parse_required(title: &str, limits: &Limits) -> Result<Title, FieldError> {
        if title.trim().is_empty() {
            return Err(FieldError::new(FIELD, "title is blank; it needs at least one visible character"));
        }
        Title::parse(title, limits)
    }

    /// A value that was parsed before it was stored; limits may have changed since.
    pub fn from_stored(stored: String) -> Title {
        Title(stored)
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_kept_as_it_was_given() {
        for title in ["", " ", "Plan", "  Plan\u{a0}", "e\u{301}", "\u{202e}x", &"ä".repeat(500)] {
            assert_eq!(Title::parse(title, &Limits::default()).unwrap().as_str(), title);
        }
    }

    #[test]
    fn a_required_title_is_not_blank() {
        for title in ["", " ", "\t\r\n", "\u{a0}\u{2003}"] {
            let error = Title::parse_required(title, &Limits::default()).unwrap_err();
            assert_eq!(error.field, "title");
            assert!(error.message.contains("blank"), "{title:?}: {error}");
        }
        assert_eq!(Title::parse_required(" a ", &Limits::default()).unwrap().as_str(), " a ");
    }

    #[test]
    fn a_title_that_is_too_long_or_has_a_nul_is_refused() {
        let long = "x".repeat(501);
        for (title, message) in [
            (long.as_str(), "title has 501 characters; the limit is 500"),
            ("a\0", "character 2 is NUL (U+0000); remove it"),
        ] {
            assert_eq!(Title::parse(title, &Limits::default()).unwrap_err().message, message);
            assert_eq!(Title::parse_required(title, &Limits::default()).unwrap_err().message, message);
        }
    }
}
