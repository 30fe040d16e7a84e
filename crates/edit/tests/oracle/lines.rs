//! The oracle of lines: a text as a list of lines with their endings.

use std::ops::Range;

/// A line: its text and its ending (`"\n"`, `"\r\n"`, or `""` for the last line).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) start: usize,
    pub(crate) text: String,
    pub(crate) ending: String,
}

impl Line {
    /// Where the text ends and the ending starts.
    pub(crate) fn text_end(&self) -> usize {
        self.start + self.text.len()
    }

    /// Where the next line starts.
    pub(crate) fn end(&self) -> usize {
        self.text_end() + self.ending.len()
    }
}

/// The lines of a text; the empty text has one, and a final newline is followed by an empty one.
pub(crate) fn lines(text: &str) -> Vec<Line> {
    let mut result = Vec::new();
    let mut start = 0;
    let pieces: Vec<&str> = text.split('\n').collect();
    for (index, piece) in pieces.iter().enumerate() {
        let last = index + 1 == pieces.len();
        let (line, ending) = match piece.strip_suffix('\r') {
            _ if last => (*piece, ""),
            Some(line) => (line, "\r\n"),
            None => (*piece, "\n"),
        };
        result.push(Line { start, text: line.to_owned(), ending: ending.to_owned() });
        start += line.len() + ending.len();
    }
    result
}

/// The texts of the lines, without endings.
pub(crate) fn texts(text: &str) -> Vec<String> {
    lines(text).into_iter().map(|line| line.text).collect()
}

/// The texts of the lines, a final newline not being followed by a line.
pub(crate) fn texts_without_final_newline(text: &str) -> Vec<String> {
    let mut result = texts(text);
    if text.ends_with('\n') {
        result.pop();
    }
    result
}

/// White space except `\n` and `\r`.
pub(crate) fn is_blank(c: char) -> bool {
    c.is_whitespace() && c != '\n' && c != '\r'
}

/// A letter, a digit or `_`.
pub(crate) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Whether a word goes on at the offset: it stands between two characters of a word.
pub(crate) fn cuts_a_word(text: &str, offset: usize) -> bool {
    text[..offset].chars().next_back().is_some_and(is_word) && text[offset..].chars().next().is_some_and(is_word)
}

/// Whether the text of a line has nothing but blanks.
pub(crate) fn is_blank_line(text: &str) -> bool {
    text.chars().all(is_blank)
}

/// The text without the blanks at its end.
pub(crate) fn trimmed(text: &str) -> &str {
    text.trim_end_matches(is_blank)
}

/// The blanks at the start, and what follows.
pub(crate) fn split_indent(text: &str) -> (&str, &str) {
    let rest = text.trim_start_matches(is_blank);
    text.split_at(text.len() - rest.len())
}

/// The 1-based line of a byte offset.
pub(crate) fn line_number(text: &str, offset: usize) -> usize {
    1 + text[..offset].matches('\n').count()
}

/// The first line ending inside the span; else that of its own line; else of the line before; else `\n`.
pub(crate) fn ending_of_span(text: &str, span: &Range<usize>) -> String {
    let lines = lines(text);
    let inside =
        lines.iter().find(|line| !line.ending.is_empty() && span.start <= line.text_end() && line.end() <= span.end);
    if let Some(line) = inside {
        return line.ending.clone();
    }
    let own = line_number(text, span.start) - 1;
    ending_at(&lines, own)
}

/// The ending of the line; else of the line before; else `\n`.
pub(crate) fn ending_at(lines: &[Line], index: usize) -> String {
    let before = index.checked_sub(1).map(|before| &lines[before]);
    let candidates = [Some(&lines[index]), before];
    let ending = candidates.into_iter().flatten().map(|line| line.ending.clone()).find(|ending| !ending.is_empty());
    ending.unwrap_or("\n".to_owned())
}
