//! The ledger of acknowledged edits, kept outside of a store, and the check of the store against it.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use interline_items::{ContentInfo, HistoryQuery, ItemId, Store};
use interline_storage::SqliteStore;
use tokio::runtime::Runtime;

use crate::notes::{EditNumber, NotePlan, SeenEdits};

/// A moment in the life of a disk: how many events it has seen.
pub(crate) type Moment = usize;

/// An edit that was acknowledged.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AcknowledgedEdit {
    pub(crate) edit: EditNumber,
    pub(crate) note: usize,
    pub(crate) client: usize,
    /// The version that it made.
    pub(crate) version: u64,
    /// When it was asked for.
    pub(crate) asked: Moment,
    /// When the answer was there; later than it was given, never earlier.
    pub(crate) answered: Moment,
}

/// The log of what was acknowledged.
pub(crate) struct EditLedger {
    pub(crate) plans: Vec<NotePlan>,
    entries: Mutex<Entries>,
}

#[derive(Default)]
struct Entries {
    notes: BTreeMap<usize, (ItemId, Moment)>,
    edits: Vec<AcknowledgedEdit>,
}

/// How closely a store is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Depth {
    /// Its newest versions are rebuilt.
    Newest,
    /// All of them are.
    Everything,
}

/// What is wrong with a store.
#[derive(Clone, Debug, Default)]
pub(crate) struct LossReport {
    /// What was acknowledged and is not there.
    pub(crate) lost: Vec<EditNumber>,
    /// What must not be, whatever was acknowledged.
    pub(crate) damage: Vec<String>,
}

impl LossReport {
    pub(crate) fn is_good(&self) -> bool {
        self.lost.is_empty() && self.damage.is_empty()
    }
}

impl EditLedger {
    pub(crate) fn new(plans: Vec<NotePlan>) -> EditLedger {
        EditLedger { plans, entries: Mutex::default() }
    }

    fn entries(&self) -> MutexGuard<'_, Entries> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The note was made, and that was known at this moment.
    pub(crate) fn note_made(&self, note: usize, id: ItemId, answered: Moment) {
        self.entries().notes.insert(note, (id, answered));
    }

    pub(crate) fn edited(&self, edit: AcknowledgedEdit) {
        self.entries().edits.push(edit);
    }

    pub(crate) fn id(&self, note: usize) -> Option<ItemId> {
        self.entries().notes.get(&note).map(|(id, _)| *id)
    }

    pub(crate) fn edits(&self) -> Vec<AcknowledgedEdit> {
        self.entries().edits.clone()
    }

    /// Opens the store in a file, and looks whether it is sound and everything is there that was acknowledged until a
    /// moment.
    pub(crate) fn check(&self, runtime: &Runtime, path: &Path, until: Moment, depth: Depth) -> LossReport {
        let mut report = LossReport::default();
        match SqliteStore::open(path) {
            Ok(store) => runtime.block_on(self.check_open(&store, until, depth, &mut report)),
            Err(error) => report.damage.push(error.to_string()),
        }
        if let Err(error) = check_file(path) {
            report.damage.push(error);
        }
        if !report.damage.is_empty() {
            // What cannot be read is lost.
            let known =
                self.entries().edits.iter().filter(|edit| edit.answered <= until).map(|edit| edit.edit).collect();
            report.lost = if report.lost.is_empty() { known } else { report.lost };
        }
        report
    }

    /// The same for a store that is open.
    pub(crate) async fn check_open(&self, store: &dyn Store, until: Moment, depth: Depth, report: &mut LossReport) {
        let (notes, edits) = {
            let entries = self.entries();
            (entries.notes.clone(), entries.edits.clone())
        };
        for (note, plan) in self.plans.iter().enumerate() {
            let Some((id, made)) = notes.get(&note) else { continue };
            let promised = edits.iter().filter(|edit| edit.note == note && edit.answered <= until);
            let promised: Vec<AcknowledgedEdit> = promised.copied().collect();
            let seen = match seen(store, plan, *id).await {
                Ok(Some((version, seen))) => {
                    if let Err(error) = histories_agree(store, plan, *id, (version, &seen), &promised, depth).await {
                        report.damage.push(format!("note {note}: {error}"));
                    }
                    seen
                }
                Ok(None) => {
                    if *made <= until {
                        report.damage.push(format!("note {note} was made and is not there"));
                    }
                    vec![Vec::new(); plan.clients()]
                }
                Err(error) => {
                    report.damage.push(format!("note {note}: {error}"));
                    continue;
                }
            };
            let lost = promised.iter().filter(|edit| !seen[edit.client].contains(&edit.edit));
            report.lost.extend(lost.map(|edit| edit.edit));
        }
    }
}

