//! Code whose content is of another kind than it was declared as.

use std::fmt;

use interline_python::DecoratorKind;

use crate::CodeKind;

/// The declared and the detected kind of code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KindMismatch {
    /// The kind that it was declared as.
    pub declared: CodeKind,
    /// The kind that its content makes it.
    pub detected: CodeKind,
    /// The decorator that decides, if one does.
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
