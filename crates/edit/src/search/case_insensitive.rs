//! Case-insensitive search for a literal: every occurrence, overlapping ones included, in linear time.

use std::collections::BTreeMap;
use std::ops::Range;

use regex::{Regex, RegexBuilder};
use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

use super::SearchInterrupted;
use super::pattern::PatternError;
use super::work_budget::WorkBudget;

/// How many characters the fast search looks for. A longer literal would only make the automaton larger.
const PREFIX_CHARS: usize = 16;

/// How many bytes the fast search reads at once, since it cannot be interrupted; and what each costs.
const PIECE: usize = 8 << 10;
const PREFIX_UNITS: usize = PREFIX_CHARS;

/// A literal whose characters stand for all that are equal to them under simple case folding.
///
/// Characters are compared one by one, so positions are always those of the text: `k` (one byte) matches the
/// Kelvin sign (three).
#[derive(Debug, Clone)]
pub(super) struct CaseInsensitiveLiteral {
    /// The literal, each character replaced by the least of those it equals.
    needle: Vec<char>,
    /// For each length of a part matched, less one: the length of the longest shorter part that it ends with.
    fallbacks: Vec<usize>,
    /// The characters beyond ASCII that equal one of the literal's, with the least that they equal. Sorted.
    beyond_ascii: Vec<(char, char)>,
    /// Finds the literal's first [`PREFIX_CHARS`] characters.
    prefix: Regex,
    prefix_chars: usize,
}

impl CaseInsensitiveLiteral {
    /// `None` if no character of `literal` has another case.
    pub(super) fn new(literal: &str) -> Result<Option<Self>, PatternError> {
        let mut least: BTreeMap<char, char> = BTreeMap::new();
        let mut has_case = false;
        for c in literal.chars() {
            if !least.contains_key(&c) {
                let equals = equal_chars(c);
                has_case |= equals.len() > 1;
                let first = equals.iter().copied().min().unwrap_or(c);
                least.extend(equals.into_iter().map(|equal| (equal, first)));
            }
        }
        if !has_case {
            return Ok(None);
        }
        let needle: Vec<char> = literal.chars().map(|c| least.get(&c).copied().unwrap_or(c)).collect();
        let start: String = literal.chars().take(PREFIX_CHARS).collect();
        let prefix = RegexBuilder::new(&regex::escape(&start))
            .case_insensitive(true)
            .build()
            .map_err(|error| PatternError::Invalid { detail: error.to_string(), position: None })?;
        Ok(Some(CaseInsensitiveLiteral {
            fallbacks: fallbacks(&needle),
            beyond_ascii: least.into_iter().filter(|(c, _)| !c.is_ascii()).collect(),
            prefix,
            prefix_chars: needle.len().min(PREFIX_CHARS),
            needle,
        }))
    }

    /// The spans of all occurrences, ascending, overlapping ones included.
    pub(super) fn occurrences<'a>(&'a self, text: &'a str) -> CaseInsensitiveOccurrences<'a> {
        CaseInsensitiveOccurrences { folded: self, text, start: 0, end: 0, matched: 0 }
    }

    fn equals(&self, c: char, at: usize) -> bool {
        // The least equal of an ASCII letter is its capital: only `k` and `s` equal anything beyond ASCII.
        let least = if c.is_ascii() {
            Some(c.to_ascii_uppercase())
        } else {
            self.beyond_ascii.binary_search_by_key(&c, |entry| entry.0).ok().map(|index| self.beyond_ascii[index].1)
        };
        least == Some(self.needle[at])
    }
}

/// The characters that equal `c` under simple case folding, itself included, by the tables of `(?i)`.
fn equal_chars(c: char) -> Vec<char> {
    let mut class = ClassUnicode::new([ClassUnicodeRange::new(c, c)]);
    // Fails only where the tables were compiled out; then every character equals itself alone.
    let _ = class.try_case_fold_simple();
    class.iter().flat_map(|range| range.start()..=range.end()).collect()
}

