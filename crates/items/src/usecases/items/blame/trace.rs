//! Going back through a history, page by page: the storage reads the next page while a thread takes the steps of the last.

use std::collections::BTreeMap;
use std::sync::Arc;

use interline_edit::{EditMismatch, LineOrigin, LineOrigins, OlderVersion};
use tokio::sync::mpsc::{self, Receiver, Sender};

use crate::fair::{Checkpoint, Interrupted};
use crate::memory_budget::{WORK_FACTOR, take_in_all_for_work};
use crate::usecases::{Caller, Interline, ItemRef};
use crate::{
    ContentBefore, Error, HashCheck, ItemId, Snapshot, SourceExtent, StoreError, TextSource, UndoLimits, UndoPage,
    UndoRest, UndoStart,
};

/// The size of a page. One is on its way while another is worked on.
const PAGE: UndoLimits = UndoLimits { versions: 1_000, bytes: 2 << 20 };
/// How many bytes the origin of a line and its place in the text take.
const LINE_BYTES: usize = 64;
/// How many undos are compared with the text that they brought lines back from: each text has to be rebuilt.
const MAX_SOURCE_TEXTS: usize = 100;

/// Some steps back, with what the lines that they bring back are found by.
struct TracePage {
    steps: Vec<TraceStep>,
    /// The version that they lead to.
    oldest: u64,
}

struct TraceStep {
    version: u64,
    before: ContentBefore,
    source: LineSource,
}

/// From where a version brought lines back.
enum LineSource {
    /// From nowhere that is known.
    Unknown,
    /// All lines are those of this version.
    Version(u64),
    /// Some are in this version, which had this text.
    Text(u64, Arc<str>),
}

impl Interline {
    /// From which version each line of an item came, and the version that it has.
    pub(super) async fn trace(&self, caller: &Caller, item_ref: &ItemRef) -> Result<(u64, Arc<[LineOrigin]>), Error> {
        let Snapshot { item, content } = self.visible_snapshot(caller, item_ref, HashCheck::Remembered).await?;
        let version = item.stamp.version;
        let Some(newest) = content else { return Ok((version, Arc::from([]))) };
        let lines = item.content.map_or(0, |info| usize::try_from(info.lines).unwrap_or(usize::MAX));
        let texts = newest.len().saturating_mul(WORK_FACTOR).saturating_add(2 * PAGE.bytes);
        take_in_all_for_work(texts.saturating_add(lines.saturating_mul(LINE_BYTES)))?;
        let sources = {
            let _permit = self.read_permit(caller).await?;
            self.store.text_sources(item.id, version).await?
        };
        let start = UndoStart { version, content: Some(Arc::clone(&newest)) };
        let (sender, receiver) = mpsc::channel(1);
        let reading = self.read_steps(caller, item.id, start, Sources::new(sources), sender);
        let tracing = self
            .threads
            .run_until(caller.work_for(), None, move |_, checkpoint| origins(&newest, version, receiver, checkpoint));
        let (read, traced) = tokio::join!(reading, tracing);
        read?;
        Ok((version, traced??))
    }

    /// Reads the steps of a history until there are no more, or nobody wants them.
    async fn read_steps(
        &self,
        caller: &Caller,
        item: ItemId,
        start: UndoStart,
        mut sources: Sources,
        pages: Sender<TracePage>,
    ) -> Result<(), Error> {
        let mut next = Some(start);
        while let Some(start) = next {
            let permit = self.read_permit(caller).await?;
            let page = self.store.undo_steps(item, start, PAGE).await;
            let page = match page {
                Ok(page) => self.with_sources(item, page, &mut sources).await,
                Err(error) => Err(error),
            };
            drop(permit);
            let (page, rest) = match page {
                Ok(page) => page,
                Err(error) => return Err(self.explain_damage(caller, item, error).await),
            };
            next = rest;
            if pages.send(page).await.is_err() {
                return Ok(());
            }
        }
        Ok(())
    }

    /// A page of steps with the sources of lines, and where the next one begins.
    async fn with_sources(
        &self,
        item: ItemId,
        page: UndoPage,
        sources: &mut Sources,
    ) -> Result<(TracePage, Option<UndoStart>), StoreError> {
        let mut steps = Vec::with_capacity(page.steps.len());
        for step in page.steps {
            let source = match sources.take(step.version) {
                None => LineSource::Unknown,
                Some((version, SourceExtent::Whole)) => LineSource::Version(version),
                Some((version, SourceExtent::Some)) => {
                    let older = self.store.version(item, version).await?;
                    let text = older.map(|older| older.content.unwrap_or_default());
                    text.map_or(LineSource::Unknown, |text| LineSource::Text(version, text))
                }
            };
            steps.push(TraceStep { version: step.version, before: step.before, source });
        }
        Ok(match page.rest {
            UndoRest::More(start) => (TracePage { steps, oldest: start.version }, Some(start)),
            UndoRest::End { oldest } => (TracePage { steps, oldest }, None),
        })
    }
}

/// From where versions brought lines back.
struct Sources {
    by_version: BTreeMap<u64, (u64, SourceExtent)>,
    /// How many more texts may be rebuilt.
    texts_left: usize,
}

impl Sources {
    fn new(sources: Vec<TextSource>) -> Sources {
        let by_version = sources.into_iter().map(|source| (source.version, (source.source, source.extent))).collect();
        Sources { by_version, texts_left: MAX_SOURCE_TEXTS }
    }

    /// The source of a version, if it is known and may be looked at.
    fn take(&mut self, version: u64) -> Option<(u64, SourceExtent)> {
        let found = self.by_version.remove(&version)?;
        if found.1 == SourceExtent::Some {
            self.texts_left = self.texts_left.checked_sub(1)?;
        }
        Some(found)
    }
}

/// Takes all steps. It stops early when every line has its origin, or when nobody waits for it.
fn origins(
    newest: &str,
    version: u64,
    mut pages: Receiver<TracePage>,
    checkpoint: &Checkpoint,
) -> Result<Arc<[LineOrigin]>, Error> {
    let mut origins = LineOrigins::new(newest);
    let mut oldest = version;
    while !origins.is_resolved()
        && let Some(page) = pages.blocking_recv()
    {
        for step in page.steps {
            checkpoint.check().map_err(|interrupted: Interrupted| StoreError::from(interrupted))?;
            // Every content was checked against its hash, so that the steps fit.
            take(&mut origins, step).map_err(|mismatch| Error::Internal(mismatch.to_string()))?;
        }
        oldest = page.oldest;
    }
    Ok(origins.lines(oldest).into())
}

fn take(origins: &mut LineOrigins<'_>, step: TraceStep) -> Result<(), EditMismatch> {
    let TraceStep { version, before, source } = step;
    if !origins.needs(version) {
        return Ok(());
    }
    let edit = |origins: &LineOrigins<'_>| match &before {
        ContentBefore::Edited(edit) => edit.clone(),
        ContentBefore::Text(text) => origins.edit_to(text),
        ContentBefore::Absent => origins.edit_to(""),
    };
    match (source, &before) {
        (LineSource::Version(source), _) => origins.step_restored(version, &edit(origins), source),
        (LineSource::Text(source, text), _) => {
            origins.step_with_source(version, &edit(origins), OlderVersion { version: source, text: &text })
        }
        (LineSource::Unknown, ContentBefore::Edited(edit)) => origins.step(version, edit),
        (LineSource::Unknown, ContentBefore::Text(text)) => origins.step_to_text(version, text),
        (LineSource::Unknown, ContentBefore::Absent) => origins.step_to_nothing(version),
    }
}
