//! Arguments of tools that replace passages of a text: one passage, or several.

use interline_items::{Error, PassageChange, TextChange};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::mcp::protocol::arguments::PositiveInt;
use crate::wire::{Object, invalid_field};

/// The passages to replace, and their replacements. (Each tool lists these arguments itself: serde can share fields
/// between types, but then neither type refuses unknown fields.)
pub(super) struct PassageArgs {
    pub(super) old_str: Option<String>,
    pub(super) new_str: Option<String>,
    pub(super) expected_matches: Option<PositiveInt>,
    pub(super) edits: Option<Vec<Object<PassageEditArgs>>>,
}

// One of several edits. (A doc comment would be sent to models.)
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PassageEditArgs {
    #[serde(alias = "old_string")]
    old_str: String,
    #[serde(alias = "new_string")]
    new_str: String,
    expected_matches: Option<PositiveInt>,
}

impl PassageArgs {
    /// The change of the text; `None` if the call gives none.
    pub(super) fn into_change(self) -> Result<Option<TextChange>, Error> {
        let PassageArgs { old_str, new_str, expected_matches, edits } = self;
        match (old_str, new_str, edits) {
            (Some(old_str), Some(new_str), None) => {
                let change = PassageChange { old_str, new_str, expected_matches: expected_count(expected_matches) };
                Ok(Some(TextChange::Replace(change)))
            }
            (None, None, Some(edits)) if expected_matches.is_none() => {
                Ok(Some(TextChange::Several(edits.into_iter().map(|Object(edit)| edit.into()).collect())))
            }
            (None, None, Some(_)) => Err(invalid_field("expected_matches", "belongs into each of `edits`")),
            (_, _, Some(_)) => {
                Err(invalid_field("edits", "cannot be combined with old_str and new_str; give one of them"))
            }
            (Some(_), None, None) => Err(invalid_field("new_str", "is required; \"\" deletes the passage")),
            (None, Some(_), None) => Err(invalid_field("old_str", "is required, or `edits`")),
            (None, None, None) if expected_matches.is_some() => {
                Err(invalid_field("old_str", "is required, or `edits`"))
            }
            (None, None, None) => Ok(None),
        }
    }
}

fn expected_count(expected: Option<PositiveInt>) -> usize {
    expected.map_or(1, PositiveInt::count)
}

impl From<PassageEditArgs> for PassageChange {
    fn from(edit: PassageEditArgs) -> PassageChange {
        let PassageEditArgs { old_str, new_str, expected_matches } = edit;
        PassageChange { old_str, new_str, expected_matches: expected_count(expected_matches) }
    }
}
