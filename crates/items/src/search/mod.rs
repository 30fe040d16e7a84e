//! Searching over many items: what is looked for, what an index knows of an item, and whether and how well an item
//! matches.
//!
//! A [`Search`] is alternatives of wanted and unwanted [`SearchTerm`]s. [`Search::score`] is the one truth about a match:
//! an index only tells beforehand, by the [`IndexTerm`]s of a [`SearchTerm`], which items need not be read ([`TermPresence`]).
//! So every storage finds the same items in the same order, whatever of its index is up to date.

mod files;
mod fold;
mod index;
mod page;
mod pieces;
mod query;
mod regex;
mod searched;
mod snippet;
mod term;
mod words;

pub use files::{FileReader, FileSearch, FileText, Paths, file_order};
pub use index::{Gram, IndexTerm, Payload, index_terms};
pub use page::{IndexStep, IndexStepResult, SearchHit, SearchOrder, SearchQuery, SearchResults};
pub use pieces::PiecePattern;
pub use query::QueryError;
pub use searched::SearchedFields;
pub use snippet::{Snippet, SnippetField};
pub use term::{IndexQuery, Lookup, Proof, SearchTerm};

use interline_edit::SearchInterrupted;

use searched::Folded;

/// What is looked for: an item matches if it matches one of the alternatives.
#[derive(Clone, Debug)]
pub struct Search {
    terms: Vec<SearchTerm>,
    alternatives: Vec<Alternative>,
}

/// Terms by their index: all that are wanted and none that is not. At least one is wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Alternative {
    wanted: Vec<usize>,
    unwanted: Vec<usize>,
}

/// What is known about a term in an item before the item is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TermPresence {
    /// It is not there.
    Absent,
    /// It is there, and weighs so much.
    Present(u32),
    /// It is there as a text or not at all.
    PerhapsAsText,
    /// Nothing.
    Unread,
}

/// Whether an item matches, as far as that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It does not.
    No,
    /// It does, so well.
    Yes(u32),
    /// It must be read.
    Read,
}

impl Search {
    /// The terms, each once.
    pub fn terms(&self) -> &[SearchTerm] {
        &self.terms
    }

    /// The wanted terms of each alternative, by their index; at least one each.
    pub fn wanted(&self) -> impl Iterator<Item = &[usize]> {
        self.alternatives.iter().map(|alternative| alternative.wanted.as_slice())
    }

    /// What can be said about an item of which something is known for each term, by its index.
    pub fn judge(&self, known: impl Fn(usize) -> TermPresence) -> Verdict {
        let mut verdict = Verdict::No;
        for alternative in &self.alternatives {
            verdict = match (verdict, alternative.judge(&known)) {
                (Verdict::Read, _) | (_, Verdict::Read) => return Verdict::Read,
                (Verdict::No, other) | (other, Verdict::No) => other,
                (Verdict::Yes(one), Verdict::Yes(other)) => Verdict::Yes(one + other),
            };
        }
        verdict
    }

    /// How well an item matches, if it does; what is known already is taken for granted. `keep_going` is asked now and
    /// then where reading takes long.
    pub fn score(
        &self,
        item: &SearchedFields<'_>,
        known: impl Fn(usize) -> TermPresence,
        keep_going: &mut dyn FnMut() -> bool,
    ) -> Result<Option<u32>, SearchInterrupted> {
        let folded = Folded::new(item);
        let mut weights = Vec::with_capacity(self.terms.len());
        for (index, term) in self.terms.iter().enumerate() {
            if !keep_going() {
                return Err(SearchInterrupted);
            }
            weights.push(match known(index) {
                TermPresence::Absent => TermPresence::Absent,
                TermPresence::Present(weight) => TermPresence::Present(weight),
                TermPresence::PerhapsAsText => TermPresence::of(term.weight_as_text(&folded, keep_going)?),
                TermPresence::Unread => TermPresence::of(term.weight(&folded, keep_going)?),
            });
        }
        match self.judge(|index| weights[index]) {
            Verdict::Yes(score) => Ok(Some(score)),
            Verdict::No | Verdict::Read => Ok(None),
        }
    }

    /// Where an item matches: the line of its content that shows the most, or another field. `keep_going` is asked at
    /// every line: they may be millions, and the terms many.
    pub fn snippet(
        &self,
        item: &SearchedFields<'_>,
        keep_going: &mut dyn FnMut() -> bool,
    ) -> Result<Option<Snippet>, SearchInterrupted> {
        let is_wanted = |index: &usize| self.wanted().any(|wanted| wanted.contains(index));
        let wanted: Vec<&SearchTerm> =
            (0..self.terms.len()).filter(is_wanted).map(|index| &self.terms[index]).collect();
        snippet::snippet(&wanted, item, keep_going)
    }
}

impl TermPresence {
    fn of(weight: Option<u32>) -> TermPresence {
        weight.map_or(TermPresence::Absent, TermPresence::Present)
    }
}

impl Alternative {
    fn judge(&self, known: impl Fn(usize) -> TermPresence) -> Verdict {
        let mut score = 0;
        let mut verdict = Verdict::Yes(0);
        for &index in &self.wanted {
            match known(index) {
                TermPresence::Absent => return Verdict::No,
                TermPresence::Present(weight) => score += weight,
                TermPresence::PerhapsAsText | TermPresence::Unread => verdict = Verdict::Read,
            }
        }
        for &index in &self.unwanted {
            match known(index) {
                TermPresence::Absent => {}
                TermPresence::Present(_) => return Verdict::No,
                TermPresence::PerhapsAsText | TermPresence::Unread => verdict = Verdict::Read,
            }
        }
        if verdict == Verdict::Read { Verdict::Read } else { Verdict::Yes(score) }
    }
}
