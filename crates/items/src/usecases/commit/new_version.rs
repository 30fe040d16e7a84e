//! The write that gives an item a new version, and the names of the fields that it changes.

use interline_edit::hunks;

use crate::usecases::items::BIG_BYTES;
use crate::usecases::{Caller, time_after};
use crate::{Action, ContentWrite, Fields, Item, ItemWrite, LineCounts, Stamp};

/// The write that leads from one state of an item to another, at a new version, recorded as `action`; `None` if nothing
/// changes.
pub(in crate::usecases) fn new_version(
    caller: &Caller,
    action: Action,
    before: &Item,
    after: &Item,
    content: ContentWrite,
) -> Option<ItemWrite> {
    let mut changed_fields = changed_fields(Some(before), after);
    // A repair writes the content anew, also where it has the hash that it had.
    if matches!(content, ContentWrite::Repair { .. }) && !changed_fields.contains(&"content") {
        changed_fields.push("content");
    }
    if changed_fields.is_empty() {
        return None;
    }
    let at = time_after(before);
    let mut after = after.clone();
    after.stamp = caller.stamp_after(before, Stamp { version: before.stamp.version + 1, ..before.stamp });
    after.proposal = caller.proposal_after(Some(before));
    after.updated_at = at;
    let mut record = caller.record(action, changed_fields, at, &after);
    record.lines = line_counts(&content);
    Some(ItemWrite { before: Some(before.stamp), after, content, record })
}

/// How many lines of the content a write adds and removes; not known of long contents, where comparing takes too long, and of an
/// edit, whose diff tells it.
pub(in crate::usecases) fn line_counts(content: &ContentWrite) -> Option<LineCounts> {
    let (old, new) = match content {
        ContentWrite::Keep => return Some(LineCounts::default()),
        ContentWrite::Set { old, new } => (old.as_deref().unwrap_or_default(), new.as_deref().unwrap_or_default()),
        ContentWrite::Edit { .. } | ContentWrite::Repair { .. } => return None,
    };
    (old.len() + new.len() <= BIG_BYTES).then(|| {
        let counts = hunks(old, new).counts();
        LineCounts { added: counts.added as u64, removed: counts.removed as u64 }
    })
}

/// Names of the fields in which two states of an item differ, the content included, in the order of the wire; for a new
/// item, all that it has.
pub(in crate::usecases) fn changed_fields(before: Option<&Item>, after: &Item) -> Vec<&'static str> {
    let default = Fields::default();
    let mut names = changed_field_names(before.map_or(&default, |item| &item.fields), &after.fields);
    if before.and_then(content_hash) != content_hash(after) {
        names.push("content");
    }
    names
}

/// Names of the fields that differ, without the content, in the order of the wire.
pub(in crate::usecases) fn changed_field_names(old: &Fields, new: &Fields) -> Vec<&'static str> {
    [
        ("title", old.title != new.title),
        ("description", old.description != new.description),
        ("tags", old.tags != new.tags),
        ("url", old.url != new.url),
        ("name", old.name != new.name),
        ("arguments", old.arguments != new.arguments),
        ("path", old.path != new.path),
        ("front_matter", old.front_matter != new.front_matter),
    ]
    .into_iter()
    .filter_map(|(name, differs)| differs.then_some(name))
    .collect()
}

fn content_hash(item: &Item) -> Option<[u8; 32]> {
    item.content.as_ref().map(|content| content.hash)
}
