//! The titles of items.

use super::text;
use super::{FieldError, Hidden, Limits, is_blank, refuse_hidden};

const FIELD: &str = "title";

/// An item's title, as it was given. It has no characters that turn the direction of the text around it, or break its line.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Title(String);

impl Title {
    /// The title of a kind that does not need one; it may be blank.
    pub fn parse(title: &str, limits: &Limits) -> Result<Title, FieldError> {
        text::check(FIELD, title, limits.title)?;
        refuse_hidden(FIELD, title, Hidden::ForWriting)?;
        Ok(Title(title.to_owned()))
    }

    /// The title of a kind that needs one.
    pub(crate) fn parse_required(title: &str, limits: &Limits) -> Result<Title, FieldError> {
        if is_blank(title) {
            return Err(FieldError::new(FIELD, "must not be blank: it needs at least one visible character"));
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
        for title in
            ["", " ", "Plan", "  Plan\u{a0}", "e\u{301}", "سلام\u{200f}!", "👩\u{200d}💻 ❤\u{fe0f}", &"ä".repeat(500)]
        {
            assert_eq!(Title::parse(title, &Limits::default()).unwrap().as_str(), title);
        }
    }

    #[test]
    fn a_required_title_is_not_blank() {
        for title in ["", " ", "\t\r\n", "\u{a0}\u{2003}", "\u{200f}", "\u{3164}"] {
            let error = Title::parse_required(title, &Limits::default()).unwrap_err();
            assert_eq!(error.field, "title");
            assert_eq!(
                error.to_string(),
                "title: must not be blank: it needs at least one visible character",
                "{title:?}"
            );
        }
        assert_eq!(Title::parse_required(" a ", &Limits::default()).unwrap().as_str(), " a ");
    }

    #[test]
    fn a_title_that_is_too_long_or_has_what_is_not_seen_is_refused() {
        let long = "x".repeat(501);
        for (title, message) in [
            (long.as_str(), "has 501 characters; the limit is 500"),
            ("a\0", "character 2 is NUL (U+0000); remove it"),
            ("a\u{202e}x", "character 2 is a control of the direction of text (U+202E); remove it"),
            ("\u{feff}a", "character 1 is a byte order mark (U+FEFF); remove it"),
            ("a\u{2029}", "character 2 is a paragraph separator (U+2029); remove it"),
        ] {
            assert_eq!(Title::parse(title, &Limits::default()).unwrap_err().message, message);
            assert_eq!(Title::parse_required(title, &Limits::default()).unwrap_err().message, message);
        }
    }
}
