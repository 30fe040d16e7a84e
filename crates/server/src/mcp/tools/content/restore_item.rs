//! Tool `restore_item`: makes an earlier version of an item the newest one.

use interline_items::{Error, ExpectedVersion};
use schemars::JsonSchema;
use serde::Deserialize;

use super::item::{ItemResult, resolve_item};
use crate::mcp::protocol::arguments::{ContentKind, ItemIdArg, PositiveInt};
use crate::mcp::protocol::tool::{CallContext, Effect, Tool, ToolInfo};

pub(super) fn tool() -> Tool {
    let info = ToolInfo {
        name: "restore_item",
        title: "Go back to a version",
        description: "Make an item what it was in an earlier version (see item_history), as a new version: nothing is \
            lost. To undo the last change, give the version before the present one.",
        effect: Effect::ChangesIdempotently,
    };
    Tool::new(info, restore_item)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RestoreItemArgs {
    id: ItemIdArg,
    #[serde(rename = "type")]
    kind: Option<ContentKind>,
    version: PositiveInt,
}

async fn restore_item(call: CallContext, args: RestoreItemArgs) -> Result<ItemResult, Error> {
    let (item_ref, _) = resolve_item(&call, args.id, args.kind).await?;
    let after = call.interline.restore_version(&call.caller, &item_ref, args.version.0, ExpectedVersion::Any).await?;
    Ok(ItemResult::from_item(&after.item))
}
