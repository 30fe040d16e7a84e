//! Tool `item_history`: lists the versions of an item, or shows the diff of one.

use interline_items::Error;
use schemars::JsonSchema;
use serde::Deserialize;

use super::item::resolve_item;
use crate::mcp::protocol::arguments::{BoundedInt, ContentKind, ItemIdArg, NonNegativeInt, PositiveInt};
use crate::mcp::protocol::tool::{CallContext, Effect, Tool, ToolInfo};
use crate::mcp::tools::history::{HistoryArgs, HistoryResult};

pub(super) fn tool() -> Tool {
    let info = ToolInfo {
        name: "item_history",
        title: "History of an item",
        description: "Versions of an item, newest first: what changed, when, by whom. With version: the diff that led \
            to it from the version before, or from against. restore_item goes back.",
        effect: Effect::Reads,
    };
    Tool::new(info, item_history)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ItemHistoryArgs {
    id: ItemIdArg,
    #[serde(rename = "type")]
    kind: Option<ContentKind>,
    version: Option<PositiveInt>,
    against: Option<NonNegativeInt>,
    /// Default 20
    limit: Option<BoundedInt<1, 100>>,
}

async fn item_history(call: CallContext, args: ItemHistoryArgs) -> Result<HistoryResult, Error> {
    let ItemHistoryArgs { id, kind, version, against, limit } = args;
    let (item_ref, _) = resolve_item(&call, id, kind).await?;
    HistoryResult::read(&call, &item_ref, HistoryArgs { version, against, limit }).await
}
