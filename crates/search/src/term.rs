//! Search terms: a word, a phrase or a regular expression; its look-up in an index, and its weight in an item.

use std::ops::Range;

use interline_edit::{Case, Pattern, SearchInterrupted};

use crate::TermPresence;
use crate::fields::{FieldKind, FoldedFields, weight_of_text};
use crate::fold::fold;
use crate::index_terms::{IndexTerm, NGram, Payload};
use crate::stems::{Stemmer, is_word, words};
use crate::tokens::{MAX_PART_CHARS, TokenPattern, is_token_char};

/// How many words are compared before asking whether to go on.
const WORDS_PER_QUESTION: usize = 4_096;

/// One term of a [`Search`](crate::Search).
#[derive(Clone, Debug)]
pub struct SearchTerm(pub(crate) TermKind);

/// How a term is searched for.
#[derive(Clone, Debug)]
pub(crate) enum TermKind {
    /// A word: as a form of it, or where there is none as a part of another word.
    Word { text: FoldedText, stem: String },
    /// A text, as it stands.
    Phrase(FoldedText),
    /// A regular expression, in the content only.
    Regex(Pattern),
}

/// A folded text, and the pattern that finds it.
#[derive(Clone, Debug)]
pub(crate) struct FoldedText {
    pub(crate) folded: String,
    finder: Pattern,
}

impl FoldedText {
    /// The folded form of a text; `None` if nothing is left of it.
    fn fold(text: &str) -> Option<FoldedText> {
        let folded = fold(text).trim().to_owned();
        let finder = Pattern::literal(&folded, Case::Sensitive).ok()?;
        Some(FoldedText { folded, finder })
    }
}

/// The look-up of a term in an index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexLookup {
    /// An item that has this term matches, and the payload is the weight.
    pub stem: Option<IndexTerm>,
    /// An item that does not match this query does not have the text either.
    pub text: IndexQuery,
    /// What a match of `text` says about the item.
    pub proof: Proof,
}

/// Whether the index alone proves a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// An item that matches has the text, in the fields of the payloads ([`SearchTerm::presence_in`]).
    Certain,
    /// An item that matches may have the text.
    Candidate,
}

/// The index terms that an item must have to match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IndexQuery {
    /// No term is known that it must have.
    Anything,
    /// This n-gram.
    NGram(NGram),
    /// A token like this.
    Token(TokenPattern),
    /// What all of these ask for.
    All(Vec<IndexQuery>),
    /// What at least one of these asks for.
    Any(Vec<IndexQuery>),
}

impl SearchTerm {
    /// The term of an unquoted text: a word if it is one, otherwise a phrase; `None` if nothing is left of it by folding.
    pub(crate) fn typed(text: &str) -> Option<SearchTerm> {
        let text = FoldedText::fold(text)?;
        if !is_word(&text.folded) {
            return Some(SearchTerm(TermKind::Phrase(text)));
        }
        let stem = Stemmer::english().stem(&text.folded).into_owned();
        Some(SearchTerm(TermKind::Word { text, stem }))
    }

    /// The term of a quoted text: a phrase.
    pub(crate) fn quoted(text: &str) -> Option<SearchTerm> {
        FoldedText::fold(text).map(|text| SearchTerm(TermKind::Phrase(text)))
    }

    /// A regular expression, searched for in contents.
    pub(crate) fn regex(pattern: Pattern) -> SearchTerm {
        SearchTerm(TermKind::Regex(pattern))
    }

    /// The look-up of the term in an index.
    pub fn lookup(&self) -> IndexLookup {
        match &self.0 {
            TermKind::Word { text, stem } => {
                let stem = Some(IndexTerm::Stem(stem.as_str().into()));
                IndexLookup { stem, ..lookup_text(&text.folded) }
            }
            TermKind::Phrase(text) => lookup_text(&text.folded),
            TermKind::Regex(pattern) => IndexLookup {
                stem: None,
                text: IndexQuery::from_required(&pattern.required_text()),
                proof: Proof::Candidate,
            },
        }
    }

    /// The presence of a term whose text an item has in this set of fields.
    pub fn presence_in(fields: Payload) -> TermPresence {
        weight_of_text(fields).map_or(TermPresence::Absent, TermPresence::Present)
    }

    /// Its weight in an item, if it is there.
    pub(crate) fn weight(
        &self,
        item: &FoldedFields<'_>,
        keep_going: &mut dyn FnMut() -> bool,
    ) -> Result<Option<u32>, SearchInterrupted> {
        if let TermKind::Word { stem, .. } = &self.0
            && let Some(weight) = weight_as_word(stem, item, keep_going)?
        {
            return Ok(Some(weight));
        }
        self.weight_as_text(item, keep_going)
    }

