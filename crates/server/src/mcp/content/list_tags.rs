//! `list_tags`

use interline_items::Error;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::mcp::tool::{About, Call, Effect, Tool};

pub(super) fn tool() -> Tool {
    let about = About {
        name: "list_tags",
        title: "List tags",
        description: "All tags with the number of items that have each. Look here before you invent a new tag.",
        effect: Effect::Reads,
    };
    Tool::new(about, list_tags)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {}

#[derive(Serialize, JsonSchema)]
struct TagsTold {
    tags: Vec<TagTold>,
}

#[derive(Serialize, JsonSchema)]
struct TagTold {
    name: String,
    count: u64,
}

async fn list_tags(call: Call, _: Arguments) -> Result<TagsTold, Error> {
    let tags = call.interline.tags(&call.caller).await?;
    let tags = tags.into_iter().map(|(tag, count)| TagTold { name: tag.as_str().to_owned(), count });
    Ok(TagsTold { tags: tags.collect() })
}
