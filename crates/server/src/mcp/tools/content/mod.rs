//! The tools of the content server: notes and bookmarks. `*_item` tools work on items, `*_content` tools on their
//! content.

mod create_bookmark;
mod create_note;
mod edit_content;
mod get_item;
mod item;
mod item_history;
mod list_tags;
mod patch_note;
mod restore_item;
mod rewrite_content;
mod search_in_content;
mod search_items;
mod update_item_metadata;

use crate::mcp::protocol::Toolset;

const INSTRUCTIONS: &str = "\
Notes and bookmarks. Tools named *_item work on whole items and their metadata (title, description, tags, url); tools \
named *_content and patch_note work on the content text.
Find → read → edit: search_items finds items and shows size (content_length), a preview and a matching line, never the \
whole content. Check content_length before get_item; of a long item read only start_line..end_line, or find the place \
with search_in_content. Then change just the passage with edit_content: old_str copied from what you read, unique in \
the content. patch_note replaces lines by number; rewrite_content is only for rewriting everything.
Writes answer with the new version and the changed lines: no need to read again. Errors say what to do next. Every \
version is kept: item_history shows changes, restore_item undoes.
Say in `reason`, in a few words, why you write: people read it when they review what agents did.";

pub(in crate::mcp) fn toolset() -> Toolset {
    Toolset {
        title: "Interline notes and bookmarks",
        instructions: INSTRUCTIONS,
        tools: vec![
            search_items::tool(),
            get_item::tool(),
            search_in_content::tool(),
            edit_content::tool(),
            patch_note::tool(),
            rewrite_content::tool(),
            update_item_metadata::tool(),
            create_bookmark::tool(),
            create_note::tool(),
            list_tags::tool(),
            item_history::tool(),
            restore_item::tool(),
        ],
    }
}
