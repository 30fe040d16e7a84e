//! Lines: comments, continuations, indentation, and `global` and `nonlocal` at the start of a statement.

use memchr::memchr2;

use super::indentation::Indent;
use super::{Lexer, LinkCount, Problem, is_blank, length_while};

impl Lexer<'_> {
    pub(super) fn comment(&mut self) -> Result<(), Problem> {
        let rest = &self.bytes[self.at..];
        self.at += memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
        Ok(())
    }

    /// A backslash joins two lines.
    pub(super) fn continuation(&mut self) -> Result<(), Problem> {
        self.at += 1;
        match (self.peek(0), self.peek(1)) {
            (b'\r', b'\n') => self.at += 2,
            (b'\n' | b'\r', _) => self.at += 1,
            _ => return Err(Problem::new(self.at - 1, "unexpected character after a line continuation `\\`")),
        }
        self.begin_statement(0);
        Ok(())
    }

    /// Notes a `global` or `nonlocal` statement that may begin so far ahead: a statement begins with a line, after a colon
    /// or after a semicolon.
    pub(super) fn begin_statement(&mut self, ahead: usize) {
        let rest = self.bytes.get(self.at + ahead..).unwrap_or_default();
        let blanks = length_while(rest, is_blank);
        if matches!(rest.get(blanks), Some(b'g' | b'n')) {
            let statement = &rest[blanks..];
            if statement.starts_with(b"global") || statement.starts_with(b"nonlocal") {
                self.markers.note(self.at + ahead + blanks);
            }
        }
    }

    pub(super) fn newline(&mut self) -> Result<(), Problem> {
        self.at += 1;
        if self.open.is_empty() { self.begin_line() } else { Ok(()) }
    }

    pub(super) fn begin_line(&mut self) -> Result<(), Problem> {
        self.links = LinkCount::Few;
        let start = self.at;
        let mut indent = Indent::default();
        loop {
            match self.peek(0) {
                b' ' => {
                    let spaces = spaces(&self.bytes[self.at..]);
                    indent.spaces(spaces);
                    self.at += spaces;
                    continue;
                }
                b'\t' => indent.tab(),
                b'\x0c' => indent = Indent::default(),
                b'\\' => {
                    self.continuation()?;
                    // The blanks before the first backslash are the indentation, unless there are none.
                    while indent != Indent::default() && is_blank(self.peek(0)) {
                        self.at += 1;
                    }
                    continue;
                }
                b'\n' | b'\r' | b'#' | 0 => {
                    self.line_start = self.at;
                    return Ok(());
                }
                _ => break,
            }
            self.at += 1;
        }
        self.line_start = self.at;
        self.begin_statement(0);
        if indent == Indent::default() {
            self.chunks.begin_line(start, &self.bytes[self.at..]);
        }
        self.indentation.line(indent).map_err(|message| Problem::new(self.at, message))
    }
}

/// How many spaces are first; most come in fours.
fn spaces(bytes: &[u8]) -> usize {
    let mut spaces = 0;
    while bytes[spaces..].starts_with(b"    ") {
        spaces += 4;
    }
    spaces + length_while(&bytes[spaces..], |byte| byte == b' ')
}
