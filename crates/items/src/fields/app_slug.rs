//! The short names of apps.

use uuid::Uuid;

use super::text::check_length;
use super::{FieldError, Limits};

const FIELD: &str = "slug";

/// An app's short name: words of `a`–`z` and `0`–`9`, joined by single hyphens. It is never a UUID, so that a text names
/// an app by one of both.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AppSlug(String);

impl AppSlug {
    /// Exactly `^[a-z0-9]+(-[a-z0-9]+)*$`; nothing is trimmed or lower-cased.
    pub fn parse(slug: &str, limits: &Limits) -> Result<AppSlug, FieldError> {
        check_length(FIELD, slug, limits.name)?;
        let is_word = |word: &str| {
            !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
        };
        if !slug.split('-').all(is_word) {
            let message = "must be lower-case letters a-z and digits, in words joined by single hyphens, \
                           like `field-reports`";
            return Err(FieldError::new(FIELD, message));
        }
        if Uuid::try_parse(slug).is_ok() {
            return Err(FieldError::new(FIELD, "cannot look like an id; give words, like `field-reports`"));
        }
        Ok(AppSlug(slug.to_owned()))
    }

    /// The slug that a name suggests: its letters and digits of ASCII in lower case, the rest as hyphens.
    pub(crate) fn from_app_name(name: &str, limits: &Limits) -> Result<AppSlug, FieldError> {
        let words = name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
        let joined = words.map(str::to_ascii_lowercase).collect::<Vec<_>>().join("-");
        let cut: String = joined.chars().take(limits.name).collect();
        AppSlug::parse(cut.trim_end_matches('-'), limits)
            .map_err(|_| FieldError::new(FIELD, "is required, since none can be made from the name"))
    }

    /// A value that was parsed before it was stored; limits may have changed since.
    pub fn from_stored(stored: String) -> AppSlug {
        AppSlug(stored)
    }

    /// The slug.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slugs_are_words_joined_by_hyphens_and_no_ids() {
        for slug in ["a", "field-reports", "2048", &"x".repeat(100)] {
            assert_eq!(AppSlug::parse(slug, &Limits::default()).unwrap().as_str(), slug);
        }
        let long = "x".repeat(101);
        for slug in [
            "",
            "-",
            "A",
            "a--b",
            "a_b",
            "a b",
            "é",
            long.as_str(),
            "019a5b7c-0000-7000-8000-000000000000",
            "019a5b7c000070008000000000000000",
        ] {
            assert_eq!(AppSlug::parse(slug, &Limits::default()).unwrap_err().field, "slug", "{slug}");
        }
    }

    #[test]
    fn a_name_suggests_a_slug() {
        let long = "word ".repeat(40);
        for (name, slug) in [
            ("Field Reports", "field-reports"),
            ("  CRM 2.0! ", "crm-2-0"),
            ("Über uns", "ber-uns"),
            (long.as_str(), "word-".repeat(20).trim_end_matches('-')),
        ] {
            assert_eq!(AppSlug::from_app_name(name, &Limits::default()).unwrap().as_str(), slug);
        }
        assert!(AppSlug::from_app_name("日本", &Limits::default()).is_err());
    }
}
