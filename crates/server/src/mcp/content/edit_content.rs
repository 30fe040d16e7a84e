//! `edit_content`

use interline_items::{EditRequest, Error};
use schemars::JsonSchema;
use serde::Deserialize;

use super::item::{ContentEditTold, which};
use crate::mcp::arguments::{ContentKind, Id, Number, invalid};
use crate::mcp::passages::{GivenPassages, OneEdit};
use crate::mcp::tool::{About, Call, Effect, Tool};
use crate::mcp::written::{expected, mode};
use crate::wire::Object;

pub(super) fn tool() -> Tool {
    let about = About {
        name: "edit_content",
        title: "Edit a passage",
        description: "Replace old_str by new_str in the content; the default way to edit. old_str must occur exactly \
            once: add a neighbouring line if it does not, or set expected_matches to change all places. Insert: repeat \
            the anchor in new_str, e.g. old_str \"## B\", new_str \"new\\n\\n## B\". Delete: new_str \"\". Several \
            passages: edits, in order, all or none.",
        effect: Effect::Changes,
    };
    Tool::new(about, edit_content)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    id: Id,
    #[serde(rename = "type")]
    kind: Option<ContentKind>,
    #[serde(alias = "old_string")]
    old_str: Option<String>,
    #[serde(alias = "new_string")]
    new_str: Option<String>,
    expected_matches: Option<Number>,
    /// Instead of old_str and new_str
    #[schemars(with = "Option<Vec<OneEdit>>")]
    edits: Option<Vec<Object<OneEdit>>>,
    expected_version: Option<Number>,
    /// Only show what would change
    dry_run: Option<bool>,
}

async fn edit_content(call: Call, arguments: Arguments) -> Result<ContentEditTold, Error> {
    let Arguments { id, kind, old_str, new_str, expected_matches, edits, expected_version, dry_run } = arguments;
    let change = GivenPassages { old_str, new_str, expected_matches, edits }.change()?;
    let change = change.ok_or_else(|| invalid("old_str", "is required, or `edits`"))?;
    let mode = mode(dry_run);
    let (which, _) = which(&call, id, kind).await?;
    let request = EditRequest { expected: expected(expected_version), mode, ..EditRequest::new(change) };
    ContentEditTold::of(&call.interline.edit(&call.caller, &which, request).await?, mode)
}
