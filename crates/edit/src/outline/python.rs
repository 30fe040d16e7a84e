//! Functions and classes of Python, by indentation.

use memchr::{memchr, memchr_iter, memchr2};

use super::{OutlineEntry, OutlineKind};

pub(super) fn outline(text: &str) -> Vec<OutlineEntry> {
    let mut bodies = Bodies { entries: Vec::new(), open: Vec::new(), decorated: None };
    for line in LogicalLines::new(text) {
        match line.kind {
            LineKind::Comment => bodies.comment(&line),
            LineKind::Code => bodies.code(&line, &text[line.start..]),
        }
    }
    bodies.close(0);
    bodies.entries
}

/// The definitions found, and those whose body may go on.
#[derive(Debug)]
struct Bodies {
    entries: Vec<OutlineEntry>,
    /// Outermost first, so their indents ascend.
    open: Vec<Body>,
    /// The first line of the decorators read last, and their indent.
    decorated: Option<(usize, usize)>,
}

#[derive(Debug)]
struct Body {
    entry: usize,
    indent: usize,
    last_line: usize,
}

impl Bodies {
    /// A comment belongs to the innermost definition that it is indented deeper than; the others may be over.
    fn comment(&mut self, line: &LogicalLine) {
        let deeper_than = self.open.partition_point(|body| body.indent < line.indent);
        if let Some(innermost) = deeper_than.checked_sub(1) {
            self.open[innermost].last_line = line.last_line;
        }
    }

    /// `rest` is the text from the line's first token on.
    fn code(&mut self, line: &LogicalLine, rest: &str) {
        self.close(line.indent);
        let decorated = self.decorated.take().filter(|(_, indent)| *indent == line.indent);
        if let Some((kind, name)) = definition(rest) {
            let first_line = decorated.map_or(line.first_line, |(first_line, _)| first_line);
            let depth = self.open.len() + 1;
            self.open.push(Body { entry: self.entries.len(), indent: line.indent, last_line: line.last_line });
            let last_line = line.last_line;
            self.entries.push(OutlineEntry { kind, title: name.to_owned(), depth, first_line, last_line });
            return;
        }
        if rest.starts_with('@') {
            self.decorated = decorated.or(Some((line.first_line, line.indent)));
        }
        if let Some(body) = self.open.last_mut() {
            body.last_line = line.last_line;
        }
    }

    /// Ends the bodies of the definitions at `indent` or deeper.
    fn close(&mut self, indent: usize) {
        while let Some(body) = self.open.pop_if(|body| body.indent >= indent) {
            self.entries[body.entry].last_line = body.last_line;
            if let Some(around) = self.open.last_mut() {
                around.last_line = around.last_line.max(body.last_line);
            }
        }
    }
}

/// The definition that `text` starts with.
fn definition(text: &str) -> Option<(OutlineKind, &str)> {
    let text = keyword(text, "async").filter(|rest| rest.starts_with("def")).unwrap_or(text);
    let (kind, rest) = match keyword(text, "def") {
        Some(rest) => (OutlineKind::Function, rest),
        None => (OutlineKind::Class, keyword(text, "class")?),
    };
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    let name = &rest[..end];
    if name.is_empty() || name.starts_with(char::is_numeric) { None } else { Some((kind, name)) }
}

/// What follows the keyword and at least one blank, or a backslash that continues the line.
fn keyword<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    let after = text.strip_prefix(word)?;
    let mut rest = after;
    loop {
        rest = rest.trim_start_matches([' ', '\t', '\x0c']);
        match rest.strip_prefix("\\\n").or_else(|| rest.strip_prefix("\\\r\n")) {
            Some(next_line) => rest = next_line,
            None if rest.len() < after.len() => return Some(rest),
            None => return None,
        }
    }
}

/// A statement's lines, or a line with nothing but a comment.
#[derive(Debug)]
struct LogicalLine {
    kind: LineKind,
    /// In columns.
    indent: usize,
    /// Where the first token starts.
    start: usize,
    first_line: usize,
    last_line: usize,
}

#[derive(Debug)]
enum LineKind {
    Code,
    Comment,
}

/// Splits a text into logical lines, by brackets, strings and backslashes.
#[derive(Debug)]
struct LogicalLines<'t> {
    bytes: &'t [u8],
    text: &'t str,
    at: usize,
    /// The line of `at`, 1-based.
    line: usize,
}

