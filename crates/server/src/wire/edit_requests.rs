//! Request bodies of the editing routes.

use interline_items::{
    EditMode, EditRequest, EditUnit, Error, Expectation, ExpectedVersion, InsertAt, Level, LineEndings, LinePatch,
    PassageChange, TextChange,
};
use serde::Deserialize;
use utoipa::ToSchema;

use super::requests::{ArgumentBody, arguments, given};
use super::{Object, invalid_field};

/// What every editing body says beside the change itself.
pub(crate) struct Options {
    /// The kind that the item must be of.
    pub(crate) kind: Option<String>,
    /// The version that it must be at.
    pub(crate) expected_version: Option<u64>,
    loosest: Option<String>,
    line_endings: Option<String>,
    mode: EditMode,
    arguments: Option<Vec<Object<ArgumentBody>>>,
}

/// A body that asks for an edit.
pub(crate) trait EditBody {
    /// The field that is named where neither a text nor arguments are given.
    const TEXT_FIELD: &'static str;
    /// What its changes are counted in.
    const UNIT: EditUnit = EditUnit::Places;

    /// What it says beside the change.
    fn options(&mut self) -> Options;

    /// The change of the text; `None` if none is given.
    fn change(self) -> Result<Option<TextChange>, Error>;
}

/// A body with its own fields, and with those of [`Options`]. (Serde can share fields between types, but then neither
/// refuses unknown ones nor says which is wrong.)
macro_rules! edit_body {
    ($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident: $type:ty,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Deserialize, ToSchema)]
        #[serde(deny_unknown_fields)]
        pub(crate) struct $name {
            $($(#[$field_doc])* $field: $type,)*
            /// The kind, to be sure that no item of another is changed.
            #[serde(rename = "type", default, deserialize_with = "given")]
            #[schema(nullable = false)]
            kind: Option<String>,
            /// Only if the item is at this version; otherwise `conflict`.
            #[serde(default, deserialize_with = "given")]
            #[schema(value_type = Option<i64>, minimum = 1, nullable = false)]
            expected_version: Option<u64>,
            /// The loosest level at which a passage may be found: `exact`, `whitespace_normalized`,
            /// `indentation_relative`, `punctuation_normalized` or, unless given, `spacing_normalized`.
            #[serde(rename = "match", default, deserialize_with = "given")]
            #[schema(nullable = false)]
            loosest: Option<String>,
            /// Unless given `literal`: line endings of the new text are written as they are; with `match` they become
            /// those of the passage.
            #[serde(default, deserialize_with = "given")]
            #[schema(nullable = false)]
            line_endings: Option<String>,
            /// Nothing is written; the answer tells what would be.
            #[serde(default)]
            dry_run: bool,
            /// Of a prompt: all its arguments anew, together with the text. They may come alone.
            #[serde(default, deserialize_with = "given")]
            #[schema(value_type = Option<Vec<ArgumentBody>>, nullable = false)]
            arguments: Option<Vec<Object<ArgumentBody>>>,
        }

        impl $name {
            fn take_options(&mut self) -> Options {
                Options {
                    kind: self.kind.take(),
                    expected_version: self.expected_version,
                    loosest: self.loosest.take(),
                    line_endings: self.line_endings.take(),
                    mode: if self.dry_run { EditMode::DryRun } else { EditMode::Write },
                    arguments: self.arguments.take(),
                }
            }
        }
    };
}

edit_body! {
    /// A passage, and what it becomes.
    StrReplace {
        /// The passage as you remember it; it must be unique unless `expected_matches` says how often it is there.
        #[serde(default, deserialize_with = "given")]
        #[schema(nullable = false, min_length = 1)]
        old_str: Option<String>,
        /// What it becomes; empty to delete it.
        #[serde(default, deserialize_with = "given")]
        #[schema(nullable = false)]
        new_str: Option<String>,
        /// In how many places it is; all of them are changed. 1 unless given.
        #[serde(default, deserialize_with = "given")]
        #[schema(value_type = Option<i64>, minimum = 1, nullable = false)]
        expected_matches: Option<usize>,
    }
}

edit_body! {
    /// A passage to delete.
    DeleteContent {
        /// The passage.
        #[serde(default, deserialize_with = "given")]
        #[schema(nullable = false, min_length = 1)]
        content_to_delete: Option<String>,
        /// In how many places it is; it goes from all of them. 1 unless given.
        #[serde(default, deserialize_with = "given")]
        #[schema(value_type = Option<i64>, minimum = 1, nullable = false)]
        expected_matches: Option<usize>,
    }
}

edit_body! {
    /// A text, and where it comes in: exactly one of `after_str`, `before_str` and `at`.
    Insert {
        /// Directly after this passage.
        #[serde(default, deserialize_with = "given")]
        #[schema(nullable = false, min_length = 1)]
        after_str: Option<String>,
        /// Directly before this passage.
        #[serde(default, deserialize_with = "given")]
        #[schema(nullable = false, min_length = 1)]
        before_str: Option<String>,
        /// As whole lines at the `start` or the `end`.
        #[serde(default, deserialize_with = "given")]
        #[schema(nullable = false, pattern = "^(start|end)$")]
        at: Option<String>,
        /// The text, verbatim.
        #[serde(default, deserialize_with = "given")]
        #[schema(nullable = false)]
        new_str: Option<String>,
    }
}

edit_body! {
    /// Several edits: each sees the result of the one before, and all are saved as one version or none is.
    Edits {
        /// From 1 to 100 edits.
        #[serde(default, deserialize_with = "given")]
        #[schema(value_type = Option<Vec<OneEdit>>, nullable = false, min_items = 1, max_items = 100)]
        edits: Option<Vec<Object<OneEdit>>>,
    }
}

