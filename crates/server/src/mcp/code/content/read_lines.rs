//! `read_content_lines`

use interline_items::{Error, LineRange, ReadContent};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::file::{EntityType, FileName, GivenFile};
use crate::mcp::arguments::{Number, OrganizationArgument};
use crate::mcp::reading::Shown;
use crate::mcp::tool::{About, Call, Effect, Tool};
use crate::wire::code::numbered;

pub(in super::super) fn tool() -> Tool {
    let about = About {
        name: "read_content_lines",
        title: "Read lines of a file",
        description: "Read lines, each as \"<n>: <line>\", e.g. start_line 40, end_line 80. The numbers are no \
            part of the file: leave them out of old_string.",
        effect: Effect::Reads,
    };
    Tool::new(about, read_content_lines)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    entity_type: EntityType,
    path: String,
    app_id: Option<String>,
    organization_id: Option<OrganizationArgument>,
    /// Default 1
    start_line: Option<Number>,
    /// Default start_line + 100
    end_line: Option<Number>,
}

#[derive(Serialize, JsonSchema)]
struct LinesTold {
    #[serde(flatten)]
    file: FileName,
    version: u64,
    start_line: u64,
    end_line: u64,
    total_lines: u64,
    content: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    truncated: Option<bool>,
    /// How to go on.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
}

async fn read_content_lines(call: Call, arguments: Arguments) -> Result<LinesTold, Error> {
    let Arguments { entity_type, path, app_id, organization_id, start_line, end_line } = arguments;
    let lines = LineRange::for_code(start_line.map(|line| line.0), end_line.map(|line| line.0));
    let file = GivenFile { entity_type, path, app_id, organization_id }.reference();
    let read = call.interline.read_file(&call.caller, &file, ReadContent::Lines(lines)).await?;
    let shown = Shown::of(&read).ok_or_else(|| Error::Internal("a file without content".to_owned()))?;
    Ok(LinesTold {
        file: FileName::of(&call, &read.item),
        version: read.item.stamp.version,
        start_line: shown.start_line,
        end_line: shown.end_line,
        total_lines: shown.total_lines,
        content: numbered(shown.text, shown.start_line, shown.end_line),
        truncated: shown.truncated(),
        next: shown.next(""),
    })
}