/// Knuth, Morris and Pratt's table.
fn fallbacks(needle: &[char]) -> Vec<usize> {
    let mut table = vec![0; needle.len()];
    let mut length = 0;
    for at in 1..needle.len() {
        while length > 0 && needle[at] != needle[length] {
            length = table[length - 1];
        }
        if needle[at] == needle[length] {
            length += 1;
        }
        table[at] = length;
    }
    table
}

/// Walks over [`CaseInsensitiveLiteral::occurrences`]: the fast search finds where the literal starts, the table goes on
/// from there for as long as some part of the literal is matched.
#[derive(Debug)]
pub(super) struct CaseInsensitiveOccurrences<'a> {
    folded: &'a CaseInsensitiveLiteral,
    text: &'a str,
    /// `text[start..end]` equals the first `matched` characters of the literal.
    start: usize,
    end: usize,
    matched: usize,
}

impl CaseInsensitiveOccurrences<'_> {
    /// Gives up on the part matched for the longest shorter one.
    fn fall_back(&mut self) {
        let shorter = self.folded.fallbacks[self.matched - 1];
        let skipped = self.text[self.start..].chars().take(self.matched - shorter);
        self.start += skipped.map(char::len_utf8).sum::<usize>();
        self.matched = shorter;
    }

    /// Reads on until all of the literal is matched; `None` when nothing of it is, or the text ends.
    fn read_on(&mut self, budget: &mut WorkBudget<'_>) -> Result<Option<()>, SearchInterrupted> {
        while self.matched < self.folded.needle.len() {
            budget.spend(1)?;
            let Some(c) = self.text[self.end..].chars().next() else {
                self.matched = 0;
                return Ok(None);
            };
            if self.folded.equals(c, self.matched) {
                self.matched += 1;
                self.end += c.len_utf8();
            } else {
                self.fall_back();
                if self.matched == 0 {
                    return Ok(None);
                }
            }
        }
        Ok(Some(()))
    }

    /// The first characters of the literal from `end` on, looked for piece by piece.
    fn find_prefix(&mut self, budget: &mut WorkBudget<'_>) -> Result<Option<Range<usize>>, SearchInterrupted> {
        let longest = self.folded.prefix_chars * char::MAX.len_utf8();
        loop {
            let piece_end = self.text.floor_char_boundary(self.end.saturating_add(PIECE));
            budget.spend((piece_end - self.end) * PREFIX_UNITS)?;
            if let Some(found) = self.folded.prefix.find_at(&self.text[..piece_end], self.end) {
                return Ok(Some(found.range()));
            }
            if piece_end == self.text.len() {
                return Ok(None);
            }
            self.end = self.text.floor_char_boundary(piece_end - longest);
        }
    }

    /// The next occurrence.
    pub(super) fn next(&mut self, budget: &mut WorkBudget<'_>) -> Result<Option<Range<usize>>, SearchInterrupted> {
        loop {
            if self.matched == 0 {
                let Some(prefix) = self.find_prefix(budget)? else { return Ok(None) };
                (self.start, self.end) = (prefix.start, prefix.end);
                self.matched = self.folded.prefix_chars;
            }
            if self.read_on(budget)?.is_some() {
                let found = self.start..self.end;
                self.fall_back();
                return Ok(Some(found));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_equal_of_an_ascii_character_is_its_capital() {
        for c in '\0'..='\x7f' {
            assert_eq!(equal_chars(c).into_iter().min(), Some(c.to_ascii_uppercase()));
        }
    }

    #[test]
    fn a_literal_without_case_needs_no_folding() {
        for (literal, folded) in [("1 + 2\n", false), ("漢字", false), ("x1", true), ("É", true)] {
            assert_eq!(CaseInsensitiveLiteral::new(literal).unwrap().is_some(), folded, "{literal}");
        }
    }
}
