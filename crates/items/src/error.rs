//! Why a use case did not do what it was asked to: data for every door, words and hints once.

use std::fmt;

use crate::fields::FieldError;
use crate::{Item, Kind, Scope, StoreError, UniqueField, View};

/// A refusal or a failure. The code is stable; the message says what happened and the suggestion what to do next.
#[derive(Debug)]
pub enum Error {
    /// There is no such item for this caller.
    NotFound {
        /// The kind that was asked for, if one was.
        kind: Option<Kind>,
        /// What was asked for: an id or a name.
        wanted: String,
    },
    /// Fields that cannot be accepted, every one of them.
    ValidationFailed(Vec<FieldError>),
    /// A content that is longer than allowed, in bytes.
    TooLarge {
        /// The limit.
        limit: u64,
        /// The length.
        actual: u64,
    },
    /// A template that is not valid, or that does not fit the arguments.
    InvalidTemplate {
        /// 1-based line, where one is known.
        line: Option<usize>,
        /// What is wrong with it.
        detail: String,
        /// Variables without an argument.
        undefined_variables: Vec<String>,
        /// Arguments without a variable.
        unused_arguments: Vec<String>,
    },
    /// Rendering was asked for with other arguments than the prompt has.
    InvalidArguments {
        /// Required arguments that were not given.
        missing: Vec<String>,
        /// Given arguments that the prompt does not have.
        unknown: Vec<String>,
    },
    /// Rendering failed or was not bounded.
    RenderFailed {
        /// 1-based line, where one is known.
        line: Option<usize>,
        /// What happened.
        detail: String,
    },
    /// Lines that cannot be read.
    InvalidLines {
        /// How many lines there are.
        total_lines: u64,
    },
    /// There is no content, and the operation needs one.
    ContentEmpty,
    /// Parameters that exclude each other.
    InvalidParameters(&'static str),
    /// The item is not at the version that the caller expects.
    Conflict {
        /// The version that was expected.
        expected_version: u64,
        /// How it was expected.
        expectation: Expectation,
        /// The item as it is.
        current: Box<Item>,
    },
    /// Another item has the same value in a field that must be unique.
    Duplicate {
        /// The value.
        field: UniqueField,
        /// The item that has it.
        existing: Box<Item>,
    },
    /// No valid token.
    Unauthorized,
    /// The token does not allow it.
    Forbidden {
        /// The scope that it takes.
        needs: Scope,
    },
    /// The storage cannot take it now; nothing was applied. The text is for the log.
    Unavailable(String),
    /// Something is broken. The text is for the log.
    Internal(String),
}

/// How a caller said which version it expects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expectation {
    /// In the request.
    ExpectedVersion,
    /// In a condition before it.
    IfMatch,
}

