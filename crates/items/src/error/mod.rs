//! Why a use case did not do what it was asked to: data for every door, words and hints once.

mod words;

use interline_edit::{InvalidOperation, MultipleMatches, NoMatch, StaleOperation, UnifiedDiff};
use interline_python::CodeError;

use crate::KindMismatch;
use crate::fields::FieldError;
use crate::{App, EventCursor, Item, ItemId, Kind, Scope, StoreError, UniqueField};

/// A refusal or a failure. The code is stable; the message (`Display`) says what happened, with the figures, and the
/// suggestion what to do next, so that an agent can make the right next call from it alone.
#[derive(Debug)]
pub enum Error {
    /// There is no such item for this caller.
    NotFound {
        /// The kind that was asked for, if one was.
        kind: Option<Kind>,
        /// What was asked for: an id or a name.
        wanted: String,
        /// The kind of the item that is there instead, for this caller.
        actual: Option<Kind>,
    },
    /// There is no such other thing for this caller: an app, an organization, a file at a path.
    Missing {
        /// What it would be: `app`, `organization`, `workflow`.
        what: &'static str,
        /// What was asked for.
        wanted: String,
        /// What to do next.
        hint: &'static str,
    },
    /// No item that the caller may change has this tag.
    TagNotFound(String),
    /// The item has no such version, or not any more.
    VersionNotFound {
        /// The item's kind.
        kind: Kind,
        /// The item.
        id: ItemId,
        /// The version that was asked for.
        version: u64,
        /// The version that it is at.
        current: u64,
    },
    /// Fields that cannot be accepted, every one of them.
    ValidationFailed(Vec<FieldError>),
    /// A content that is longer than allowed, in bytes.
    TooLarge {
        /// The limit.
        limit: u64,
        /// The length; of a result that no memory should hold, the length at which its making was given up.
        actual: u64,
    },
    /// A page of a list whose contents are together longer than one answer should be, in bytes.
    PageTooLarge {
        /// The limit.
        limit: u64,
        /// The length of all of them.
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
    /// A text that is not Python.
    InvalidCode(CodeError),
    /// Python of another kind than it was said to be.
    EntityTypeMismatch(KindMismatch),
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
    ContentEmpty(NeedsText),
    /// Parameters that exclude each other.
    InvalidParameters(&'static str),
    /// What is looked for is not a regular expression, or one that takes too much.
    InvalidPattern {
        /// What is wrong with it.
        detail: String,
        /// Where, as a byte offset in the expression, if it is known.
        position: Option<usize>,
    },
    /// The passage that an edit names is not there.
    NoMatch {
        /// The field that names it.
        field: PassageField,
        /// What helps to find it after all.
        none: Box<NoMatch>,
    },
    /// The passage that an edit names is not in as many places as expected.
    MultipleMatches {
        /// The field that names it.
        field: PassageField,
        /// The places.
        many: Box<MultipleMatches>,
    },
    /// Line operations that the content cannot take; none when there was no operation.
    InvalidOperations {
        /// The first of them, as many as an answer can tell.
        operations: Vec<InvalidOperation>,
        /// How many there are.
        total: usize,
    },
    /// Lines are not what the operations on them expect.
    StaleLines {
        /// The first of the operations, with the text that their lines have now.
        operations: Vec<StaleOperation>,
        /// How many there are.
        total: usize,
        /// The item as it is.
        current: Box<Item>,
    },
    /// One of several edits was refused, and with it all of them.
    AtEdit {
        /// 0-based index of the edit.
        index: usize,
        /// Why; it decides the code.
        error: Box<Error>,
    },
    /// The item is not at the version that the caller expects.
    Conflict {
        /// The version that was expected.
        expected_version: u64,
        /// How it was expected.
        expectation: Expectation,
        /// The item as it is.
        current: Box<Item>,
        /// What leads from the content of the expected version to the present one, when that version is known.
        diff: Option<UnifiedDiff>,
    },
    /// Another item has the same value in a field that must be unique.
    Duplicate {
        /// The value.
        field: UniqueField,
        /// The item that has it.
        existing: Box<Item>,
    },
    /// Another app has the same slug.
    SlugTaken(Box<App>),
    /// What happened after a cursor was told is not kept any more, or the cursor is of another store.
    CursorExpired {
        /// The cursor of now.
        current: EventCursor,
    },
    /// The same request is being carried out.
    KeyInFlight,
    /// No valid token.
    Unauthorized,
    /// The caller may not do it.
    Forbidden(Refusal),
    /// The storage cannot take it now; nothing was applied. The text is for the log.
    Unavailable(String),
    /// The storage lost the answer to a change, which may have been applied. The text is for the log.
    Unknown(String),
    /// Something is broken. The text is for the log.
    Internal(String),
}

/// What a caller may not do, by what would have to be different.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The token has not this scope.
    Scope(Scope),
    /// Its user is no admin.
    NotAdmin,
    /// Its user only reads in the space of the item.
    Role,
    /// Items of this kind do not exist for the token.
    Kind(Kind),
    /// The user's own space does not exist for the token.
    OwnSpace,
    /// The token is narrowed to kinds or spaces, and this takes all that its user has.
    Narrowed,
}

/// A field that names a passage of the content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PassageField {
    /// What is replaced.
    OldStr,
    /// What is replaced, as the tools for code call it.
    OldString,
    /// What is deleted.
    ContentToDelete,
    /// What is inserted after.
    AfterStr,
    /// What is inserted before.
    BeforeStr,
}

