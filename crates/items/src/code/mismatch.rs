//! Code of another kind than it was said to be.

use std::fmt;

use super::DecoratorKind;
use crate::CodeKind;

/// What code was said to be, and what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KindMismatch {
    /// What it was said to be.
    pub declared: CodeKind,
    /// What it is.
    pub detected: CodeKind,
    /// The decorator that makes it so, if one does.
    pub decorator: Option<DecoratorKind>,
}

impl fmt::Display for KindMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "declared '{}' but content contains ", self.declared.name())?;
        match self.decorator {
            Some(decorator) => write!(f, "@{} decorator", decorator.as_str())?,
            None => f.write_str("no @workflow, @tool or @data_provider decorator")?,
        }
        write!(f, ". Use entity_type='{}' instead.", self.detected.name())
    }
}
