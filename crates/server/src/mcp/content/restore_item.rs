//! `restore_item`

use interline_items::{Error, ExpectedVersion};
use schemars::JsonSchema;
use serde::Deserialize;

use super::item::{ItemTold, which};
use crate::mcp::arguments::{ContentKind, Id, Number};
use crate::mcp::tool::{About, Call, Effect, Tool};

pub(super) fn tool() -> Tool {
    let about = About {
        name: "restore_item",
        title: "Go back to a version",
        description: "Make an item what it was in an earlier version (see item_history), as a new version: nothing is \
            lost. To undo the last change, give the version before the present one.",
        effect: Effect::Settles,
    };
    Tool::new(about, restore_item)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    id: Id,
    #[serde(rename = "type")]
    kind: Option<ContentKind>,
    version: Number,
}

async fn restore_item(call: Call, arguments: Arguments) -> Result<ItemTold, Error> {
    let (which, _) = which(&call, arguments.id, arguments.kind).await?;
    let after = call.interline.restore_version(&call.caller, &which, arguments.version.0, ExpectedVersion::Any).await?;
    Ok(ItemTold::of(&after.item))
}
