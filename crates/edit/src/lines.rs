//! Lines and line endings: counting, reading, splitting. A line is a text plus its ending (`\r?\n`); the last line has no
//! ending. A lone `\r` is a character.

use std::fmt;
use std::ops::{Range, RangeInclusive};

use memchr::{memchr, memchr_iter, memrchr};

/// How many lines the text has; the empty text has one, and a final newline is followed by an empty line.
pub fn total_lines(text: &str) -> usize {
    newlines(text.as_bytes()) + 1
}

/// The text does not have the lines that were asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineRangeError {
    /// How many lines there are.
    pub total_lines: usize,
}

impl fmt::Display for LineRangeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the text has {}", LineCount(self.total_lines))
    }
}

impl std::error::Error for LineRangeError {}

/// A number of lines, displayed as `1 line` or `2 lines`.
pub(crate) struct LineCount(pub(crate) usize);

impl fmt::Display for LineCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            1 => f.write_str("1 line"),
            many => write!(f, "{many} lines"),
        }
    }
}

/// The exact bytes of the 1-based lines `first..=last`: every `\r` and every `\n` but the last.
///
/// A `last` past the end means the end. Refused when `first` is 0, past the end or past `last`.
pub fn read_lines(text: &str, first: usize, last: usize) -> Result<&str, LineRangeError> {
    let error = || LineRangeError { total_lines: total_lines(text) };
    if first == 0 || first > last {
        return Err(error());
    }
    let start = skip_lines(text, 0, first - 1).ok_or_else(error)?;
    let end = skip_lines(text, start, last - first + 1).map_or(text.len(), |next| next - 1);
    Ok(&text[start..end])
}

/// How many `\n` there are.
///
/// Finding is hardly more than this, so it is written for speed: one counter a byte wide for each of 128 columns
/// becomes vector code at twice the pace of `memchr_iter().count()`.
pub(crate) fn newlines(bytes: &[u8]) -> usize {
    let (rows, rest) = bytes.as_chunks::<128>();
    let mut count = memchr_iter(b'\n', rest).count();
    // No more rows than a counter can hold.
    for block in rows.chunks(usize::from(u8::MAX)) {
        let mut columns = [0_u8; 128];
        for row in block {
            for (column, byte) in columns.iter_mut().zip(row) {
                *column = column.wrapping_add(u8::from(*byte == b'\n'));
            }
        }
        count += columns.into_iter().map(usize::from).sum::<usize>();
    }
    count
}

/// The 1-based line of a byte offset.
pub(crate) fn line_of(text: &str, offset: usize) -> usize {
    newlines(&text.as_bytes()[..offset]) + 1
}

/// The start of the line that is `count` lines after the one that starts at `start`; `None` if there are not so many.
pub(crate) fn skip_lines(text: &str, start: usize, mut count: usize) -> Option<usize> {
    // Counting a block is several times faster than finding each newline in it, unless there are few to find.
    const BLOCK: usize = 16 * 1024;
    /// The block with the line is counted again in such parts.
    const PART: usize = 1024;
    const FEW: usize = 16;
    let bytes = text.as_bytes();
    let mut position = start;
    let mut counted = BLOCK;
    while count > 0 {
        if count <= FEW {
            return memchr_iter(b'\n', &bytes[position..]).nth(count - 1).map(|newline| position + newline + 1);
        }
        let block = &bytes[position..bytes.len().min(position + counted)];
        if block.is_empty() {
            return None;
        }
        let inside = newlines(block);
        if inside < count {
            count -= inside;
            position += block.len();
        } else if counted > PART {
            counted = PART;
        } else {
            return memchr_iter(b'\n', block).nth(count - 1).map(|newline| position + newline + 1);
        }
    }
    Some(position)
}

/// How many lines there are, the last one with a newline or without.
pub(crate) fn count_lines(text: &str) -> usize {
    newlines(text.as_bytes()) + usize::from(!text.is_empty() && !text.ends_with('\n'))
}