impl PassageField {
    /// The field's name.
    pub const fn name(self) -> &'static str {
        match self {
            PassageField::OldStr => "old_str",
            PassageField::OldString => "old_string",
            PassageField::ContentToDelete => "content_to_delete",
            PassageField::AfterStr => "after_str",
            PassageField::BeforeStr => "before_str",
        }
    }
}

/// What a text is needed for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NeedsText {
    /// Reading lines.
    Lines,
    /// Replacing a passage, or several.
    Replace,
    /// Patching lines.
    Patch,
    /// Inserting beside a passage.
    Insert,
    /// Deleting a passage.
    Delete,
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
            Error::NotFound { .. } | Error::Missing { .. } | Error::TagNotFound(_) | Error::VersionNotFound { .. } => {
                "not_found"
            }
            Error::ValidationFailed(_) => "validation_failed",
            Error::TooLarge { .. } | Error::PageTooLarge { .. } => "too_large",
            Error::InvalidTemplate { .. } => "invalid_template",
            Error::InvalidCode(_) => "invalid_code",
            Error::EntityTypeMismatch(_) => "entity_type_mismatch",
            Error::InvalidArguments { .. } => "invalid_arguments",
            Error::RenderFailed { .. } => "render_failed",
            Error::InvalidLines { .. } => "invalid_lines",
            Error::ContentEmpty(_) => "content_empty",
            Error::InvalidParameters(_) => "invalid_parameters",
            Error::InvalidPattern { .. } => "invalid_pattern",
            Error::NoMatch { .. } => "no_match",
            Error::MultipleMatches { .. } => "multiple_matches",
            Error::InvalidOperations { .. } => "invalid_operations",
            Error::AtEdit { error, .. } => error.code(),
            Error::Conflict { .. } | Error::StaleLines { .. } | Error::KeyInFlight => "conflict",
            Error::Duplicate { .. } | Error::SlugTaken(_) => "duplicate",
            Error::CursorExpired { .. } => "cursor_expired",
            Error::Unauthorized => "unauthorized",
            Error::Forbidden(_) => "forbidden",
            Error::Unavailable(_) | Error::Unknown(_) => "unavailable",
            Error::Internal(_) => "internal",
        }
    }

    /// The same, with the passage of an edit called `old_string` and what it becomes `new_string`, as the tools for code call
    /// them.
    #[must_use]
    pub fn in_words_of_code(self) -> Error {
        match self {
            Error::NoMatch { field: PassageField::OldStr, none } => {
                Error::NoMatch { field: PassageField::OldString, none }
            }
            Error::MultipleMatches { field: PassageField::OldStr, many } => {
                Error::MultipleMatches { field: PassageField::OldString, many }
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
            Error::AtEdit { index, error } => Error::AtEdit { index, error: Box::new(error.in_words_of_code()) },
            other => other,
        }
    }

    /// That one field cannot be accepted.
    pub(crate) fn field(field: impl Into<String>, message: impl Into<String>) -> Error {
        Error::ValidationFailed(vec![FieldError::new(field, message)])
    }
}

impl std::error::Error for Error {}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Error {
        match error {
            StoreError::Duplicate { field, existing } => Error::Duplicate { field, existing },
            StoreError::Unavailable(detail) => Error::Unavailable(detail),
            StoreError::Unknown(detail) => Error::Unknown(detail),
            StoreError::OutOfTime => Error::InvalidParameters(
                "the search took longer than 10 seconds; look for rarer words, or narrow it by `type` or `tags`",
            ),
            StoreError::SlugTaken(app) => Error::SlugTaken(app),
            // Another process was faster with the same request.
            StoreError::KeyTaken => Error::KeyInFlight,
            StoreError::Stale(id) => Error::Unavailable(format!("item {id} changed under every attempt")),
            StoreError::Failed(detail) => Error::Internal(detail),
        }
    }
}
