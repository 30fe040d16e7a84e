//! What the index says about the terms of a search.

use std::collections::BTreeMap;

use interline_items::search::{IndexQuery, IndexTerm, PiecePattern, Proof, Search, SearchTerm, TermPresence};

use super::block::{self, Terms};
use super::item_set::ItemSet;
use super::postings::{Posting, Postings};
use super::vocabulary::VocabularyMatcher;
use crate::codec::CodecError;

/// The postings of the terms of a search, lookup from the segments.
pub(crate) struct CandidateLookup {
    by_key: BTreeMap<Vec<u8>, Vec<Posting>>,
    patterns: Vec<Pattern>,
    /// The patterns that each piece is like which was seen, by their place.
    pieces: BTreeMap<Vec<u8>, Vec<usize>>,
    /// Items of which the index is not asked.
    stale: ItemSet,
}

/// A pattern of pieces, and what is known of the pieces that are like it.
struct Pattern {
    pattern: PiecePattern,
    matcher: VocabularyMatcher,
    union: PatternPostings,
}

impl CandidateLookup {
    /// Nothing yet, for the terms of a search. Items that are stale are left out.
    pub(crate) fn new(search: &Search, stale: ItemSet) -> CandidateLookup {
        let by_key = BTreeMap::from([(IndexTerm::Unlisted.key(), Vec::new())]);
        let mut lookup = CandidateLookup { by_key, patterns: Vec::new(), pieces: BTreeMap::new(), stale };
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
            IndexQuery::Gram(gram) => {
                self.by_key.entry(IndexTerm::Gram(*gram).key()).or_default();
            }
            IndexQuery::Piece(pattern) => {
                if self.patterns.iter().all(|known| known.pattern != *pattern) {
                    let (pattern, matcher) = (pattern.clone(), VocabularyMatcher::new(pattern));
                    self.patterns.push(Pattern { pattern, matcher, union: PatternPostings::default() });
                }
            }
            IndexQuery::All(some) | IndexQuery::Any(some) => some.iter().for_each(|one| self.add_keys(one)),
        }
    }

    /// Whether the vocabularies of the segments are to be seen first.
    pub(crate) fn needs_vocabulary(&self) -> bool {
        !self.patterns.is_empty()
    }

    /// Looks through a block of a segment's vocabulary; the keys of pieces that are to be looked up in the segment.
    pub(crate) fn scan_vocabulary(&mut self, block: &[u8]) -> Result<Vec<Vec<u8>>, CodecError> {
        let mut keys = Vec::new();
        for (place, pattern) in self.patterns.iter().enumerate() {
            pattern.matcher.find(block, |piece| {
                let key = [IndexTerm::PIECE, piece].concat();
                let patterns = self.pieces.entry(key.clone()).or_default();
                if !patterns.contains(&place) {
                    patterns.push(place);
                }
                keys.push(key);
            })?;
        }
        keys.sort_unstable();
        keys.dedup();
        Ok(keys)
    }

    /// The keys to look up in every segment, in their order. With those of the pieces that were seen.
    pub(crate) fn keys(&self) -> Vec<Vec<u8>> {
        self.by_key.keys().chain(self.pieces.keys()).cloned().collect()
    }

    /// Adds what a segment says about a key; the block is the one that would have it.
    pub(crate) fn add(&mut self, key: &[u8], block: &[u8], tombstones: &ItemSet) -> Result<(), CodecError> {
        match block::find(block, key)? {
            Some(found) => self.add_postings(key, found, tombstones),
            None => Ok(()),
        }
    }

    /// The same for many keys, in ascending order: adds those that the block has, and says how many from the first on
    /// were looked for, at least one. It is the block that would have the first.
    pub(crate) fn add_many(
        &mut self,
        keys: &[Vec<u8>],
        block: &[u8],
        tombstones: &ItemSet,
    ) -> Result<usize, CodecError> {
        let mut settled = 0;
        let mut terms = Terms::new(block);
        while settled < keys.len() && terms.advance()? {
            settled += keys[settled..].iter().take_while(|key| key.as_slice() < terms.key()).count();
            if keys.get(settled).is_some_and(|key| key.as_slice() == terms.key()) {
                self.add_postings(&keys[settled], terms.postings(), tombstones)?;
                settled += 1;
            }
        }
        Ok(settled.max(1))
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
        for place in self.pieces.get(key).into_iter().flatten() {
            self.patterns[*place].union.add(&postings);
        }
        if let Some(known) = self.by_key.get_mut(key) {
            known.append(&mut postings);
        }
        Ok(())
    }

    /// What all of it says about the terms of the search.
    pub(crate) fn finish(mut self, search: &Search) -> Candidates {
        // Segments are sorted each, and of an item at most one counts.
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

    /// The items that match, with the places where all they have stands together; `None` is any item.
    fn matching(&self, query: &IndexQuery) -> Option<Vec<Posting>> {
        match query {
            IndexQuery::Anything => None,
            IndexQuery::Gram(gram) => Some(self.postings(&IndexTerm::Gram(*gram)).to_vec()),
            IndexQuery::Piece(pattern) => {
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

/// The postings of many pieces. An item has many that are like one pattern, so they are union as they grow: there is
/// room for twice as many as there are items.
#[derive(Default)]
struct PatternPostings {
    postings: Vec<Posting>,
    /// How many there were when they were union last.
    known: usize,
}

impl PatternPostings {
    /// Fewer are not worth joining before the end.
    const FEW: usize = 4096;

    fn add(&mut self, postings: &[Posting]) {
        self.postings.extend_from_slice(postings);
        if self.postings.len() >= 2 * self.known.max(PatternPostings::FEW) {
            self.join();
        }
    }

    fn join(&mut self) {
        join(&mut self.postings);
        self.known = self.postings.len();
    }
}

/// What the index says about the terms of a search, by their index.
pub(crate) struct Candidates {
    terms: Vec<TermCandidates>,
    /// Stale items, and those that are not in the index by what they hold: whatever is looked for, they are read.
    unread: ItemSet,
}

struct TermCandidates {
    /// The items that have a form of the word, with what it weighs.
    stem: Vec<Posting>,
    /// The items that may have the text, with the places; `None` is any item.
    text: Option<Vec<Posting>>,
    proof: Proof,
}

impl Candidates {
    /// The items that may match, in ascending order; `None` if nothing rules any out.
    pub(crate) fn items(&self, search: &Search) -> Option<Vec<i64>> {
        let mut candidates: Vec<i64> = self.unread.iter().collect();
        for wanted in search.wanted() {
            let mut lists: Vec<Vec<i64>> = wanted.iter().filter_map(|&term| self.terms[term].items()).collect();
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

    /// What is known about a term in an item before it is read.
    pub(crate) fn presence(&self, term: usize, item: i64) -> TermPresence {
        if self.unread.contains(item) {
            return TermPresence::Unread;
        }
        let evidence = &self.terms[term];
        if let Some(weight) = payload(&evidence.stem, item) {
            return TermPresence::Present(weight.into());
        }
        match (&evidence.text, evidence.proof) {
            (None, _) => TermPresence::PerhapsAsText,
            (Some(text), proof) => match (payload(text, item), proof) {
                (None, _) => TermPresence::Absent,
                (Some(places), Proof::Certain) => SearchTerm::known_in(places),
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

/// What two lists have in common, where they have it in the same places.
fn in_both(short: &[Posting], long: &[Posting]) -> Vec<Posting> {
    let common = |&(item, places): &Posting| Some((item, places & payload(long, item)?));
    short.iter().filter_map(common).filter(|(_, places)| *places != 0).collect()
}

/// What is in at least one of the lists, in all places where it is.
fn in_any(lists: Vec<Vec<Posting>>) -> Vec<Posting> {
    let mut all = lists.into_iter().flatten().collect();
    join(&mut all);
    all
}

/// Sorts postings, and makes one of those of an item, with all its places.
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
        for piece in 0..1_000 {
            let places = 1 << (piece % 3);
            union.add(&(1..=100).map(|item| (item, places)).collect::<Vec<_>>());
        }
        assert!(union.postings.capacity() <= 4 * PatternPostings::FEW, "{}", union.postings.capacity());
        union.join();
        assert_eq!(union.postings, (1..=100).map(|item| (item, 7)).collect::<Vec<_>>());
    }
}
