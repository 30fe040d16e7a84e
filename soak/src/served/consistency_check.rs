//! The consistency check: whether a store holds exactly what the logs of the clients say.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context as _, bail, ensure};
use interline_items::fields::Tags;
use interline_items::{ContentInfo, HistoryQuery, ItemId, Snapshot, Store};

use super::client_log::{ChangeKind, ChangeOutcome, ClientChange, ClientLog, Notes, tag};
use crate::notes::SeenEdits;
use crate::random::Random;

const PAGE: usize = 1_000;

/// Which old versions are rebuilt.
pub(crate) enum Rebuild<'a> {
    /// Those of each note that are newer than this.
    After(&'a [u64]),
    /// About so many of each note.
    Some(usize, Random),
}

/// The result of a check.
#[derive(Clone, Debug, Default)]
pub(crate) struct CheckedNotes {
    /// The newest version of each note.
    pub(crate) versions: Vec<u64>,
    /// How many versions were rebuilt and were as they must be.
    pub(crate) rebuilt: usize,
}

/// Compares the store with the logs, and resolves in the logs whether changes without an answer happened. The first
/// difference is an error.
pub(crate) async fn check_store(
    store: &dyn Store,
    notes: &Notes,
    logs: &mut [ClientLog],
    mut rebuild: Rebuild<'_>,
) -> anyhow::Result<CheckedNotes> {
    let mut found = CheckedNotes::default();
    for (note, id) in notes.ids.iter().enumerate() {
        let judging = async {
            let now = store.snapshot(*id).await?.context("it is gone")?;
            let text = now.content.as_deref().context("its content is gone")?;
            ensure!(now.item.content == Some(ContentInfo::from_text(text)), "what is known of the content is not true");
            let seen = notes.plans[note].read(text).map_err(anyhow::Error::msg)?;
            for log in logs.iter_mut() {
                settle(note, log, &now, &seen)?;
            }
            shows(notes, note, logs, &seen, None)?;
            agrees_on_fields(note, logs, &now)?;

            let newest = now.item.stamp.version;
            let expected = 1 + done(note, logs).filter(|change| change.makes_a_version()).count() as u64;
            ensure!(newest == expected, "it has version {newest}, after changes for {expected}");
            ensure!(recorded_versions(store, *id).await?.into_iter().eq(1..=newest), "its history has gaps");
            number_found_changes(store, notes, note, logs, newest).await?;
            let old: Vec<u64> = match &mut rebuild {
                Rebuild::After(known) => (known[note] + 1..=newest).collect(),
                Rebuild::Some(count, random) => {
                    let below = usize::try_from(newest)?;
                    (0..*count).map(|_| 1 + random.below(below) as u64).collect()
                }
            };
            found.rebuilt += old.len();
            for version in old {
                let (seen, _) = rebuilt(store, notes, note, version).await?;
                shows(notes, note, logs, &seen, Some(version)).with_context(|| format!("version {version}"))?;
            }
            anyhow::Ok(newest)
        };
        found.versions.push(judging.await.with_context(|| format!("note {note}"))?);
    }
    Ok(found)
}

/// The changes of a note that are done, of all clients.
fn done(note: usize, logs: &[ClientLog]) -> impl Iterator<Item = &ClientChange> {
    logs.iter().flat_map(|log| &log.changes).filter(move |change| change.note == note && change.is_done())
}

/// Decides whether a change without an answer happened. Only a client's last one can be without.
fn settle(note: usize, log: &mut ClientLog, now: &Snapshot, seen: &SeenEdits) -> anyhow::Result<()> {
    let (client, was_archived) = (log.client, log.is_archived(note));
    let Some(change) = log.changes.iter_mut().rfind(|change| change.outcome == ChangeOutcome::Unanswered) else {
        return Ok(());
    };
    if change.note != note {
        return Ok(());
    }
    let happened = match &change.kind {
        ChangeKind::Lines(way, lines) => {
            let with = lines.iter().filter(|line| seen[**line].contains(&change.number)).count();
            ensure!(
                with == 0 || with == lines.len(),
                "half a batch: {with} of {} places of change {} of client {client} ({way:?})",
                lines.len(),
                change.number
            );
            with > 0
        }
        ChangeKind::Tag => has_tag(&now.item.fields.tags, &tag(client, change.number)),
        ChangeKind::Archive | ChangeKind::Unarchive => now.item.archived_at.is_some() != was_archived,
    };
    change.outcome = if happened { ChangeOutcome::Found(None) } else { ChangeOutcome::Refused };
    Ok(())
}

