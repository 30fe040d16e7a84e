//! Headings of Markdown, found line by line as CommonMark finds blocks.

use memchr::memchr_iter;

use super::html::{HtmlEnd, HtmlStart, html_start};
use super::{OutlineEntry, OutlineKind};

/// Lists in lists, beyond which a marker is text. Keeps a line of markers from being read once for each.
const MAX_LISTS: usize = 64;

pub(super) fn outline(text: &str) -> Vec<OutlineEntry> {
    let mut blocks = Blocks { text, entries: Vec::new(), leaf: Leaf::None, items: Vec::new() };
    let (start, lines_before) = front_matter(text);
    let mut at = start;
    for (index, line) in text[start..].split('\n').enumerate() {
        blocks.read(lines_before + index + 1, at, line.strip_suffix('\r').unwrap_or(line));
        at += line.len() + 1;
    }
    let total = memchr_iter(b'\n', text.as_bytes()).count() + 1;
    close_sections(&mut blocks.entries, if text.ends_with('\n') { total - 1 } else { total });
    blocks.entries
}

/// Where the text starts after a byte order mark and YAML front matter, and the lines before that.
fn front_matter(text: &str) -> (usize, usize) {
    let start = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let mut at = start;
    for (index, line) in text[start..].split('\n').enumerate() {
        at += line.len() + 1;
        match (index, line.trim_end()) {
            (0, "---") => {}
            (0, _) => break,
            (_, "---" | "...") => return (at.min(text.len()), index + 1),
            _ => {}
        }
    }
    (start, 0)
}

/// Ends each section before the next heading of its rank or a higher one.
fn close_sections(entries: &mut [OutlineEntry], last_line: usize) {
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

/// What the lines so far have left open.
#[derive(Debug)]
struct Blocks<'t> {
    text: &'t str,
    entries: Vec<OutlineEntry>,
    leaf: Leaf,
    /// The columns at which the content of the open list items starts, outermost first: ascending.
    items: Vec<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Leaf {
    None,
    /// A paragraph outside of all lists and quotes, by its first line and where that starts: it may turn out to
    /// be a heading.
    Paragraph {
        first_line: usize,
        start: usize,
    },
    /// A paragraph that cannot be a heading of ours: in a list or quote, or of link definitions.
    Inner,
    Fence(Fence),
    Html(HtmlEnd),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Fence {
    mark: char,
    length: usize,
}

/// What a line starts.
#[derive(Debug, PartialEq, Eq)]
enum Start<'t> {
    /// Indented by four columns or more: code, unless it goes on with a paragraph.
    Indented,
    ThematicBreak,
    Heading {
        rank: usize,
        title: &'t str,
    },
    Fence(Fence),
    Html(HtmlStart),
    Quote,
    Item(Marker<'t>),
    Text,
}

/// A list item's marker.
#[derive(Debug, PartialEq, Eq)]
struct Marker<'t> {
    /// What follows, at the column where the item's content starts.
    content: Rest<'t>,
    content_column: usize,
    interrupts: Interrupts,
}

/// Whether an item may stand right after the text of a paragraph: not an empty one, nor a number but 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Interrupts {
    Anything,
    NoParagraph,
}

/// The rest of a line without its indentation, and the column where it stands, 0-based.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Rest<'t> {
    text: &'t str,
    column: usize,
}

impl<'t> Rest<'t> {
    fn new(text: &'t str, mut column: usize) -> Self {
        let content = text.trim_start_matches([' ', '\t']);
        for blank in text[..text.len() - content.len()].bytes() {
            column = if blank == b'\t' { (column / 4 + 1) * 4 } else { column + 1 };
        }
        Rest { text: content, column }
    }

    fn is_blank(self) -> bool {
        self.text.trim().is_empty()
    }

    /// What starts here, in a container whose content starts at column `base`.
    fn start(self, base: usize) -> Start<'t> {
        if self.column >= base + 4 {
            Start::Indented
        } else if is_thematic_break(self.text) {
            Start::ThematicBreak
        } else if let Some((rank, title)) = heading(self.text) {
            Start::Heading { rank, title }
        } else if let Some(fence) = fence(self.text) {
            Start::Fence(fence)
        } else if let Some(html) = html_start(self.text) {
            Start::Html(html)
        } else if self.text.starts_with('>') {
            Start::Quote
        } else if let Some(marker) = self.marker() {
            Start::Item(marker)
        } else {
            Start::Text
        }
    }

    fn marker(self) -> Option<Marker<'t>> {
        let digits = self.text.bytes().take(10).take_while(u8::is_ascii_digit).count();
        let length = match self.text.as_bytes().get(digits)? {
            b'-' | b'+' | b'*' if digits == 0 => 1,
            b'.' | b')' if (1..=9).contains(&digits) => digits + 1,
            _ => return None,
        };
        let after = &self.text[length..];
        if !after.is_empty() && !after.starts_with([' ', '\t']) {
            return None;
        }
        let end = self.column + length;
        let content = Rest::new(after, end);
        let content_column = if content.is_blank() || content.column > end + 4 { end + 1 } else { content.column };
        let may_interrupt = !content.is_blank() && (digits == 0 || &self.text[..digits] == "1");
        let interrupts = if may_interrupt { Interrupts::Anything } else { Interrupts::NoParagraph };
        Some(Marker { content, content_column, interrupts })
    }
}

