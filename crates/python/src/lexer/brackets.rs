//! Brackets and strings with replacement fields: what is open, what closes it, and what the text ends in.

use super::depth::{Binding, DepthCounter};
use super::strings::UNENDED;
use super::{
    Delimiter, LexError, LexedModule, Lexer, LocatedProblem, MAX_BRACKETS, OpenDelimiter, PreviousToken, Problem,
    UnclosedBracket,
};

impl<'s> Lexer<'s> {
    pub(super) fn push(&mut self, delimiter: Delimiter) -> Result<(), Problem> {
        self.link(Binding::Postfix);
        if self.open.len() - self.strings >= MAX_BRACKETS {
            return self.problem(format!("brackets are nested more than {MAX_BRACKETS} levels deep"));
        }
        self.open.push(OpenDelimiter { delimiter, at: self.at, depth: DepthCounter::default() });
        self.at += 1;
        self.previous = PreviousToken::Other;
        Ok(())
    }

    pub(super) fn pop(&mut self) {
        if let Some(closed) = self.open.pop() {
            self.count(|depth| depth.close(&closed.depth));
        }
    }

    pub(super) fn close(&mut self, byte: u8) -> Result<(), Problem> {
        let closed = char::from(byte);
        match self.open.last() {
            Some(OpenDelimiter { delimiter: Delimiter::Bracket(expected), .. }) if *expected == byte => {}
            Some(OpenDelimiter { delimiter: Delimiter::Field(_), .. }) if byte == b'}' => {}
            Some(OpenDelimiter { delimiter: Delimiter::Bracket(expected), .. }) => {
                let expected = char::from(*expected);
                return self.problem(format!("`{closed}` does not close the bracket that `{expected}` would"));
            }
            _ => return self.problem(format!("unmatched `{closed}`")),
        }
        self.at += 1;
        self.previous = PreviousToken::Operand;
        self.pop();
        Ok(())
    }

    /// The text ends here.
    pub(super) fn end(self) -> Result<LexedModule<'s>, LexError> {
        let is_string = |open: &&OpenDelimiter| matches!(open.delimiter, Delimiter::Text(_));
        if let Some(string) = self.open.iter().find(is_string) {
            return Err(Problem::new(string.at, UNENDED).into());
        }
        if let Some(open) = self.open.last() {
            let bracket = char::from(self.bytes[open.at]);
            let problem = Problem::new(open.at, format!("`{bracket}` was never closed"));
            let bracket = LocatedProblem { problem, line_start: self.line_start };
            return Err(LexError::Unclosed(UnclosedBracket { bracket, deferred: self.deferred }));
        }
        match self.deferred {
            Some(LocatedProblem { problem, .. }) => Err(problem.into()),
            None => Ok(LexedModule { markers: self.markers, chunks: self.chunks }),
        }
    }
}
