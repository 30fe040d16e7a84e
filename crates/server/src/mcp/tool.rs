//! What a tool is.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use interline_items::{Caller, Error, Interline};
use rmcp::model::{JsonObject, ToolAnnotations};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::answer::Told;
use super::{arguments, schema};

/// A tool: what is told about it, and what it does.
pub(super) struct Tool {
    pub(super) about: About,
    input: Arc<JsonObject>,
    output: Arc<JsonObject>,
    run: Box<Run>,
}

type Run = dyn Fn(Call, JsonObject) -> Outcome + Send + Sync;
type Outcome = Pin<Box<dyn Future<Output = Result<Told, Error>> + Send>>;

/// What is told about a tool.
pub(super) struct About {
    pub(super) name: &'static str,
    /// What people are shown.
    pub(super) title: &'static str,
    /// When to use it and when another one, for models.
    pub(super) description: &'static str,
    pub(super) effect: Effect,
}

/// What a tool does to what is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// Nothing.
    Reads,
    /// It makes something new.
    Adds,
    /// It changes what is there; once more may change it again.
    Changes,
    /// It makes what is there as told; once more changes nothing.
    Settles,
}

impl Effect {
    fn annotations(self) -> ToolAnnotations {
        ToolAnnotations::new()
            .read_only(self == Effect::Reads)
            .destructive(matches!(self, Effect::Changes | Effect::Settles))
            .idempotent(matches!(self, Effect::Reads | Effect::Settles))
            .open_world(false)
    }
}

/// What a tool has at hand.
pub(super) struct Call {
    pub(super) interline: Interline,
    pub(super) caller: Caller,
}

impl Tool {
    /// A tool whose schemas are those of the types that it takes and gives.
    pub(super) fn new<A, O, F>(about: About, run: impl Fn(Call, A) -> F + Send + Sync + 'static) -> Tool
    where
        A: DeserializeOwned + JsonSchema + Send + 'static,
        O: Serialize + JsonSchema,
        F: Future<Output = Result<O, Error>> + Send + 'static,
    {
        let run = Arc::new(run);
        let run = move |call: Call, given: JsonObject| -> Outcome {
            let run = Arc::clone(&run);
            Box::pin(async move { Told::of(&run(call, arguments::parse(given)?).await?) })
        };
        let (input, output) = (Arc::new(schema::input::<A>()), Arc::new(schema::output::<O>()));
        Tool { about, input, output, run: Box::new(run) }
    }

    /// What a client is told about it.
    pub(super) fn described(&self) -> rmcp::model::Tool {
        let About { name, title, description, effect } = self.about;
        rmcp::model::Tool::new(name, description, Arc::clone(&self.input))
            .with_title(title)
            .with_raw_output_schema(Arc::clone(&self.output))
            .with_annotations(effect.annotations())
    }

    /// Does it.
    pub(super) async fn run(&self, call: Call, given: JsonObject) -> Result<Told, Error> {
        (self.run)(call, given).await
    }
}
