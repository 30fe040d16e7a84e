//! The result of tools that read a content: as much as one answer holds, and how to read on.

use interline_items::{LineRange, ReadContent, ReadItem};
use schemars::JsonSchema;
use serde::Serialize;

use crate::mcp::protocol::arguments::PositiveInt;
use crate::mcp::protocol::excerpt::ContentExcerpt;
use crate::wire::ContentMetadata;

/// A content, or the lines of it that the call asks for.
#[derive(Default, Serialize, JsonSchema)]
pub(super) struct ContentResult {
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    content_metadata: Option<ContentMetadata>,
    #[serde(skip_serializing_if = "Option::is_none")]
    truncated: Option<bool>,
    /// How to go on.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
}

/// The range of lines that a call asks for.
pub(super) fn line_range(start: Option<PositiveInt>, end: Option<PositiveInt>) -> LineRange {
    LineRange { start: start.map(|line| line.0), end: end.map(|line| line.0) }
}

impl ContentResult {
    /// What the use case read for `request`, or its beginning; `long_line_hint` is added about a line that alone is too
    /// long.
    pub(super) fn from_read(read: &ReadItem, request: ReadContent, long_line_hint: &str) -> ContentResult {
        let Some(excerpt) = ContentExcerpt::from_read(read) else { return ContentResult::default() };
        let ContentExcerpt { text, start_line, end_line, total_lines, .. } = excerpt;
        let is_partial = request != ReadContent::Whole || excerpt.truncated().is_some();
        ContentResult {
            content: Some(text.to_owned()),
            content_metadata: Some(ContentMetadata { total_lines, start_line, end_line, is_partial }),
            truncated: excerpt.truncated(),
            next: excerpt.how_to_read_on(long_line_hint),
        }
    }
}
