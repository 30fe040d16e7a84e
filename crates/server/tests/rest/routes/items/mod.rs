//! Items: `/notes`, `/bookmarks`, `/prompts` and `/content`.

mod blame;
mod bookmarks;
mod clock;
mod content;
mod damage;
pub(crate) mod editing;
mod enrichment;
mod history;
mod look_up;
mod merge;
mod notes;
mod prompts;
mod search_inside;
mod search_items;
