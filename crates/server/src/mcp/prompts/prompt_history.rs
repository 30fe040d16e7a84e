//! `prompt_history`

use interline_items::Error;
use schemars::JsonSchema;
use serde::Deserialize;

use super::prompt::which;
use crate::mcp::arguments::{Number, Whole};
use crate::mcp::history::{HistoryAsked, HistoryTold};
use crate::mcp::tool::{About, Call, Effect, Tool};

pub(super) fn tool() -> Tool {
    let about = About {
        name: "prompt_history",
        title: "History of a prompt",
        description: "Versions of a prompt, newest first: what changed, when, by whom. With version: the diff of the \
            template that led to it from the version before, or from against. restore_prompt goes back.",
        effect: Effect::Reads,
    };
    Tool::new(about, prompt_history)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    name: String,
    version: Option<Number>,
    against: Option<Whole<0, { u64::MAX }>>,
    /// Default 20
    limit: Option<Whole<1, 100>>,
}

async fn prompt_history(call: Call, arguments: Arguments) -> Result<HistoryTold, Error> {
    let Arguments { name, version, against, limit } = arguments;
    HistoryTold::read(&call, &which(&call, &name)?, HistoryAsked { version, against, limit }).await
}
