//! Tool `patch_note`: replaces lines of a content by their numbers.

use interline_items::{EditMode, EditRequest, Error, LinePatch, TextChange};
use schemars::JsonSchema;
use serde::Deserialize;

use super::item::{ContentEditResult, resolve_item};
use crate::mcp::protocol::arguments::{ContentKind, ItemIdArg, NonNegativeInt, PositiveInt};
use crate::mcp::protocol::tool::{CallContext, Effect, Tool, ToolInfo};
use crate::mcp::tools::edit_result::require_version;
use crate::wire::Object;

pub(super) fn tool() -> Tool {
    let info = ToolInfo {
        name: "patch_note",
        title: "Replace lines",
        description: "Replace lines by number, in a note (or bookmark). Prefer edit_content; use this for long \
            passages whose line numbers you have just read. All numbers are those before the patch. end_line = \
            start_line - 1 inserts before start_line; content \"\" removes. expect (the present text of the lines) or \
            expected_version guards against lines that moved.",
        effect: Effect::Changes,
    };
    Tool::new(info, patch_note)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PatchNoteArgs {
    #[serde(alias = "id")]
    note_id: ItemIdArg,
    #[serde(rename = "type")]
    kind: Option<ContentKind>,
    #[schemars(with = "Vec<LineOperationArgs>")]
    operations: Vec<Object<LineOperationArgs>>,
    expected_version: Option<PositiveInt>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct LineOperationArgs {
    start_line: NonNegativeInt,
    end_line: NonNegativeInt,
    content: String,
    expect: Option<String>,
}

async fn patch_note(call: CallContext, args: PatchNoteArgs) -> Result<ContentEditResult, Error> {
    let operations = args.operations.into_iter().map(|Object(operation)| LinePatch {
        start_line: operation.start_line.count(),
        end_line: operation.end_line.count(),
        content: operation.content,
        expect: operation.expect,
    });
    let change = TextChange::Patch(operations.collect());
    let (item_ref, _) = resolve_item(&call, args.note_id, args.kind).await?;
    let request = EditRequest { expected: require_version(args.expected_version), ..EditRequest::new(change) };
    ContentEditResult::from_edit(&call.interline.edit(&call.caller, &item_ref, request).await?, EditMode::Write)
}
