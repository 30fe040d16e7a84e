//! A tool: its description and schemas for clients, and the function that runs it.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use interline_items::{Caller, Error, Interline, Reason, Scope};
use rmcp::model::{JsonObject, ToolAnnotations};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::results::ToolResult;
use super::{arguments, schema};
use crate::wire::{REASON, invalid_field, parse_reason, proposed_members};

/// A tool: its description and schemas, and the function that runs it.
pub(in crate::mcp) struct Tool {
    pub(super) info: ToolInfo,
    input: Arc<JsonObject>,
    output: Arc<JsonObject>,
    run: Box<RunTool>,
}

type RunTool = dyn Fn(CallContext, JsonObject) -> ToolFuture + Send + Sync;
type ToolFuture = Pin<Box<dyn Future<Output = Result<ToolResult, Error>> + Send>>;

/// The description of a tool.
pub(in crate::mcp) struct ToolInfo {
    pub(in crate::mcp) name: &'static str,
    /// The name that clients show to people.
    pub(in crate::mcp) title: &'static str,
    /// When to use this tool and when another one, for models.
    pub(in crate::mcp) description: &'static str,
    pub(in crate::mcp) effect: Effect,
}

/// What a tool does to the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// It changes nothing.
    Reads,
    /// It creates something new.
    Adds,
    /// It changes what exists; the same call again may change it again.
    Changes,
    /// It changes what exists; the same call again changes nothing more.
    ChangesIdempotently,
}

impl Effect {
    fn annotations(self) -> ToolAnnotations {
        ToolAnnotations::new()
            .read_only(self == Effect::Reads)
            .destructive(matches!(self, Effect::Changes | Effect::ChangesIdempotently))
            .idempotent(matches!(self, Effect::Reads | Effect::ChangesIdempotently))
            .open_world(false)
    }
}

/// What a call of a tool, or another request of the protocol, works with: the use cases, and the caller.
pub(in crate::mcp) struct CallContext {
    pub(in crate::mcp) interline: Interline,
    pub(in crate::mcp) caller: Caller,
}

impl Tool {
    /// A tool whose schemas are those of the types of its arguments and its result.
    pub(in crate::mcp) fn new<A, O, F>(
        info: ToolInfo,
        run: impl Fn(CallContext, A) -> F + Send + Sync + 'static,
    ) -> Tool
    where
        A: DeserializeOwned + JsonSchema + Send + 'static,
        O: Serialize + JsonSchema,
        F: Future<Output = Result<O, Error>> + Send + 'static,
    {
        let run = Arc::new(run);
        let run = move |call: CallContext, arguments: JsonObject| -> ToolFuture {
            let run = Arc::clone(&run);
            Box::pin(async move {
                let caller = call.caller.clone();
                let result = ToolResult::from_output(&run(call, arguments::parse(arguments)?).await?)?;
                Ok(with_proposal(result, &caller))
            })
        };
        let (mut input, mut output) = (schema::input::<A>(), schema::output::<O>());
        if info.effect != Effect::Reads {
            schema::add_property(&mut input, REASON, json!({"type": "string"}));
            schema::add_property(&mut output, "applied", json!({"type": "boolean"}));
            schema::add_property(&mut output, "proposal", json!({"type": "object"}));
            schema::add_property(&mut output, "rejected", json!({"type": "object"}));
        }
        Tool { info, input: Arc::new(input), output: Arc::new(output), run: Box::new(run) }
    }

    /// The entry of this tool in `tools/list`.
    pub(super) fn listing(&self) -> rmcp::model::Tool {
        let ToolInfo { name, title, description, effect } = self.info;
        rmcp::model::Tool::new(name, description, Arc::clone(&self.input))
            .with_title(title)
            .with_raw_output_schema(Arc::clone(&self.output))
            .with_annotations(effect.annotations())
    }

    /// Whether a caller may run it at all: a token that only reads is not offered what writes.
    pub(super) fn is_for(&self, caller: &Caller) -> bool {
        match self.info.effect {
            Effect::Reads => true,
            Effect::Adds | Effect::Changes | Effect::ChangesIdempotently => caller.has(Scope::Write),
        }
    }

    /// Runs the tool with the arguments of a call.
    pub(super) async fn run(&self, call: CallContext, arguments: JsonObject) -> Result<ToolResult, Error> {
        (self.run)(call, arguments).await
    }
}

/// The result of a caller whose writes are kept as proposals, which says so; of a read, that it shows what the caller proposed.
fn with_proposal(result: ToolResult, caller: &Caller) -> ToolResult {
    let Some(proposal) = caller.proposed() else {
        return match caller.was_shown_pending() {
            true => result.with_members(JsonObject::from_iter([("pending".to_owned(), true.into())])),
            false => result,
        };
    };
    let Some(members) = proposed_members(&proposal) else { return result };
    let note = match proposal.rejected.as_ref().map(|rejected| rejected.reason.as_ref()) {
        None => KEPT.to_owned(),
        Some(None) => format!("{KEPT} A person rejected your last proposal for this item."),
        Some(Some(reason)) => {
            format!("{KEPT} A person rejected your last proposal for this item: {:?}", reason.as_str())
        }
    };
    result.with_members(members).with_note(note)
}

/// What an agent is told whose write was kept as a proposal.
const KEPT: &str = "Not applied yet: this is a proposal that a person has to accept. Go on without waiting; you see the \
                    item as you proposed it.";

/// Takes the reason out of the arguments of a tool that writes: every such tool has it, beside its own arguments.
pub(super) fn take_reason(arguments: &mut JsonObject) -> Result<Option<Reason>, Error> {
    match arguments.remove(REASON) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => parse_reason(&text),
        Some(_) => Err(invalid_field(REASON, "must be a string")),
    }
}
