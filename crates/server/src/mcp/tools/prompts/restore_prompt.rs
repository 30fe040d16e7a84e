//! Tool `restore_prompt`: makes an earlier version of a prompt the newest one.

use interline_items::{Error, ExpectedVersion};
use schemars::JsonSchema;
use serde::Deserialize;

use super::prompt::{PromptResult, prompt_ref};
use crate::mcp::protocol::arguments::PositiveInt;
use crate::mcp::protocol::tool::{CallContext, Effect, Tool, ToolInfo};

pub(super) fn tool() -> Tool {
    let info = ToolInfo {
        name: "restore_prompt",
        title: "Go back to a version",
        description: "Make a prompt what it was in an earlier version (see prompt_history), its name too, as a new \
            version: nothing is lost. To undo the last change, give the version before the present one.",
        effect: Effect::ChangesIdempotently,
    };
    Tool::new(info, restore_prompt)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RestorePromptArgs {
    name: String,
    version: PositiveInt,
}

async fn restore_prompt(call: CallContext, args: RestorePromptArgs) -> Result<PromptResult, Error> {
    let prompt = prompt_ref(&call, &args.name)?;
    let after = call.interline.restore_version(&call.caller, &prompt, args.version.0, ExpectedVersion::Any).await?;
    Ok(PromptResult::from_item(&after.item))
}
