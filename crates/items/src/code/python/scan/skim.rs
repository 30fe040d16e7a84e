//! Short lines, of which only strings, brackets, comments and endings matter.

use super::depth::{MAX_LEVELS, Run};
use super::strings::Fields;
use super::{IN_WORD, Last, Links, Problem, Scan, length_while};

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

impl Scan<'_> {
    /// Begins to count the links of a logical line that is not short, from its start on.
    pub(super) fn count_if_long(&mut self) {
        if self.links == Links::Few && self.is_long() {
            self.links = Links::Counted;
            self.at = self.line_start;
            self.last = Last::Other;
            self.line = Run::default();
            self.open.clear();
            self.strings = 0;
            self.landmarks.forget_after(self.line_start);
        }
    }

    fn is_long(&self) -> bool {
        self.at - self.line_start > SHORT
    }

    /// What is outside all brackets: up to what is not plain, or a token.
    pub(super) fn outside_brackets(&mut self) -> Result<(), Problem> {
        if self.links == Links::Counted || self.at < self.exact_until {
            return self.token();
        }
        let start = self.at;
        self.at += length_while(&self.bytes[start..], |byte| PLAIN[usize::from(byte)]);
        match self.peek(0) {
            // Before its end is read, which would begin the next one.
            _ if self.is_long() => Ok(()),
            b'\'' | b'"' => self.skimmed_to_quote(start),
            0 => Ok(()),
            _ => self.token(),
        }
    }

    /// A string, whose prefix is what was skimmed last.
    fn skimmed_to_quote(&mut self, start: usize) -> Result<(), Problem> {
        let skimmed = &self.bytes[start..self.at];
        let is_close = |byte: &&u8| IN_WORD[usize::from(**byte)] || **byte == b'.' || !byte.is_ascii();
        let close = skimmed.iter().rev().take_while(is_close).count();
        let word = &skimmed[skimmed.len() - close..];
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
