//! Rendering prompts.

use std::collections::BTreeMap;

use interline_template::RenderError;

use crate::template::render;
use crate::{Error, Scope, View};

use super::{Caller, Interline, ItemRef, now};

impl Interline {
    /// A prompt with values for its arguments; that it was used is remembered.
    pub async fn render(
        &self,
        caller: &Caller,
        which: &ItemRef,
        values: BTreeMap<String, serde_json::Value>,
    ) -> Result<String, Error> {
        caller.needs(Scope::Read)?;
        let snapshot = self.snapshot(caller, which).await?;
        let (Some(arguments), Some(content)) = (snapshot.item.fields.arguments.clone(), snapshot.content) else {
            return Err(which.not_found());
        };
        if View::of(&snapshot.item) == View::Deleted {
            return Err(which.not_found());
        }
        let rendered = self.threads.run(move |stack| render(&content, &arguments, &values, stack)).await?;
        let rendered = rendered.map_err(|error| match error {
            RenderError::InvalidArguments { missing, unknown } => Error::InvalidArguments { missing, unknown },
            RenderError::Failed { line, detail } => Error::RenderFailed { line, detail },
        })?;
        // A side note: a rendering that succeeded does not fail for it.
        let _ = self.store.mark_used(snapshot.item.id, now()).await;
        Ok(rendered)
    }
}
