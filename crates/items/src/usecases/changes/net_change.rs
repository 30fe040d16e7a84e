//! The net change of an item by a change set: from before its first version in the set to after its last.

use std::sync::Arc;

use interline_edit::{UnifiedDiff, diff, diff_memory, hunks};

use crate::memory_budget::{WORK_FACTOR, take_for_work, take_in_all_for_work};
use crate::usecases::{Caller, Interline};
use crate::{Action, ChangeSetRef, ChangedItem, Error, HistoryRecord, Item, ItemId, LineCounts};

/// What a change set did to an item.
#[derive(Clone, Debug)]
pub struct ItemChange {
    /// The item.
    pub item: ChangedItem,
    /// Names of the fields that it changed, in the order of its changes; the content is among them.
    pub fields: Vec<String>,
    /// What it did beside making versions: archive, delete, …
    pub actions: Vec<Action>,
    /// The diffs of the content: one, or several where changes of others lie between that cannot be taken out.
    pub parts: Vec<DiffPart>,
}

/// One diff of the net change of an item.
#[derive(Clone, Debug)]
pub struct DiffPart {
    /// The version that it leads from; 0 is before the item was made.
    pub from_version: u64,
    /// The version that it leads to.
    pub to_version: u64,
    /// The diff.
    pub diff: UnifiedDiff,
    /// Its hunks.
    pub hunks: Vec<HunkRef>,
}

/// A hunk of a diff, by which it is taken back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HunkRef {
    /// A hash of the item, the versions and the text of the hunk.
    pub id: String,
    /// Its first line after the change, 1-based.
    pub start_line: usize,
    /// Its last line, inclusive; one less than the first where it only removes lines.
    pub end_line: usize,
}

/// A change of a text by a set, as two texts between which nobody else has changed anything.
pub(in crate::usecases) struct TextPart {
    pub(in crate::usecases) from_version: u64,
    pub(in crate::usecases) to_version: u64,
    pub(in crate::usecases) before: Arc<str>,
    pub(in crate::usecases) after: Arc<str>,
}

impl TextPart {
    /// The hunks of the change, each with its id.
    pub(in crate::usecases) fn hunk_refs(&self, item: ItemId) -> Vec<HunkRef> {
        let hunks = hunks(&self.before, &self.after);
        let one = |hunk: &interline_edit::Hunk| {
            let (old, new) = (&self.before[hunk.before.bytes.clone()], &self.after[hunk.after.bytes.clone()]);
            let mut hasher = blake3::Hasher::new();
            hasher.update(item.uuid().as_bytes());
            for number in [self.from_version, self.to_version, hunk.after.start_line as u64, old.len() as u64] {
                hasher.update(&number.to_le_bytes());
            }
            hasher.update(old.as_bytes()).update(new.as_bytes());
            let id = hasher.finalize().to_hex()[..16].to_owned();
            HunkRef { id, start_line: hunk.after.start_line, end_line: hunk.after.end_line }
        };
        hunks.as_slice().iter().map(one).collect()
    }
}

/// Versions of a set in a row, between which nobody else has changed the content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run {
    /// The version before the first of them; 0 is before the item was made.
    from: u64,
    /// The last of them.
    to: u64,
}

impl ItemChange {
    /// What is known without the contents.
    pub(super) fn without_text(item: ChangedItem, records: &[HistoryRecord], set: ChangeSetRef) -> ItemChange {
        let mut change = ItemChange { item, fields: Vec::new(), actions: Vec::new(), parts: Vec::new() };
        for record in records.iter().filter(|record| record.attribution.change_set == set) {
            for field in &record.changed_fields {
                if !change.fields.contains(field) {
                    change.fields.push(field.clone());
                }
            }
            if record.version.is_none() {
                change.actions.push(record.action);
            }
        }
        change
    }
}

