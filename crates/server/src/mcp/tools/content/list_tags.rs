//! Tool `list_tags`: lists the tags with the number of items that have each.

use interline_items::{Error, Kind};

use crate::mcp::protocol::arguments::NoArgs;
use crate::mcp::protocol::tool::{CallContext, Effect, Tool, ToolInfo};
use crate::mcp::tools::tags;
use crate::wire::TagList;

pub(super) fn tool() -> Tool {
    let info = ToolInfo {
        name: "list_tags",
        title: "List tags",
        description: "All tags with the number of items that have each. Look here before you invent a new tag.",
        effect: Effect::Reads,
    };
    Tool::new(info, list_tags)
}

async fn list_tags(call: CallContext, _: NoArgs) -> Result<TagList, Error> {
    tags::list(&call, [Kind::Note, Kind::Bookmark].into()).await
}
