//! Walks over the matches of an expression.

use std::ops::Range;

use memchr::{memchr, memrchr};
use regex_automata::Input;

use super::super::SearchInterrupted;
use super::super::work_budget::WorkBudget;
use super::Expression;
use super::automaton::AutomatonCache;
use super::shape::LineReach;

/// The matches of an expression in a text, leftmost first, none overlapping.
///
/// A call into the `regex` crate's engines cannot be interrupted, so they are called for a piece of the text that is
/// short for the expression, and only where the piece shows a whole match and its precedence: where it ends with a
/// line and no match holds a line ending, where the longest match is shorter, or where the text ends. Everywhere else
/// our own automaton steps over the text.
#[derive(Debug)]
pub(in super::super) struct Matches<'a> {
    expression: &'a Expression,
    text: &'a str,
    /// No match that is not yet returned starts before. Past the text's end when there are no more.
    at: usize,
    last_end: Option<usize>,
    piece: Option<Piece>,
    cache: AutomatonCache,
}

/// A part of the text that is searched at once. It starts wherever the search has come to.
#[derive(Debug, Clone, Copy)]
struct Piece {
    end: usize,
    /// A match that starts here or before, and is the leftmost in the piece, is a match in the text.
    last_start: usize,
    /// Where to go on when there is no such match.
    next: usize,
    method: Method,
}

#[derive(Debug, Clone, Copy)]
enum Method {
    /// One call of the fast engine.
    Call,
    /// Our own automaton.
    Steps,
}

impl<'a> Matches<'a> {
    pub(super) fn new(expression: &'a Expression, text: &'a str, cache: AutomatonCache) -> Self {
        Matches { expression, text, at: 0, last_end: None, piece: None, cache }
    }

    /// The next match.
    pub(in super::super) fn next(
        &mut self,
        budget: &mut WorkBudget<'_>,
    ) -> Result<Option<Range<usize>>, SearchInterrupted> {
        while let Some(found) = self.find(budget)? {
            let follows = self.last_end.replace(found.end) == Some(found.end);
            self.at = if found.is_empty() { self.after_char_at(found.end) } else { found.end };
            if !(found.is_empty() && follows) {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// The leftmost match that starts at `at` or later.
    fn find(&mut self, budget: &mut WorkBudget<'_>) -> Result<Option<Range<usize>>, SearchInterrupted> {
        while self.at <= self.text.len() {
            let piece = match self.piece {
                Some(piece) if self.at <= piece.last_start => piece,
                _ => *self.piece.insert(self.cut_piece()),
            };
            match self.find_in(piece, budget)? {
                Some(found) if found.start <= piece.last_start => return Ok(Some(found)),
                _ => self.at = piece.next,
            }
        }
        Ok(None)
    }

    fn find_in(
        &mut self,
        piece: Piece,
        budget: &mut WorkBudget<'_>,
    ) -> Result<Option<Range<usize>>, SearchInterrupted> {
        let span = self.at..piece.end;
        let Expression { fast, automaton, width, .. } = self.expression;
        match (piece.method, fast) {
            (Method::Call, Some(fast)) => {
                budget.spend(width.saturating_mul(span.len()))?;
                Ok(fast.regex.search(&Input::new(self.text).span(span)).map(|found| found.range()))
            }
            (Method::Call, None) | (Method::Steps, _) => automaton.find(&mut self.cache, self.text, span, budget),
        }
    }

    fn cut_piece(&self) -> Piece {
        let Expression { fast, reach, .. } = self.expression;
        let (from, text_end) = (self.at, self.text.len());
        let whole = |end, method| Piece { end, last_start: end, next: end + 1, method };
        let Some(fast) = fast else { return whole(text_end, Method::Steps) };
        let limit = from.saturating_add(fast.max_bytes);
        if limit >= text_end {
            return whole(text_end, Method::Call);
        }
        if reach.lines == LineReach::One
            && let Some(newline) = memrchr(b'\n', &self.text.as_bytes()[from..limit])
        {
            return whole(from + newline, Method::Call);
        }
        if let Some(longest) = reach.bytes
            && longest <= fast.max_bytes / 2
            && let end = self.text.floor_char_boundary(limit)
            // A character may be longer than a short piece.
            && let last_start = self.text.floor_char_boundary(end.saturating_sub(longest))
            && from <= last_start
        {
            return Piece { end, last_start, next: self.after_char_at(last_start), method: Method::Call };
        }
        let line_end = match reach.lines {
            LineReach::One => memchr(b'\n', &self.text.as_bytes()[from..]).map(|newline| from + newline),
            LineReach::Any => None,
        };
        whole(line_end.unwrap_or(text_end), Method::Steps)
    }

    fn after_char_at(&self, position: usize) -> usize {
        self.text.ceil_char_boundary(position + 1).max(position + 1)
    }
}
