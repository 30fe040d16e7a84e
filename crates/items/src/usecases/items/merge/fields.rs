//! Merging the fields of an item, each as a whole.

use std::sync::Arc;

use crate::fields::{Limits, Tags};
use crate::usecases::items::drafts::parse_changes;
use crate::usecases::{FieldChange, ItemChanges, TagChanges};
use crate::{Error, Fields, Kind};

/// The fields after a merge.
pub(super) struct MergedFields {
    /// What the changes make of the fields of the base.
    pub(super) ours: Fields,
    /// The fields with the changes of both sides; of a field that is in `both_changed`, what was sent.
    pub(super) merged: Fields,
    /// Names of the fields that both sides changed, each to something else, in the order of the wire.
    pub(super) both_changed: Vec<&'static str>,
    /// The change of the content.
    pub(super) content: FieldChange<Arc<str>>,
}

/// Parses changes that were made for the fields of the base, and merges them with the fields that are stored.
///
/// Tags that are added and removed by name are never in conflict: a tag is there or not, whatever became of the others.
pub(super) fn merge_fields(
    kind: Kind,
    base: &Fields,
    theirs: &Fields,
    changes: ItemChanges,
    limits: &Limits,
) -> Result<MergedFields, Error> {
    let adjusted = match &changes.tags {
        TagChanges::Adjust { .. } => {
            let tags = ItemChanges { tags: changes.tags.clone(), ..ItemChanges::default() };
            Some(parse_changes(kind, theirs, tags, limits)?.0.tags)
        }
        TagChanges::Keep | TagChanges::Replace(_) => None,
    };
    let (ours, content) = parse_changes(kind, base, changes, limits)?;
    let (merged, both_changed) = merge_field_values(base, &ours, theirs, adjusted);
    Ok(MergedFields { ours, merged, both_changed, content })
}

/// Merges fields, each as a whole; `tags` are those of the result, where they were merged one by one. Beside them the names of
/// the fields that both sides changed, each to something else, in the order of the wire.
pub(in crate::usecases) fn merge_field_values(
    base: &Fields,
    ours: &Fields,
    theirs: &Fields,
    tags: Option<Tags>,
) -> (Fields, Vec<&'static str>) {
    let mut both = BothChanged::default();
    let merged = Fields {
        title: both.merge("title", &base.title, &ours.title, &theirs.title),
        description: both.merge("description", &base.description, &ours.description, &theirs.description),
        tags: match tags {
            Some(tags) => tags,
            None => both.merge("tags", &base.tags, &ours.tags, &theirs.tags),
        },
        url: both.merge("url", &base.url, &ours.url, &theirs.url),
        name: both.merge("name", &base.name, &ours.name, &theirs.name),
        arguments: both.merge("arguments", &base.arguments, &ours.arguments, &theirs.arguments),
        path: both.merge("path", &base.path, &ours.path, &theirs.path),
        front_matter: both.merge("front_matter", &base.front_matter, &ours.front_matter, &theirs.front_matter),
    };
    (merged, both.0)
}

/// Names of the fields that both sides changed.
#[derive(Default)]
struct BothChanged(Vec<&'static str>);

impl BothChanged {
    fn merge<T: Clone + PartialEq>(&mut self, name: &'static str, base: &T, ours: &T, theirs: &T) -> T {
        if ours == base || ours == theirs {
            return theirs.clone();
        }
        if theirs != base {
            self.0.push(name);
        }
        ours.clone()
    }
}
