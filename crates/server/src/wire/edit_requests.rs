//! Request bodies of the editing routes.

use interline_items::{
    EditMode, EditRequest, EditUnit, Error, Expectation, ExpectedVersion, InsertAt, Level, LineEndings, LinePatch,
    PassageChange, TextChange,
};
use serde::Deserialize;
use utoipa::ToSchema;

use super::enumerations::{self, InsertPosition, ItemType, MatchLevel};
use super::requests::{TemplateArgument, deserialize_some, into_arguments};
use super::{Object, invalid_field};

/// The fields that every editing request has beside the change itself.
pub(crate) struct EditOptions {
    /// The kind that the item must be of.
    pub(crate) kind: Option<String>,
    /// The version that it must be at.
    pub(crate) expected_version: Option<u64>,
    loosest: Option<String>,
    line_endings: Option<String>,
    mode: EditMode,
    arguments: Option<Vec<Object<TemplateArgument>>>,
}

/// A request body with the fields of [`EditOptions`], as `edit_request_body!` declares it.
pub(crate) trait HasEditOptions {
    /// Takes the fields beside the change.
    fn options(&mut self) -> EditOptions;
}

/// A request body that asks for an edit.
pub(crate) trait EditRequestBody: HasEditOptions {
    /// The fields that say the text: a request has all of them or, with arguments alone, none. The first is named by the
    /// error where it has neither a text nor arguments.
    const TEXT_FIELDS: &'static [&'static str];
    /// The unit in which its changes are counted.
    const UNIT: EditUnit = EditUnit::Places;

    /// Takes the id of an offered change that is asked for.
    fn take_merged(&mut self) -> Option<String> {
        None
    }

    /// The change of the text; `None` if the request has none.
    fn into_change(self) -> Result<Option<TextChange>, Error>;
}

