//! The writes that make the versions of an item as its source tells them.

use jiff::Timestamp;

use crate::usecases::Caller;
use crate::usecases::commit::changed_fields;
use crate::{ContentInfo, ContentWrite, ImportEvent, ImportedChange, Item, ItemWrite, Record, Snapshot, Stamp};

use super::record::{Change, ParsedRecord, State};

/// How many bytes of versions one transaction has.
const STEP_BYTES: usize = 16 * 1024 * 1024;

/// The writes of some changes of a record, in steps that are each one transaction. `start` is the item that the first change
/// leads on from; `None` makes it.
///
/// An item that takes several writes is in the trash until the last one: names that it had only once cannot be taken then.
pub(super) fn replay(
    caller: &Caller,
    start: Option<Snapshot>,
    blank: Item,
    record: &ParsedRecord,
    changes: &[Change],
    now: Timestamp,
) -> Vec<Vec<ItemWrite>> {
    let is_new = start.is_none();
    let (mut item, mut content) = match start {
        Some(Snapshot { item, content }) => (item, content),
        None => (blank, None),
    };
    let mut steps: Vec<Vec<ItemWrite>> = vec![Vec::new()];
    let mut bytes = 0;
    for (index, change) in changes.iter().enumerate() {
        let before = (!(is_new && index == 0)).then(|| item.clone());
        let is_last = index + 1 == changes.len();
        let mut write_content = ContentWrite::Keep;
        match &change.version {
            Some((version, State { fields, content: new })) => {
                let revision = if before.is_some() { item.stamp.revision } else { 0 };
                item.stamp = Stamp { version: *version, revision };
                item.fields = fields.clone();
                item.updated_at = change.at;
                write_content = match before {
                    Some(_) => ContentWrite::between(&content, new),
                    None => ContentWrite::Set { old: None, new: new.clone() },
                };
                if content != *new || before.is_none() {
                    item.content = new.as_deref().map(ContentInfo::from_text);
                }
                content.clone_from(new);
            }
            None => item.stamp.revision += 1,
        }
        if is_last {
            item.updated_at = record.updated_at.max(item.updated_at);
            (item.archived_at, item.deleted_at) = (record.archived_at, record.deleted_at);
        } else {
            item.deleted_at = Some(now);
        }
        let names = change.changed_fields.clone();
        let names = names.unwrap_or_else(|| changed_fields(before.as_ref(), &item));
        let event = match (is_last, is_new) {
            (false, _) => ImportEvent::Silent,
            (true, true) => ImportEvent::Created,
            (true, false) => ImportEvent::OfAction,
        };
        let made = caller.record(change.action, names, change.at, &item);
        let import = Some(ImportedChange { at: now, from: change.from.clone(), event });
        let made = Record { source: change.source.unwrap_or(made.source), import, ..made };
        let before = before.map(|before| before.stamp);
        let write = ItemWrite { before, after: item.clone(), content: write_content, record: made };
        bytes += write.bytes();
        if bytes > STEP_BYTES && change.version.is_some() && steps.last().is_some_and(|step| !step.is_empty()) {
            steps.push(Vec::new());
            bytes = 0;
        }
        if let Some(step) = steps.last_mut() {
            step.push(write);
        }
    }
    steps
}
