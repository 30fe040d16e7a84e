//! Outlines: the headings of a Markdown text, with the line ranges of their sections.

mod html;
mod markdown;

/// A part of a text that has a name.
///
/// Here a heading of Markdown. The type is public with all its kinds so that an outline of a programming language, made
/// by a crate that has a parser for it, is the same type.
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
    /// A function, up to the last line of its body.
    Function,
    /// A class, up to the last line of its body.
    Class,
}

/// The headings of a Markdown text, in the order of the text.
///
/// Any text has an outline. The time is linear in the text.
///
/// Headings of both styles are listed, but not those in lists and block quotes, nor text that only looks like a heading
/// in code, HTML, comments or front matter.
#[must_use]
pub fn markdown_outline(text: &str) -> Vec<OutlineEntry> {
    markdown::outline(text)
}
