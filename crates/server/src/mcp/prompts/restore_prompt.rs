//! `restore_prompt`

use interline_items::{Error, ExpectedVersion};
use schemars::JsonSchema;
use serde::Deserialize;

use super::prompt::{PromptTold, which};
use crate::mcp::arguments::Number;
use crate::mcp::tool::{About, Call, Effect, Tool};

pub(super) fn tool() -> Tool {
    let about = About {
        name: "restore_prompt",
        title: "Go back to a version",
        description: "Make a prompt what it was in an earlier version (see prompt_history), its name too, as a new \
            version: nothing is lost. To undo the last change, give the version before the present one.",
        effect: Effect::Settles,
    };
    Tool::new(about, restore_prompt)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    name: String,
    version: Number,
}

async fn restore_prompt(call: Call, arguments: Arguments) -> Result<PromptTold, Error> {
    let which = which(&call, &arguments.name)?;
    let after = call.interline.restore_version(&call.caller, &which, arguments.version.0, ExpectedVersion::Any).await?;
    Ok(PromptTold::of(&after.item))
}