impl TextPart {
    /// The diff of the change, and how many lines it adds and removes.
    fn diff_part(&self, item: ItemId) -> (DiffPart, LineCounts) {
        let counts = hunks(&self.before, &self.after).counts();
        let lines = LineCounts { added: counts.added as u64, removed: counts.removed as u64 };
        let part = DiffPart {
            from_version: self.from_version,
            to_version: self.to_version,
            diff: diff(&self.before, &self.after),
            hunks: self.hunk_refs(item),
        };
        (part, lines)
    }
}

impl Interline {
    /// The diff of a change of an item's content, with its hunks, and how many lines it adds and removes.
    pub(in crate::usecases) async fn diff_part(
        &self,
        caller: &Caller,
        item: ItemId,
        part: TextPart,
    ) -> Result<(DiffPart, LineCounts), Error> {
        let bytes = part.before.len() + part.after.len();
        let memory = diff_memory(&part.before, &part.after);
        take_in_all_for_work(bytes.saturating_mul(WORK_FACTOR).saturating_add(memory))?;
        self.work_on_texts(caller, bytes, move || part.diff_part(item)).await
    }

    /// Adds the diffs of a content to what is known of its change, with which the lines are counted exactly.
    pub(super) async fn add_parts(
        &self,
        caller: &Caller,
        change: &mut ItemChange,
        parts: Vec<TextPart>,
    ) -> Result<(), Error> {
        change.item.lines = LineCounts::default();
        for part in parts {
            let (part, lines) = self.diff_part(caller, change.item.id, part).await?;
            change.item.lines.added += lines.added;
            change.item.lines.removed += lines.removed;
            change.parts.push(part);
        }
        Ok(())
    }

    /// The change of an item's content by a set. One part, if what others changed between can be taken out cleanly; otherwise
    /// one for each run of versions, oldest first. None if the set did not change the content.
    pub(super) async fn net_text(
        &self,
        caller: &Caller,
        item: &Item,
        records: &[HistoryRecord],
        set: ChangeSetRef,
    ) -> Result<Vec<TextPart>, Error> {
        let mut parts = Vec::new();
        for Run { from, to } in runs(records, set) {
            let before = self.text_of(caller, item, from).await?;
            let after = self.text_of(caller, item, to).await?;
            take_for_work(before.len() + after.len())?;
            parts.push(TextPart { from_version: from, to_version: to, before, after });
        }
        match self.joined(caller, &parts).await? {
            Some(whole) => Ok(vec![whole]),
            None => Ok(parts.into_iter().filter(|part| part.before != part.after).collect()),
        }
    }

    /// Several parts as one: each carried over to the text without the changes of others. `None` if that is not clean, or if there
    /// is nothing to join.
    async fn joined(&self, caller: &Caller, parts: &[TextPart]) -> Result<Option<TextPart>, Error> {
        let [first, rest @ .., last] = parts else { return Ok(None) };
        let mut after = Arc::clone(&first.after);
        for part in rest.iter().chain([last]) {
            match self.carried_over(caller, &part.before, &part.after, &after).await? {
                Some(text) => after = text,
                None => return Ok(None),
            }
        }
        let (from_version, to_version) = (first.from_version, last.to_version);
        Ok(Some(TextPart { from_version, to_version, before: Arc::clone(&first.before), after }))
    }

    /// The content of a version; no content is an empty text.
    async fn text_of(&self, caller: &Caller, item: &Item, version: u64) -> Result<Arc<str>, Error> {
        match version {
            0 => Ok(Arc::default()),
            version => Ok(self.version(caller, item, version).await?.content.unwrap_or_default()),
        }
    }
}

/// The runs of a set among the records of an item, oldest first.
fn runs(records: &[HistoryRecord], set: ChangeSetRef) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    let mut is_open = false;
    for record in records {
        let Some(version) = record.version else { continue };
        if !record.changed_fields.iter().any(|field| field == "content") {
            continue;
        }
        let is_of_set = record.attribution.change_set == set;
        match runs.last_mut() {
            Some(run) if is_of_set && is_open => run.to = version,
            _ if is_of_set => runs.push(Run { from: version - 1, to: version }),
            _ => {}
        }
        is_open = is_of_set;
    }
    runs
}
