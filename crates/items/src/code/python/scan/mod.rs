//! A linear look at the characters, before the parser builds a tree of them.
//!
//! It follows strings, comments, brackets and the replacement fields of f-strings exactly as the parser's lexer does:
//! what it took for text and the lexer for code would be unbounded. It refuses by itself, always as CPython does,
//! what would make the lexer recover and see another structure: brackets that do not match, strings that do not end,
//! inconsistent indentation, and statements inside brackets.
//!
//! Most lines are too short for a deep tree, and what is outside brackets on them is skimmed. A line that turns out to be
//! long is read again from its start, token by token.

mod depth;
mod indentation;
mod keyword;
mod landmarks;
mod lines;
mod parts;
mod skim;
mod strings;

use memchr::memchr;

use super::{BYTE_ORDER_MARK, Problem};
use depth::{Binding, Run, TooDeep};
use indentation::Indentation;
use keyword::Keyword;
pub(super) use landmarks::Landmarks;
pub(super) use parts::{Part, Parts};
use strings::{Fields, Quoted};

/// Open brackets, as in CPython.
const MAX_BRACKETS: usize = 200;
/// Strings with replacement fields inside each other's fields, as in CPython.
const MAX_STRINGS: usize = 149;

/// Which bytes continue an ASCII word.
const IN_WORD: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 128_u8 {
        table[byte as usize] = byte.is_ascii_alphanumeric() || byte == b'_';
        byte += 1;
    }
    table
};

/// What is known of a text before it is parsed.
pub(super) struct Scanned<'s> {
    pub(super) landmarks: Landmarks,
    pub(super) parts: Parts<'s>,
}

/// Refuses what would make a tree too deep, and what no reading makes valid.
pub(super) fn scan(source: &str) -> Result<Scanned<'_>, Problem> {
    if let Some(offset) = memchr(0, source.as_bytes()) {
        return Err(Problem::new(offset, "source code cannot contain null characters"));
    }
    let start = if source.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len_utf8() } else { 0 };
    let mut scan = Scan {
        bytes: source.as_bytes(),
        start,
        at: start,
        open: Vec::new(),
        strings: 0,
        line: Run::default(),
        line_start: 0,
        links: Links::Few,
        exact_until: 0,
        last: Last::Other,
        indentation: Indentation::default(),
        landmarks: Landmarks::default(),
        parts: Parts::uncut(source),
    };
    scan.begin_line()?;
    loop {
        scan.count_if_long();
        if scan.at >= scan.bytes.len() {
            break;
        }
        match scan.open.last().map(|open| open.what) {
            Some(What::Text(quoted) | What::Format(quoted)) => scan.text(quoted)?,
            Some(What::Bracket(_) | What::Field(_)) => scan.token()?,
            None => scan.outside_brackets()?,
        }
    }
    scan.end()?;
    Ok(Scanned { landmarks: scan.landmarks, parts: scan.parts })
}

struct Scan<'s> {
    bytes: &'s [u8],
    /// After a byte order mark.
    start: usize,
    at: usize,
    open: Vec<Open>,
    /// How many of those are texts.
    strings: usize,
    /// What is outside all brackets, on this logical line.
    line: Run,
    /// Where the logical line begins, after its indentation.
    line_start: usize,
    links: Links,
    /// What comes before is not skimmed.
    exact_until: usize,
    /// What the last token was, where links are counted.
    last: Last,
    indentation: Indentation,
    landmarks: Landmarks,
    parts: Parts<'s>,
}

/// How many links the logical line has.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Links {
    /// Not enough for a deep tree, so they are not counted: the line is short so far.
    Few,
    /// As many as were counted from its start on.
    Counted,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Last {
    /// The end of something that can be an operand.
    Operand,
    Other,
}

struct Open {
    what: What,
    at: usize,
    run: Run,
}

#[derive(Clone, Copy)]
enum What {
    /// A bracket, and what closes it.
    Bracket(u8),
    /// The text of a string that has replacement fields.
    Text(Quoted),
    /// A replacement field of such a string.
    Field(Quoted),
    /// What follows the colon in a replacement field.
    Format(Quoted),
}

