//! Passages and what they become, as tools that edit are told them: one, or several.

use interline_items::{Error, PassageChange, TextChange};
use schemars::JsonSchema;
use serde::Deserialize;

use super::arguments::{Number, invalid};
use crate::wire::Object;

/// The arguments of a tool that say which passages become what. (Each tool lists them itself: serde can share fields
/// between types, but then neither refuses unknown ones.)
pub(super) struct GivenPassages {
    pub(super) old_str: Option<String>,
    pub(super) new_str: Option<String>,
    pub(super) expected_matches: Option<Number>,
    pub(super) edits: Option<Vec<Object<OneEdit>>>,
}

// One of several edits. (A doc comment would be told to models.)
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct OneEdit {
    #[serde(alias = "old_string")]
    old_str: String,
    #[serde(alias = "new_string")]
    new_str: String,
    expected_matches: Option<Number>,
}

impl GivenPassages {
    /// The change of the text; `None` if none is given.
    pub(super) fn change(self) -> Result<Option<TextChange>, Error> {
        let GivenPassages { old_str, new_str, expected_matches, edits } = self;
        match (old_str, new_str, edits) {
            (Some(old_str), Some(new_str), None) => {
                let change = PassageChange { old_str, new_str, expected_matches: places(expected_matches) };
                Ok(Some(TextChange::Replace(change)))
            }
            (None, None, Some(edits)) if expected_matches.is_none() => {
                Ok(Some(TextChange::Several(edits.into_iter().map(|Object(edit)| edit.into()).collect())))
            }
            (None, None, Some(_)) => Err(invalid("expected_matches", "belongs into each of `edits`")),
            (_, _, Some(_)) => Err(invalid("edits", "cannot be combined with old_str and new_str; give one of them")),
            (Some(_), None, None) => Err(invalid("new_str", "is required; \"\" deletes the passage")),
            (None, Some(_), None) => Err(invalid("old_str", "is required, or `edits`")),
            (None, None, None) if expected_matches.is_some() => Err(invalid("old_str", "is required, or `edits`")),
            (None, None, None) => Ok(None),
        }
    }
}

fn places(expected: Option<Number>) -> usize {
    expected.map_or(1, Number::count)
}

impl From<OneEdit> for PassageChange {
    fn from(edit: OneEdit) -> PassageChange {
        let OneEdit { old_str, new_str, expected_matches } = edit;
        PassageChange { old_str, new_str, expected_matches: places(expected_matches) }
    }
}
