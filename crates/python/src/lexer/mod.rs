//! A lexer of our own: one linear pass over the characters, before the parser builds a tree of them.
//!
//! It follows strings, comments, brackets and the replacement fields of f-strings exactly as the parser's lexer does:
//! what this one took for text and the parser's for code would be unbounded. It refuses by itself, always as CPython does,
//! what would make the parser's lexer recover and see another structure: brackets that do not match, strings that do not end,
//! inconsistent indentation, and statements inside brackets.
//!
//! Most lines are too short for a deep tree, and what is outside brackets on them is skipped by the fast path. A line that turns
//! out to be long is read again from its start, token by token.

mod brackets;
mod chunks;
mod depth;
mod fast_path;
mod indentation;
mod keyword;
mod lines;
mod scope_markers;
mod strings;

use memchr::memchr;

use crate::error::{BYTE_ORDER_MARK, Problem};
pub(crate) use chunks::{Chunk, Chunks};
use depth::{Binding, DepthCounter, TooDeep};
use indentation::Indentation;
use keyword::Keyword;
pub(crate) use scope_markers::ScopeMarkers;
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

/// What the lexer knows of a text before it is parsed.
pub(crate) struct LexedModule<'s> {
    pub(crate) markers: ScopeMarkers,
    pub(crate) chunks: Chunks<'s>,
}

/// Why a text is refused before it is parsed.
pub(crate) enum LexError {
    /// This is wrong.
    Problem(Problem),
    /// A bracket is never closed. Where that is told depends on where a parser gives up.
    Unclosed(UnclosedBracket),
}

/// The innermost of the brackets that are open where the text ends.
pub(crate) struct UnclosedBracket {
    /// The bracket, which was never closed.
    pub(crate) bracket: LocatedProblem,
    /// The first of the problems with which reading goes on. Up to there, and without one up to the end, the text makes no
    /// tree that is too deep.
    pub(crate) deferred: Option<LocatedProblem>,
}

/// A problem, and where its logical line begins.
pub(crate) struct LocatedProblem {
    pub(crate) problem: Problem,
    pub(crate) line_start: usize,
}

impl From<Problem> for LexError {
    fn from(problem: Problem) -> LexError {
        LexError::Problem(problem)
    }
}

/// Refuses a text that would make a tree too deep, and one that no parser accepts; says where it may be cut.
pub(crate) fn lex(source: &str) -> Result<LexedModule<'_>, LexError> {
    if let Some(offset) = memchr(0, source.as_bytes()) {
        return Err(Problem::new(offset, "source code cannot contain null characters").into());
    }
    let start = if source.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len_utf8() } else { 0 };
    let mut lexer = Lexer {
        bytes: source.as_bytes(),
        start,
        at: start,
        open: Vec::new(),
        strings: 0,
        line: DepthCounter::default(),
        line_start: 0,
        links: LinkCount::Few,
        deferred: None,
        exact_until: 0,
        previous: PreviousToken::Other,
        indentation: Indentation::default(),
        markers: ScopeMarkers::default(),
        chunks: Chunks::uncut(source),
    };
    lexer.begin_line()?;
    loop {
        lexer.count_if_long();
        if lexer.at >= lexer.bytes.len() {
            break;
        }
        match lexer.open.last().map(|open| open.delimiter) {
            Some(Delimiter::Text(quoted) | Delimiter::Format(quoted)) => lexer.text(quoted)?,
            Some(Delimiter::Bracket(_) | Delimiter::Field(_)) => lexer.token()?,
            None => lexer.outside_brackets()?,
        }
    }
    lexer.end()
}

/// The state of the pass over the text.
struct Lexer<'s> {
    bytes: &'s [u8],
    /// After a byte order mark.
    start: usize,
    at: usize,
    open: Vec<OpenDelimiter>,
    /// How many of the open delimiters are strings.
    strings: usize,
    /// The depth outside all brackets, on this logical line.
    line: DepthCounter,
    /// Where the logical line begins, after its indentation.
    line_start: usize,
    links: LinkCount,
    /// The first problem after which reading goes on: as in CPython, a bracket or string that is wrong further below is
    /// told rather than it.
    deferred: Option<LocatedProblem>,
    /// The fast path does not skip bytes before this offset.
    exact_until: usize,
    /// The token before, where links are counted.
    previous: PreviousToken,
    indentation: Indentation,
    markers: ScopeMarkers,
    chunks: Chunks<'s>,
}

/// How many links the logical line has.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LinkCount {
    /// Not enough for a deep tree, so they are not counted: the line is short so far.
    Few,
    /// As many as were counted from its start on.
    Counted,
    /// It does not matter any more: the text is refused already.
    Ignored,
}

/// The token before the one that is read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PreviousToken {
    /// The end of something that can be an operand.
    Operand,
    Other,
}

/// A bracket or string that is not closed yet.
struct OpenDelimiter {
    delimiter: Delimiter,
    at: usize,
    depth: DepthCounter,
}

