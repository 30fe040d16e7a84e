//! A parsed search: alternatives of required and excluded terms, and how it is evaluated against an item.

use interline_edit::SearchInterrupted;

use crate::fields::{FoldedFields, SearchedFields};
use crate::snippet::{Snippet, best_snippet};
use crate::term::SearchTerm;

/// A parsed search: an item matches if it matches one of the alternatives.
#[derive(Clone, Debug)]
pub struct Search {
    pub(crate) terms: Vec<SearchTerm>,
    pub(crate) alternatives: Vec<Alternative>,
}

/// Terms by their index: an item must have all that are required and none that is excluded. At least one is required.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Alternative {
    pub(crate) required: Vec<usize>,
    pub(crate) excluded: Vec<usize>,
}

/// What an index knows about a term in an item before the item is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TermPresence {
    /// It is not there.
    Absent,
    /// It is there, and weighs so much.
    Present(u32),
    /// It is there as a text or not at all.
    PerhapsAsText,
    /// Nothing is known.
    Unknown,
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

    /// The required terms of each alternative, by their index; at least one each.
    pub fn required_terms(&self) -> impl Iterator<Item = &[usize]> {
        self.alternatives.iter().map(|alternative| alternative.required.as_slice())
    }

    /// Whether an item matches, by the presence of each term, which is asked for by the term's index.
    pub fn evaluate(&self, presence: impl Fn(usize) -> TermPresence) -> Verdict {
        let mut verdict = Verdict::No;
        for alternative in &self.alternatives {
            verdict = match (verdict, alternative.evaluate(&presence)) {
                (Verdict::Read, _) | (_, Verdict::Read) => return Verdict::Read,
                (Verdict::No, other) | (other, Verdict::No) => other,
                (Verdict::Yes(one), Verdict::Yes(other)) => Verdict::Yes(one + other),
            };
        }
        verdict
    }

    /// The score of an item, if it matches; a presence that is known already is taken for granted. `keep_going` is asked
    /// now and then where reading takes long.
    pub fn score(
        &self,
        item: &SearchedFields<'_>,
        presence: impl Fn(usize) -> TermPresence,
        keep_going: &mut dyn FnMut() -> bool,
    ) -> Result<Option<u32>, SearchInterrupted> {
        let folded = FoldedFields::new(item);
        let mut weights = Vec::with_capacity(self.terms.len());
        for (index, term) in self.terms.iter().enumerate() {
            if !keep_going() {
                return Err(SearchInterrupted);
            }
            weights.push(match presence(index) {
                TermPresence::Absent => TermPresence::Absent,
                TermPresence::Present(weight) => TermPresence::Present(weight),
                TermPresence::PerhapsAsText => TermPresence::from_weight(term.weight_as_text(&folded, keep_going)?),
                TermPresence::Unknown => TermPresence::from_weight(term.weight(&folded, keep_going)?),
            });
        }
        match self.evaluate(|index| weights[index]) {
            Verdict::Yes(score) => Ok(Some(score)),
            Verdict::No | Verdict::Read => Ok(None),
        }
    }

    /// The snippet of an item: the line of its content with the most matches, or a line of another field. `keep_going` is
    /// asked at every line: they may be millions, and the terms many.
    pub fn snippet(
        &self,
        item: &SearchedFields<'_>,
        keep_going: &mut dyn FnMut() -> bool,
    ) -> Result<Option<Snippet>, SearchInterrupted> {
        let is_wanted = |index: &usize| self.required_terms().any(|required| required.contains(index));
        let required: Vec<&SearchTerm> =
            (0..self.terms.len()).filter(is_wanted).map(|index| &self.terms[index]).collect();
        best_snippet(&required, item, keep_going)
    }
}

impl TermPresence {
    fn from_weight(weight: Option<u32>) -> TermPresence {
        weight.map_or(TermPresence::Absent, TermPresence::Present)
    }
}

impl Alternative {
    fn evaluate(&self, presence: impl Fn(usize) -> TermPresence) -> Verdict {
        let mut score = 0;
        let mut verdict = Verdict::Yes(0);
        for &index in &self.required {
            match presence(index) {
                TermPresence::Absent => return Verdict::No,
                TermPresence::Present(weight) => score += weight,
                TermPresence::PerhapsAsText | TermPresence::Unknown => verdict = Verdict::Read,
            }
        }
        for &index in &self.excluded {
            match presence(index) {
                TermPresence::Absent => {}
                TermPresence::Present(_) => return Verdict::No,
                TermPresence::PerhapsAsText | TermPresence::Unknown => verdict = Verdict::Read,
            }
        }
        if verdict == Verdict::Read { Verdict::Read } else { Verdict::Yes(score) }
    }
}
