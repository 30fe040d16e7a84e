//! `patch_note`

use interline_items::{EditMode, EditRequest, Error, LinePatch, TextChange};
use schemars::JsonSchema;
use serde::Deserialize;

use super::item::{ContentEditTold, which};
use crate::mcp::arguments::{ContentKind, Id, Number, Whole};
use crate::mcp::tool::{About, Call, Effect, Tool};
use crate::mcp::written::expected;
use crate::wire::Object;

pub(super) fn tool() -> Tool {
    let about = About {
        name: "patch_note",
        title: "Replace lines",
        description: "Replace lines by number, in a note (or bookmark). Prefer edit_content; use this for long \
            passages whose line numbers you have just read. All numbers are those before the patch. end_line = \
            start_line - 1 inserts before start_line; content \"\" removes. expect (the present text of the lines) or \
            expected_version guards against lines that moved.",
        effect: Effect::Changes,
    };
    Tool::new(about, patch_note)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    #[serde(alias = "id")]
    note_id: Id,
    #[serde(rename = "type")]
    kind: Option<ContentKind>,
    #[schemars(with = "Vec<Operation>")]
    operations: Vec<Object<Operation>>,
    expected_version: Option<Number>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Operation {
    start_line: Whole<0, { u64::MAX }>,
    end_line: Whole<0, { u64::MAX }>,
    content: String,
    expect: Option<String>,
}

async fn patch_note(call: Call, arguments: Arguments) -> Result<ContentEditTold, Error> {
    let operations = arguments.operations.into_iter().map(|Object(operation)| LinePatch {
        start_line: operation.start_line.count(),
        end_line: operation.end_line.count(),
        content: operation.content,
        expect: operation.expect,
    });
    let change = TextChange::Patch(operations.collect());
    let (which, _) = which(&call, arguments.note_id, arguments.kind).await?;
    let request = EditRequest { expected: expected(arguments.expected_version), ..EditRequest::new(change) };
    ContentEditTold::of(&call.interline.edit(&call.caller, &which, request).await?, EditMode::Write)
}
