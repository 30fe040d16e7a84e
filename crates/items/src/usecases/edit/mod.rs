//! Editing contents. All edits take one path, optimistic first:
//!
//! 1. The request is resolved against the content that was read (`resolve`), and the result is checked by the rules of the
//!    kind (`plan`), both outside of the storage's writer.
//! 2. The planned edit is committed if the item has not changed meanwhile; otherwise it is planned again on the new content.
//! 3. After some lost rounds, or where other edits of the same item are under way (`contention`), the edit is planned inside
//!    the writer (`plan_on_newest`), where no other write comes between.

mod changes;
mod contention;
mod match_type;
mod merge_offer;
mod plan;
mod plan_on_newest;
mod request;
mod resolve;

use std::sync::Arc;

use interline_edit::{Edit, UnifiedDiff};

use crate::{CodeKind, ContentRule, Error, Snapshot, Writes};

use super::commit::{MAX_ROUNDS, lost_every_round};
use super::items::{BIG_BYTES, take_for_code};
use super::{Caller, Interline, ItemRef, WriteOutcome};
pub(super) use contention::EditContention;
use plan::{PlannedEdit, plan_code, plan_template, plan_text};

pub use changes::{ChangedPassage, Changes};
pub use match_type::{EditWarning, MatchType};
pub use merge_offer::MergeOffer;
pub use request::{EditMode, EditRequest, EditUnit, InsertAt, LinePatch, PassageChange, TextChange};

/// How often an edit is planned outside the writer. Under so much contention it is cheaper to make other writes wait.
const ROUNDS_OUTSIDE: usize = 3;

/// The result of an edit, or of its dry run.
#[derive(Clone, Debug)]
pub struct EditResult {
    /// The item and its content afterwards; after a dry run, still at the version before.
    pub after: Snapshot,
    /// How the passages were found, the loosest of all; `None` where the request names none.
    pub match_type: Option<MatchType>,
    /// What was done as asked, and probably was not meant.
    pub warnings: Vec<EditWarning>,
    /// 1-based line of the first changed place; of an insertion, the line of the new text's first character.
    pub line: Option<usize>,
    /// How many changes were made.
    pub count: usize,
    /// What `count` counts.
    pub unit: EditUnit,
    /// The diff of the text.
    pub diff: UnifiedDiff,
    /// How many lines differ: the larger of the numbers of lines that were removed and added.
    pub lines_changed: usize,
    /// The change as splices over the text before; no content counts as an empty text.
    pub edit: Edit,
}

impl Interline {
    /// Edits a content, of any kind of item.
    ///
    /// An edit is committed only on the content that it was matched against, and matched again when that changed: edits
    /// of different passages all succeed. One that changes nothing succeeds and writes nothing.
    pub async fn edit(&self, caller: &Caller, item_ref: &ItemRef, request: EditRequest) -> Result<EditResult, Error> {
        let request = Arc::new(request);
        let under_way = self.contention.begin(caller.user(), item_ref);
        for round in 0..MAX_ROUNDS {
            let before = self.writable(caller, item_ref, request.expected).await?;
            // Where other edits of the same item are under way, an edit that is planned outside the writer mostly loses its
            // race, and its work.
            let is_contended = round >= ROUNDS_OUTSIDE || under_way.is_contended();
            let is_applied = request.mode == EditMode::Write && caller.writes() == Writes::Apply;
            if is_contended && is_applied && request.is_short(&before) {
                return self.edit_newest(caller, item_ref, before.item.id, request).await;
            }
            let planned = self.plan(caller, &before, &request).await?;
            let (edited, batch) = planned.finish(caller, &before.item, request.mode);
            let Some(batch) = batch else {
                self.commit_no_edit(caller, &WriteOutcome::Edited(&edited), request.mode).await?;
                return Ok(edited);
            };
            if let Some(()) = self.commit(caller, batch).await? {
                return Ok(edited);
            }
        }
        Err(lost_every_round())
    }

    /// Commits the idempotency record of an edit that changed nothing. A dry run leaves none.
    async fn commit_no_edit(&self, caller: &Caller, outcome: &WriteOutcome<'_>, mode: EditMode) -> Result<(), Error> {
        match mode {
            EditMode::Write => self.commit_no_change(caller, outcome).await,
            EditMode::DryRun => Ok(()),
        }
    }

    /// Plans an edit: here if that takes a short time, on a thread of its own otherwise.
    async fn plan(&self, caller: &Caller, before: &Snapshot, request: &Arc<EditRequest>) -> Result<PlannedEdit, Error> {
        let content_bytes = before.content.as_ref().map_or(0, |content| content.len());
        let is_short = request.weight(content_bytes) <= BIG_BYTES;
        match before.item.kind.rules().content {
            ContentRule::Text | ContentRule::Code(CodeKind::AppFile) if is_short => {
                plan_text(before, request, &self.limits)
            }
            rule => {
                if let ContentRule::Code(CodeKind::Workflow | CodeKind::Module) = rule {
                    take_for_code(request.weight(content_bytes))?;
                }
                let (before, request, limits) = (before.clone(), Arc::clone(request), Arc::clone(&self.limits));
                let sdk = Arc::clone(&self.sdk);
                let plan = move |stack: &_| match rule {
                    ContentRule::Text => plan_text(&before, &request, &limits),
                    ContentRule::Template => plan_template(&before, &request, &limits, stack),
                    ContentRule::Code(kind) => plan_code(&before, &request, (kind, &sdk, &limits), stack),
                };
                self.threads.run(caller.work_for(), plan).await?
            }
        }
    }
}
