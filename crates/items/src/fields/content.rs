//! The content of an item: its text.

use std::fmt;

use super::{FieldError, Limits, refuse_nul};

/// An item's text, byte for byte as it was given: carriage returns and trailing blanks included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Content(String);

/// Why a text cannot be a content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ContentError {
    /// It has more bytes than allowed; both figures are bytes of UTF-8.
    TooLarge {
        /// The most that is allowed.
        limit: usize,
        /// What was given.
        actual: usize,
    },
    /// It has a character that cannot be stored.
    Invalid(FieldError),
}

impl fmt::Display for ContentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ContentError::TooLarge { limit, actual } => {
                write!(f, "content has {actual} bytes; the limit is {limit}")
            }
            ContentError::Invalid(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ContentError {}

impl Content {
    /// Any text within the limit and without NUL; the size is checked first.
    pub fn parse(content: impl Into<String>, limits: &Limits) -> Result<Content, ContentError> {
        let content = content.into();
        let (limit, actual) = (limits.content_bytes, content.len());
        if actual > limit {
            return Err(ContentError::TooLarge { limit, actual });
        }
        refuse_nul("content", &content).map_err(ContentError::Invalid)?;
        Ok(Content(content))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The text itself, without a copy.
    pub fn into_string(self) -> String {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_content_is_kept_byte_for_byte() {
        for content in ["", "\u{feff}a\r\nb \n\n", "\u{1}\u{2028}"] {
            assert_eq!(Content::parse(content, &Limits::default()).unwrap().as_str(), content);
        }
    }

    #[test]
    fn a_content_is_measured_in_bytes() {
        let limits = Limits { content_bytes: 4, ..Limits::default() };
        assert_eq!(Content::parse("äö", &limits).unwrap().into_string(), "äö");
        let error = Content::parse("äöx", &limits).unwrap_err();
        assert_eq!(error, ContentError::TooLarge { limit: 4, actual: 5 });
        assert_eq!(error.to_string(), "content has 5 bytes; the limit is 4");
        assert_eq!(Limits::default().content_bytes, 8_388_608);
    }

    #[test]
    fn a_content_with_a_nul_is_refused() {
        let error = Content::parse("a\nb\0", &Limits::default()).unwrap_err();
        assert_eq!(error.to_string(), "content: character 4 is NUL (U+0000); remove it");
    }
}