/// A position in a text, in lines and in bytes, that moves only forward.
pub(crate) struct LineCursor<'t> {
    text: &'t str,
    lines: usize,
    bytes: usize,
}

impl<'t> LineCursor<'t> {
    pub(crate) fn new(text: &'t str) -> LineCursor<'t> {
        LineCursor { text, lines: 0, bytes: 0 }
    }

    /// The bytes of a range of lines that comes next.
    pub(crate) fn bytes(&mut self, lines: &Range<usize>) -> Range<usize> {
        let start = self.go_to(lines.start);
        start..self.go_to(lines.end)
    }

    fn go_to(&mut self, line: usize) -> usize {
        let start = skip_lines(self.text, self.bytes, line - self.lines);
        (self.lines, self.bytes) = (line, start.unwrap_or(self.text.len()));
        self.bytes
    }
}

/// One line of a text, as byte offsets into it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    /// Where its text starts.
    pub(crate) start: usize,
    /// Where its text ends and its ending starts.
    pub(crate) text_end: usize,
    /// Where its ending ends; `text_end` for the last line.
    pub(crate) end: usize,
}

impl Line {
    /// The line that starts at `start`.
    pub(crate) fn at(text: &str, start: usize) -> Line {
        match memchr(b'\n', &text.as_bytes()[start..]) {
            Some(length) => Line::ending_with(text, start, start + length),
            None => Line { start, text_end: text.len(), end: text.len() },
        }
    }

    /// The line that contains the byte offset; a newline belongs to the line that it ends.
    pub(crate) fn containing(text: &str, offset: usize) -> Line {
        let start = memrchr(b'\n', &text.as_bytes()[..offset]).map_or(0, |newline| newline + 1);
        Line::at(text, start)
    }

    /// The line before the one that starts at `start`.
    pub(crate) fn before(text: &str, start: usize) -> Option<Line> {
        let newline = start.checked_sub(1)?;
        let begin = memrchr(b'\n', &text.as_bytes()[..newline]).map_or(0, |newline| newline + 1);
        Some(Line::ending_with(text, begin, newline))
    }

    fn ending_with(text: &str, start: usize, newline: usize) -> Line {
        let carriage_return = newline > start && text.as_bytes()[newline - 1] == b'\r';
        Line { start, text_end: newline - usize::from(carriage_return), end: newline + 1 }
    }

    /// Its text without the ending.
    pub(crate) fn text<'t>(&self, text: &'t str) -> &'t str {
        &text[self.start..self.text_end]
    }

    /// Its ending: `"\n"`, `"\r\n"`, or `""` for the last line.
    pub(crate) fn ending<'t>(&self, text: &'t str) -> &'t str {
        &text[self.text_end..self.end]
    }

    /// Whether it is the empty line after a final newline: no line of a whole-line match.
    pub(crate) fn is_after_final_newline(&self) -> bool {
        self.start == self.end
    }
}

/// The lines of a text without their endings, the last one as it is: `""` after a final newline.
pub(crate) fn split_lines(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.split('\n').collect();
    let last = lines.len() - 1;
    for line in &mut lines[..last] {
        *line = strip_carriage_return(line);
    }
    lines
}

/// The text without one final `\r`: a line as it is read has that of its ending.
pub(crate) fn strip_carriage_return(text: &str) -> &str {
    text.strip_suffix('\r').unwrap_or(text)
}

/// The ending for new lines in a span: its first one; else that of its own line; else of the line before; else `\n`.
pub(crate) fn ending_of_span(text: &str, span: &Range<usize>) -> &'static str {
    Endings::new(text).for_span(span)
}

/// Computes [`ending_of_span`] for many spans in the order of the text, reading the text once.
pub(crate) struct Endings<'t> {
    text: &'t str,
    /// The ending of the last span, and the starts of spans that have the same ending.
    last: Option<(RangeInclusive<usize>, &'static str)>,
}

