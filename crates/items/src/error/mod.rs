//! The error of a use case: a stable code, its data, and the messages that all doors share.
//!
//! Where the words depend on the door (the name of a protocol's field, a path), the error carries data alone, and the edge
//! of the server chooses the words.

mod change_set;
mod failed_merge;
mod messages;
mod proposal;

pub use change_set::ChangeSetError;
pub use failed_merge::{ConflictPassage, ConflictPlace, FailedMerge};
pub use messages::quoted_names;
pub use proposal::{ProposalError, UnfitCause};

use interline_edit::{InvalidOperation, MultipleMatches, NoMatch, StaleOperation, UnifiedDiff};
use interline_python::CodeError;

use crate::KindMismatch;
use crate::fields::{ContentError, FieldError};
use crate::usecases::MergeOffer;
use crate::{App, Corruption, EventCursor, Item, ItemId, Kind, Scope, SpaceId, StoreError, UniqueField};

/// Why a use case refused or failed. The code is stable; the message (`Display`) says what happened, with the figures, and
/// the suggestion what to do next, so that an agent can make the right next call from it alone.
#[derive(Debug)]
pub enum Error {
    /// There is no such item for this caller.
    NotFound {
        /// The requested kind, if the request names one.
        kind: Option<Kind>,
        /// The requested id or name.
        requested: String,
        /// The kind of the item that has this id instead, if it exists for this caller.
        actual: Option<Kind>,
    },
    /// Something else than an item does not exist for this caller: an app, an organization, a file at a path.
    Missing {
        /// What does not exist: `app`, `organization`, `workflow`.
        what: &'static str,
        /// The requested id, name or path.
        requested: String,
        /// What to do next.
        hint: &'static str,
    },
    /// No item that the caller may change has this tag.
    TagNotFound(String),
    /// The item has no such version, or it is not kept any more.
    VersionNotFound {
        /// The item's kind.
        kind: Kind,
        /// The item.
        id: ItemId,
        /// The requested version.
        version: u64,
        /// The item's version.
        current: u64,
    },
    /// Fields that cannot be accepted: all of them, so that the client can correct them at once.
    ValidationFailed(Vec<FieldError>),
    /// The space that a request names does not exist for this caller.
    UnknownSpace(SpaceId),
    /// A content that is longer than allowed, in bytes.
    TooLarge {
        /// The limit.
        limit: u64,
        /// The length; of a result that would take too much memory, the length at which building it was stopped.
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
    /// Python of another kind than the request says.
    EntityTypeMismatch(KindMismatch),
    /// Values for rendering that are not those of the prompt's arguments.
    InvalidArguments {
        /// Required arguments without a value.
        missing: Vec<String>,
        /// Values for arguments that the prompt does not have.
        unknown: Vec<String>,
    },
    /// Rendering failed or exceeded its bounds.
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
    /// A pattern that is not a regular expression, or one that takes too much time or memory.
    InvalidPattern {
        /// What is wrong with it.
        detail: String,
        /// Where, as a byte offset in the expression, if it is known.
        position: Option<usize>,
    },
    /// The passage that an edit names is not in the content.
    NoMatch {
        /// The field that names it.
        field: PassageField,
        /// The nearest passages and the likely cause, to help the client find it.
        none: Box<NoMatch>,
        /// The change that was probably meant.
        merged: Option<Box<MergeOffer>>,
    },
    /// The further lines of a change of code lack the indentation of the line that it begins in.
    LostIndentation {
        /// 1-based line.
        line: usize,
        /// The change with that indentation, where it is clear.
        merged: Option<Box<MergeOffer>>,
    },
    /// The change that a request asks for by an id is not the one that would be offered to it now.
    StaleOffer {
        /// The present state of the item.
        current: Box<Item>,
    },
    /// The passage that an edit names is not in as many places as expected.
    MultipleMatches {
        /// The field that names it.
        field: PassageField,
        /// The places.
        many: Box<MultipleMatches>,
    },
    /// Line operations that cannot be applied to the content; none when the request has no operation.
    InvalidOperations {
        /// The first of them, as many as an answer lists.
        operations: Vec<InvalidOperation>,
        /// How many there are.
        total: usize,
    },
    /// Lines whose text is not what the operations on them expect.
    StaleLines {
        /// The first of the operations, with the present text of their lines.
        operations: Vec<StaleOperation>,
        /// How many there are.
        total: usize,
        /// The present state of the item.
        current: Box<Item>,
    },
    /// One of several edits was refused, and with it all of them.
    AtEdit {
        /// 0-based index of the edit.
        index: usize,
        /// How many there are.
        total: usize,
        /// Why; it decides the code.
        error: Box<Error>,
    },
    /// The item is not at the version that the caller expects.
    Conflict {
        /// The version that was expected.
        expected_version: u64,
        /// How the caller said so.
        expectation: Expectation,
        /// The present state of the item.
        current: Box<Item>,
        /// The diff from the content of the expected version to the present one, if that version is kept.
        diff: Option<UnifiedDiff>,
        /// Why the change was not merged, where that was asked for and could be tried.
        merge: Option<Box<FailedMerge>>,
    },
    /// A change set that is not joined, or not taken back.
    ChangeSet(ChangeSetError),
    /// A proposal that is not made, or not decided.
    Proposal(ProposalError),
    /// Another item has the same value in a field that must be unique.
    Duplicate {
        /// The value.
        field: UniqueField,
        /// The item that has it.
        existing: Box<Item>,
    },
    /// Another app has the same slug.
    SlugTaken(Box<App>),
    /// The events after the cursor are not kept any more, or the cursor is of another store.
    CursorExpired {
        /// The present cursor.
        current: EventCursor,
    },
    /// An idempotency key that cannot be used.
    InvalidIdempotencyKey(IdempotencyKeyProblem),
    /// A request with the same idempotency key is being carried out.
    KeyInFlight,
    /// No valid token.
    Unauthorized,
    /// The caller may not do it.
    Forbidden(Refusal),
    /// The storage cannot do it now; nothing was applied. The text is for the log.
    Unavailable(String),
    /// A queue or the memory budget is full; nothing was applied.
    Overloaded(Overloaded),
    /// The connection to the storage was lost before it confirmed a change, which may have been applied. The text is for the
    /// log.
    Unknown(String),
    /// What is stored of an item is not what was written; nothing was applied.
    CorruptContent {
        /// The item, if it is known.
        item: Option<ItemId>,
        /// Versions of it that are whole, newest first.
        versions: Vec<u64>,
        /// What is wrong, for the log.
        detail: String,
    },
    /// Something is broken. The text is for the log.
    Internal(String),
}

/// A shared resource that is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overloaded {
    /// What is full, as messages name it: "queue of searches".
    pub resource: &'static str,
    /// Whose use fills it.
    pub cause: OverloadCause,
}

