//! Candidates of a search: the items that may match, by the postings of its terms in the index.
//!
//! A [`CandidateLookup`] collects the postings from the segments. The [`Candidates`] that it becomes say, before any text
//! is read, which items can match and what is certain about each term.

use std::collections::BTreeMap;

use interline_search::{IndexQuery, IndexTerm, Proof, Search, SearchTerm, TermPresence, TokenPattern};

use super::block::{self, Terms};
use super::item_set::ItemSet;
use super::postings::{Posting, Postings};
use super::vocabulary::VocabularyMatcher;
use crate::codec::CodecError;

/// Collects the postings of the terms of a search from the segments.
pub(crate) struct CandidateLookup {
    by_key: BTreeMap<Vec<u8>, Vec<Posting>>,
    patterns: Vec<Pattern>,
    /// For the key of each vocabulary token that matches a pattern: the indexes of the patterns.
    tokens: BTreeMap<Vec<u8>, Vec<usize>>,
    /// Stale items, whose postings are ignored.
    stale: ItemSet,
}

/// A pattern of tokens, and the postings of the tokens that match it.
struct Pattern {
    pattern: TokenPattern,
    matcher: VocabularyMatcher,
    union: PatternPostings,
}

impl CandidateLookup {
    /// A lookup of the terms of a search, without postings yet. Stale items are left out.
    pub(crate) fn new(search: &Search, stale: ItemSet) -> CandidateLookup {
        let by_key = BTreeMap::from([(IndexTerm::Unlisted.key(), Vec::new())]);
        let mut lookup = CandidateLookup { by_key, patterns: Vec::new(), tokens: BTreeMap::new(), stale };
        for term in search.terms() {
            let term_lookup = term.lookup();
            lookup.by_key.extend(term_lookup.stem.map(|stem| (stem.key(), Vec::new())));
            lookup.add_keys(&term_lookup.text);
        }
        lookup
    }

    fn add_keys(&mut self, query: &IndexQuery) {
        match query {
            IndexQuery::Anything => {}
            IndexQuery::NGram(gram) => {
                self.by_key.entry(IndexTerm::NGram(*gram).key()).or_default();
            }
            IndexQuery::Token(pattern) => {
                if self.patterns.iter().all(|known| known.pattern != *pattern) {
                    let (pattern, matcher) = (pattern.clone(), VocabularyMatcher::new(pattern));
                    self.patterns.push(Pattern { pattern, matcher, union: PatternPostings::default() });
                }
            }
            IndexQuery::All(some) | IndexQuery::Any(some) => some.iter().for_each(|one| self.add_keys(one)),
        }
    }

    /// Whether the vocabularies of the segments must be scanned first.
    pub(crate) fn needs_vocabulary(&self) -> bool {
        !self.patterns.is_empty()
    }

    /// Scans a block of a segment's vocabulary. Returns the keys of the tokens to look up in that segment.
    pub(crate) fn scan_vocabulary(&mut self, block: &[u8]) -> Result<Vec<Vec<u8>>, CodecError> {
        let mut keys = Vec::new();
        for (index, pattern) in self.patterns.iter().enumerate() {
            pattern.matcher.find(block, |token| {
                let key = [IndexTerm::TOKEN_PREFIX, token].concat();
                let patterns = self.tokens.entry(key.clone()).or_default();
                if !patterns.contains(&index) {
                    patterns.push(index);
                }
                keys.push(key);
            })?;
        }
        keys.sort_unstable();
        keys.dedup();
        Ok(keys)
    }

    /// The keys to look up in every segment, in order, with those of the tokens that the vocabularies had.
    pub(crate) fn keys(&self) -> Vec<Vec<u8>> {
        self.by_key.keys().chain(self.tokens.keys()).cloned().collect()
    }

    /// Adds the postings of a key in a segment; `block` is the one that would have the key.
    pub(crate) fn add(&mut self, key: &[u8], block: &[u8], tombstones: &ItemSet) -> Result<(), CodecError> {
        match block::find(block, key)? {
            Some(found) => self.add_postings(key, found, tombstones),
            None => Ok(()),
        }
    }