/// Whether SQLite finds the file sound.
fn check_file(path: &Path) -> Result<(), String> {
    let check = || -> rusqlite::Result<Vec<String>> {
        let connection = rusqlite::Connection::open(path)?;
        let mut statement = connection.prepare("PRAGMA integrity_check")?;
        let answers = statement.query_map([], |row| row.get(0))?;
        let mut answers: Vec<String> = answers.collect::<rusqlite::Result<_>>()?;
        let mut statement = connection.prepare("PRAGMA foreign_key_check")?;
        let orphans = statement.query_map([], |row| row.get::<_, String>(0))?;
        for table in orphans {
            answers.push(format!("{} has rows of nothing", table?));
        }
        Ok(answers)
    };
    match check().map_err(|error| format!("integrity check: {error}"))? {
        answers if answers == ["ok"] => Ok(()),
        answers => Err(format!("integrity check: {}", answers.join("; "))),
    }
}

/// The version of a note and the edits that its text shows.
async fn seen(store: &dyn Store, plan: &NotePlan, id: ItemId) -> Result<Option<(u64, SeenEdits)>, String> {
    let Some(snapshot) = store.snapshot(id).await.map_err(|error| error.to_string())? else { return Ok(None) };
    let text = snapshot.content.ok_or("the content is gone")?;
    let seen = plan.read(&text)?;
    let version = snapshot.item.stamp.version;
    if snapshot.item.content != Some(ContentInfo::from_text(&text)) {
        return Err("what is known of the content is not true".to_owned());
    }
    if version != 1 + count(&seen) {
        return Err(format!("version {version} shows {} edits", count(&seen)));
    }
    Ok(Some((version, seen)))
}

fn count(seen: &SeenEdits) -> u64 {
    seen.iter().map(|numbers| numbers.len() as u64).sum()
}

/// Whether each version is the one before and one edit more, and the one that was acknowledged for it.
async fn histories_agree(
    store: &dyn Store,
    plan: &NotePlan,
    id: ItemId,
    (newest, newest_seen): (u64, &SeenEdits),
    promised: &[AcknowledgedEdit],
    depth: Depth,
) -> Result<(), String> {
    let page = store.versions(id, HistoryQuery { offset: 0, limit: 1 }).await.map_err(|error| error.to_string())?;
    if page.total != newest {
        return Err(format!("version {newest} has {} records", page.total));
    }
    let oldest = match depth {
        Depth::Newest => newest.saturating_sub(3).max(1),
        Depth::Everything => 1,
    };
    let mut after = newest_seen.clone();
    for number in (oldest..newest).rev() {
        let version = store.version(id, number).await.map_err(|error| error.to_string())?;
        let version = version.ok_or_else(|| format!("version {number} is not there"))?;
        let text = version.content.ok_or_else(|| format!("version {number} has no content"))?;
        let before = plan.read(&text).map_err(|error| format!("version {number}: {error}"))?;
        let added =
            added(&before, &after).ok_or_else(|| format!("version {number} and the next are not one edit apart"))?;
        if promised.iter().any(|edit| edit.version == number + 1 && edit.edit != added) {
            return Err(format!("version {} is not what was acknowledged", number + 1));
        }
        after = before;
    }
    Ok(())
}

/// The one edit that is in `after` and not in `before`, if that is all.
fn added(before: &SeenEdits, after: &SeenEdits) -> Option<EditNumber> {
    let mut differing = before.iter().zip(after).filter(|(before, after)| before != after);
    let (before, after) = differing.next()?;
    let (newest, rest) = after.split_first()?;
    (rest == before.as_slice() && differing.next().is_none()).then_some(*newest)
}