impl<'t> Blocks<'t> {
    /// Reads the line `number`, which starts at `at`.
    fn read(&mut self, number: usize, at: usize, line: &'t str) {
        let rest = Rest::new(line, 0);
        if !rest.is_blank() && !self.stays_in_items(rest) {
            return;
        }
        match self.leaf {
            Leaf::Fence(fence) => {
                if rest.column < self.base() + 4 && closes(fence, rest.text) {
                    self.leaf = Leaf::None;
                }
            }
            Leaf::Html(end) => {
                if end.is_on(line) {
                    self.leaf = Leaf::None;
                }
            }
            _ if rest.is_blank() => self.leaf = Leaf::None,
            _ => self.read_start(number, at, rest),
        }
    }

    fn base(&self) -> usize {
        self.items.last().copied().unwrap_or(0)
    }

    /// Leaves the list items that the line is not indented enough for. Says no if the line is settled by that:
    /// text that goes on with a paragraph, however little it is indented.
    fn stays_in_items(&mut self, rest: Rest<'t>) -> bool {
        let kept = self.items.partition_point(|&column| column <= rest.column);
        if kept == self.items.len() {
            return true;
        }
        let base = if kept == 0 { 0 } else { self.items[kept - 1] };
        if self.leaf == Leaf::Inner && matches!(rest.start(base), Start::Text | Start::Indented) {
            return false;
        }
        self.items.truncate(kept);
        self.leaf = Leaf::None;
        true
    }

    /// Reads a line that is not inside of a fence or HTML, nor blank; list markers one after the other.
    fn read_start(&mut self, number: usize, at: usize, mut rest: Rest<'t>) {
        if self.ends_setext_heading(at, rest) {
            return;
        }
        loop {
            let in_paragraph = matches!(self.leaf, Leaf::Paragraph { .. } | Leaf::Inner);
            self.leaf = match rest.start(self.base()) {
                Start::Item(marker) if self.takes(&marker) => {
                    self.items.push(marker.content_column);
                    self.leaf = Leaf::None;
                    if marker.content.is_blank() {
                        return;
                    }
                    rest = marker.content;
                    continue;
                }
                Start::Html(HtmlStart::Block(end)) if end.is_on(rest.text) => Leaf::None,
                Start::Html(HtmlStart::Block(end)) => Leaf::Html(end),
                Start::Html(HtmlStart::Tag) if !in_paragraph => Leaf::Html(HtmlEnd::Blank),
                Start::Fence(fence) => Leaf::Fence(fence),
                Start::Quote if rest.text[1..].trim().is_empty() => Leaf::None,
                Start::Quote => Leaf::Inner,
                Start::ThematicBreak => Leaf::None,
                Start::Heading { rank, title } => {
                    self.add(number, rank, title.to_owned());
                    Leaf::None
                }
                Start::Indented if !in_paragraph => Leaf::None,
                _ if in_paragraph => self.leaf,
                _ if self.items.is_empty() && !is_link_definition(rest.text) => {
                    Leaf::Paragraph { first_line: number, start: at }
                }
                _ => Leaf::Inner,
            };
            return;
        }
    }

    fn takes(&self, marker: &Marker<'t>) -> bool {
        let in_paragraph = matches!(self.leaf, Leaf::Paragraph { .. } | Leaf::Inner);
        self.items.len() < MAX_LISTS && !(in_paragraph && marker.interrupts == Interrupts::NoParagraph)
    }

    /// Whether the line underlines the paragraph before it, which is then a heading.
    fn ends_setext_heading(&mut self, at: usize, rest: Rest<'t>) -> bool {
        let Leaf::Paragraph { first_line, start } = self.leaf else { return false };
        let underline = rest.text.trim_end();
        let rank = match underline.as_bytes().first() {
            Some(b'=') => 1,
            Some(b'-') => 2,
            _ => return false,
        };
        if rest.column >= 4 || underline.bytes().any(|byte| byte != underline.as_bytes()[0]) {
            return false;
        }
        let paragraph = &self.text[start..at];
        let title: Vec<&str> = paragraph.split('\n').map(str::trim).filter(|line| !line.is_empty()).collect();
        self.add(first_line, rank, title.join(" "));
        self.leaf = Leaf::None;
        true
    }

    fn add(&mut self, first_line: usize, depth: usize, title: String) {
        if self.items.is_empty() {
            let kind = OutlineKind::Heading;
            self.entries.push(OutlineEntry { kind, title, depth, first_line, last_line: first_line });
        }
    }
}

/// Three or more of one mark, blanks aside.
fn is_thematic_break(text: &str) -> bool {
    let Some(mark @ ('*' | '-' | '_')) = text.chars().next() else { return false };
    text.chars().all(|c| c == mark || c.is_whitespace()) && text.chars().filter(|&c| c == mark).nth(2).is_some()
}

fn heading(text: &str) -> Option<(usize, &str)> {
    let after = text.trim_start_matches('#');
    let rank = text.len() - after.len();
    if !(1..=6).contains(&rank) || !(after.is_empty() || after.starts_with([' ', '\t'])) {
        return None;
    }
    let title = after.trim_end();
    let open = title.trim_end_matches('#');
    let title = if open.is_empty() || open.ends_with([' ', '\t']) { open } else { title };
    Some((rank, title.trim()))
}

/// A link's or a note's definition is not text that can be underlined.
fn is_link_definition(text: &str) -> bool {
    text.starts_with('[') && text.split_once(']').is_some_and(|(_, after)| after.starts_with(':'))
}

fn fence(text: &str) -> Option<Fence> {
    let mark @ ('`' | '~') = text.chars().next()? else { return None };
    let info = text.trim_start_matches(mark);
    let length = text.len() - info.len();
    if length < 3 || (mark == '`' && info.contains('`')) { None } else { Some(Fence { mark, length }) }
}

fn closes(fence: Fence, text: &str) -> bool {
    let after = text.trim_start_matches(fence.mark);
    text.len() - after.len() >= fence.length && after.trim().is_empty()
}
