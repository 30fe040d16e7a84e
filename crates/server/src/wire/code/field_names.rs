//! The field names of the code tools in errors: `old_string` and `new_string`, where items say `old_str` and `new_str`.

use interline_items::{Error, PassageField, PassageRole};

/// The passage that is replaced, as the code tools name it.
pub(crate) const OLD_STRING: PassageField = PassageField { role: PassageRole::Replaced, name: "old_string" };

/// The same error with the field names of the code tools.
pub(crate) fn with_code_field_names(error: Error) -> Error {
    match error {
        Error::NoMatch { field: PassageField::OLD_STR, none, merged } => {
            Error::NoMatch { field: OLD_STRING, none, merged }
        }
        Error::MultipleMatches { field: PassageField::OLD_STR, many } => {
            Error::MultipleMatches { field: OLD_STRING, many }
        }
        Error::ValidationFailed(mut errors) => {
            for error in &mut errors {
                for (name, other) in [("old_str", "old_string"), ("new_str", "new_string")] {
                    if let Some(prefix) = error.field.strip_suffix(name) {
                        error.field = format!("{prefix}{other}");
                    }
                }
            }
            Error::ValidationFailed(errors)
        }
        Error::AtEdit { index, total, error } => {
            Error::AtEdit { index, total, error: Box::new(with_code_field_names(*error)) }
        }
        other => other,
    }
}
