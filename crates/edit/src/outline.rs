//! Outlines: the headings of a Markdown text, with the line ranges of their sections.

use std::borrow::Cow;

use memchr::memchr_iter;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use crate::lines::{newlines, total_lines};

/// A part of a text that has a name.
///
/// Here a heading of Markdown. The type is public with all its kinds so that an outline of a programming language, made
/// by a crate that has a parser for it, is the same type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutlineEntry {
    /// A heading, a function or a class.
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

/// The kind of an [`OutlineEntry`].
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

/// The headings of a Markdown text (`CommonMark`, with YAML front matter), in the order of the text.
///
/// Any text has an outline. Headings of both styles are listed, but not those in lists and block quotes, nor text that
/// only looks like a heading in code, HTML, comments or front matter.
///
/// The time is linear in the text. The parser keeps a tree of the whole text for as long as it reads: about 10 bytes for
/// each byte of prose, up to 60 for a text of nothing but marks. The caller bounds the text.
#[must_use]
pub fn markdown_outline(text: &str) -> Vec<OutlineEntry> {
    let (before, body) = text.split_at(front_matter_end(text));
    let mut entries = Vec::new();
    // The offset up to which newlines of the body were counted, and the line of that offset.
    let (mut counted, mut line) = (0, total_lines(before));
    let mut open_containers = 0_usize;
    let parsed = lone_returns_masked(body);
    for (event, range) in Parser::new_ext(&parsed, Options::empty()).into_offset_iter() {
        match event {
            Event::Start(Tag::BlockQuote(_) | Tag::List(_)) => open_containers += 1,
            Event::End(TagEnd::BlockQuote(_) | TagEnd::List(_)) => open_containers -= 1,
            Event::Start(Tag::Heading { level, .. }) if open_containers == 0 => {
                line += newlines(&body.as_bytes()[counted..range.start]);
                counted = range.start;
                let (kind, title) = (OutlineKind::Heading, heading_title(&body[range]));
                entries.push(OutlineEntry { kind, title, depth: level as usize, first_line: line, last_line: line });
            }
            _ => {}
        }
    }
    let last_line = total_lines(text) - usize::from(text.ends_with('\n'));
    end_sections(&mut entries, last_line);
    entries
}

/// Where the text starts after a byte order mark and YAML front matter.
///
/// The parser has an option for front matter, but takes it for such in the middle of a text too.
fn front_matter_end(text: &str) -> usize {
    let start = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let mut line_end = start;
    for (index, line) in text[start..].split('\n').enumerate() {
        line_end += line.len() + 1;
        match (index, line.trim_end()) {
            (0, "---") => {}
            (0, _) => break,
            (_, "---" | "...") => return line_end.min(text.len()),
            _ => {}
        }
    }
    start
}

/// The text with another control character for every `\r` that is not part of `\r\n`, at the same offsets.
///
/// To the parser a lone `\r` ends a line; to this crate it is a character, so that line numbers are those of an edit.
fn lone_returns_masked(text: &str) -> Cow<'_, str> {
    const MASK: char = '\u{1}';
    let is_lone = |at: usize| text.as_bytes().get(at + 1) != Some(&b'\n');
    if !memchr_iter(b'\r', text.as_bytes()).any(is_lone) {
        return text.into();
    }
    text.char_indices().map(|(at, c)| if c == '\r' && is_lone(at) { MASK } else { c }).collect::<String>().into()
}

/// The text of a heading as written, without its marks; the lines of an underlined one are joined by a space.
fn heading_title(source: &str) -> String {
    let source = source.trim_end();
    match source.rsplit_once('\n') {
        Some((underlined, _)) => underlined.split('\n').map(str::trim).collect::<Vec<_>>().join(" "),
        None => {
            let title = source.trim_start_matches('#');
            let open = title.trim_end_matches('#');
            let closed = open.is_empty() || open.ends_with([' ', '\t']);
            if closed { open.trim() } else { title.trim() }.to_owned()
        }
    }
}

/// Ends each section before the next heading of its rank or a higher one.
fn end_sections(entries: &mut [OutlineEntry], last_line: usize) {
    let mut open: Vec<usize> = Vec::new();
    for index in 0..entries.len() {
        while let Some(&above) = open.last()
            && entries[above].depth >= entries[index].depth
        {
            entries[above].last_line = entries[index].first_line - 1;
            open.pop();
        }
        open.push(index);
    }
    for index in open {
        entries[index].last_line = last_line;
    }
}
