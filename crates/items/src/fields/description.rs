//! The descriptions of items.

use super::text;
use super::{FieldError, Limits};

/// An item's description, as it was given; it may be blank.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Description(String);

impl Description {
    /// Any text within the limit.
    pub fn parse(description: &str, limits: &Limits) -> Result<Description, FieldError> {
        text::check("description", description, limits.description)?;
        Ok(Description(description.to_owned()))
    }

    /// A value that was parsed before it was stored; limits may have changed since.
    pub fn from_stored(stored: String) -> Description {
        Description(stored)
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
    fn a_description_is_any_text_within_the_limit() {
        for description in ["", "two\r\nlines ", &"ß".repeat(4_000)] {
            assert_eq!(Description::parse(description, &Limits::default()).unwrap().as_str(), description);
        }
        let error = Description::parse(&"x".repeat(4_001), &Limits::default()).unwrap_err();
        assert_eq!(error.message, "has 4001 characters; the limit is 4000");
        assert_eq!(Description::parse("\0", &Limits::default()).unwrap_err().field, "description");
    }
}
