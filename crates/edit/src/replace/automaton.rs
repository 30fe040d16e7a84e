//! The Knuth–Morris–Pratt automaton over lines: finds a sequence of lines in a text in one pass, however often its
//! beginning repeats.

use std::collections::HashMap;

/// The part of a line that is compared. A line is one or two symbols; see [`super::whole_lines`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Symbol<'a> {
    /// A line of blanks only.
    Blank,
    /// The text of a line between its indentation and its trailing blanks.
    Body(&'a str),
    /// How the indentation of a line differs from that of the last line that was not blank: what stands after their
    /// common prefix, there and here.
    IndentChange {
        /// The rest of the indentation of the line before.
        from: &'a str,
        /// The rest of the indentation of this line.
        to: &'a str,
    },
    /// A line without an indentation to compare.
    NoIndent,
}

impl<'a> Symbol<'a> {
    /// How `here` differs from `before`. Adding one prefix to both does not change it, and neither does removing one.
    pub(super) fn indent_change(before: &'a str, here: &'a str) -> Symbol<'a> {
        let common: usize =
            before.chars().zip(here.chars()).take_while(|(a, b)| a == b).map(|(c, _)| c.len_utf8()).sum();
        Symbol::IndentChange { from: &before[common..], to: &here[common..] }
    }
}

/// The id of a symbol; equal symbols have equal ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SymbolId(u32);

impl SymbolId {
    /// A symbol that is in no pattern.
    const UNKNOWN: SymbolId = SymbolId(u32::MAX);
}

/// Ids for the symbols of patterns: a line of a pattern takes a few bytes, however many patterns have it.
#[derive(Debug, Default)]
pub(super) struct SymbolIds<'a> {
    ids: HashMap<Symbol<'a>, SymbolId>,
}

impl<'a> SymbolIds<'a> {
    /// The id of a symbol of a pattern.
    pub(super) fn add(&mut self, symbol: Symbol<'a>) -> SymbolId {
        let next = u32::try_from(self.ids.len()).map_or(SymbolId::UNKNOWN, SymbolId);
        *self.ids.entry(symbol).or_insert(next)
    }

    /// The id of a symbol of the text.
    pub(super) fn get(&self, symbol: Symbol<'_>) -> SymbolId {
        self.ids.get(&symbol).copied().unwrap_or(SymbolId::UNKNOWN)
    }
}

/// The Knuth–Morris–Pratt automaton of a sequence of symbols.
#[derive(Debug)]
pub(super) struct Automaton {
    pattern: Vec<SymbolId>,
    /// For each count of matched symbols, the next smaller count that is matched too.
    fallback: Vec<u32>,
    matched: usize,
}

impl Automaton {
    pub(super) fn new(pattern: Vec<SymbolId>) -> Automaton {
        let mut fallback = vec![0_u32; pattern.len() + 1];
        let mut matched = 0;
        for next in 1..pattern.len() {
            while matched > 0 && pattern[matched] != pattern[next] {
                matched = fallback[matched] as usize;
            }
            if pattern[matched] == pattern[next] {
                matched += 1;
            }
            // A pattern has fewer symbols than a request has bytes.
            fallback[next + 1] = u32::try_from(matched).unwrap_or(0);
        }
        Automaton { pattern, fallback, matched: 0 }
    }

    /// Forgets all symbols that were fed.
    pub(super) fn reset(&mut self) {
        self.matched = 0;
    }

    /// Takes the next symbol of the text.
    pub(super) fn feed(&mut self, symbol: SymbolId) {
        if self.pattern.is_empty() {
            return;
        }
        if self.matched == self.pattern.len() {
            self.matched = self.fallback[self.matched] as usize;
        }
        while self.matched > 0 && self.pattern[self.matched] != symbol {
            self.matched = self.fallback[self.matched] as usize;
        }
        if self.pattern[self.matched] == symbol {
            self.matched += 1;
        }
    }

    /// Whether the symbols that were fed last are the whole sequence.
    pub(super) fn is_matched(&self) -> bool {
        self.matched == self.pattern.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(pattern: &str, text: &str) -> Vec<usize> {
        let mut ids = SymbolIds::default();
        let mut automaton = Automaton::new(pattern.split(' ').map(|word| ids.add(Symbol::Body(word))).collect());
        let mut found = Vec::new();
        for (index, word) in text.split(' ').enumerate() {
            automaton.feed(ids.get(Symbol::Body(word)));
            if automaton.is_matched() {
                found.push(index);
            }
        }
        found
    }

    #[test]
    fn overlapping_sequences_are_all_found() {
        assert_eq!(ends("a a", "a a a b a a"), [1, 2, 5]);
        assert_eq!(ends("a b a", "a b a b a a b a"), [2, 4, 7]);
        assert_eq!(ends("a", "b a"), [1]);
        assert_eq!(ends("a b", "a a"), Vec::<usize>::new());
    }

    #[test]
    fn the_change_of_an_indentation_ignores_a_common_prefix() {
        let plain = Symbol::indent_change("", "  ");
        assert_eq!(Symbol::indent_change("\t", "\t  "), plain);
        assert_ne!(Symbol::indent_change("\t", "\t\t"), plain);
    }
}
