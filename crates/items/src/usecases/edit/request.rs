//! The request of an edit: what is changed in a content, and how it is matched.

use interline_edit::{Level, LineEndings};

use crate::fields::{Argument, FieldError, refuse_nul};
use crate::{Error, ExpectedVersion, Snapshot};

use super::resolve::at_edit;

/// How many edits one request may have.
const MAX_EDITS: usize = 100;

/// How many bytes an edit may read, and in how many places it may change a text, to be planned inside the writer, where
/// other writes wait for it.
const SHORT_BYTES: usize = 4 * 1024 * 1024;
const SHORT_PLACES: usize = 1_000;

/// An edit of a content, as the caller gives it.
#[derive(Clone, Debug)]
pub struct EditRequest {
    /// The change of the text; `None` leaves it, for a request that changes arguments alone.
    pub change: Option<TextChange>,
    /// The new arguments of a template, written together with the text; `None` leaves those that it has.
    pub arguments: Option<Vec<Argument>>,
    /// The loosest level at which a passage may be matched.
    pub loosest: Level,
    /// How line endings are matched, and which ones a new text gets.
    pub line_endings: LineEndings,
    /// What its changes are counted in, also where the text is left.
    pub unit: EditUnit,
    /// The version that the caller expects.
    pub expected: ExpectedVersion,
    /// Whether it is written.
    pub mode: EditMode,
    /// The id of a change that was offered when this request was refused: that change is made. See [`super::MergeOffer`].
    pub merged: Option<String>,
}

impl EditRequest {
    /// A change of the text, if any, with the defaults: matched at every level, literal line endings, any version, written.
    pub fn new(change: impl Into<Option<TextChange>>) -> EditRequest {
        let change = change.into();
        EditRequest {
            unit: match &change {
                Some(TextChange::Patch(_)) => EditUnit::Operations,
                Some(
                    TextChange::Replace(_)
                    | TextChange::Delete { .. }
                    | TextChange::Insert { .. }
                    | TextChange::Several(_),
                )
                | None => EditUnit::Places,
            },
            change,
            arguments: None,
            loosest: Level::SpacingNormalized,
            line_endings: LineEndings::Literal,
            expected: ExpectedVersion::Any,
            mode: EditMode::Write,
            merged: None,
        }
    }
}

/// Whether an edit is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EditMode {
    /// It is.
    #[default]
    Write,
    /// It is not: the result says what would be.
    DryRun,
}

/// What the changes of an edit are counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EditUnit {
    /// Places of passages.
    Places,
    /// Operations on lines.
    Operations,
}

/// The change of a text.
#[derive(Clone, Debug)]
pub enum TextChange {
    /// A passage is replaced.
    Replace(PassageChange),
    /// A passage is deleted.
    Delete {
        /// The passage.
        content_to_delete: String,
        /// In how many places it is; it is deleted from all of them.
        expected_matches: usize,
    },
    /// A text is inserted.
    Insert {
        /// Where.
        at: InsertAt,
        /// The text.
        new_str: String,
    },
    /// Lines are replaced by their numbers.
    Patch(Vec<LinePatch>),
    /// Passages are replaced one after the other: each edit sees the result of the one before.
    Several(Vec<PassageChange>),
}

/// A passage and its replacement.
#[derive(Clone, Debug)]
pub struct PassageChange {
    /// The passage as the caller remembers it.
    pub old_str: String,
    /// The replacement.
    pub new_str: String,
    /// In how many places it is; all of them are changed.
    pub expected_matches: usize,
}

/// Where a text is inserted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InsertAt {
    /// Directly after this passage.
    After(String),
    /// Directly before this passage.
    Before(String),
    /// As whole lines before the first one.
    Start,
    /// As whole lines after the last one.
    End,
}

impl InsertAt {
    /// Parses the fields of a request that say where to insert; an error if none or several are given.
    pub fn parse(after_str: Option<String>, before_str: Option<String>, at: Option<&str>) -> Result<InsertAt, Error> {
        match (after_str, before_str, at) {
            (Some(after), None, None) => Ok(InsertAt::After(after)),
            (None, Some(before), None) => Ok(InsertAt::Before(before)),
            (None, None, Some("start")) => Ok(InsertAt::Start),
            (None, None, Some("end")) => Ok(InsertAt::End),
            (None, None, Some(_)) => Err(Error::field("at", "must be `start` or `end`")),
            (None, None, None) => Err(Error::field("at", "one of `after_str`, `before_str` and `at` is required")),
            (after, _, at) => {
                let field = match (after, at) {
                    (_, Some(_)) => "at",
                    (Some(_), None) => "before_str",
                    (None, None) => "after_str",
                };
                Err(Error::field(field, "only one of `after_str`, `before_str` and `at` can be given"))
            }
        }
    }
}

/// One operation of a line patch, with the numbers of the text before the patch.
#[derive(Clone, Debug)]
pub struct LinePatch {
    /// 1-based first line.
    pub start_line: usize,
    /// 1-based last line; the line before `start_line` inserts.
    pub end_line: usize,
    /// The new lines.
    pub content: String,
    /// What the caller expects the lines to be.
    pub expect: Option<String>,
}

