//! String literals: where they end, and where their replacement fields are.

use memchr::memchr2;

use super::depth::DepthCounter;
use super::{Delimiter, IN_WORD, Lexer, MAX_STRINGS, OpenDelimiter, PreviousToken, Problem, length_while};

pub(super) const UNENDED: &str = "unterminated string";

/// Whether a string has replacement fields.
#[derive(Clone, Copy)]
pub(super) enum Fields {
    None,
    Some,
    InRaw,
}

/// How a string that has replacement fields is quoted.
#[derive(Clone, Copy)]
pub(super) struct Quoted {
    quote: u8,
    ending: Ending,
    escapes: Escapes,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Ending {
    One,
    Three,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Escapes {
    Read,
    Raw,
}

impl Lexer<'_> {
    /// A string from its first quote on: the whole, or the opening of one that has replacement fields.
    pub(super) fn string(&mut self, fields: Fields) -> Result<(), Problem> {
        let start = self.at;
        if self.follows_other_letters() {
            return Err(Problem::new(start, "a string right after a name or a character that is not ASCII"));
        }
        let quote = self.peek(0);
        let ending = if self.peek(1) == quote && self.peek(2) == quote { Ending::Three } else { Ending::One };
        self.at += ending.len();
        let escapes = match fields {
            Fields::None => return self.plain(start, quote, ending),
            Fields::Some => Escapes::Read,
            Fields::InRaw => Escapes::Raw,
        };
        if self.strings >= MAX_STRINGS {
            return Err(Problem::new(start, format!("f-strings are nested more than {MAX_STRINGS} levels deep")));
        }
        self.strings += 1;
        let delimiter = Delimiter::Text(Quoted { quote, ending, escapes });
        self.open.push(OpenDelimiter { delimiter, at: start, depth: DepthCounter::default() });
        Ok(())
    }

    /// Whether what stands right before has characters that are not ASCII. Where a name of such ends, and so whether an
    /// `f` is its last letter or the prefix of the string, takes Unicode's tables to tell; no code with it is valid.
    fn follows_other_letters(&self) -> bool {
        let before = self.before(self.at).iter().rev();
        let mut run = before.take_while(|byte| IN_WORD[usize::from(**byte)] || !byte.is_ascii());
        run.any(|byte| !byte.is_ascii())
    }

    fn plain(&mut self, start: usize, quote: u8, ending: Ending) -> Result<(), Problem> {
        loop {
            let rest = &self.bytes[self.at..];
            self.at += match ending {
                Ending::Three => memchr2(quote, b'\\', rest).unwrap_or(rest.len()),
                Ending::One => length_while(rest, |byte| byte != quote && !matches!(byte, b'\\' | b'\n' | b'\r')),
            };
            match self.peek(0) {
                b'\\' => self.escaped(),
                byte if byte == quote && self.ends(quote, ending) => {
                    self.at += ending.len();
                    self.previous = PreviousToken::Operand;
                    return Ok(());
                }
                b'\n' | b'\r' if ending == Ending::One => return Err(Problem::new(start, UNENDED)),
                0 => return Err(Problem::new(start, UNENDED)),
                _ => self.at += 1,
            }
        }
    }

    /// The text of a string with fields, or of what follows a field's colon, up to what is not text.
    pub(super) fn text(&mut self, quoted: Quoted) -> Result<(), Problem> {
        let Some(&OpenDelimiter { delimiter, at: start, .. }) = self.open.last() else { return Ok(()) };
        let in_format = matches!(delimiter, Delimiter::Format(_));
        loop {
            match self.peek(0) {
                b'\\' if matches!(self.peek(1), b'{' | b'}') => self.at += 1,
                b'\\' if quoted.escapes == Escapes::Read && self.bytes[self.at..].starts_with(b"\\N{") => self.named(),
                b'\\' => self.escaped(),
                byte if byte == quoted.quote && self.ends(byte, quoted.ending) => {
                    if in_format {
                        return self.problem("a replacement field was not closed before the end of its string");
                    }
                    self.at += quoted.ending.len();
                    self.strings -= 1;
                    self.previous = PreviousToken::Operand;
                    self.pop();
                    return Ok(());
                }
                b'\n' | b'\r' if quoted.ending == Ending::One => return Err(Problem::new(start, UNENDED)),
                0 => return Err(Problem::new(start, UNENDED)),
                byte @ (b'{' | b'}') if self.peek(1) == byte && !in_format => self.at += 2,
                b'{' => return self.push(Delimiter::Field(quoted)),
                b'}' if in_format => {
                    // The colon's part ends, and its field with it.
                    self.pop();
                    return self.close(b'}');
                }
                b'}' => return self.problem("single `}` in a string with replacement fields"),
                _ => self.at += 1,
            }
        }
    }

    /// A backslash and what it escapes.
    fn escaped(&mut self) {
        let escaped = &self.bytes[self.at + 1..];
        self.at += match escaped {
            [b'\r', b'\n', ..] => 3,
            [] => 1,
            _ => 2,
        };
    }

    /// A character by its name: `\N{BULLET}`.
    fn named(&mut self) {
        self.at += 3;
        while matches!(self.peek(0), b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b' ' | b'-' | b'_' | b'(' | b')') {
            self.at += 1;
        }
        if self.peek(0) == b'}' {
            self.at += 1;
        }
    }

    fn ends(&self, quote: u8, ending: Ending) -> bool {
        match ending {
            Ending::One => true,
            Ending::Three => self.peek(1) == quote && self.peek(2) == quote,
        }
    }
}

impl Ending {
    fn len(self) -> usize {
        match self {
            Ending::One => 1,
            Ending::Three => 3,
        }
    }
}