impl<'t> Endings<'t> {
    pub(crate) fn new(text: &'t str) -> Endings<'t> {
        Endings { text, last: None }
    }

    pub(crate) fn for_span(&mut self, span: &Range<usize>) -> &'static str {
        if let Some((starts, ending)) = &self.last
            && starts.contains(&span.start)
        {
            return ending;
        }
        let bytes = self.text.as_bytes();
        let after = memchr(b'\n', &bytes[span.start..]).map(|length| span.start + length);
        let ending = match after.or_else(|| memrchr(b'\n', &bytes[..span.start])) {
            Some(position) if position > 0 && bytes[position - 1] == b'\r' => "\r\n",
            _ => "\n",
        };
        self.last = Some((span.start..=after.unwrap_or(bytes.len()), ending));
        ending
    }
}

/// White space that stays inside a line.
pub(crate) fn is_blank(c: char) -> bool {
    c.is_whitespace() && c != '\n' && c != '\r'
}

/// The text without blanks at its end.
pub(crate) fn trim_blanks_end(text: &str) -> &str {
    match text.as_bytes().last() {
        // Most lines end in a visible ASCII character.
        Some(last) if (b'!'..=b'~').contains(last) => text,
        _ => text.trim_end_matches(is_blank),
    }
}

/// Its leading blanks, and the rest.
pub(crate) fn split_indent(text: &str) -> (&str, &str) {
    let body = text.trim_start_matches(is_blank);
    text.split_at(text.len() - body.len())
}

/// Whether it has nothing but blanks.
pub(crate) fn is_blank_text(text: &str) -> bool {
    text.chars().all(is_blank)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_final_newline_is_followed_by_an_empty_line() {
        for (text, total) in [("hello", 1), ("hello\n", 2), ("hello\nworld", 2), ("hello\nworld\n", 3), ("", 1)] {
            assert_eq!(total_lines(text), total, "{text:?}");
        }
    }

    #[test]
    fn newlines_are_counted() {
        for length in [0, 1, 127, 128, 129, 255 * 128, 256 * 128 + 5, 600 * 128] {
            assert_eq!(newlines(&vec![b'\n'; length]), length);
            let mixed: Vec<u8> = (0..length).map(|at| if at % 3 == 0 { b'\n' } else { b'\r' }).collect();
            assert_eq!(newlines(&mixed), length.div_ceil(3));
        }
    }

    #[test]
    fn reading_lines_gives_their_bytes() {
        let text = "a\r\nb\n\nd";
        for (first, last, expected) in [(1, 1, "a\r"), (1, 2, "a\r\nb"), (2, 3, "b\n"), (3, 3, ""), (4, 99, "d")] {
            assert_eq!(read_lines(text, first, last), Ok(expected), "{first}..={last}");
        }
        assert_eq!(read_lines("", 1, usize::MAX), Ok(""));
        assert_eq!(read_lines("x\n", 2, 2), Ok(""));
        for (first, last) in [(0, 1), (5, 5), (3, 2)] {
            assert_eq!(read_lines(text, first, last), Err(LineRangeError { total_lines: 4 }));
        }
    }

    #[test]
    fn lines_far_away_are_found_by_blocks() {
        let text = "0123456789\n".repeat(5_000);
        assert_eq!(skip_lines(&text, 0, 4_999), Some(4_999 * 11));
        assert_eq!(skip_lines(&text, 0, 5_000), Some(text.len()));
        assert_eq!(skip_lines(&text, 0, 5_001), None);
    }

    #[test]
    fn new_lines_take_the_ending_of_the_place() {
        for (text, span, ending) in [
            ("a\r\nb\nc", 0..4, "\r\n"),
            ("a\nb\r\nc", 0..4, "\n"),
            ("a\r\nb", 0..1, "\r\n"),
            ("a\r\nb", 3..4, "\r\n"),
            ("ab", 0..1, "\n"),
            ("\nb", 0..0, "\n"),
        ] {
            assert_eq!(ending_of_span(text, &span), ending, "{text:?} {span:?}");
        }
    }
}
