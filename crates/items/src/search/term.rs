//! One thing that is looked for.

use std::ops::Range;

use interline_edit::{Case, Pattern, SearchInterrupted};

use super::TermPresence;
use super::fold::fold;
use super::index::{Gram, IndexTerm, Payload};
use super::pieces::{MAX_PART_CHARS, PiecePattern, is_of_piece};
use super::searched::{Folded, Place, weight_of_text};
use super::words::{Stems, is_word, words};

/// One thing that is looked for.
#[derive(Clone, Debug)]
pub struct SearchTerm(pub(super) Method);

#[derive(Clone, Debug)]
pub(super) enum Method {
    /// A word: as a form of it, or where there is none as a part of another.
    Word { text: Text, stem: String },
    /// A text, as it stands.
    Text(Text),
    /// An expression, in the content only.
    Expression(Pattern),
}

/// A folded text, and what finds it.
#[derive(Clone, Debug)]
pub(super) struct Text {
    pub(super) folded: String,
    finder: Pattern,
}

impl Text {
    /// The folded form of a text; `None` if nothing is left of it.
    fn of(text: &str) -> Option<Text> {
        let folded = fold(text).trim().to_owned();
        let finder = Pattern::literal(&folded, Case::Sensitive).ok()?;
        Some(Text { folded, finder })
    }
}

/// What an index can tell about a term.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lookup {
    /// Whoever has it matches, and its payload is the weight.
    pub stem: Option<IndexTerm>,
    /// Whoever does not match this has not the text either.
    pub text: IndexQuery,
    /// What it says about those who match it.
    pub proof: Proof,
}

/// Whether an index is enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// Who matches has the text, in the places of the payloads ([`SearchTerm::known_in`]).
    Certain,
    /// They may have it.
    Candidate,
}

/// Terms that a text must have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IndexQuery {
    /// None is known that it must have.
    Anything,
    /// This gram.
    Gram(Gram),
    /// A piece like this.
    Piece(PiecePattern),
    /// What all of these ask for.
    All(Vec<IndexQuery>),
    /// What at least one of these asks for.
    Any(Vec<IndexQuery>),
}

impl SearchTerm {
    /// What to look for as it is typed: as a word if it is one, otherwise as it stands; `None` if nothing is left of it.
    pub(super) fn typed(text: &str) -> Option<SearchTerm> {
        let text = Text::of(text)?;
        if !is_word(&text.folded) {
            return Some(SearchTerm(Method::Text(text)));
        }
        let stem = Stems::english().stem(&text.folded).into_owned();
        Some(SearchTerm(Method::Word { text, stem }))
    }

    /// What to look for as it stands.
    pub(super) fn quoted(text: &str) -> Option<SearchTerm> {
        Text::of(text).map(|text| SearchTerm(Method::Text(text)))
    }

    /// An expression to look for in contents.
    pub(super) fn expression(pattern: Pattern) -> SearchTerm {
        SearchTerm(Method::Expression(pattern))
    }

    /// What an index can tell about it.
    pub fn lookup(&self) -> Lookup {
        match &self.0 {
            Method::Word { text, stem } => {
                let stem = Some(IndexTerm::Stem(stem.as_str().into()));
                Lookup { stem, ..lookup_of_text(&text.folded) }
            }
            Method::Text(text) => lookup_of_text(&text.folded),
            Method::Expression(pattern) => Lookup {
                stem: None,
                text: IndexQuery::of_expression(&pattern.required_text()),
                proof: Proof::Candidate,
            },
        }
    }

    /// What is known of a term in an item that has its text in these places.
    pub fn known_in(places: Payload) -> TermPresence {
        weight_of_text(places).map_or(TermPresence::Absent, TermPresence::Present)
    }

    /// What it weighs in an item, if it is there.
    pub(super) fn weight(
        &self,
        item: &Folded<'_>,
        keep_going: &mut dyn FnMut() -> bool,
    ) -> Result<Option<u32>, SearchInterrupted> {
        if let Method::Word { stem, .. } = &self.0
            && let Some(weight) = weight_as_word(stem, item)
        {
            return Ok(Some(weight));
        }
        self.weight_as_text(item, keep_going)
    }

