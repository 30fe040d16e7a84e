//! Tool `prompt_history`: lists the versions of a prompt, or shows the diff of one.

use interline_items::Error;
use schemars::JsonSchema;
use serde::Deserialize;

use super::prompt::parse_name;
use crate::mcp::protocol::arguments::{BoundedInt, NonNegativeInt, PositiveInt};
use crate::mcp::protocol::tool::{CallContext, Effect, Tool, ToolInfo};
use crate::mcp::tools::history::{HistoryArgs, HistoryResult};

pub(super) fn tool() -> Tool {
    let info = ToolInfo {
        name: "prompt_history",
        title: "History of a prompt",
        description: "Versions of a prompt, newest first: what changed, when, by whom. With version: the diff of the \
            template that led to it from the version before, or from against. restore_prompt goes back.",
        effect: Effect::Reads,
    };
    Tool::new(info, prompt_history)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PromptHistoryArgs {
    name: String,
    version: Option<PositiveInt>,
    against: Option<NonNegativeInt>,
    /// Default 20
    limit: Option<BoundedInt<1, 100>>,
}

async fn prompt_history(call: CallContext, args: PromptHistoryArgs) -> Result<HistoryResult, Error> {
    let PromptHistoryArgs { name, version, against, limit } = args;
    let prompt = call.interline.prompt_or_deleted(&call.caller, parse_name(&call, &name)?).await?;
    HistoryResult::read(&call, &prompt, HistoryArgs { version, against, limit }).await
}