/// Declares a request body with its own fields and with those of [`EditOptions`]. (Serde can share fields between types, but
/// then neither type refuses unknown fields nor says which field is wrong.)
macro_rules! edit_request_body {
    ($(#[$attribute:meta])* $name:ident { $($(#[$field_attribute:meta])* $field:ident: $type:ty,)* }) => {
        #[derive(Debug, Deserialize, ToSchema)]
        #[serde(deny_unknown_fields)]
        $(#[$attribute])*
        pub(crate) struct $name {
            $($(#[$field_attribute])* $field: $type,)*
            /// The kind, to be sure that no item of another is changed.
            #[serde(rename = "type", default, deserialize_with = "deserialize_some")]
            #[schema(value_type = Option<ItemType>, nullable = false)]
            kind: Option<String>,
            /// Only if the item is at this version; otherwise `conflict`.
            #[serde(default, deserialize_with = "deserialize_some")]
            #[schema(value_type = Option<i64>, minimum = 1, nullable = false)]
            expected_version: Option<u64>,
            /// The loosest level at which a passage may be found; unless given, `spacing_normalized`.
            #[serde(rename = "match", default, deserialize_with = "deserialize_some")]
            #[schema(value_type = Option<MatchLevel>, nullable = false)]
            loosest: Option<String>,
            /// Unless given `literal`: line endings of the new text are written as they are; with `match` they become
            /// those of the passage.
            #[serde(default, deserialize_with = "deserialize_some")]
            #[schema(value_type = Option<enumerations::LineEndings>, nullable = false)]
            line_endings: Option<String>,
            /// Nothing is written; the answer tells what would be.
            #[serde(default)]
            dry_run: bool,
            /// Of a prompt: all its arguments anew, together with the text. They may come alone.
            #[serde(default, deserialize_with = "deserialize_some")]
            #[schema(value_type = Option<Vec<TemplateArgument>>, nullable = false)]
            arguments: Option<Vec<Object<TemplateArgument>>>,
        }

        impl HasEditOptions for $name {
            fn options(&mut self) -> EditOptions {
                EditOptions {
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

edit_request_body! {
    /// A passage, and what it becomes.
    #[schema(as = StrReplace)]
    StrReplaceRequest {
        /// The passage as you remember it; it must be unique unless `expected_matches` says how often it is there.
        #[serde(default, deserialize_with = "deserialize_some")]
        #[schema(nullable = false, min_length = 1)]
        old_str: Option<String>,
        /// What it becomes; empty to delete it.
        #[serde(default, deserialize_with = "deserialize_some")]
        #[schema(nullable = false)]
        new_str: Option<String>,
        /// In how many places it is; all of them are changed. 1 unless given.
        #[serde(default, deserialize_with = "deserialize_some")]
        #[schema(value_type = Option<i64>, minimum = 1, nullable = false)]
        expected_matches: Option<usize>,
        /// The id of the change that a refusal offered: the same request with it makes that change.
        #[serde(default, deserialize_with = "deserialize_some")]
        #[schema(nullable = false)]
        merged: Option<String>,
    }
}

edit_request_body! {
    /// A passage to delete.
    #[schema(as = DeleteContent)]
    DeleteContentRequest {
        /// The passage.
        #[serde(default, deserialize_with = "deserialize_some")]
        #[schema(nullable = false, min_length = 1)]
        content_to_delete: Option<String>,
        /// In how many places it is; it goes from all of them. 1 unless given.
        #[serde(default, deserialize_with = "deserialize_some")]
        #[schema(value_type = Option<i64>, minimum = 1, nullable = false)]
        expected_matches: Option<usize>,
    }
}

edit_request_body! {
    /// A text, and where it comes in: exactly one of `after_str`, `before_str` and `at`.
    #[schema(as = Insert)]
    InsertRequest {
        /// Directly after this passage.
        #[serde(default, deserialize_with = "deserialize_some")]
        #[schema(nullable = false, min_length = 1)]
        after_str: Option<String>,
        /// Directly before this passage.
        #[serde(default, deserialize_with = "deserialize_some")]
        #[schema(nullable = false, min_length = 1)]
        before_str: Option<String>,
        /// As whole lines at the `start` or the `end`.
        #[serde(default, deserialize_with = "deserialize_some")]
        #[schema(value_type = Option<InsertPosition>, nullable = false)]
        at: Option<String>,
        /// The text, verbatim.
        #[serde(default, deserialize_with = "deserialize_some")]
        #[schema(nullable = false)]
        new_str: Option<String>,
    }
}

edit_request_body! {
    /// Several edits: each sees the result of the one before, and all are saved as one version or none is.
    #[schema(as = Edits)]
    EditsRequest {
        /// From 1 to 100 edits.
        #[serde(default, deserialize_with = "deserialize_some")]
        #[schema(value_type = Option<Vec<PassageEditRequest>>, nullable = false, min_items = 1, max_items = 100)]
        edits: Option<Vec<Object<PassageEditRequest>>>,
        /// The id of the change that a refusal offered: the same request with it makes that change.
        #[serde(default, deserialize_with = "deserialize_some")]
        #[schema(nullable = false)]
        merged: Option<String>,
    }
}

edit_request_body! {
    /// Lines, and what they become. All numbers are those of the text before the patch.
    #[schema(as = PatchContent)]
    PatchContentRequest {
        /// Operations on different lines.
        #[serde(default, deserialize_with = "deserialize_some")]
        #[schema(value_type = Option<Vec<LineOperationRequest>>, nullable = false)]
        operations: Option<Vec<Object<LineOperationRequest>>>,
    }
}

/// One of several edits.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = OneEdit)]
pub(crate) struct PassageEditRequest {
    /// The passage as you remember it.
    #[schema(min_length = 1)]
    old_str: String,
    /// What it becomes.
    new_str: String,
    /// In how many places it is; 1 unless given.
    #[serde(default, deserialize_with = "deserialize_some")]
    #[schema(value_type = Option<i64>, minimum = 1, nullable = false)]
    expected_matches: Option<usize>,
}

/// An operation on lines.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = LineOperation)]
pub(crate) struct LineOperationRequest {
    /// The first line; 1-based.
    #[schema(value_type = i64, minimum = 1)]
    start_line: usize,
    /// The last line; the line before `start_line` inserts there.
    #[schema(value_type = i64, minimum = 0)]
    end_line: usize,
    /// The new lines; empty removes.
    content: String,
    /// What the lines are believed to be; `conflict` if they are not.
    #[serde(default, deserialize_with = "deserialize_some")]
    #[schema(nullable = false)]
    expect: Option<String>,
}

impl EditRequestBody for StrReplaceRequest {
    const TEXT_FIELDS: &'static [&'static str] = &["old_str", "new_str"];

    fn take_merged(&mut self) -> Option<String> {
        self.merged.take()
    }

    fn into_change(self) -> Result<Option<TextChange>, Error> {
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

impl EditRequestBody for DeleteContentRequest {
    const TEXT_FIELDS: &'static [&'static str] = &["content_to_delete"];

    fn into_change(self) -> Result<Option<TextChange>, Error> {
        let expected_matches = self.expected_matches.unwrap_or(1);
        Ok(self.content_to_delete.map(|content_to_delete| TextChange::Delete { content_to_delete, expected_matches }))
    }
}

impl EditRequestBody for InsertRequest {
    const TEXT_FIELDS: &'static [&'static str] = &["new_str"];

    fn into_change(self) -> Result<Option<TextChange>, Error> {
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

impl EditRequestBody for EditsRequest {
    const TEXT_FIELDS: &'static [&'static str] = &["edits"];

    fn take_merged(&mut self) -> Option<String> {
        self.merged.take()
    }

    fn into_change(self) -> Result<Option<TextChange>, Error> {
        let one = |Object(edit): Object<PassageEditRequest>| PassageChange {
            old_str: edit.old_str,
            new_str: edit.new_str,
            expected_matches: edit.expected_matches.unwrap_or(1),
        };
        Ok(self.edits.map(|edits| TextChange::Several(edits.into_iter().map(one).collect())))
    }
}

impl EditRequestBody for PatchContentRequest {
    const TEXT_FIELDS: &'static [&'static str] = &["operations"];
    const UNIT: EditUnit = EditUnit::Operations;

    fn into_change(self) -> Result<Option<TextChange>, Error> {
        let one = |Object(operation): Object<LineOperationRequest>| LinePatch {
            start_line: operation.start_line,
            end_line: operation.end_line,
            content: operation.content,
            expect: operation.expect,
        };
        Ok(self.operations.map(|operations| TextChange::Patch(operations.into_iter().map(one).collect())))
    }
}

/// The edit that the use case is called with.
pub(crate) fn edit_request<B: EditRequestBody>(
    mut body: B,
    options: EditOptions,
    expected: ExpectedVersion,
) -> Result<EditRequest, Error> {
    let merged = body.take_merged();
    let change = body.into_change()?;
    if change.is_none() && options.arguments.is_none() {
        return Err(required(B::TEXT_FIELDS.first().copied().unwrap_or_default()));
    }
    let defaults = EditRequest::new(change);
    Ok(EditRequest {
        arguments: options.arguments.map(into_arguments),
        loosest: loosest_level(options.loosest.as_deref())?,
        line_endings: match options.line_endings {
            None => defaults.line_endings,
            Some(name) => LineEndings::from_name(&name)
                .ok_or_else(|| invalid_field("line_endings", "must be `literal` or `match`"))?,
        },
        unit: B::UNIT,
        expected,
        mode: options.mode,
        merged,
        ..defaults
    })
}

/// The loosest level at which a passage may be found, from the field `match`.
pub(crate) fn loosest_level(name: Option<&str>) -> Result<Level, Error> {
    let Some(name) = name else { return Ok(Level::SpacingNormalized) };
    Level::from_name(name).ok_or_else(|| {
        let names = Level::ALL.map(Level::name).join(", ");
        invalid_field("match", format!("must be one of {names}"))
    })
}

fn required(field: &'static str) -> Error {
    invalid_field(field, "is required")
}

/// The version that an item must be at for a change, from the field `expected_version`.
pub(crate) fn require_version(version: Option<u64>) -> ExpectedVersion {
    version.map_or(ExpectedVersion::Any, |version| ExpectedVersion::Exactly(version, Expectation::ExpectedVersion))
}