impl Error {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Error::NotFound { .. } => "not_found",
            Error::ValidationFailed(_) => "validation_failed",
            Error::TooLarge { .. } => "too_large",
            Error::InvalidTemplate { .. } => "invalid_template",
            Error::InvalidArguments { .. } => "invalid_arguments",
            Error::RenderFailed { .. } => "render_failed",
            Error::InvalidLines { .. } => "invalid_lines",
            Error::ContentEmpty => "content_empty",
            Error::InvalidParameters(_) => "invalid_parameters",
            Error::Conflict { .. } => "conflict",
            Error::Duplicate { .. } => "duplicate",
            Error::Unauthorized => "unauthorized",
            Error::Forbidden { .. } => "forbidden",
            Error::Unavailable(_) => "unavailable",
            Error::Internal(_) => "internal",
        }
    }

    /// What to do next.
    pub fn suggestion(&self) -> String {
        match self {
            Error::NotFound { .. } => "check the id or name, or list items to find it".to_owned(),
            Error::ValidationFailed(_) => "correct the fields named in `errors`".to_owned(),
            Error::TooLarge { .. } => "split the content into several items".to_owned(),
            Error::InvalidTemplate { undefined_variables, unused_arguments, .. } => {
                if undefined_variables.is_empty() && unused_arguments.is_empty() {
                    "correct the template at the line given".to_owned()
                } else {
                    "give every variable an argument and use every argument; both can be changed in one request"
                        .to_owned()
                }
            }
            Error::InvalidArguments { .. } => "give all `missing` arguments and none of the `unknown`".to_owned(),
            Error::RenderFailed { .. } => "correct the template or the arguments".to_owned(),
            Error::InvalidLines { total_lines } => format!("ask for lines from 1 to {total_lines}"),
            Error::ContentEmpty => "write a content first".to_owned(),
            Error::InvalidParameters(_) => "leave one of them out".to_owned(),
            Error::Conflict { current, .. } => {
                format!("read the item again, and repeat the change on version {}", current.stamp.version)
            }
            Error::Duplicate { existing, .. } => match View::of(existing) {
                View::Archived => format!("change item {} instead; it is archived", existing.id),
                View::Active | View::Deleted => format!("change item {} instead", existing.id),
            },
            Error::Unauthorized => "send `Authorization: Bearer` with a valid token".to_owned(),
            Error::Forbidden { needs } => format!("use a token with the scope `{}`", needs.name()),
            Error::Unavailable(_) => "nothing was applied; try again later".to_owned(),
            Error::Internal(_) => "nothing was applied; report the request id if it happens again".to_owned(),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::NotFound { kind: Some(kind), wanted } => write!(f, "there is no {kind} {wanted}"),
            Error::NotFound { kind: None, wanted } => write!(f, "there is no item {wanted}"),
            Error::ValidationFailed(errors) => match errors.as_slice() {
                [error] => write!(f, "{}: {}", error.field, error.message),
                errors => write!(f, "{} fields cannot be accepted", errors.len()),
            },
            Error::TooLarge { limit, actual } => {
                write!(f, "the content has {actual} bytes, and {limit} are allowed")
            }
            Error::InvalidTemplate { line: Some(line), detail, .. } => {
                write!(f, "the template is not valid on line {line}: {detail}")
            }
            Error::InvalidTemplate { line: None, detail, .. } => write!(f, "the template is not valid: {detail}"),
            Error::InvalidArguments { missing, unknown } => {
                write!(f, "{} arguments are missing and {} unknown", missing.len(), unknown.len())
            }
            Error::RenderFailed { line: Some(line), detail } => write!(f, "rendering failed on line {line}: {detail}"),
            Error::RenderFailed { line: None, detail } => write!(f, "rendering failed: {detail}"),
            Error::InvalidLines { total_lines } => write!(f, "the content has {total_lines} lines"),
            Error::ContentEmpty => f.write_str("Content is empty; cannot retrieve lines"),
            Error::InvalidParameters(what) => f.write_str(what),
            Error::Conflict { expected_version, current, .. } => write!(
                f,
                "the item is at version {}, and version {expected_version} was expected",
                current.stamp.version
            ),
            Error::Duplicate { field, .. } => write!(f, "another item has the {} {}", field.name(), field.value()),
            Error::Unauthorized => f.write_str("no valid token was given"),
            Error::Forbidden { needs } => write!(f, "the token does not have the scope `{}`", needs.name()),
            Error::Unavailable(_) => f.write_str("the store cannot do this now"),
            Error::Internal(_) => f.write_str("something went wrong inside the server"),
        }
    }
}

impl std::error::Error for Error {}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Error {
        match error {
            StoreError::Duplicate { field, existing } => Error::Duplicate { field, existing },
            StoreError::Unavailable(detail) => Error::Unavailable(detail),
            StoreError::KeyTaken => Error::Unavailable("the key was taken meanwhile".to_owned()),
            StoreError::Stale(id) => Error::Unavailable(format!("item {id} changed under every attempt")),
            StoreError::Failed(detail) => Error::Internal(detail),
        }
    }
}
