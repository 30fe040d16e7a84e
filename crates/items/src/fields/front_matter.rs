//! Front matter: YAML that the source of an item had.

use interline_interchange::check_front_matter;

use super::{FieldError, Limits, refuse_nul};

/// The front matter of an item, as it was given: YAML, a mapping, never empty.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FrontMatter(String);

impl FrontMatter {
    /// YAML within the limit that is a mapping, or has nothing but comments; `None` for an empty text.
    pub fn parse(yaml: &str, limits: &Limits) -> Result<Option<FrontMatter>, FieldError> {
        refuse_nul("front_matter", yaml)?;
        let (limit, actual) = (limits.front_matter_bytes, yaml.len());
        if actual > limit {
            return Err(FieldError::too_many("front_matter", "bytes", limit, actual));
        }
        if yaml.is_empty() {
            return Ok(None);
        }
        check_front_matter(yaml).map_err(|reason| FieldError::new("front_matter", reason))?;
        Ok(Some(FrontMatter(yaml.to_owned())))
    }

    /// A value that was parsed before it was stored.
    pub fn from_stored(stored: String) -> FrontMatter {
        FrontMatter(stored)
    }

    /// The YAML.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn front_matter_is_a_mapping_within_the_limit_kept_as_it_is() {
        let parse = |yaml: &str| FrontMatter::parse(yaml, &Limits::default());
        assert_eq!(parse(""), Ok(None));
        for yaml in ["a: 1\n", "aliases:\n  - x\n  - y # note\nb: {c: [d]}", "{a: b}\r\n", "ä: 'ö'\n"] {
            assert_eq!(parse(yaml).unwrap().unwrap().as_str(), yaml);
        }
        for (yaml, part) in [
            ("- a\n- b\n", "mapping"),
            ("a: [", "YAML"),
            ("a: b: c", "YAML"),
            ("a: \0", "NUL"),
            (&format!("a: {}", "x".repeat(16 * 1024)), "has 16387 bytes; the limit is 16384"),
        ] {
            let error = parse(yaml).expect_err(yaml);
            assert_eq!(error.field, "front_matter");
            assert!(error.message.contains(part), "{yaml:.20}: {}", error.message);
        }
    }
}
