//! Rendering prompts with values for their arguments.

use std::collections::BTreeMap;

use interline_template::RenderError;

use crate::memory_budget::take_for_work;
use crate::template::render;
use crate::{Error, HashCheck, Scope, View};

use crate::usecases::{Caller, Interline, ItemRef, now};

impl Interline {
    /// Renders a prompt with values for its arguments, and sets the time of its last use.
    pub async fn render(
        &self,
        caller: &Caller,
        item_ref: &ItemRef,
        values: BTreeMap<String, serde_json::Value>,
    ) -> Result<String, Error> {
        caller.require(Scope::Read)?;
        let snapshot = self.visible_snapshot(caller, item_ref, HashCheck::Remembered).await?;
        let (Some(arguments), Some(content)) = (snapshot.item.fields.arguments.clone(), snapshot.content) else {
            return Err(item_ref.not_found());
        };
        if View::from_item(&snapshot.item) == View::Deleted {
            return Err(item_ref.not_found());
        }
        let rendered =
            self.threads.run(caller.work_for(), move |stack| render(&content, &arguments, &values, stack)).await?;
        let rendered = rendered.map_err(|error| match error {
            RenderError::InvalidArguments { missing, unknown } => Error::InvalidArguments { missing, unknown },
            RenderError::Failed { line, detail } => Error::RenderFailed { line, detail },
        })?;
        take_for_work(rendered.len())?;
        // A rendering that succeeded does not fail because the time of its use could not be written.
        let _ = self.store.mark_used(snapshot.item.id, now()).await;
        Ok(rendered)
    }
}
