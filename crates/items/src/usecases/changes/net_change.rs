//! The net change of an item by a change set: from before its first version in the set to after its last.

use std::sync::Arc;

use interline_edit::{UnifiedDiff, diff, diff_memory, hunks};

use crate::memory_budget::{WORK_FACTOR, take_for_work, take_in_all_for_work};
use crate::usecases::items::BIG_BYTES;
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

/// About how many bytes a hunk takes, in memory and in an answer.
const HUNK_BYTES: usize = 100;

/// How many bytes the texts of an item's parts have together at the most: a request that is alone may take more than the memory
/// budget has, and a set may have any number of parts.
const MAX_PARTS_BYTES: usize = 128 << 20;

/// A change of a text by a set, as two texts between which nobody else has changed anything.
#[derive(Clone)]
pub(in crate::usecases) struct TextPart {
    pub(in crate::usecases) from_version: u64,
    pub(in crate::usecases) to_version: u64,
    pub(in crate::usecases) before: Arc<str>,
    pub(in crate::usecases) after: Arc<str>,
}

impl TextPart {
    fn bytes(&self) -> usize {
        self.before.len() + self.after.len()
    }

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

    /// About how many bytes its diffs take.
    pub(super) fn bytes(&self) -> usize {
        self.parts.iter().map(|part| part.diff.text.len() + part.hunks.len() * HUNK_BYTES).sum()
    }

    /// Adds the diffs, with which the lines are counted exactly.
    fn set_parts(&mut self, parts: &[TextPart]) {
        self.item.lines = LineCounts::default();
        for part in parts {
            let (part, lines) = part.diff_part(self.item.id);
            self.item.lines.added += lines.added;
            self.item.lines.removed += lines.removed;
            self.parts.push(part);
        }
    }
}

impl TextPart {
    /// The diff of the change, and how many lines it adds and removes.
    pub(in crate::usecases) fn diff_part(&self, item: ItemId) -> (DiffPart, LineCounts) {
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
    /// The change of an item's content by a set. One part, if what others changed between can be taken out cleanly; otherwise
    /// one for each run of versions, oldest first. No part if the set did not change the content; `None` if there are too many.
    pub(super) async fn net_text(
        &self,
        caller: &Caller,
        item: &Item,
        records: &[HistoryRecord],
        set: ChangeSetRef,
    ) -> Result<Option<Vec<TextPart>>, Error> {
        let (mut parts, mut bytes) = (Vec::new(), 0);
        for Run { from, to } in runs(records, set) {
            let before = self.text_of(caller, item, from).await?;
            let after = self.text_of(caller, item, to).await?;
            // All parts are in memory together.
            bytes += before.len() + after.len();
            if bytes > MAX_PARTS_BYTES {
                return Ok(None);
            }
            take_for_work(bytes)?;
            parts.push(TextPart { from_version: from, to_version: to, before, after });
        }
        Ok(Some(match self.joined(caller, &parts).await? {
            Some(whole) => vec![whole],
            None => parts.into_iter().filter(|part| part.before != part.after).collect(),
        }))
    }

    /// What a set did to an item, with its diffs.
    pub(super) async fn with_parts(
        &self,
        caller: &Caller,
        mut change: ItemChange,
        parts: Vec<TextPart>,
    ) -> Result<ItemChange, Error> {
        let compare = move |parts: &[TextPart]| {
            change.set_parts(parts);
            change
        };
        self.compared(caller, parts, compare).await
    }

    /// The result of comparing the texts of parts: here if they are short, on a thread of its own otherwise.
    pub(in crate::usecases) async fn compared<T: Send + 'static>(
        &self,
        caller: &Caller,
        parts: Vec<TextPart>,
        compare: impl FnOnce(&[TextPart]) -> T + Send + 'static,
    ) -> Result<T, Error> {
        let bytes: usize = parts.iter().map(TextPart::bytes).sum();
        let memory = parts.iter().map(|part| diff_memory(&part.before, &part.after)).max().unwrap_or(0);
        take_in_all_for_work(bytes.saturating_mul(WORK_FACTOR).saturating_add(memory))?;
        if bytes <= BIG_BYTES {
            return Ok(compare(&parts));
        }
        Ok(self.threads.run(caller.work_for(), move |_| compare(&parts)).await?)
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