impl EditRequest {
    /// Refuses a request that no content could take: nothing to change, an empty passage, too many edits, characters that
    /// cannot be stored.
    pub(super) fn check(&self) -> Result<(), Error> {
        match &self.change {
            Some(TextChange::Replace(_) | TextChange::Several(_)) => {}
            None | Some(TextChange::Delete { .. } | TextChange::Insert { .. } | TextChange::Patch(_)) => {
                if self.merged.is_some() {
                    return Err(Error::field("merged", "belongs to a request that replaces a passage"));
                }
            }
        }
        match &self.change {
            None if self.arguments.is_none() => Err(Error::field("arguments", "is required where no text is changed")),
            Some(TextChange::Several(edits)) if !(1..=MAX_EDITS).contains(&edits.len()) => {
                let message = format!("has {} edits; there must be from 1 to {MAX_EDITS}", edits.len());
                Err(Error::field("edits", message))
            }
            None => Ok(()),
            Some(change) => change.check_passages().and_then(|()| change.check_characters()),
        }
    }

    /// Whether it is planned fast enough for other writes to wait for it.
    pub(super) fn is_short(&self, before: &Snapshot) -> bool {
        let content_bytes = before.content.as_ref().map_or(0, |content| content.len());
        let places = match &self.change {
            None | Some(TextChange::Insert { .. } | TextChange::Patch(_)) => 1,
            Some(TextChange::Replace(change)) => change.expected_matches,
            Some(TextChange::Delete { expected_matches, .. }) => *expected_matches,
            Some(TextChange::Several(edits)) => edits.iter().map(|edit| edit.expected_matches).max().unwrap_or(1),
        };
        self.weight(content_bytes) <= SHORT_BYTES && places <= SHORT_PLACES
    }

    /// How many bytes planning it may read: the content and the request, once for each step.
    pub(super) fn weight(&self, content_bytes: usize) -> usize {
        let Some(change) = &self.change else { return 0 };
        let steps = if let TextChange::Several(edits) = change { edits.len() } else { 1 };
        let request_bytes: usize = change.texts().iter().map(|(_, text)| text.len()).sum();
        content_bytes.saturating_add(request_bytes).saturating_mul(steps)
    }
}

impl TextChange {
    fn check_passages(&self) -> Result<(), Error> {
        match self {
            TextChange::Replace(change) => change.check_passages(),
            TextChange::Delete { content_to_delete, expected_matches } => {
                require_text("content_to_delete", content_to_delete)?;
                check_expected_matches(*expected_matches)
            }
            TextChange::Insert { at, new_str } => {
                match at {
                    InsertAt::After(anchor) => require_text("after_str", anchor)?,
                    InsertAt::Before(anchor) => require_text("before_str", anchor)?,
                    InsertAt::Start | InsertAt::End => {}
                }
                require_text("new_str", new_str)
            }
            TextChange::Patch(operations) if operations.is_empty() => {
                Err(Error::InvalidOperations { operations: Vec::new(), total: 0 })
            }
            TextChange::Patch(_) => Ok(()),
            TextChange::Several(edits) => {
                let mut checked = edits.iter().map(PassageChange::check_passages).enumerate();
                checked.try_for_each(|(index, checked)| checked.map_err(|error| at_edit(index, edits.len(), error)))
            }
        }
    }

    fn check_characters(&self) -> Result<(), Error> {
        let refused = self.texts().into_iter().filter_map(|(field, text)| refuse_nul(&field, text).err());
        let refused: Vec<FieldError> = refused.take(MAX_EDITS).collect();
        if refused.is_empty() { Ok(()) } else { Err(Error::ValidationFailed(refused)) }
    }

    /// The texts of the request, by the names of their fields.
    fn texts(&self) -> Vec<(String, &str)> {
        match self {
            TextChange::Replace(change) => change.texts("").into(),
            TextChange::Delete { content_to_delete, .. } => vec![("content_to_delete".to_owned(), content_to_delete)],
            TextChange::Insert { at, new_str } => {
                let anchor: Option<(&str, &str)> = match at {
                    InsertAt::After(anchor) => Some(("after_str", anchor)),
                    InsertAt::Before(anchor) => Some(("before_str", anchor)),
                    InsertAt::Start | InsertAt::End => None,
                };
                let named = anchor.into_iter().chain([("new_str", new_str.as_str())]);
                named.map(|(field, text)| (field.to_owned(), text)).collect()
            }
            TextChange::Patch(operations) => {
                let texts = operations.iter().enumerate().flat_map(|(index, operation)| {
                    let content = Some((format!("operations[{index}].content"), operation.content.as_str()));
                    let expect = operation.expect.as_deref().map(|text| (format!("operations[{index}].expect"), text));
                    content.into_iter().chain(expect)
                });
                texts.collect()
            }
            TextChange::Several(edits) => {
                let texts = edits.iter().enumerate();
                texts.flat_map(|(index, change)| change.texts(&format!("edits[{index}]."))).collect()
            }
        }
    }
}

impl PassageChange {
    fn check_passages(&self) -> Result<(), Error> {
        require_text("old_str", &self.old_str)?;
        check_expected_matches(self.expected_matches)
    }

    fn texts(&self, prefix: &str) -> [(String, &str); 2] {
        [(format!("{prefix}old_str"), &self.old_str), (format!("{prefix}new_str"), &self.new_str)]
    }
}

fn require_text(field: &str, text: &str) -> Result<(), Error> {
    if text.is_empty() { Err(Error::field(field, "must not be empty")) } else { Ok(()) }
}

fn check_expected_matches(expected_matches: usize) -> Result<(), Error> {
    if expected_matches == 0 { Err(Error::field("expected_matches", "must be at least 1")) } else { Ok(()) }
}
