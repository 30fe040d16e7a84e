//! Texts that a fuzzer can build from few bytes, and texts derived from them.
#![allow(dead_code, reason = "every target uses another part")]

use arbitrary::Arbitrary;

use crate::oracle::lines::{lines, texts};
use crate::oracle::misremember;
use crate::oracle::rng::Rng;

/// What one byte of input stands for.
#[rustfmt::skip]
const TOKENS: [&str; 64] = [
    "a", "b", "c", "A", "\u{212A}", "\u{DF}", "\u{130}", "\u{17F}", " ", "  ", "    ", "\t", "\t\t", "\n", "\n",
    "\n", "\r\n", "\r\n", "\r", "\n\n", "\r\n\n", " \n", "\t\r\n", "\u{A0}", "\u{3000}", "\u{2009}", "\u{2028}",
    "\u{85}", "\u{B}", "\u{FEFF}", "\u{200B}", "\0", "'", "\u{2018}", "\u{2019}", "\"", "\u{201C}", "\u{201D}", "-",
    "\u{2013}", "\u{2014}", "\u{2212}", ".", "..", "...", "\u{2026}", "e\u{301}", "\u{E9}", "\u{1F600}", "{", "}",
    "foo", "bar(x)", "if a:", "# b", "def f():", "@@", "--- a", "+", "-", "\\ No newline at end of file", "$1",
    "\\n", "\u{10FFFF}",
];

/// A text by tokens.
#[derive(Arbitrary, Clone, Debug)]
pub(crate) struct Text(Vec<u8>);

impl Text {
    pub(crate) fn text(&self) -> String {
        self.0.iter().take(400).map(|token| TOKENS[usize::from(*token) % TOKENS.len()]).collect()
    }
}

/// A text that has to do with another one.
#[derive(Arbitrary, Clone, Debug)]
pub(crate) enum Derived {
    /// It has not.
    Free(Text),
    /// A piece of it, with changes.
    Piece { from: u16, length: u16, changes: Vec<DerivedChange> },
    /// Some lines of it, remembered wrongly.
    Bent { first: u8, count: u8, ending: bool, crlf: bool, bends: Vec<Bend> },
}

/// A change at a character.
#[derive(Arbitrary, Clone, Debug)]
pub(crate) enum DerivedChange {
    Insert(u16, u8),
    Remove(u16),
}

/// A way to remember lines wrongly; the number decides how.
#[derive(Arbitrary, Clone, Debug)]
pub(crate) enum Bend {
    TrailingBlanks(u16),
    Indentation(u16),
    BlankEdges(u16),
    Typography(u16),
    Spacing(u16),
    Remove(u8),
    Repeat(u8),
    Write(u8, Text),
}

impl Derived {
    pub(crate) fn derive(&self, text: &str) -> String {
        match self {
            Derived::Free(free) => free.text(),
            Derived::Piece { from, length, changes } => {
                let mut piece: Vec<char> = text.chars().collect();
                let from = usize::from(*from) % (piece.len() + 1);
                piece = piece[from..piece.len().min(from + usize::from(*length))].to_vec();
                changes.iter().take(20).for_each(|change| change.make(&mut piece));
                piece.into_iter().collect()
            }
            Derived::Bent { first, count, ending, crlf, bends } => {
                let list = lines(text);
                let first = usize::from(*first) % list.len();
                let last = (first + usize::from(*count) % 8).min(list.len() - 1);
                let mut list: Vec<String> = list[first..=last].iter().map(|line| line.text.clone()).collect();
                bends.iter().take(20).for_each(|bend| bend.make(&mut list));
                let newline = if *crlf { "\r\n" } else { "\n" };
                list.join(newline) + if *ending { newline } else { "" }
            }
        }
    }
}

impl DerivedChange {
    fn make(&self, piece: &mut Vec<char>) {
        match *self {
            DerivedChange::Insert(at, token) => {
                let at = usize::from(at) % (piece.len() + 1);
                piece.splice(at..at, TOKENS[usize::from(token) % TOKENS.len()].chars());
            }
            DerivedChange::Remove(at) if !piece.is_empty() => _ = piece.remove(usize::from(at) % piece.len()),
            DerivedChange::Remove(_) => {}
        }
    }
}

impl Bend {
    fn make(&self, list: &mut Vec<String>) {
        let rng = |seed: u16| Rng::new(u64::from(seed));
        let at = |index: u8, list: &[String]| usize::from(index) % list.len().max(1);
        match self {
            Bend::TrailingBlanks(seed) => misremember::trailing_blanks(&mut rng(*seed), list),
            Bend::Indentation(seed) => misremember::indentation(&mut rng(*seed), list),
            Bend::BlankEdges(seed) => misremember::blank_edges(&mut rng(*seed), list),
            Bend::Typography(seed) => misremember::typography(&mut rng(*seed), list),
            Bend::Spacing(seed) => misremember::spacing(&mut rng(*seed), list),
            Bend::Remove(index) if list.len() > 1 => _ = list.remove(at(*index, list)),
            Bend::Repeat(index) if !list.is_empty() => list.insert(at(*index, list), list[at(*index, list)].clone()),
            Bend::Write(index, text) => {
                let at = at(*index, list);
                list.splice(at..at, texts(&text.text()));
            }
            _ => {}
        }
    }
}
