//! Front matter: YAML that the source of an item had.

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
        Ok((!yaml.is_empty()).then(|| FrontMatter(yaml.to_owned())))
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
