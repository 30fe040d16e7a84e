//! Editing contents. There is one way for all edits: what a request means for a content is prepared outside the writer,
//! and committed if the item is still as it was. Otherwise it is prepared again on what it became, at last inside the
//! writer, where nobody comes between.

mod changes;
mod crowd;
mod newest;
mod prepare;
mod request;
mod text;

use std::sync::Arc;

use interline_edit::{Edit, Level, UnifiedDiff};

use crate::{CodeKind, ContentRule, Error, Snapshot};

use super::examine::BIG_BYTES;
use super::{Caller, Interline, ItemRef, MAX_ROUNDS, WriteOutcome, lost_every_round, unless_stale};
pub(super) use crowd::Crowd;
use prepare::{Prepared, prepare_code, prepare_template, prepare_text};

pub use changes::{ChangedPassage, Changes};
pub use request::{EditMode, EditRequest, EditUnit, InsertAt, LinePatch, PassageChange, TextChange};

/// How often an edit is prepared outside the writer. Under so much contention it is cheaper to make others wait.
const ROUNDS_OUTSIDE: usize = 3;

/// What an edit did, or would do.
#[derive(Clone, Debug)]
pub struct EditResult {
    /// The item and its content afterwards; after a dry run at the version that is there.
    pub after: Snapshot,
    /// The loosest level at which a passage was found; `None` where none was looked for.
    pub match_type: Option<Level>,
    /// 1-based line of the first place; of an insertion, where the first character of the new text is.
    pub line: Option<usize>,
    /// How many changes were made.
    pub count: usize,
    /// What they are.
    pub unit: EditUnit,
    /// The change of the text.
    pub diff: UnifiedDiff,
    /// How many lines differ: the larger of the numbers of lines that were removed and added.
    pub lines_changed: usize,
    /// The same as splices over the text before; that of no content is the empty one.
    pub edit: Edit,
}

impl Interline {
    /// Edits a content, of any kind of item.
    ///
    /// An edit is committed only on the content that it was matched against, and matched again when that changed: edits
    /// of different passages all succeed. One that changes nothing succeeds and writes nothing.
    pub async fn edit(&self, caller: &Caller, which: &ItemRef, request: EditRequest) -> Result<EditResult, Error> {
        let request = Arc::new(request);
        let place = self.crowd.enter(caller.user(), which);
        for round in 0..MAX_ROUNDS {
            let before = self.writable(caller, which, request.expected).await?;
            // Where others edit the same item, an edit outside the writer mostly loses its race, and its work.
            let loses = round >= ROUNDS_OUTSIDE || place.is_shared();
            if loses && request.is_short(&before) && request.mode == EditMode::Write {
                return self.edit_newest(caller, which, before.item.id, request).await;
            }
            let prepared = self.prepared(&before, &request).await?;
            let (edited, batch) = prepared.finish(caller, &before.item, request.mode);
            let Some(batch) = batch else {
                self.remember_no_change(caller, &WriteOutcome::Edited(&edited), request.mode).await?;
                return Ok(edited);
            };
            if let Some(()) = unless_stale(self.store.commit(batch).await)? {
                return Ok(edited);
            }
        }
        Err(lost_every_round())
    }

    /// Remembers the answer to an edit that changed nothing. A dry run is none.
    async fn remember_no_change(
        &self,
        caller: &Caller,
        outcome: &WriteOutcome<'_>,
        mode: EditMode,
    ) -> Result<(), Error> {
        match mode {
            EditMode::Write => self.nothing_changed(caller, outcome).await,
            EditMode::DryRun => Ok(()),
        }
    }

    /// Prepares an edit: here if that is short, on a thread of its own otherwise.
    async fn prepared(&self, before: &Snapshot, request: &Arc<EditRequest>) -> Result<Prepared, Error> {
        let content_bytes = before.content.as_ref().map_or(0, |content| content.len());
        let is_short = request.weight(content_bytes) <= BIG_BYTES;
        match before.item.kind.rules().content {
            ContentRule::Text | ContentRule::Code(CodeKind::AppFile) if is_short => {
                prepare_text(before, request, &self.limits)
            }
            rule => {
                let (before, request, limits) = (before.clone(), Arc::clone(request), Arc::clone(&self.limits));
                let sdk = Arc::clone(&self.sdk);
                let prepare = move |stack: &_| match rule {
                    ContentRule::Text => prepare_text(&before, &request, &limits),
                    ContentRule::Template => prepare_template(&before, &request, &limits, stack),
                    ContentRule::Code(kind) => prepare_code(&before, &request, (kind, &sdk, &limits), stack),
                };
                self.threads.run(prepare).await?
            }
        }
    }
}
