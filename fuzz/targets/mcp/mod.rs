//! The arguments of a tool, as the server parses them: its own files, in modules of the same names.

#[path = "../../../crates/server/src/mcp/tools/edit_args.rs"]
#[allow(dead_code, reason = "the tools use all of it")]
mod edit_args;
pub(crate) mod protocol;

use interline_items::{Error, TextChange};
use serde::Deserialize;

use crate::wire::Object;
use edit_args::{PassageArgs, PassageEditArgs};
use protocol::arguments::{ContentKind, ItemIdArg, PositiveInt};

/// Arguments of every sort that tools have.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ToolArgs {
    id: ItemIdArg,
    #[serde(rename = "type")]
    kind: Option<ContentKind>,
    #[serde(alias = "old_string")]
    old_str: Option<String>,
    #[serde(alias = "new_string")]
    new_str: Option<String>,
    expected_matches: Option<PositiveInt>,
    edits: Option<Vec<Object<PassageEditArgs>>>,
}

impl ToolArgs {
    /// The item, its kind and the change of its text.
    pub(crate) fn into_change(self) -> Result<(String, bool, Option<TextChange>), Error> {
        let ToolArgs { id, kind, old_str, new_str, expected_matches, edits } = self;
        let change = PassageArgs { old_str, new_str, expected_matches, edits }.into_change()?;
        Ok((id.0.to_string(), kind.is_some(), change))
    }
}