    /// The same for many keys, in ascending order: adds those that the block has. Returns how many keys, from the first
    /// on, are done with, at least one. `block` is the one that would have the first key.
    pub(crate) fn add_many(
        &mut self,
        keys: &[Vec<u8>],
        block: &[u8],
        tombstones: &ItemSet,
    ) -> Result<usize, CodecError> {
        let mut done = 0;
        let mut terms = Terms::new(block);
        while done < keys.len() && terms.advance()? {
            done += keys[done..].iter().take_while(|key| key.as_slice() < terms.key()).count();
            if keys.get(done).is_some_and(|key| key.as_slice() == terms.key()) {
                self.add_postings(&keys[done], terms.postings(), tombstones)?;
                done += 1;
            }
        }
        Ok(done.max(1))
    }

    fn add_postings(&mut self, key: &[u8], found: Postings<'_>, tombstones: &ItemSet) -> Result<(), CodecError> {
        let (mut tombstones, mut stale) = (tombstones.sweep(), self.stale.sweep());
        let mut postings = Vec::new();
        for posting in found {
            let posting = posting?;
            if !tombstones.contains(posting.0) && !stale.contains(posting.0) {
                postings.push(posting);
            }
        }
        for pattern in self.tokens.get(key).into_iter().flatten() {
            self.patterns[*pattern].union.add(&postings);
        }
        if let Some(known) = self.by_key.get_mut(key) {
            known.append(&mut postings);
        }
        Ok(())
    }

    /// The candidates, by all postings that were added.
    pub(crate) fn finish(mut self, search: &Search) -> Candidates {
        // Each segment is sorted, and an item has live postings in at most one.
        self.by_key.values_mut().for_each(|postings| postings.sort_by_key(|(item, _)| *item));
        self.patterns.iter_mut().for_each(|pattern| pattern.union.join());
        let mut unread = std::mem::take(&mut self.stale);
        unread.insert(self.postings(&IndexTerm::Unlisted).iter().map(|(item, _)| *item));
        let terms = search.terms().iter().map(|term| self.term_candidates(term)).collect();
        Candidates { terms, unread }
    }

    fn postings(&self, term: &IndexTerm) -> &[Posting] {
        self.by_key.get(&term.key()).map_or(&[], Vec::as_slice)
    }

    fn term_candidates(&self, term: &SearchTerm) -> TermCandidates {
        let lookup = term.lookup();
        let stem = lookup.stem.map(|stem| self.postings(&stem).to_vec()).unwrap_or_default();
        TermCandidates { stem, text: self.matching(&lookup.text), proof: lookup.proof }
    }

    /// The items that match, each with the fields where all that the query needs stands together; `None` is any item.
    fn matching(&self, query: &IndexQuery) -> Option<Vec<Posting>> {
        match query {
            IndexQuery::Anything => None,
            IndexQuery::NGram(gram) => Some(self.postings(&IndexTerm::NGram(*gram)).to_vec()),
            IndexQuery::Token(pattern) => {
                let known = self.patterns.iter().find(|known| known.pattern == *pattern);
                Some(known.map(|known| known.union.postings.clone()).unwrap_or_default())
            }
            IndexQuery::All(all) => {
                let mut lists: Vec<Vec<Posting>> = all.iter().filter_map(|one| self.matching(one)).collect();
                lists.sort_by_key(Vec::len);
                lists.into_iter().reduce(|kept, list| in_both(&kept, &list))
            }
            IndexQuery::Any(any) => {
                let lists: Option<Vec<Vec<Posting>>> = any.iter().map(|one| self.matching(one)).collect();
                Some(in_any(lists?))
            }
        }
    }
}

/// The union of the postings of many tokens that match one pattern. An item has many such tokens, so postings of the same
/// item are joined as the list grows: it takes room for twice as many postings as there are items.
#[derive(Default)]
struct PatternPostings {
    postings: Vec<Posting>,
    /// How many postings there were when they were joined last.
    joined: usize,
}

impl PatternPostings {
    /// Fewer are not worth joining before the end.
    const FEW: usize = 4096;