/// Whose use fills a shared resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OverloadCause {
    /// The caller's own requests take all that one user may have.
    Caller,
    /// The requests of all.
    Everyone,
}

impl Overloaded {
    /// How many seconds a client should wait before it tries again.
    pub const RETRY_AFTER_SECONDS: u32 = 1;
}

impl From<Overloaded> for Error {
    fn from(overloaded: Overloaded) -> Error {
        Error::Overloaded(overloaded)
    }
}

/// Why a caller may not do something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The token does not have this scope.
    Scope(Scope),
    /// Its user is no admin.
    NotAdmin,
    /// Its user only reads in the space of the item.
    Role,
    /// Items of this kind do not exist for the token.
    Kind(Kind),
    /// The user's own space does not exist for the token.
    OwnSpace,
    /// The token is narrowed to kinds or spaces, and this takes one that is not.
    Narrowed,
    /// The caller is an agent, and only people may do this.
    Agent,
    /// The token's writes are kept as proposals, and this is no change of one item.
    OnlyProposes,
}

/// Why an idempotency key cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdempotencyKeyProblem {
    /// It is empty, too long, or has other characters than visible ASCII.
    Malformed {
        /// The longest that a key may be.
        max_chars: usize,
    },
    /// It was used for another request.
    Reused,
}

/// The field of a request that names a passage of the content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PassageField {
    /// What the edit does with the passage.
    pub role: PassageRole,
    /// The name of the field, as messages print it. A door whose requests have other names puts its own here.
    pub name: &'static str,
}

/// What an edit does with a passage of the content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PassageRole {
    /// It is replaced.
    Replaced,
    /// It is deleted.
    Deleted,
    /// A text is inserted after or before it.
    Anchor,
}

impl PassageField {
    /// The passage that is replaced.
    pub const OLD_STR: PassageField = PassageField { role: PassageRole::Replaced, name: "old_str" };
    /// The passage that is deleted.
    pub const CONTENT_TO_DELETE: PassageField = PassageField { role: PassageRole::Deleted, name: "content_to_delete" };
    /// The passage after which a text is inserted.
    pub const AFTER_STR: PassageField = PassageField { role: PassageRole::Anchor, name: "after_str" };
    /// The passage before which a text is inserted.
    pub const BEFORE_STR: PassageField = PassageField { role: PassageRole::Anchor, name: "before_str" };
}

