//! `get_item`

use interline_items::{Error, LineRange, ReadContent};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::item::{ItemTold, which};
use crate::mcp::arguments::{ContentKind, Id, Number};
use crate::mcp::finding::preview;
use crate::mcp::reading::{ContentTold, line_range};
use crate::mcp::tool::{About, Call, Effect, Tool};

pub(super) fn tool() -> Tool {
    let about = About {
        name: "get_item",
        title: "Read an item",
        description: "Read one item: metadata and content, or lines of it. Look at content_length first \
            (search_items, or include_content=false): of a long item read only what you need, e.g. start_line 40, \
            end_line 80. One answer holds at most 100,000 characters.",
        effect: Effect::Reads,
    };
    Tool::new(about, get_item)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    id: Id,
    #[serde(rename = "type")]
    kind: Option<ContentKind>,
    /// Default true; false gives a preview
    include_content: Option<bool>,
    start_line: Option<Number>,
    end_line: Option<Number>,
}

#[derive(Serialize, JsonSchema)]
struct ReadTold {
    #[serde(flatten)]
    item: ItemTold,
    #[serde(skip_serializing_if = "Option::is_none")]
    content_preview: Option<String>,
    #[serde(flatten)]
    content: ContentTold,
}

async fn get_item(call: Call, arguments: Arguments) -> Result<ReadTold, Error> {
    let range = line_range(arguments.start_line, arguments.end_line);
    let wanted = match (arguments.include_content.unwrap_or(true), range) {
        (true, LineRange { start: None, end: None }) => ReadContent::Whole,
        (true, range) => ReadContent::Lines(range),
        (false, LineRange { start: None, end: None }) => ReadContent::Omit,
        (false, _) => {
            return Err(Error::InvalidParameters(
                "start_line/end_line parameters are only valid when include_content=true",
            ));
        }
    };
    let (which, _) = which(&call, arguments.id, arguments.kind).await?;
    let read = call.interline.read(&call.caller, &which, wanted).await?;
    let content_preview = match wanted {
        ReadContent::Omit => preview(&read.item),
        ReadContent::Whole | ReadContent::Lines(_) => None,
    };
    let content = ContentTold::of(&read, wanted, "; find passages of it with search_in_content");
    Ok(ReadTold { item: ItemTold::of(&read.item), content_preview, content })
}