    /// The same for an item that has no form of the word.
    pub(super) fn weight_as_text(
        &self,
        item: &Folded<'_>,
        keep_going: &mut dyn FnMut() -> bool,
    ) -> Result<Option<u32>, SearchInterrupted> {
        let text = match &self.0 {
            Method::Word { text, .. } | Method::Text(text) => text,
            Method::Expression(pattern) => {
                let Some(content) = item.content() else { return Ok(None) };
                let found = interline_edit::find_first(content, pattern, keep_going)?;
                return Ok(found.and_then(|_| weight_of_text(Place::Content.bit())));
            }
        };
        let there = item.texts().filter(|(_, folded)| text.finder.is_match(folded));
        Ok(weight_of_text(there.fold(0, |places, (place, _)| places | place.bit())))
    }
}

/// What forms of a word weigh in an item, if there are any.
fn weight_as_word(stem: &str, item: &Folded<'_>) -> Option<u32> {
    let stems = Stems::english();
    let mut weight: Payload = 0;
    for (place, text) in item.texts() {
        let count = words(text).filter(|other| stems.is_form(stem, other)).count();
        if count > 0 {
            weight = weight.saturating_add(place.weight_of_word(u32::try_from(count).unwrap_or(u32::MAX)));
        }
    }
    (weight > 0).then_some(weight.into())
}

fn lookup_of_text(text: &str) -> Lookup {
    let is_gram = !text.contains(' ') && text.chars().nth(3).is_none();
    let is_part = text.chars().all(is_of_piece) && text.chars().nth(MAX_PART_CHARS).is_none();
    if is_part && !is_gram {
        let text = IndexQuery::Piece(PiecePattern::Contains(text.to_owned()));
        return Lookup { stem: None, text, proof: Proof::Certain };
    }
    let proof = if is_gram { Proof::Certain } else { Proof::Candidate };
    Lookup { stem: None, text: IndexQuery::of_text(text), proof }
}

impl IndexQuery {
    /// What the terms of a folded text ask for: the words in it, and the grams of what is no word.
    pub(super) fn of_text(folded: &str) -> IndexQuery {
        let chars: Vec<char> = folded.chars().collect();
        let mut all = Vec::new();
        let mut is_covered = vec![false; chars.len()];
        for run in runs(&chars, is_of_piece) {
            if run.len() >= 3 && run.len() <= MAX_PART_CHARS {
                is_covered[run.clone()].fill(true);
                all.push(IndexQuery::Piece(pattern(&chars, &run)));
            }
        }
        let mut grams = Vec::new();
        for run in runs(&chars, |char| char != ' ') {
            let size = run.len().min(3);
            for start in run.start..=run.end - size {
                // What lies within a word says nothing that the word does not.
                if !is_covered[start..start + size].iter().all(|covered| *covered) {
                    grams.push(Gram::of(&chars[start..start + size]));
                }
            }
        }
        grams.sort_unstable();
        grams.dedup();
        all.extend(grams.into_iter().map(IndexQuery::Gram));
        IndexQuery::all(all)
    }

    /// What all of these ask for.
    pub(super) fn all(mut all: Vec<IndexQuery>) -> IndexQuery {
        all.retain(|one| *one != IndexQuery::Anything);
        match all.len() {
            0 => IndexQuery::Anything,
            1 => all.remove(0),
            _ => IndexQuery::All(all),
        }
    }
}

/// The longest ranges of characters that are all of a sort.
fn runs(chars: &[char], is_of_sort: impl Fn(char) -> bool) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for (at, _) in chars.iter().enumerate().filter(|(_, char)| is_of_sort(**char)) {
        match runs.last_mut() {
            Some(run) if run.end == at => run.end += 1,
            _ => runs.push(at..at + 1),
        }
    }
    runs
}

/// What a piece is like that has this run: where the text goes on, the piece does not.
fn pattern(chars: &[char], run: &Range<usize>) -> PiecePattern {
    let text = chars[run.clone()].iter().collect();
    match (run.start > 0, run.end < chars.len()) {
        (false, false) => PiecePattern::Contains(text),
        (true, false) => PiecePattern::StartsWith(text),
        (false, true) => PiecePattern::EndsWith(text),
        (true, true) => PiecePattern::Equals(text),
    }
}
