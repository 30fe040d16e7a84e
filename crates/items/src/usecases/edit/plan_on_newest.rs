//! Edits that are planned inside the storage's writer, on the newest content.

use std::sync::{Arc, Mutex, PoisonError};

use interline_python::SdkName;

use crate::fields::Limits;
use crate::threads::LargeStack;
use crate::{Batch, CodeKind, ContentRule, Error, ItemId, Snapshot};

use super::super::{Caller, Interline, ItemRef, WriteOutcome};
use super::plan::{plan_code, plan_template, plan_text};
use super::{EditRequest, EditResult};

/// What the writer needs to plan an edit on the newest state of an item.
struct EditOnNewest {
    caller: Caller,
    item_ref: ItemRef,
    request: Arc<EditRequest>,
    limits: Arc<Limits>,
    sdk: Arc<SdkName>,
}

/// Whether an edit changed something.
enum EditEffect {
    Changed,
    Unchanged,
}

impl Interline {
    /// Edits the newest content, with no other write in between.
    pub(super) async fn edit_newest(
        &self,
        caller: &Caller,
        item_ref: &ItemRef,
        id: ItemId,
        request: Arc<EditRequest>,
    ) -> Result<EditResult, Error> {
        let (limits, sdk) = (Arc::clone(&self.limits), Arc::clone(&self.sdk));
        let edit = EditOnNewest { caller: caller.clone(), item_ref: item_ref.clone(), request, limits, sdk };
        let result = Arc::new(Mutex::new(None));
        let planned = Arc::clone(&result);
        let plan = move |newest| {
            let (edited, batch) = match edit.plan(newest) {
                Ok((edited, Some(batch))) => (Ok((edited, EditEffect::Changed)), Some(batch)),
                Ok((edited, None)) => (Ok((edited, EditEffect::Unchanged)), None),
                Err(error) => (Err(error), None),
            };
            *planned.lock().unwrap_or_else(PoisonError::into_inner) = Some(edited);
            batch
        };
        if let Err(error) = self.store.commit_on_newest(id, Box::new(plan)).await {
            return Err(self.explain_damage(caller, id, error).await);
        }
        let result = result.lock().unwrap_or_else(PoisonError::into_inner).take();
        match result.unwrap_or_else(|| Err(Error::Internal("the storage prepared nothing".to_owned()))) {
            Ok((edited, EditEffect::Changed)) => Ok(edited),
            Ok((edited, EditEffect::Unchanged)) => {
                self.commit_no_change(caller, &WriteOutcome::Edited(&edited)).await?;
                Ok(edited)
            }
            Err(error) => Err(self.with_diff(caller, error).await),
        }
    }
}

impl EditOnNewest {
    fn plan(&self, newest: Option<Snapshot>) -> Result<(EditResult, Option<Batch>), Error> {
        let EditOnNewest { caller, item_ref, request, limits, sdk } = self;
        let before = Interline::require_writable(caller, item_ref, newest)?;
        request.expected.check(&before.item)?;
        let planned = match before.item.kind.rules().content {
            ContentRule::Text | ContentRule::Code(CodeKind::AppFile) => plan_text(&before, request, limits)?,
            ContentRule::Code(kind) => {
                LargeStack::blocking(|stack| plan_code(&before, request, (kind, sdk, limits), stack))??
            }
            ContentRule::Template => LargeStack::blocking(|stack| plan_template(&before, request, limits, stack))??,
        };
        Ok(planned.finish(caller, &before.item, request.mode))
    }
}
