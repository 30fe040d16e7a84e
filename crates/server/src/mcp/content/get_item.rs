//! `get_item`

use interline_items::{ContentPart, Error, LineRange, ReadContent, ReadItem};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::item::{ItemTold, preview, which};
use crate::mcp::arguments::{ContentKind, Id, Number};
use crate::mcp::tool::{About, Call, Effect, Tool};

/// The most of a content that one answer holds, in characters.
const MAX_CHARS: usize = 100_000;

pub(super) fn tool() -> Tool {
    let about = About {
        name: "get_item",
        title: "Read an item",
        description: "Read one item: metadata and content, or lines of it. Look at content_length first \
            (search_items, or include_content=false): of a long item read only what you need, e.g. start_line 40, \
            end_line 80. One answer holds at most 100,000 characters.",
        effect: Effect::Reads,
    };
    Tool::new(about, get_item)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    id: Id,
    #[serde(rename = "type")]
    kind: Option<ContentKind>,
    /// Default true; false gives a preview
    include_content: Option<bool>,
    start_line: Option<Number>,
    end_line: Option<Number>,
}

#[derive(Serialize, JsonSchema)]
struct ReadTold {
    #[serde(flatten)]
    item: ItemTold,
    #[serde(skip_serializing_if = "Option::is_none")]
    content_preview: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    content_metadata: Option<PartTold>,
    #[serde(skip_serializing_if = "Option::is_none")]
    truncated: Option<bool>,
    /// How to go on.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
}

/// Where the content that is told stands in the whole.
#[derive(Serialize, JsonSchema)]
struct PartTold {
    total_lines: u64,
    start_line: u64,
    end_line: u64,
    is_partial: bool,
}

async fn get_item(call: Call, arguments: Arguments) -> Result<ReadTold, Error> {
    let range =
        LineRange { start: arguments.start_line.map(|line| line.0), end: arguments.end_line.map(|line| line.0) };
    let wanted = match (arguments.include_content.unwrap_or(true), range) {
        (true, LineRange { start: None, end: None }) => ReadContent::Whole,
        (true, range) => ReadContent::Lines(range),
        (false, LineRange { start: None, end: None }) => ReadContent::Omit,
        (false, _) => {
            return Err(Error::InvalidParameters(
                "start_line/end_line parameters are only valid when include_content=true",
            ));
        }
    };
    let (which, _) = which(&call, arguments.id, arguments.kind).await?;
    let read = call.interline.read(&call.caller, &which, wanted).await?;
    Ok(match wanted {
        ReadContent::Omit => ReadTold { content_preview: preview(&read.item), ..ReadTold::bare(&read) },
        ReadContent::Whole | ReadContent::Lines(_) => ReadTold::with_part(&read, wanted),
    })
}

impl ReadTold {
    fn bare(read: &ReadItem) -> ReadTold {
        ReadTold {
            item: ItemTold::of(&read.item),
            content_preview: None,
            content: None,
            content_metadata: None,
            truncated: None,
            next: None,
        }
    }

    fn with_part(read: &ReadItem, wanted: ReadContent) -> ReadTold {
        let bare = ReadTold::bare(read);
        let Some(ContentPart { text, start_line, end_line }) = &read.part else { return bare };
        let total_lines = read.item.content.as_ref().map_or(1, |content| content.lines);
        let cut = Cut::of(text);
        let end_line = match cut {
            Cut::Whole => *end_line,
            Cut::AtLineEnd(shown) | Cut::InsideLine(shown) => start_line + newlines(shown),
        };
        let is_partial = wanted != ReadContent::Whole || !matches!(cut, Cut::Whole);
        ReadTold {
            content: Some(cut.shown(text).to_owned()),
            content_metadata: Some(PartTold { total_lines, start_line: *start_line, end_line, is_partial }),
            truncated: is_cut(&cut),
            next: cut.next(end_line, total_lines),
            ..bare
        }
    }
}

fn is_cut(cut: &Cut<'_>) -> Option<bool> {
    match cut {
        Cut::Whole => None,
        Cut::AtLineEnd(_) | Cut::InsideLine(_) => Some(true),
    }
}

/// What of a text one answer holds.
enum Cut<'t> {
    Whole,
    /// Its first lines.
    AtLineEnd(&'t str),
    /// The beginning of its first line, which alone is too long.
    InsideLine(&'t str),
}

impl<'t> Cut<'t> {
    fn of(text: &'t str) -> Cut<'t> {
        let Some((end, next)) = text.char_indices().nth(MAX_CHARS) else { return Cut::Whole };
        let line_end = if next == '\n' { Some(end) } else { text[..end].rfind('\n') };
        match line_end {
            Some(line_end) => Cut::AtLineEnd(&text[..line_end]),
            None => Cut::InsideLine(&text[..end]),
        }
    }

    fn shown(&self, text: &'t str) -> &'t str {
        match self {
            Cut::Whole => text,
            Cut::AtLineEnd(shown) | Cut::InsideLine(shown) => shown,
        }
    }

    /// How to go on after the line that was told last.
    fn next(&self, line: u64, total_lines: u64) -> Option<String> {
        match self {
            Cut::Whole => None,
            Cut::AtLineEnd(_) => Some(format!("go on with start_line={} (of {total_lines} lines)", line + 1)),
            Cut::InsideLine(_) => {
                let cut = format!(
                    "line {line} is cut: it alone is longer than {MAX_CHARS} characters; find passages of it with \
                     search_in_content"
                );
                Some(if line < total_lines { format!("{cut}; go on with start_line={}", line + 1) } else { cut })
            }
        }
    }
}

fn newlines(text: &str) -> u64 {
    text.bytes().filter(|byte| *byte == b'\n').count() as u64
}
