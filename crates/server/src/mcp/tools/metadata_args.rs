//! Arguments of tools that change the metadata of an item or app.

use interline_items::{ArchiveState, Error, FieldChange, ItemChanges, TrashState};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::mcp::protocol::arguments::Flag;
use crate::wire::{invalid_field, tag_changes};

/// Changes of the metadata that every item has. (Each tool lists these arguments itself: serde can share fields between
/// types, but then neither type refuses unknown fields.)
pub(super) struct MetadataArgs {
    pub(super) title: Option<String>,
    pub(super) description: Option<String>,
    pub(super) tags: Option<Vec<String>>,
    pub(super) add_tags: Option<Vec<String>>,
    pub(super) remove_tags: Option<Vec<String>>,
    pub(super) clear: Option<Vec<ClearableField>>,
    pub(super) archived: Option<Flag>,
    pub(super) deleted: Option<Flag>,
}

// A field that a call can empty. (A doc comment would be sent to models.)
#[derive(Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum ClearableField {
    Title,
    Description,
    Tags,
}

impl MetadataArgs {
    pub(super) fn is_empty(&self) -> bool {
        let MetadataArgs { title, description, tags, add_tags, remove_tags, clear, archived, deleted } = self;
        let (texts, lists) = ([title, description], [tags, add_tags, remove_tags]);
        texts.iter().all(|text| text.is_none())
            && lists.iter().all(|list| list.is_none())
            && [archived, deleted].iter().all(|flag| flag.is_none())
            && clear.as_ref().is_none_or(Vec::is_empty)
    }

    pub(super) fn into_changes(self) -> Result<ItemChanges, Error> {
        let clear = self.clear.unwrap_or_default();
        let tags = match clear.contains(&ClearableField::Tags) {
            true if self.tags.is_some() => return Err(given_and_cleared("tags")),
            true => Some(Vec::new()),
            false => self.tags,
        };
        Ok(ItemChanges {
            title: field_change("title", self.title, clear.contains(&ClearableField::Title))?,
            description: field_change("description", self.description, clear.contains(&ClearableField::Description))?,
            tags: tag_changes(tags, self.add_tags, self.remove_tags)?,
            archive_state: self.archived.map(|Flag(archived)| match archived {
                true => ArchiveState::Archived,
                false => ArchiveState::Active,
            }),
            trash_state: self.deleted.map(|Flag(deleted)| match deleted {
                true => TrashState::Deleted,
                false => TrashState::Restored,
            }),
            ..ItemChanges::default()
        })
    }
}

/// The change of a field that cannot be emptied: a new value, or none.
pub(super) fn set_or_keep(value: Option<String>) -> FieldChange<String> {
    value.map_or(FieldChange::Keep, FieldChange::Set)
}

/// The change of a field that a call can set or empty, but not both.
pub(super) fn field_change(field: &str, value: Option<String>, is_cleared: bool) -> Result<FieldChange<String>, Error> {
    match (value, is_cleared) {
        (None, true) => Ok(FieldChange::Clear),
        (Some(_), true) => Err(given_and_cleared(field)),
        (value, false) => Ok(set_or_keep(value)),
    }
}

fn given_and_cleared(field: &str) -> Error {
    invalid_field(field, "cannot be given and cleared at once")
}
