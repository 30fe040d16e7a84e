//! The result of the tools that list tags.

use std::collections::BTreeSet;

use interline_items::{Error, Kind, TagCountFilter};

use crate::mcp::protocol::tool::CallContext;
use crate::wire::{TagCount, TagList};

/// The tags of the caller's items of these kinds that are not deleted, with the number of items that have each.
pub(super) async fn list(call: &CallContext, kinds: BTreeSet<Kind>) -> Result<TagList, Error> {
    let filter = TagCountFilter { kinds, ..TagCountFilter::default() };
    let tags = call.interline.tags(&call.caller, &filter).await?;
    let tags = tags.into_iter().map(|(tag, count)| TagCount { name: tag.as_str().to_owned(), count });
    Ok(TagList { tags: tags.collect() })
}
