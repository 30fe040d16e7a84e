//! The fast path of the lexer: on short lines only strings, brackets, comments and line ends matter.

use super::depth::{DepthCounter, MAX_LEVELS};
use super::strings::Fields;
use super::{IN_WORD, Lexer, LinkCount, PreviousToken, Problem, length_while};

/// A line of so many bytes is not too deep, whatever they are: no byte makes more than two levels.
const SHORT: usize = MAX_LEVELS as usize / 2;

/// Which bytes change nothing but the depth, outside brackets. Colons and semicolons are before statements.
const PLAIN: [bool; 256] = {
    let mut table = [true; 256];
    let others = b"'\"()[]{}\n\r#\\:;";
    let mut at = 0;
    while at < others.len() {
        table[others[at] as usize] = false;
        at += 1;
    }
    table
};

impl Lexer<'_> {
    /// Begins to count the links of a logical line that is not short, from its start on.
    pub(super) fn count_if_long(&mut self) {
        if self.links == LinkCount::Few && self.is_long() {
            self.links = LinkCount::Counted;
            self.at = self.line_start;
            self.previous = PreviousToken::Other;
            self.line = DepthCounter::default();
            self.open.clear();
            self.strings = 0;
            self.markers.forget_after(self.line_start);
        }
    }

    fn is_long(&self) -> bool {
        self.at - self.line_start > SHORT
    }

    /// Skips text outside all brackets: plain bytes up to the next byte that matters, or one token.
    pub(super) fn outside_brackets(&mut self) -> Result<(), Problem> {
        if self.links != LinkCount::Few || self.at < self.exact_until {
            return self.token();
        }
        let start = self.at;
        self.at += length_while(&self.bytes[start..], |byte| PLAIN[usize::from(byte)]);
        match self.peek(0) {
            // Before its end is read, which would begin the next one.
            _ if self.is_long() => Ok(()),
            b'\'' | b'"' => self.string_after_plain(start),
            0 => Ok(()),
            _ => self.token(),
        }
    }

    /// A string, whose prefix ends the plain bytes that were skipped.
    fn string_after_plain(&mut self, start: usize) -> Result<(), Problem> {
        let skipped = &self.bytes[start..self.at];
        let is_close = |byte: &&u8| IN_WORD[usize::from(**byte)] || **byte == b'.' || !byte.is_ascii();
        let close = skipped.iter().rev().take_while(is_close).count();
        let word = &skipped[skipped.len() - close..];
        if !word.iter().all(u8::is_ascii_alphabetic) {
            // Numbers, names and prefixes are told apart from the first token on: `1.e5f""` has a prefix, `a.e5f""` none.
            self.exact_until = self.at;
            self.at = start;
            return self.token();
        }
        match word.len() {
            1 | 2 => self.prefixed_string(self.at - word.len()),
            _ => self.string(Fields::None),
        }
    }
}
