//! Changes of metadata, as tools are told them.

use interline_items::{Error, FieldChange, ItemChanges};
use schemars::JsonSchema;
use serde::Deserialize;

use super::arguments::invalid;
use crate::wire::tag_changes;

/// The arguments that say what becomes of the metadata that every item has. (Each tool lists them itself: serde can share
/// fields between types, but then neither refuses unknown ones.)
pub(super) struct GivenMetadata {
    pub(super) title: Option<String>,
    pub(super) description: Option<String>,
    pub(super) tags: Option<Vec<String>>,
    pub(super) add_tags: Option<Vec<String>>,
    pub(super) remove_tags: Option<Vec<String>>,
    pub(super) clear: Option<Vec<Clearable>>,
}

// What can be emptied. (A doc comment would be told to models.)
#[derive(Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Clearable {
    Title,
    Description,
    Tags,
}

impl GivenMetadata {
    pub(super) fn is_empty(&self) -> bool {
        let GivenMetadata { title, description, tags, add_tags, remove_tags, clear } = self;
        let (texts, lists) = ([title, description], [tags, add_tags, remove_tags]);
        texts.iter().all(|text| text.is_none())
            && lists.iter().all(|list| list.is_none())
            && clear.as_ref().is_none_or(Vec::is_empty)
    }

    pub(super) fn changes(self) -> Result<ItemChanges, Error> {
        let clear = self.clear.unwrap_or_default();
        let tags = match clear.contains(&Clearable::Tags) {
            true if self.tags.is_some() => return Err(both("tags")),
            true => Some(Vec::new()),
            false => self.tags,
        };
        Ok(ItemChanges {
            title: changed("title", self.title, clear.contains(&Clearable::Title))?,
            description: changed("description", self.description, clear.contains(&Clearable::Description))?,
            tags: tag_changes(tags, self.add_tags, self.remove_tags)?,
            ..ItemChanges::default()
        })
    }
}

/// What becomes of a field that is not given, or of one that is.
pub(super) fn set(given: Option<String>) -> FieldChange<String> {
    given.map_or(FieldChange::Keep, FieldChange::Set)
}

/// What becomes of a field that may be emptied too.
pub(super) fn changed(field: &str, given: Option<String>, is_cleared: bool) -> Result<FieldChange<String>, Error> {
    match (given, is_cleared) {
        (None, true) => Ok(FieldChange::Clear),
        (Some(_), true) => Err(both(field)),
        (given, false) => Ok(set(given)),
    }
}

fn both(field: &str) -> Error {
    invalid(field, "cannot be given and cleared at once")
}