/// The operation that needs a content where there is none.
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

/// How a caller said which version they expect; the doors answer a conflict differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expectation {
    /// In a field of the request.
    ExpectedVersion,
    /// In a precondition of the request.
    Precondition,
}

impl Error {
    /// Every code that [`Error::code`] gives.
    pub const CODES: [&'static str; 26] = [
        "not_found",
        "validation_failed",
        "too_large",
        "invalid_template",
        "invalid_code",
        "entity_type_mismatch",
        "invalid_arguments",
        "render_failed",
        "invalid_lines",
        "content_empty",
        "invalid_parameters",
        "invalid_pattern",
        "no_match",
        "lost_indentation",
        "multiple_matches",
        "invalid_operations",
        "conflict",
        "duplicate",
        "too_many_proposals",
        "cursor_expired",
        "unauthorized",
        "forbidden",
        "unavailable",
        "overloaded",
        "corrupt_content",
        "internal",
    ];

    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Error::NotFound { .. } | Error::Missing { .. } | Error::TagNotFound(_) | Error::VersionNotFound { .. } => {
                "not_found"
            }
            Error::ValidationFailed(_) | Error::UnknownSpace(_) | Error::InvalidIdempotencyKey(_) => {
                "validation_failed"
            }
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
            Error::LostIndentation { .. } => "lost_indentation",
            Error::Conflict { .. }
            | Error::StaleLines { .. }
            | Error::StaleOffer { .. }
            | Error::ChangeSet(_)
            | Error::KeyInFlight => "conflict",
            Error::Proposal(ProposalError::TooMany) => "too_many_proposals",
            Error::Proposal(_) => "conflict",
            Error::Duplicate { .. } | Error::SlugTaken(_) => "duplicate",
            Error::CursorExpired { .. } => "cursor_expired",
            Error::Unauthorized => "unauthorized",
            Error::Forbidden(_) => "forbidden",
            Error::Unavailable(_) | Error::Unknown(_) => "unavailable",
            Error::Overloaded(_) => "overloaded",
            Error::CorruptContent { .. } => "corrupt_content",
            Error::Internal(_) => "internal",
        }
    }

    /// The error of one field that cannot be accepted.
    pub(crate) fn field(field: impl Into<String>, message: impl Into<String>) -> Error {
        Error::ValidationFailed(vec![FieldError::new(field, message)])
    }
}

impl std::error::Error for Error {}

impl From<ContentError> for Error {
    fn from(error: ContentError) -> Error {
        match error {
            ContentError::TooLarge { limit, actual } => Error::TooLarge { limit: limit as u64, actual: actual as u64 },
            ContentError::Invalid(error) => Error::ValidationFailed(vec![error]),
        }
    }
}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Error {
        match error {
            StoreError::Duplicate { field, existing } => Error::Duplicate { field, existing },
            StoreError::Overloaded(overloaded) => Error::Overloaded(overloaded),
            StoreError::Unavailable(detail) => Error::Unavailable(detail),
            StoreError::Unknown(detail) => Error::Unknown(detail),
            StoreError::OutOfTime => Error::InvalidParameters(
                "the search took longer than 10 seconds; look for rarer words, or narrow it by `type` or `tags`",
            ),
            StoreError::SlugTaken(app) => Error::SlugTaken(app),
            StoreError::TooManyProposals => Error::Proposal(ProposalError::TooMany),
            // Another process committed a request with the same key first.
            StoreError::KeyTaken => Error::KeyInFlight,
            StoreError::Stale(id) => Error::Unavailable(format!("item {id} changed under every attempt")),
            StoreError::Corrupt(Corruption { item, detail, .. }) => {
                Error::CorruptContent { item, versions: Vec::new(), detail }
            }
            StoreError::Failed(detail) => Error::Internal(detail),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::Error;

    #[test]
    fn every_code_is_listed() {
        let after = include_str!("mod.rs").split("pub fn code(&self)").nth(1).unwrap();
        let given: BTreeSet<&str> = after.split("\n    }\n").next().unwrap().split('"').skip(1).step_by(2).collect();
        assert_eq!(given, BTreeSet::from(Error::CODES));
    }
}
