//! Tool `get_item`: reads a note or bookmark, or lines of its content.

use interline_items::{Error, LineRange, ReadContent};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::item::{ItemResult, resolve_item};
use crate::mcp::protocol::arguments::{ContentKind, Flag, ItemIdArg, PositiveInt};
use crate::mcp::protocol::tool::{CallContext, Effect, Tool, ToolInfo};
use crate::mcp::tools::content_result::{ContentResult, line_range};
use crate::mcp::tools::search::preview;

pub(super) fn tool() -> Tool {
    let info = ToolInfo {
        name: "get_item",
        title: "Read an item",
        description: "Read one item: metadata and content, or lines of it. Look at content_length first \
            (search_items, or include_content=false): of a long item read only what you need, e.g. start_line 40, \
            end_line 80. One answer holds at most 100,000 characters.",
        effect: Effect::Reads,
    };
    Tool::new(info, get_item)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct GetItemArgs {
    id: ItemIdArg,
    #[serde(rename = "type")]
    kind: Option<ContentKind>,
    /// Default true; false gives a preview
    include_content: Option<Flag>,
    start_line: Option<PositiveInt>,
    end_line: Option<PositiveInt>,
}

#[derive(Serialize, JsonSchema)]
struct GetItemResult {
    #[serde(flatten)]
    item: ItemResult,
    #[serde(skip_serializing_if = "Option::is_none")]
    content_preview: Option<String>,
    #[serde(flatten)]
    content: ContentResult,
}

async fn get_item(call: CallContext, args: GetItemArgs) -> Result<GetItemResult, Error> {
    let range = line_range(args.start_line, args.end_line);
    let request = match (args.include_content.is_none_or(|flag| flag.0), range) {
        (true, LineRange { start: None, end: None }) => ReadContent::Whole,
        (true, range) => ReadContent::Lines(range),
        (false, LineRange { start: None, end: None }) => ReadContent::Omit,
        (false, _) => {
            return Err(Error::InvalidParameters(
                "start_line/end_line parameters are only valid when include_content=true",
            ));
        }
    };
    let (item_ref, _) = resolve_item(&call, args.id, args.kind).await?;
    let read = call.interline.read(&call.caller, &item_ref, request).await?;
    let content_preview = match request {
        ReadContent::Omit => preview(&read.item),
        ReadContent::Whole | ReadContent::Lines(_) => None,
    };
    let content = ContentResult::from_read(&read, request, "; find passages of it with search_in_content");
    Ok(GetItemResult { item: ItemResult::from_item(&read.item), content_preview, content })
}