    fn add(&mut self, postings: &[Posting]) {
        self.postings.extend_from_slice(postings);
        if self.postings.len() >= 2 * self.joined.max(PatternPostings::FEW) {
            self.join();
        }
    }

    fn join(&mut self) {
        join(&mut self.postings);
        self.joined = self.postings.len();
    }
}

/// The items that may match a search, and the presence of each term in them; terms are known by their index.
pub(crate) struct Candidates {
    terms: Vec<TermCandidates>,
    /// Stale items, and those whose texts are not in the index: their texts are always read.
    unread: ItemSet,
}

struct TermCandidates {
    /// The items that have a form of the word, with its weight.
    stem: Vec<Posting>,
    /// The items that may have the text, with the fields where it is; `None` is any item.
    text: Option<Vec<Posting>>,
    proof: Proof,
}

impl Candidates {
    /// The items that may match, in ascending order; `None` if nothing rules any out.
    pub(crate) fn items(&self, search: &Search) -> Option<Vec<i64>> {
        let mut candidates: Vec<i64> = self.unread.iter().collect();
        for alternative in search.required_terms() {
            let mut lists: Vec<Vec<i64>> = alternative.iter().filter_map(|&term| self.terms[term].items()).collect();
            lists.sort_by_key(Vec::len);
            let mut lists = lists.into_iter();
            let first = lists.next()?;
            candidates.extend(
                lists.fold(first, |kept, list| {
                    kept.into_iter().filter(|item| list.binary_search(item).is_ok()).collect()
                }),
            );
        }
        candidates.sort_unstable();
        candidates.dedup();
        Some(candidates)
    }

    /// Whether an item has a term, as far as the index knows before the text is read.
    pub(crate) fn presence(&self, term: usize, item: i64) -> TermPresence {
        if self.unread.contains(item) {
            return TermPresence::Unknown;
        }
        let term = &self.terms[term];
        if let Some(weight) = payload(&term.stem, item) {
            return TermPresence::Present(weight.into());
        }
        match (&term.text, term.proof) {
            (None, _) => TermPresence::PerhapsAsText,
            (Some(text), proof) => match (payload(text, item), proof) {
                (None, _) => TermPresence::Absent,
                (Some(fields), Proof::Certain) => SearchTerm::presence_in(fields),
                (Some(_), Proof::Candidate) => TermPresence::PerhapsAsText,
            },
        }
    }
}

impl TermCandidates {
    /// The items that may have the term; `None` is any item.
    fn items(&self) -> Option<Vec<i64>> {
        let text = self.text.as_ref()?;
        let mut items: Vec<i64> = self.stem.iter().chain(text).map(|(item, _)| *item).collect();
        items.sort_unstable();
        items.dedup();
        Some(items)
    }
}

fn payload(postings: &[Posting], item: i64) -> Option<u8> {
    let at = postings.binary_search_by_key(&item, |(item, _)| *item).ok()?;
    Some(postings[at].1)
}

/// The items of both lists, where both have them in the same field.
fn in_both(short: &[Posting], long: &[Posting]) -> Vec<Posting> {
    let common = |&(item, fields): &Posting| Some((item, fields & payload(long, item)?));
    short.iter().filter_map(common).filter(|(_, fields)| *fields != 0).collect()
}

/// The items of at least one of the lists, with all their fields.
fn in_any(lists: Vec<Vec<Posting>>) -> Vec<Posting> {
    let mut all = lists.into_iter().flatten().collect();
    join(&mut all);
    all
}

/// Sorts postings, and joins those of the same item into one with all its fields.
fn join(postings: &mut Vec<Posting>) {
    postings.sort_unstable();
    postings.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 |= next.1;
        }
        same
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_with_many_pieces_of_a_pattern_take_the_room_of_one() {
        let mut union = PatternPostings::default();
        for token in 0..1_000 {
            let fields = 1 << (token % 3);
            union.add(&(1..=100).map(|item| (item, fields)).collect::<Vec<_>>());
        }
        assert!(union.postings.capacity() <= 4 * PatternPostings::FEW, "{}", union.postings.capacity());
        union.join();
        assert_eq!(union.postings, (1..=100).map(|item| (item, 7)).collect::<Vec<_>>());
    }
}