/// A bracket, a string with replacement fields, or a part of such a string.
#[derive(Clone, Copy)]
enum Delimiter {
    /// A bracket, and the bracket that closes it.
    Bracket(u8),
    /// The text of a string that has replacement fields.
    Text(Quoted),
    /// A replacement field of such a string.
    Field(Quoted),
    /// The format that follows the colon in a replacement field.
    Format(Quoted),
}

impl Lexer<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        // What is past the end is like a NUL, which the source does not have.
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    /// The bytes before an offset; a byte order mark does not count.
    fn before(&self, offset: usize) -> &[u8] {
        &self.bytes[self.start..offset]
    }

    fn problem<T>(&self, message: impl Into<String>) -> Result<T, Problem> {
        Err(Problem::new(self.at, message))
    }

    /// Notes a problem, if it is the first, and goes on.
    fn defer(&mut self, problem: Problem) {
        let line_start = self.line_start;
        self.deferred.get_or_insert(LocatedProblem { problem, line_start });
        self.links = LinkCount::Ignored;
    }

    fn depth(&mut self) -> &mut DepthCounter {
        self.open.last_mut().map_or(&mut self.line, |open| &mut open.depth)
    }

    /// Counts something in the innermost expression, if links are counted.
    fn count(&mut self, count: impl FnOnce(&mut DepthCounter) -> Result<(), TooDeep>) {
        if self.links == LinkCount::Counted
            && let Err(TooDeep) = count(self.depth())
        {
            self.defer(Problem::new(self.at, TooDeep::message()));
        }
    }

    /// A link before an operand, or after one.
    fn link(&mut self, binding: Binding) {
        self.count(|depth| depth.before(binding));
    }

    /// An operator that binds so between two operands, and otherwise like `before`.
    fn operator(&mut self, between: Binding, before: Binding) {
        match self.previous {
            PreviousToken::Operand => self.count(|depth| depth.between(between)),
            PreviousToken::Other => self.count(|depth| depth.before(before)),
        }
    }

    fn token(&mut self) -> Result<(), Problem> {
        let byte = self.peek(0);
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => return self.word(),
            b'0'..=b'9' => return self.number(),
            b'\'' | b'"' => return self.string(Fields::None),
            b'(' => return self.push(Delimiter::Bracket(b')')),
            b'[' => return self.push(Delimiter::Bracket(b']')),
            b'{' => return self.push(Delimiter::Bracket(b'}')),
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
                    self.markers.note(self.at);
                }
                self.begin_statement(1);
                self.count(DepthCounter::colon);
                if let Some(OpenDelimiter { delimiter: Delimiter::Field(quoted), .. }) = self.open.last() {
                    return self.push(Delimiter::Format(*quoted));
                }
            }
            b',' => self.count(|depth| {
                depth.comma();
                Ok(())
            }),
            b';' if self.open.is_empty() => {
                self.begin_statement(1);
                self.line = DepthCounter::default();
            }
            b'.' => self.link(Binding::Postfix),
            b'<' | b'>' if self.peek(1) == byte => {
                self.operator(Binding::Bits, Binding::All);
                self.at += 1;
            }
            b'<' | b'>' => self.operator(Binding::Comparison, Binding::All),
            b'|' | b'^' | b'&' => self.operator(Binding::Bits, Binding::All),
            b'+' | b'-' => self.operator(Binding::Sum, Binding::Power),
            b'~' => self.link(Binding::Power),
            b'*' if self.peek(1) == b'*' => {
                self.operator(Binding::Power, Binding::All);
                self.at += 1;
            }
            b'*' | b'/' | b'%' | b'@' => self.operator(Binding::Product, Binding::All),
            // No token begins so; what it is a part of is one.
            byte if !byte.is_ascii() => {
                self.previous = PreviousToken::Operand;
                self.at += 1;
                return Ok(());
            }
            _ => {}
        }
        self.previous = PreviousToken::Other;
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
        let keyword = if word.len() > 8 { None } else { Keyword::from_key(key) };
        let is_name = keyword.is_none() || continues || !self.peek(0).is_ascii();
        match keyword {
            None => {}
            Some(Keyword::Lambda) => self.count(DepthCounter::lambda),
            Some(Keyword::Operator) => self.link(Binding::All),
            Some(Keyword::Comparison) => self.operator(Binding::Comparison, Binding::All),
            Some(Keyword::Statement) if self.open.is_empty() => self.link(Binding::All),
            // A part of a longer name, which is not ASCII.
            Some(Keyword::Statement) if is_name => {}
            Some(Keyword::Statement) => {
                let word = String::from_utf8_lossy(word);
                self.defer(Problem::new(start, format!("`{word}` inside brackets that were not closed")));
            }
        }
        self.previous = if is_name { PreviousToken::Operand } else { PreviousToken::Other };
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
        self.previous = PreviousToken::Operand;
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
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\x0c')
}

/// How many bytes from the first on are like that.
fn length_while(bytes: &[u8], is_such: impl Fn(u8) -> bool) -> usize {
    bytes.iter().position(|byte| !is_such(*byte)).unwrap_or(bytes.len())
}
