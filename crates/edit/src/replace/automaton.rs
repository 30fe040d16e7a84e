//! Finding a sequence of lines among the lines of a text in one pass, however often its beginning repeats.

/// What is compared of a line. A line is one or two symbols; see [`super::fitted`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Symbol<'a> {
    /// A line of blanks only.
    Blank,
    /// The text of a line between its indentation and its trailing blanks.
    Body(&'a str),
    /// The indentation of a line.
    Indent(&'a str),
    /// How the indentation of a line differs from that of the last line that was not blank: what stands after their common prefix, there and here.
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

/// The Knuth–Morris–Pratt automaton of a sequence of symbols.
#[derive(Debug)]
pub(super) struct Automaton<'a> {
    pattern: Vec<Symbol<'a>>,
    /// For each number of matched symbols, the next smaller number that is matched too.
    fallback: Vec<usize>,
    matched: usize,
}

impl<'a> Automaton<'a> {
    pub(super) fn new(pattern: Vec<Symbol<'a>>) -> Automaton<'a> {
        let mut fallback = vec![0; pattern.len() + 1];
        let mut matched = 0;
        for next in 1..pattern.len() {
            while matched > 0 && pattern[matched] != pattern[next] {
                matched = fallback[matched];
            }
            if pattern[matched] == pattern[next] {
                matched += 1;
            }
            fallback[next + 1] = matched;
        }
        Automaton { pattern, fallback, matched: 0 }
    }

    /// Forgets what was fed.
    pub(super) fn reset(&mut self) {
        self.matched = 0;
    }

    /// Takes the next symbol of the text.
    pub(super) fn feed(&mut self, symbol: Symbol<'_>) {
        if self.pattern.is_empty() {
            return;
        }
        if self.matched == self.pattern.len() {
            self.matched = self.fallback[self.matched];
        }
        while self.matched > 0 && self.pattern[self.matched] != symbol {
            self.matched = self.fallback[self.matched];
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
        let symbols = |text: &'static str| text.split(' ').map(Symbol::Body).collect::<Vec<_>>();
        let mut automaton = Automaton::new(symbols(String::leak(pattern.to_owned())));
        let mut found = Vec::new();
        for (index, symbol) in symbols(String::leak(text.to_owned())).into_iter().enumerate() {
            automaton.feed(symbol);
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
