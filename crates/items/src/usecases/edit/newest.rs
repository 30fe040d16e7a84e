//! Edits that are prepared inside the writer.

use std::sync::{Arc, Mutex, PoisonError};

use interline_python::SdkName;

use crate::fields::Limits;
use crate::threads::LargeStack;
use crate::{Batch, CodeKind, ContentRule, Error, ItemId, Snapshot};

use super::super::{Caller, Interline, ItemRef, WriteOutcome};
use super::prepare::{prepare_code, prepare_template, prepare_text};
use super::{EditRequest, EditResult};

/// All that it takes to edit whatever an item is.
struct OnNewest {
    caller: Caller,
    which: ItemRef,
    request: Arc<EditRequest>,
    limits: Arc<Limits>,
    sdk: Arc<SdkName>,
}

/// Whether an edit changed something.
enum Change {
    Made,
    None,
}

impl Interline {
    /// Edits the newest content, with nobody's change in between.
    pub(super) async fn edit_newest(
        &self,
        caller: &Caller,
        which: &ItemRef,
        id: ItemId,
        request: Arc<EditRequest>,
    ) -> Result<EditResult, Error> {
        let (limits, sdk) = (Arc::clone(&self.limits), Arc::clone(&self.sdk));
        let edit = OnNewest { caller: caller.clone(), which: which.clone(), request, limits, sdk };
        let outcome = Arc::new(Mutex::new(None));
        let told = Arc::clone(&outcome);
        let prepare = move |newest| {
            let (edited, batch) = match edit.prepare(newest) {
                Ok((edited, Some(batch))) => (Ok((edited, Change::Made)), Some(batch)),
                Ok((edited, None)) => (Ok((edited, Change::None)), None),
                Err(error) => (Err(error), None),
            };
            *told.lock().unwrap_or_else(PoisonError::into_inner) = Some(edited);
            batch
        };
        self.store.commit_on_newest(id, Box::new(prepare)).await?;
        let outcome = outcome.lock().unwrap_or_else(PoisonError::into_inner).take();
        match outcome.unwrap_or_else(|| Err(Error::Internal("the storage prepared nothing".to_owned()))) {
            Ok((edited, Change::Made)) => Ok(edited),
            Ok((edited, Change::None)) => {
                self.nothing_changed(caller, &WriteOutcome::Edited(&edited)).await?;
                Ok(edited)
            }
            Err(error) => Err(self.with_diff(error).await),
        }
    }
}

impl OnNewest {
    fn prepare(&self, newest: Option<Snapshot>) -> Result<(EditResult, Option<Batch>), Error> {
        let OnNewest { caller, which, request, limits, sdk } = self;
        let before = Interline::changeable(caller, which, newest)?;
        request.expected.check(&before.item)?;
        let prepared = match before.item.kind.rules().content {
            ContentRule::Text | ContentRule::Code(CodeKind::AppFile) => prepare_text(&before, request, limits)?,
            ContentRule::Code(kind) => {
                LargeStack::blocking(|stack| prepare_code(&before, request, (kind, sdk, limits), stack))??
            }
            ContentRule::Template => LargeStack::blocking(|stack| prepare_template(&before, request, limits, stack))??,
        };
        Ok(prepared.finish(caller, &before.item, request.mode))
    }
}