impl<'t> LogicalLines<'t> {
    fn new(text: &'t str) -> Self {
        let at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        LogicalLines { bytes: text.as_bytes(), text, at, line: 1 }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// Moves to the first token of the line and returns its column.
    fn skip_indent(&mut self) -> usize {
        let mut column = 0;
        while let Some(byte) = self.peek() {
            column = match byte {
                b' ' => column + 1,
                b'\t' => (column / 8 + 1) * 8,
                b'\x0c' => 0,
                _ => break,
            };
            self.at += 1;
        }
        column
    }

    fn skip_to_newline(&mut self) {
        self.at = memchr(b'\n', &self.bytes[self.at..]).map_or(self.bytes.len(), |offset| self.at + offset);
    }

    /// Moves behind the statement and its last newline.
    fn skip_statement(&mut self) {
        let mut brackets = 0_usize;
        while let Some(byte) = self.peek() {
            match byte {
                b'\n' => {
                    self.at += 1;
                    self.line += 1;
                    if brackets == 0 || self.is_at_definition() {
                        return;
                    }
                    continue;
                }
                b'#' => {
                    self.skip_to_newline();
                    continue;
                }
                b'\'' | b'"' => {
                    self.skip_string(byte);
                    continue;
                }
                b'\\' => {
                    self.skip_escape();
                    continue;
                }
                b'(' | b'[' | b'{' => brackets += 1,
                b')' | b']' | b'}' => brackets = brackets.saturating_sub(1),
                _ => {}
            }
            self.at += 1;
        }
    }

    /// Whether the line starts a definition: inside of brackets none can, so one was not closed.
    fn is_at_definition(&self) -> bool {
        definition(self.text[self.at..].trim_start_matches([' ', '\t'])).is_some()
    }

    /// Moves behind a backslash and what it escapes.
    fn skip_escape(&mut self) {
        let escaped = &self.bytes[self.at + 1..];
        let newline = if escaped.starts_with(b"\r\n") { 2 } else { usize::from(escaped.starts_with(b"\n")) };
        self.line += usize::from(newline > 0);
        // Of another character the first byte will do: the others are not ASCII, and mean nothing here.
        self.at = (self.at + 1 + newline.max(1)).min(self.bytes.len());
    }

    /// Moves behind a string, or to the end of the line if it should have ended there.
    fn skip_string(&mut self, quote: u8) {
        let delimiter = [quote; 3];
        if self.bytes[self.at..].starts_with(&delimiter) {
            self.at += 3;
            return self.skip_long_string(delimiter);
        }
        self.at += 1;
        while let Some(byte) = self.peek() {
            match byte {
                b'\n' => return,
                b'\\' => self.skip_escape(),
                _ => self.at += 1,
            }
            if byte == quote {
                return;
            }
        }
    }

    fn skip_long_string(&mut self, delimiter: [u8; 3]) {
        let start = self.at;
        while let Some(offset) = memchr2(delimiter[0], b'\\', &self.bytes[self.at..]) {
            self.at += offset;
            if self.bytes[self.at..].starts_with(&delimiter) {
                self.at += 3;
                self.line += memchr_iter(b'\n', &self.bytes[start..self.at]).count();
                return;
            }
            let escapes = self.bytes[self.at] == b'\\';
            self.at = (self.at + 1 + usize::from(escapes)).min(self.bytes.len());
        }
        self.at = self.bytes.len();
        self.line += memchr_iter(b'\n', &self.bytes[start..]).count();
    }
}

impl Iterator for LogicalLines<'_> {
    type Item = LogicalLine;

    fn next(&mut self) -> Option<LogicalLine> {
        loop {
            let indent = self.skip_indent();
            let (start, first_line) = (self.at, self.line);
            let kind = match self.peek()? {
                b'\n' => {
                    self.at += 1;
                    self.line += 1;
                    continue;
                }
                b'\r' => {
                    self.at += 1;
                    continue;
                }
                b'#' => {
                    self.skip_to_newline();
                    LineKind::Comment
                }
                _ => {
                    self.skip_statement();
                    LineKind::Code
                }
            };
            let ended = self.bytes[self.at - 1] == b'\n';
            return Some(LogicalLine { kind, indent, start, first_line, last_line: self.line - usize::from(ended) });
        }
    }
}
