//! `edit_prompt_template`

use interline_items::{EditRequest, Error};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::prompt::{GivenArgument, arguments, which};
use crate::mcp::arguments::{Number, invalid};
use crate::mcp::passages::{GivenPassages, OneEdit};
use crate::mcp::tool::{About, Call, Effect, Tool};
use crate::mcp::written::{EditTold, expected, length, mode};
use crate::wire::Object;

pub(super) fn tool() -> Tool {
    let about = About {
        name: "edit_prompt_template",
        title: "Edit a template",
        description: "Replace old_str by new_str in the template, and arguments with it, in one step. old_str must \
            occur exactly once: add a neighbouring line if it does not, or set expected_matches to change all places. \
            Several passages: edits, in order, all or none. Insert: repeat the anchor in new_str. When variables come, \
            go or are renamed, give arguments too, the whole list. E.g. old_str \"{{ lang }}\", new_str \"{{ language \
            }}\", arguments [{\"name\": \"language\", \"required\": true}, …all others].",
        effect: Effect::Changes,
    };
    Tool::new(about, edit_prompt_template)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    name: String,
    #[serde(alias = "old_string")]
    old_str: Option<String>,
    #[serde(alias = "new_string")]
    new_str: Option<String>,
    expected_matches: Option<Number>,
    /// Instead of old_str and new_str
    #[schemars(with = "Option<Vec<OneEdit>>")]
    edits: Option<Vec<Object<OneEdit>>>,
    /// Replaces the list; may come alone
    #[schemars(with = "Option<Vec<GivenArgument>>")]
    arguments: Option<Vec<Object<GivenArgument>>>,
    expected_version: Option<Number>,
    /// Only show what would change
    dry_run: Option<bool>,
}

#[derive(Serialize, JsonSchema)]
struct TemplateEditTold {
    #[serde(flatten)]
    edit: EditTold,
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt_length: Option<u64>,
}

async fn edit_prompt_template(call: Call, given: Arguments) -> Result<TemplateEditTold, Error> {
    let Arguments { name, old_str, new_str, expected_matches, edits, arguments: list, expected_version, dry_run } =
        given;
    let change = GivenPassages { old_str, new_str, expected_matches, edits }.change()?;
    if change.is_none() && list.is_none() {
        return Err(invalid("old_str", "is required, or `edits` or `arguments`"));
    }
    let mode = mode(dry_run);
    let arguments = list.map(arguments);
    let request = EditRequest { arguments, expected: expected(expected_version), mode, ..EditRequest::new(change) };
    let which = which(&call, &name)?;
    let edited = call.interline.edit(&call.caller, &which, request).await?;
    Ok(TemplateEditTold { edit: EditTold::of(&edited, mode)?, prompt_length: length(&edited.after.item) })
}
