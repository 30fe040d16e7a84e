//! Outlines: what a text is made of, with line ranges.

mod html;
mod markdown;
mod python;

/// What a text is read as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// `CommonMark`, with YAML front matter.
    Markdown,
    /// Python 3.
    Python,
}

/// A part of a text that has a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutlineEntry {
    /// What it is.
    pub kind: OutlineKind,
    /// The heading's text as written, or the name of the function or class.
    pub title: String,
    /// 1-based. Of a heading, its rank: 1 to 6. Of a function or class, one more than that of the function or
    /// class that holds it.
    pub depth: usize,
    /// The first line, 1-based: of the heading itself, or of the first decorator.
    pub first_line: usize,
    /// The last line, 1-based.
    pub last_line: usize,
}

/// What an [`OutlineEntry`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutlineKind {
    /// A heading and its section: up to the next heading of the same or a higher rank, or the end of the text.
    /// The empty line after a final newline is not part of it.
    Heading,
    /// A Python `def` or `async def`, up to the last line of its body.
    Function,
    /// A Python `class`, up to the last line of its body.
    Class,
}

/// The outline of `text`, in the order of the text.
///
/// Any text has one: what cannot be understood is passed over. The time is linear in the text.
///
/// Markdown: headings of both styles, but not those in lists and block quotes, nor what only looks like a
/// heading in code, HTML, comments or front matter. Python: functions and classes at any nesting, by indentation;
/// a comment belongs to what it is indented deeper than.
#[must_use]
pub fn outline(language: Language, text: &str) -> Vec<OutlineEntry> {
    match language {
        Language::Markdown => markdown::outline(text),
        Language::Python => python::outline(text),
    }
}