edit_body! {
    /// Lines, and what they become. All numbers are those of the text before the patch.
    PatchContent {
        /// Operations on different lines.
        #[serde(default, deserialize_with = "given")]
        #[schema(value_type = Option<Vec<LineOperation>>, nullable = false)]
        operations: Option<Vec<Object<LineOperation>>>,
    }
}

/// One of several edits.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct OneEdit {
    /// The passage as you remember it.
    #[schema(min_length = 1)]
    old_str: String,
    /// What it becomes.
    new_str: String,
    /// In how many places it is; 1 unless given.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<i64>, minimum = 1, nullable = false)]
    expected_matches: Option<usize>,
}

/// An operation on lines.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LineOperation {
    /// The first line; 1-based.
    #[schema(value_type = i64, minimum = 1)]
    start_line: usize,
    /// The last line; the line before `start_line` inserts there.
    #[schema(value_type = i64, minimum = 0)]
    end_line: usize,
    /// The new lines; empty removes.
    content: String,
    /// What the lines are believed to be; `conflict` if they are not.
    #[serde(default, deserialize_with = "given")]
    #[schema(nullable = false)]
    expect: Option<String>,
}

impl EditBody for StrReplace {
    const TEXT_FIELD: &'static str = "old_str";

    fn options(&mut self) -> Options {
        self.take_options()
    }

    fn change(self) -> Result<Option<TextChange>, Error> {
        let expected_matches = self.expected_matches.unwrap_or(1);
        Ok(match (self.old_str, self.new_str) {
            (None, None) => None,
            (Some(old_str), Some(new_str)) => {
                Some(TextChange::Replace(PassageChange { old_str, new_str, expected_matches }))
            }
            (Some(_), None) => return Err(required("new_str")),
            (None, Some(_)) => return Err(required("old_str")),
        })
    }
}

impl EditBody for DeleteContent {
    const TEXT_FIELD: &'static str = "content_to_delete";

    fn options(&mut self) -> Options {
        self.take_options()
    }

    fn change(self) -> Result<Option<TextChange>, Error> {
        let expected_matches = self.expected_matches.unwrap_or(1);
        Ok(self.content_to_delete.map(|content_to_delete| TextChange::Delete { content_to_delete, expected_matches }))
    }
}

impl EditBody for Insert {
    const TEXT_FIELD: &'static str = "new_str";

    fn options(&mut self) -> Options {
        self.take_options()
    }

    fn change(self) -> Result<Option<TextChange>, Error> {
        let anchored = self.after_str.is_some() || self.before_str.is_some() || self.at.is_some();
        match self.new_str {
            None if anchored => Err(required("new_str")),
            None => Ok(None),
            Some(new_str) => {
                let at = InsertAt::parse(self.after_str, self.before_str, self.at.as_deref())?;
                Ok(Some(TextChange::Insert { at, new_str }))
            }
        }
    }
}

impl EditBody for Edits {
    const TEXT_FIELD: &'static str = "edits";

    fn options(&mut self) -> Options {
        self.take_options()
    }

    fn change(self) -> Result<Option<TextChange>, Error> {
        let one = |Object(edit): Object<OneEdit>| PassageChange {
            old_str: edit.old_str,
            new_str: edit.new_str,
            expected_matches: edit.expected_matches.unwrap_or(1),
        };
        Ok(self.edits.map(|edits| TextChange::Several(edits.into_iter().map(one).collect())))
    }
}

impl EditBody for PatchContent {
    const TEXT_FIELD: &'static str = "operations";
    const UNIT: EditUnit = EditUnit::Operations;

    fn options(&mut self) -> Options {
        self.take_options()
    }

    fn change(self) -> Result<Option<TextChange>, Error> {
        let one = |Object(operation): Object<LineOperation>| LinePatch {
            start_line: operation.start_line,
            end_line: operation.end_line,
            content: operation.content,
            expect: operation.expect,
        };
        Ok(self.operations.map(|operations| TextChange::Patch(operations.into_iter().map(one).collect())))
    }
}

/// What a use case is asked for.
pub(crate) fn edit_request<B: EditBody>(
    body: B,
    options: Options,
    expected: ExpectedVersion,
) -> Result<EditRequest, Error> {
    let change = body.change()?;
    if change.is_none() && options.arguments.is_none() {
        return Err(required(B::TEXT_FIELD));
    }
    let unless_given = EditRequest::new(change);
    Ok(EditRequest {
        arguments: options.arguments.map(arguments),
        loosest: match options.loosest {
            None => unless_given.loosest,
            Some(name) => Level::from_name(&name).ok_or_else(|| {
                let names = Level::ALL.map(Level::name).join(", ");
                invalid_field("match", format!("must be one of {names}"))
            })?,
        },
        line_endings: match options.line_endings.as_deref() {
            None => unless_given.line_endings,
            Some("literal") => LineEndings::Literal,
            Some("match") => LineEndings::Match,
            Some(_) => return Err(invalid_field("line_endings", "must be `literal` or `match`")),
        },
        unit: B::UNIT,
        expected,
        mode: options.mode,
        ..unless_given
    })
}

fn required(field: &'static str) -> Error {
    invalid_field(field, "is required")
}

/// The version that an item must be at for a change, from the field `expected_version`.
pub(crate) fn require_version(version: Option<u64>) -> ExpectedVersion {
    version.map_or(ExpectedVersion::Any, |version| ExpectedVersion::Exactly(version, Expectation::ExpectedVersion))
}