    /// Its weight in an item that has no form of the word.
    pub(crate) fn weight_as_text(
        &self,
        item: &FoldedFields<'_>,
        keep_going: &mut dyn FnMut() -> bool,
    ) -> Result<Option<u32>, SearchInterrupted> {
        let text = match &self.0 {
            TermKind::Word { text, .. } | TermKind::Phrase(text) => text,
            TermKind::Regex(pattern) => {
                let Some(content) = item.content() else { return Ok(None) };
                let found = interline_edit::find_first(content, pattern, keep_going)?;
                return Ok(found.and_then(|_| weight_of_text(FieldKind::Content.bit())));
            }
        };
        let there = item.texts(keep_going)?.iter().filter(|(_, folded)| text.finder.is_match(folded));
        Ok(weight_of_text(there.fold(0, |fields, (field, _)| fields | field.bit())))
    }
}

/// The weight of the forms of a word in an item, if there are any.
fn weight_as_word(
    stem: &str,
    item: &FoldedFields<'_>,
    keep_going: &mut dyn FnMut() -> bool,
) -> Result<Option<u32>, SearchInterrupted> {
    let stems = Stemmer::english();
    let mut weight: Payload = 0;
    for (field, text) in item.texts(keep_going)? {
        let mut count: u32 = 0;
        for (index, other) in words(text).enumerate() {
            count = count.saturating_add(u32::from(stems.is_form(stem, other)));
            if index % WORDS_PER_QUESTION == WORDS_PER_QUESTION - 1 && !keep_going() {
                return Err(SearchInterrupted);
            }
        }
        if count > 0 {
            weight = weight.saturating_add(field.weight_of_word(count));
        }
    }
    Ok((weight > 0).then_some(weight.into()))
}

fn lookup_text(text: &str) -> IndexLookup {
    let is_gram = !text.contains(' ') && text.chars().nth(3).is_none();
    let is_part = text.chars().all(is_token_char) && text.chars().nth(MAX_PART_CHARS).is_none();
    if is_part && !is_gram {
        let text = IndexQuery::Token(TokenPattern::Contains(text.to_owned()));
        return IndexLookup { stem: None, text, proof: Proof::Certain };
    }
    let proof = if is_gram { Proof::Certain } else { Proof::Candidate };
    IndexLookup { stem: None, text: IndexQuery::from_text(text), proof }
}

impl IndexQuery {
    /// The index terms of a folded text: the tokens in it, and the n-grams of what is no token.
    pub(crate) fn from_text(folded: &str) -> IndexQuery {
        let chars: Vec<char> = folded.chars().collect();
        let mut all = Vec::new();
        let mut is_covered = vec![false; chars.len()];
        for run in runs(&chars, is_token_char) {
            if run.len() >= 3 && run.len() <= MAX_PART_CHARS {
                is_covered[run.clone()].fill(true);
                all.push(IndexQuery::Token(token_pattern(&chars, &run)));
            }
        }
        let mut grams = Vec::new();
        for run in runs(&chars, |char| char != ' ') {
            let size = run.len().min(3);
            for start in run.start..=run.end - size {
                // An n-gram within a token says nothing that the token does not.
                if !is_covered[start..start + size].iter().all(|covered| *covered) {
                    grams.push(NGram::new(&chars[start..start + size]));
                }
            }
        }
        grams.sort_unstable();
        grams.dedup();
        all.extend(grams.into_iter().map(IndexQuery::NGram));
        IndexQuery::all(all)
    }

    /// The conjunction of these.
    pub(crate) fn all(mut all: Vec<IndexQuery>) -> IndexQuery {
        all.retain(|one| *one != IndexQuery::Anything);
        match all.len() {
            0 => IndexQuery::Anything,
            1 => all.remove(0),
            _ => IndexQuery::All(all),
        }
    }
}

/// The longest ranges of characters for which `is_of_sort` is true.
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

/// The pattern of a token that has this run: where the text goes on, the token does not.
fn token_pattern(chars: &[char], run: &Range<usize>) -> TokenPattern {
    let text = chars[run.clone()].iter().collect();
    match (run.start > 0, run.end < chars.len()) {
        (false, false) => TokenPattern::Contains(text),
        (true, false) => TokenPattern::StartsWith(text),
        (false, true) => TokenPattern::EndsWith(text),
        (true, true) => TokenPattern::Equals(text),
    }
}