impl Scan<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        // What is past the end is like a NUL, which the source does not have.
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    /// What comes before an offset; a byte order mark does not count.
    fn before(&self, offset: usize) -> &[u8] {
        &self.bytes[self.start..offset]
    }

    fn problem<T>(&self, message: impl Into<String>) -> Result<T, Problem> {
        Err(Problem::new(self.at, message))
    }

    fn bounded(&self, result: Result<(), TooDeep>) -> Result<(), Problem> {
        result.map_err(|TooDeep| Problem::new(self.at, TooDeep::message()))
    }

    fn run(&mut self) -> &mut Run {
        self.open.last_mut().map_or(&mut self.line, |open| &mut open.run)
    }

    /// Counts something in the innermost run, if links are counted.
    fn count(&mut self, count: impl FnOnce(&mut Run) -> Result<(), TooDeep>) -> Result<(), Problem> {
        match self.links {
            Links::Few => Ok(()),
            Links::Counted => {
                let counted = count(self.run());
                self.bounded(counted)
            }
        }
    }

    /// A link before an operand, or after one.
    fn link(&mut self, binding: Binding) -> Result<(), Problem> {
        self.count(|run| run.before(binding))
    }

    /// An operator that binds so between two operands, and otherwise like `before`.
    fn operator(&mut self, between: Binding, before: Binding) -> Result<(), Problem> {
        match self.last {
            Last::Operand => self.count(|run| run.between(between)),
            Last::Other => self.count(|run| run.before(before)),
        }
    }

    fn token(&mut self) -> Result<(), Problem> {
        let byte = self.peek(0);
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => return self.word(),
            b'0'..=b'9' => return self.number(),
            b'\'' | b'"' => return self.string(Fields::None),
            b'(' => return self.push(What::Bracket(b')')),
            b'[' => return self.push(What::Bracket(b']')),
            b'{' => return self.push(What::Bracket(b'}')),
            b')' | b']' | b'}' => return self.close(byte),
            b'\n' | b'\r' => return self.newline(),
            b'#' => return self.comment(),
            b'\\' => return self.continuation(),
            b'.' if self.peek(1).is_ascii_digit() => return self.number(),
            b' ' | b'\t' | b'\x0c' => {
                self.at += length_while(&self.bytes[self.at..], is_blank);
                return Ok(());
            }
            b':' => {
                if self.peek(1) == b'=' {
                    self.landmarks.note(self.at);
                }
                self.begin_statement(1);
                self.count(Run::colon)?;
                if let Some(Open { what: What::Field(quoted), .. }) = self.open.last() {
                    return self.push(What::Format(*quoted));
                }
            }
            b',' => self.count(|run| {
                run.comma();
                Ok(())
            })?,
            b';' if self.open.is_empty() => {
                self.begin_statement(1);
                self.line = Run::default();
            }
            b'.' => self.link(Binding::Postfix)?,
            b'<' | b'>' if self.peek(1) == byte => {
                self.operator(Binding::Bits, Binding::All)?;
                self.at += 1;
            }
            b'<' | b'>' => self.operator(Binding::Comparison, Binding::All)?,
            b'|' | b'^' | b'&' => self.operator(Binding::Bits, Binding::All)?,
            b'+' | b'-' => self.operator(Binding::Sum, Binding::Power)?,
            b'~' => self.link(Binding::Power)?,
            b'*' if self.peek(1) == b'*' => {
                self.operator(Binding::Power, Binding::All)?;
                self.at += 1;
            }
            b'*' | b'/' | b'%' | b'@' => self.operator(Binding::Product, Binding::All)?,
            // No token begins so; what it is a part of is one.
            byte if !byte.is_ascii() => {
                self.last = Last::Operand;
                self.at += 1;
                return Ok(());
            }
            _ => {}
        }
        self.last = Last::Other;
        self.at += 1;
        self.skip_space();
        Ok(())
    }

    /// A keyword, a name, or the prefix of a string.
    fn word(&mut self) -> Result<(), Problem> {
        let start = self.at;
        // Its last eight bytes, which are all of a keyword.
        let mut key = 0;
        while let Some(byte) = self.bytes.get(self.at).copied().filter(|byte| IN_WORD[usize::from(*byte)]) {
            key = key << 8 | u64::from(byte);
            self.at += 1;
        }
        let word = &self.bytes[start..self.at];
        let continues = self.before(start).last().is_some_and(|byte| !byte.is_ascii());
        if matches!(self.peek(0), b'\'' | b'"') && word.len() <= 2 {
            return self.prefixed_string(start);
        }
        let keyword = if word.len() > 8 { None } else { Keyword::of(key) };
        let is_name = keyword.is_none() || continues || !self.peek(0).is_ascii();
        match keyword {
            None => {}
            Some(Keyword::Lambda) => self.count(Run::lambda)?,
            Some(Keyword::Operator) => self.link(Binding::All)?,
            Some(Keyword::Comparison) => self.operator(Binding::Comparison, Binding::All)?,
            Some(Keyword::Statement) if self.open.is_empty() => self.link(Binding::All)?,
            // A part of a longer name, which is not ASCII.
            Some(Keyword::Statement) if is_name => {}
            Some(Keyword::Statement) => {
                let word = String::from_utf8_lossy(word);
                return Err(Problem::new(start, format!("`{word}` inside brackets that were not closed")));
            }
        }
        self.last = if is_name { Last::Operand } else { Last::Other };
        self.skip_space();
        Ok(())
    }

    /// A blank mostly follows; to skip it here is cheaper than to look at it as a token.
    fn skip_space(&mut self) {
        if self.peek(0) == b' ' {
            self.at += 1;
        }
    }

    fn prefixed_string(&mut self, start: usize) -> Result<(), Problem> {
        let mut prefix = [0; 2];
        for (lower, byte) in prefix.iter_mut().zip(&self.bytes[start..self.at]) {
            *lower = byte.to_ascii_lowercase();
        }
        match &prefix {
            b"f\0" | b"t\0" => self.string(Fields::Some),
            b"fr" | b"rf" | b"tr" | b"rt" => self.string(Fields::InRaw),
            // Another name before a string is for the parser to refuse.
            _ => self.string(Fields::None),
        }
    }

    /// A number, as far as it must be told from the keyword that may follow at once: `1if x else 0b1`.
    fn number(&mut self) -> Result<(), Problem> {
        self.last = Last::Operand;
        if self.peek(0) == b'0' && matches!(self.peek(1), b'x' | b'X') {
            self.at += 2;
            self.digits(|byte| byte.is_ascii_hexdigit());
            return Ok(());
        }
        if self.peek(0) == b'0' && matches!(self.peek(1), b'o' | b'O' | b'b' | b'B') {
            self.at += 2;
            self.digits(|byte| byte.is_ascii_digit());
            return Ok(());
        }
        self.digits(|byte| byte.is_ascii_digit());
        if self.peek(0) == b'.' {
            self.at += 1;
            self.digits(|byte| byte.is_ascii_digit());
        }
        let signed = usize::from(matches!(self.peek(1), b'+' | b'-'));
        if matches!(self.peek(0), b'e' | b'E') && self.peek(1 + signed).is_ascii_digit() {
            self.at += 1 + signed;
            self.digits(|byte| byte.is_ascii_digit());
        }
        if matches!(self.peek(0), b'j' | b'J') {
            self.at += 1;
        }
        Ok(())
    }

    fn digits(&mut self, is_digit: impl Fn(u8) -> bool) {
        while is_digit(self.peek(0)) || (self.peek(0) == b'_' && is_digit(self.peek(1))) {
            self.at += 1;
        }
    }

    fn push(&mut self, what: What) -> Result<(), Problem> {
        self.link(Binding::Postfix)?;
        if self.open.len() - self.strings >= MAX_BRACKETS {
            return self.problem(format!("brackets are nested more than {MAX_BRACKETS} levels deep"));
        }
        self.open.push(Open { what, at: self.at, run: Run::default() });
        self.at += 1;
        self.last = Last::Other;
        Ok(())
    }

    fn pop(&mut self) -> Result<(), Problem> {
        let Some(closed) = self.open.pop() else { return Ok(()) };
        self.count(|run| run.close(&closed.run))
    }

    fn close(&mut self, byte: u8) -> Result<(), Problem> {
        let closed = char::from(byte);
        match self.open.last() {
            Some(Open { what: What::Bracket(expected), .. }) if *expected == byte => {}
            Some(Open { what: What::Field(_), .. }) if byte == b'}' => {}
            Some(Open { what: What::Bracket(expected), .. }) => {
                let expected = char::from(*expected);
                return self.problem(format!("`{closed}` does not close the bracket that `{expected}` would"));
            }
            _ => return self.problem(format!("unmatched `{closed}`")),
        }
        self.at += 1;
        self.last = Last::Operand;
        self.pop()
    }

    fn end(&self) -> Result<(), Problem> {
        let Some(open) = self.open.first() else { return Ok(()) };
        let bracket = char::from(self.bytes[open.at]);
        let message = match open.what {
            What::Bracket(_) => format!("`{bracket}` was never closed"),
            What::Text(_) | What::Field(_) | What::Format(_) => strings::UNENDED.to_owned(),
        };
        Err(Problem::new(open.at, message))
    }
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\x0c')
}

/// How many bytes from the first on are like that.
fn length_while(bytes: &[u8], is_such: impl Fn(u8) -> bool) -> usize {
    bytes.iter().position(|byte| !is_such(*byte)).unwrap_or(bytes.len())
}
