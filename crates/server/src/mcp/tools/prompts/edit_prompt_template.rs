//! Tool `edit_prompt_template`: replaces passages of a template, and its arguments with them.

use interline_items::{EditRequest, Error};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::prompt::{PromptArgumentArgs, into_arguments, prompt_ref};
use crate::mcp::protocol::arguments::{Flag, PositiveInt};
use crate::mcp::protocol::tool::{CallContext, Effect, Tool, ToolInfo};
use crate::mcp::tools::edit_args::{PassageArgs, PassageEditArgs};
use crate::mcp::tools::edit_result::{EditToolResult, edit_mode, require_version};
use crate::wire::{Object, content_length, invalid_field};

pub(super) fn tool() -> Tool {
    let info = ToolInfo {
        name: "edit_prompt_template",
        title: "Edit a template",
        description: "Replace old_str by new_str in the template, and arguments with it, in one step. old_str must \
            occur exactly once: add a neighbouring line if it does not, or set expected_matches to change all places. \
            Several passages: edits, in order, all or none. Insert: repeat the anchor in new_str. When variables come, \
            go or are renamed, give arguments too, the whole list. E.g. old_str \"{{ lang }}\", new_str \"{{ language \
            }}\", arguments [{\"name\": \"language\", \"required\": true}, …all others].",
        effect: Effect::Changes,
    };
    Tool::new(info, edit_prompt_template)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct EditPromptTemplateArgs {
    name: String,
    #[serde(alias = "old_string")]
    old_str: Option<String>,
    #[serde(alias = "new_string")]
    new_str: Option<String>,
    expected_matches: Option<PositiveInt>,
    /// Instead of old_str and new_str
    #[schemars(with = "Option<Vec<PassageEditArgs>>")]
    edits: Option<Vec<Object<PassageEditArgs>>>,
    /// Replaces the list; may come alone
    #[schemars(with = "Option<Vec<PromptArgumentArgs>>")]
    arguments: Option<Vec<Object<PromptArgumentArgs>>>,
    expected_version: Option<PositiveInt>,
    /// Only show what would change
    dry_run: Option<Flag>,
    /// Id that a refusal offered
    merged: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct EditPromptTemplateResult {
    #[serde(flatten)]
    edit: EditToolResult,
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt_length: Option<u64>,
}

async fn edit_prompt_template(
    call: CallContext,
    args: EditPromptTemplateArgs,
) -> Result<EditPromptTemplateResult, Error> {
    let EditPromptTemplateArgs {
        name,
        old_str,
        new_str,
        expected_matches,
        edits,
        arguments,
        expected_version,
        dry_run,
        merged,
    } = args;
    let change = PassageArgs { old_str, new_str, expected_matches, edits }.into_change()?;
    if change.is_none() && arguments.is_none() {
        return Err(invalid_field("old_str", "is required, or `edits` or `arguments`"));
    }
    let mode = edit_mode(dry_run);
    let arguments = arguments.map(into_arguments);
    let request = EditRequest {
        arguments,
        expected: require_version(expected_version),
        mode,
        merged,
        ..EditRequest::new(change)
    };
    let prompt = prompt_ref(&call, &name)?;
    let edited = call.interline.edit(&call.caller, &prompt, request).await?;
    Ok(EditPromptTemplateResult {
        edit: EditToolResult::from_edit(&edited, mode)?,
        prompt_length: content_length(&edited.after.item),
    })
}