fn has_tag(tags: &Tags, wanted: &str) -> bool {
    tags.as_slice().iter().any(|tag| tag.as_str() == wanted)
}

/// Whether every line shows what its client put there until a version, each once and in order.
pub(crate) fn shows(
    notes: &Notes,
    note: usize,
    logs: &[ClientLog],
    seen: &SeenEdits,
    until: Option<u64>,
) -> anyhow::Result<()> {
    for log in logs {
        for line in notes.client_lines(log.client) {
            let expected = log.numbers(note, line, until);
            if seen[line] == expected {
                continue;
            }
            let lost: Vec<_> = expected.iter().filter(|number| !seen[line].contains(number)).collect();
            let extra: Vec<_> = seen[line].iter().filter(|number| !expected.contains(number)).collect();
            bail!("line {line} of client {}: lost {lost:?}, there without being told {extra:?}", log.client);
        }
    }
    Ok(())
}

fn agrees_on_fields(note: usize, logs: &[ClientLog], now: &Snapshot) -> anyhow::Result<()> {
    let tags: BTreeSet<String> = now.item.fields.tags.as_slice().iter().map(|tag| tag.as_str().to_owned()).collect();
    let expected: BTreeSet<String> = logs.iter().filter_map(|log| log.tag(note)).collect();
    ensure!(tags == expected, "tags {tags:?} instead of {expected:?}");
    let archived = logs.iter().any(|log| log.is_archived(note));
    ensure!(now.item.archived_at.is_some() == archived, "archived: {}", !archived);
    Ok(())
}

/// The versions that a history tells of, oldest first.
async fn recorded_versions(store: &dyn Store, id: ItemId) -> anyhow::Result<Vec<u64>> {
    let mut versions = Vec::new();
    let mut offset = 0;
    loop {
        let page = store.versions(id, HistoryQuery { offset, limit: PAGE }).await?;
        versions.extend(page.records.iter().filter_map(|record| record.version));
        offset += page.records.len() as u64;
        if page.records.is_empty() || offset >= page.total {
            versions.reverse();
            return Ok(versions);
        }
    }
}

async fn rebuilt(store: &dyn Store, notes: &Notes, note: usize, number: u64) -> anyhow::Result<(SeenEdits, Tags)> {
    let version = store.version(notes.ids[note], number).await?;
    let version = version.with_context(|| format!("version {number} cannot be rebuilt"))?;
    let text = version.content.with_context(|| format!("version {number} has no content"))?;
    let seen =
        notes.plans[note].read(&text).map_err(anyhow::Error::msg).with_context(|| format!("version {number}"))?;
    Ok((seen, version.fields.tags))
}

/// Gives the changes that were found their versions: those that no acknowledgement names.
async fn number_found_changes(
    store: &dyn Store,
    notes: &Notes,
    note: usize,
    logs: &mut [ClientLog],
    newest: u64,
) -> anyhow::Result<()> {
    let mut told: BTreeMap<u64, usize> = BTreeMap::new();
    for version in done(note, logs).filter_map(ClientChange::version) {
        *told.entry(version).or_default() += 1;
    }
    ensure!(told.values().all(|count| *count == 1), "a version was acknowledged to two changes");
    for version in (2..=newest).filter(|version| !told.contains_key(version)) {
        let (seen, tags) = rebuilt(store, notes, note, version).await?;
        let is_new = |client: usize, change: &Change| {
            change.note == note
                && change.outcome == ChangeOutcome::Found(None)
                && match &change.kind {
                    ChangeKind::Lines(_, lines) => lines.iter().all(|line| seen[*line].contains(&change.number)),
                    ChangeKind::Tag => has_tag(&tags, &tag(client, change.number)),
                    ChangeKind::Archive | ChangeKind::Unarchive => false,
                }
        };
        let found = logs.iter_mut().find_map(|log| {
            let client = log.client;
            log.changes.iter_mut().rfind(|change| is_new(client, change))
        });
        found.with_context(|| format!("nobody asked for version {version}"))?.outcome =
            ChangeOutcome::Found(Some(version));
    }
    Ok(())
}

#[cfg(test)]
#[path = "consistency_check_tests.rs"]
mod tests;
