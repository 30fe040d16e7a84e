//! Edits inside the writer.

use std::sync::{Arc, Mutex, PoisonError};

use crate::{Batch, Error, Item, Snapshot};

use super::super::{Caller, Interline, ItemRef};
use super::prepare::prepare_text;
use super::{EditRequest, Edited};

/// What came of the last preparation.
type Told = Arc<Mutex<Option<Result<Edited, Error>>>>;

impl Interline {
    /// Edits the newest content of an item of a kind whose content is any text, with nobody's change in between.
    ///
    /// For an edit that expects no version: one that does has lost already when the item has changed.
    pub(super) async fn edit_newest(
        &self,
        caller: &Caller,
        which: &ItemRef,
        item: &Item,
        request: &Arc<EditRequest>,
    ) -> Result<Edited, Error> {
        let told = Told::default();
        let (caller, which, limits) = (caller.clone(), which.clone(), Arc::clone(&self.limits));
        let (request, outcome) = (Arc::clone(request), Arc::clone(&told));
        let prepare = move |newest: Option<Snapshot>| {
            let edited = Interline::changeable(&caller, &which, newest).and_then(|before| {
                let prepared = prepare_text(&before, &request, &limits)?;
                Ok(prepared.finish(&caller, &before.item, request.mode))
            });
            let (result, batch): (_, Option<Batch>) = match edited {
                Ok((edited, batch)) => (Ok(edited), batch),
                Err(error) => (Err(error), None),
            };
            *outcome.lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
            batch
        };
        self.store.commit_on_newest(item.id, Box::new(prepare)).await?;
        let last = told.lock().unwrap_or_else(PoisonError::into_inner).take();
        last.unwrap_or_else(|| Err(Error::Internal("an edit was committed and not prepared".to_owned())))
    }
}
