//! `rewrite_content`

use interline_items::{Error, FieldChange, ItemChanges};
use schemars::JsonSchema;
use serde::Deserialize;

use super::item::{ItemTold, which};
use crate::mcp::arguments::{ContentKind, Id, Number};
use crate::mcp::tool::{About, Call, Effect, Tool};
use crate::mcp::written::expected;

pub(super) fn tool() -> Tool {
    let about = About {
        name: "rewrite_content",
        title: "Rewrite the whole content",
        description: "Replace the whole content, only when most of it changes; for parts use edit_content. \
            expected_version is the version you read, so that nobody's change is lost.",
        effect: Effect::Settles,
    };
    Tool::new(about, rewrite_content)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    id: Id,
    #[serde(rename = "type")]
    kind: Option<ContentKind>,
    content: String,
    expected_version: Number,
}

async fn rewrite_content(call: Call, arguments: Arguments) -> Result<ItemTold, Error> {
    let (which, _) = which(&call, arguments.id, arguments.kind).await?;
    let changes = ItemChanges { content: FieldChange::Set(arguments.content), ..ItemChanges::default() };
    let expected = expected(Some(arguments.expected_version));
    let after = call.interline.update(&call.caller, &which, expected, changes).await?;
    Ok(ItemTold::of(&after.item))
}
