//! The names of prompts.

use super::text::check_length;
use super::{FieldError, Limits};

/// A prompt's name: words of `a`–`z` and `0`–`9`, joined by single hyphens.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PromptName(String);

impl PromptName {
    /// Exactly `^[a-z0-9]+(-[a-z0-9]+)*$`; nothing is trimmed or lower-cased.
    pub fn parse(name: &str, limits: &Limits) -> Result<PromptName, FieldError> {
        check_length("name", name, limits.name)?;
        if !name.split('-').all(is_word) {
            let message = "must be lower-case letters a-z and digits, in words joined by single hyphens, \
                           like `code-review-2`";
            return Err(FieldError::new("name", message));
        }
        Ok(PromptName(name.to_owned()))
    }

    /// A value that was parsed before it was stored; limits may have changed since.
    pub fn from_stored(stored: String) -> PromptName {
        PromptName(stored)
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn is_word(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_words_joined_by_hyphens_are_accepted() {
        for name in ["a", "1", "code-review", "a-1-b", "0-0", &"x".repeat(100)] {
            assert_eq!(PromptName::parse(name, &Limits::default()).unwrap().as_str(), name);
        }
    }

    #[test]
    fn other_names_are_refused() {
        for name in ["", "-", "-a", "a-", "a--b", "A", "a_b", "a b", " a", "a\n", "é", "a\0", "１", "a.b"] {
            let error = PromptName::parse(name, &Limits::default()).unwrap_err();
            assert_eq!(error.field, "name", "{name:?}");
            assert!(error.message.contains("`code-review-2`"), "{name:?}: {error}");
        }
        let error = PromptName::parse(&"x".repeat(101), &Limits::default()).unwrap_err();
        assert_eq!(error.message, "has 101 characters; the limit is 100");
    }
}
