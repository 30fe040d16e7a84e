//! Tool `rewrite_content`: replaces a whole content.

use interline_items::{Error, FieldChange, ItemChanges, OnStale};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::item::{ItemResult, resolve_item};
use crate::mcp::protocol::arguments::{ContentKind, ItemIdArg, OnStaleArg, PositiveInt};
use crate::mcp::protocol::tool::{CallContext, Effect, Tool, ToolInfo};
use crate::mcp::tools::edit_result::require_version;
use crate::wire::MergedFromResponse;

pub(super) fn tool() -> Tool {
    let info = ToolInfo {
        name: "rewrite_content",
        title: "Rewrite the whole content",
        description: "Replace the whole content, only when most of it changes; for parts use edit_content. \
            expected_version is the version you read, so that nobody's change is lost; on_stale \"merge\" \
            keeps what others changed since.",
        effect: Effect::ChangesIdempotently,
    };
    Tool::new(info, rewrite_content)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RewriteContentArgs {
    id: ItemIdArg,
    #[serde(rename = "type")]
    kind: Option<ContentKind>,
    content: String,
    expected_version: PositiveInt,
    on_stale: Option<OnStaleArg>,
}

#[derive(Serialize, JsonSchema)]
struct RewriteContentResult {
    #[serde(flatten)]
    item: ItemResult,
    #[serde(skip_serializing_if = "Option::is_none")]
    merged_from: Option<MergedFromResponse>,
}

async fn rewrite_content(call: CallContext, args: RewriteContentArgs) -> Result<RewriteContentResult, Error> {
    let (item_ref, _) = resolve_item(&call, args.id, args.kind).await?;
    let changes = ItemChanges { content: FieldChange::Set(args.content), ..ItemChanges::default() };
    let expected = require_version(Some(args.expected_version));
    let on_stale = args.on_stale.map(OnStale::from);
    let updated = call.interline.update_or_merge(&call.caller, &item_ref, expected, on_stale, changes).await?;
    let merged_from = updated.merged_from.map(MergedFromResponse::from);
    Ok(RewriteContentResult { item: ItemResult::from_item(&updated.after.item), merged_from })
}
