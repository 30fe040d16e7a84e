//! Tool `rewrite_content`: replaces a whole content.

use interline_items::{Error, FieldChange, ItemChanges};
use schemars::JsonSchema;
use serde::Deserialize;

use super::item::{ItemResult, resolve_item};
use crate::mcp::protocol::arguments::{ContentKind, ItemIdArg, PositiveInt};
use crate::mcp::protocol::tool::{CallContext, Effect, Tool, ToolInfo};
use crate::mcp::tools::edit_result::require_version;

pub(super) fn tool() -> Tool {
    let info = ToolInfo {
        name: "rewrite_content",
        title: "Rewrite the whole content",
        description: "Replace the whole content, only when most of it changes; for parts use edit_content. \
            expected_version is the version you read, so that nobody's change is lost.",
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
}

async fn rewrite_content(call: CallContext, args: RewriteContentArgs) -> Result<ItemResult, Error> {
    let (item_ref, _) = resolve_item(&call, args.id, args.kind).await?;
    let changes = ItemChanges { content: FieldChange::Set(args.content), ..ItemChanges::default() };
    let expected = require_version(Some(args.expected_version));
    let after = call.interline.update(&call.caller, &item_ref, expected, changes).await?;
    Ok(ItemResult::from_item(&after.item))
}
