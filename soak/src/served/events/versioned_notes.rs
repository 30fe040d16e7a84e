//! Notes whose versions are counted, so that it is known which events listeners must receive.

use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use serde_json::{Value, json};

use super::super::client::Client;

/// How many of the newest acknowledgements of a note are remembered with their time: whoever is further behind is not timed.
const REMEMBERED: usize = 1_024;
const FILLING: &str = "A line that stays as it is, however often the one below it is written anew.\n";
const FILLING_LINES: usize = 25;

/// Notes of about 2 KB that count their versions: each edit makes one, and it is known which.
pub(in super::super) struct VersionedNotes {
    began: Instant,
    notes: Vec<Note>,
    by_id: HashMap<String, usize>,
}

struct Note {
    id: String,
    /// The newest version that was acknowledged or found.
    newest: AtomicU64,
    /// When versions were acknowledged, in nanoseconds since it began; by version, around and around.
    acknowledged: Vec<AtomicU64>,
}

impl VersionedNotes {
    /// Makes new notes through a server.
    pub(in super::super) fn make(client: &mut Client, count: usize) -> anyhow::Result<VersionedNotes> {
        let mut notes = VersionedNotes { began: Instant::now(), notes: Vec::new(), by_id: HashMap::new() };
        for note in 0..count {
            let made = client.send("POST", "/notes", &json!({"title": "soak", "content": text(1)}))?;
            ensure!(made.status == 201, "a note was not made: {made:?}");
            let id = made.body["id"].as_str().context("no id")?.to_owned();
            notes.by_id.insert(id.clone(), note);
            let acknowledged = std::iter::repeat_with(AtomicU64::default).take(REMEMBERED).collect();
            notes.notes.push(Note { id, newest: AtomicU64::new(1), acknowledged });
        }
        Ok(notes)
    }

    pub(in super::super) fn len(&self) -> usize {
        self.notes.len()
    }

    pub(in super::super) fn find(&self, id: &str) -> Option<usize> {
        self.by_id.get(id).copied()
    }

    pub(in super::super) fn ids(&self) -> BTreeSet<String> {
        self.by_id.keys().cloned().collect()
    }

    /// The newest version of each note.
    pub(in super::super) fn newest(&self) -> Vec<u64> {
        self.notes.iter().map(|note| note.newest.load(Ordering::Acquire)).collect()
    }

    /// How many edits there were.
    pub(in super::super) fn edits(&self) -> u64 {
        self.notes.iter().map(|note| note.newest.load(Ordering::Acquire) - 1).sum()
    }

    /// Makes the next version of a note. An error of the connection leaves open whether it is there: see [`VersionedNotes::settle`].
    pub(in super::super) fn edit(&self, client: &mut Client, note: usize) -> anyhow::Result<Duration> {
        let note = &self.notes[note];
        let version = note.newest.load(Ordering::Acquire);
        let body = json!({"old_str": count(version), "new_str": count(version + 1)});
        let path = format!("/notes/{}/str-replace?include_content=false", note.id);
        let started = Instant::now();
        let answer = client.send("PATCH", &path, &body)?;
        let took = started.elapsed();
        ensure!(answer.status == 200 && answer.version() == Some(version + 1), "version {version}: {answer:?}");
        let now = u64::try_from(self.began.elapsed().as_nanos())?;
        note.acknowledged[slot(version + 1)].store(now, Ordering::Release);
        note.newest.store(version + 1, Ordering::Release);
        Ok(took)
    }

    /// Reads a note: the newest version that was acknowledged or a later one, with the text of that version.
    pub(in super::super) fn read(&self, client: &mut Client, note: usize) -> anyhow::Result<()> {
        let note = &self.notes[note];
        let known = note.newest.load(Ordering::Acquire);
        let read = client.send("GET", &format!("/notes/{}", note.id), &Value::Null)?;
        ensure!(read.status == 200, "{read:?}");
        let version = read.version().context("no version")?;
        ensure!(version >= known, "version {version} after {known} was acknowledged");
        ensure!(read.body["content"] == text(version), "version {version} is {read:?}");
        Ok(())
    }

    /// How long ago a version was acknowledged; `None` if it was not yet.
    pub(in super::super) fn since(&self, note: usize, version: u64) -> Option<Duration> {
        let note = &self.notes[note];
        if note.newest.load(Ordering::Acquire) < version {
            return None;
        }
        let at = Duration::from_nanos(note.acknowledged[slot(version)].load(Ordering::Acquire));
        Some(self.began.elapsed().saturating_sub(at))
    }

    /// Takes note of the edits without an answer that happened: one of each note at the most, and nothing acknowledged is
    /// gone. How many there were.
    pub(in super::super) fn settle(&self, client: &mut Client) -> anyhow::Result<u64> {
        let mut found = 0;
        for note in &self.notes {
            let read = client.send("GET", &format!("/notes/{}", note.id), &Value::Null)?;
            let (known, version) = (note.newest.load(Ordering::Acquire), read.version().context("no version")?);
            ensure!(version == known || version == known + 1, "version {version} after {known} were acknowledged");
            ensure!(read.body["content"] == text(version), "version {version} is {read:?}");
            note.newest.store(version, Ordering::Release);
            found += version - known;
        }
        Ok(found)
    }
}

fn slot(version: u64) -> usize {
    usize::try_from(version % REMEMBERED as u64).unwrap_or(0)
}

fn count(version: u64) -> String {
    format!("version {version:08}\n")
}

fn text(version: u64) -> String {
    FILLING.repeat(FILLING_LINES) + &count(version)
}
