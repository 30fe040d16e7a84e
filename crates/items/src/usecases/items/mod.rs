//! Items: making, reading, listing, searching, changing, archiving, deleting and rendering them; their histories and tags.

mod blame;
mod content_check;
mod create;
mod drafts;
mod expected_version;
mod find_items;
mod history;
mod lifecycle;
mod look_up;
mod merge;
mod read;
mod render;
mod repair;
mod search_inside;
mod tags;
mod update;

pub(super) use blame::BlameCache;
pub use blame::{Blame, BlameRange};
pub(super) use content_check::{BIG_BYTES, check_code, check_template_arguments, parse_template, take_for_code};
pub(super) use drafts::parse_draft;
pub use drafts::{ArchiveState, FieldChange, ItemChanges, ItemDraft, TagChanges, TrashState};
pub use expected_version::ExpectedVersion;
pub use find_items::{FindBy, FindItems, TextFilter};
pub use history::VersionDiff;
pub(super) use lifecycle::action_write;
pub use look_up::{FoundByName, SHORTEST_ID_PREFIX};
pub use merge::OnStale;
pub(super) use merge::{MergeBase, TextMerge, is_about_content, merge_field_values};
pub use read::{ContentPart, ItemRef, LineRange, ReadContent, ReadItem};
pub(super) use search_inside::invalid_pattern;
pub use search_inside::{FieldMatch, FoundInside, QuerySyntax, SearchField, SearchInside};
pub use tags::TagCountFilter;
pub use update::Updated;
