//! What the index says about the terms of a search.

use std::collections::BTreeMap;

use interline_items::search::{GramQuery, IndexTerm, Known, Proof, Search, SearchTerm};

use super::block;
use super::dead::DeadItems;
use super::postings::Posting;
use crate::codec::CodecError;

/// The postings of the terms of a search, gathered from the segments.
pub(crate) struct Gathered {
    by_key: BTreeMap<Vec<u8>, Vec<Posting>>,
    /// Items of which the index is not asked.
    stale: DeadItems,
}

impl Gathered {
    /// Nothing yet, for the terms of a search. Items that are stale are left out.
    pub(crate) fn new(search: &Search, stale: DeadItems) -> Gathered {
        let mut by_key = BTreeMap::from([(IndexTerm::Unlisted.key(), Vec::new())]);
        for term in search.terms() {
            let lookup = term.lookup();
            by_key.extend(lookup.stem.map(|stem| (stem.key(), Vec::new())));
            add_keys(&lookup.grams, &mut by_key);
        }
        Gathered { by_key, stale }
    }

    /// The keys to look up in every segment, in their order.
    pub(crate) fn keys(&self) -> Vec<Vec<u8>> {
        self.by_key.keys().cloned().collect()
    }

    /// Adds what a segment says about a key; the block is the one that would have it.
    pub(crate) fn add(&mut self, key: &[u8], block: &[u8], dead: &DeadItems) -> Result<(), CodecError> {
        let (Some(postings), Some(found)) = (self.by_key.get_mut(key), block::find(block, key)?) else { return Ok(()) };
        let (mut dead, mut stale) = (dead.sweep(), self.stale.sweep());
        for posting in found {
            let posting = posting?;
            if !dead.contains(posting.0) && !stale.contains(posting.0) {
                postings.push(posting);
            }
        }
        Ok(())
    }

    /// What all of it says about the terms of the search.
    pub(crate) fn evidence(mut self, search: &Search) -> Evidence {
        // Segments are sorted each, and of an item at most one counts.
        self.by_key.values_mut().for_each(|postings| postings.sort_by_key(|(item, _)| *item));
        let mut unread = std::mem::take(&mut self.stale);
        unread.insert(self.of(&IndexTerm::Unlisted).iter().map(|(item, _)| *item));
        let terms = search.terms().iter().map(|term| self.evidence_of(term)).collect();
        Evidence { terms, unread }
    }

    fn of(&self, term: &IndexTerm) -> &[Posting] {
        self.by_key.get(&term.key()).map_or(&[], Vec::as_slice)
    }

    fn evidence_of(&self, term: &SearchTerm) -> TermEvidence {
        let lookup = term.lookup();
        let stem = lookup.stem.map(|stem| self.of(&stem).to_vec()).unwrap_or_default();
        TermEvidence { stem, text: self.matching(&lookup.grams), proof: lookup.proof }
    }

    /// The items that match, with the places where all they have stands together; `None` is any item.
    fn matching(&self, grams: &GramQuery) -> Option<Vec<Posting>> {
        match grams {
            GramQuery::Anything => None,
            GramQuery::Gram(gram) => Some(self.of(&IndexTerm::Gram(*gram)).to_vec()),
            GramQuery::All(all) => {
                let mut lists: Vec<Vec<Posting>> = all.iter().filter_map(|one| self.matching(one)).collect();
                lists.sort_by_key(Vec::len);
                lists.into_iter().reduce(|kept, list| in_both(&kept, &list))
            }
            GramQuery::Any(any) => {
                let lists: Option<Vec<Vec<Posting>>> = any.iter().map(|one| self.matching(one)).collect();
                Some(in_any(lists?))
            }
        }
    }
}

fn add_keys(grams: &GramQuery, by_key: &mut BTreeMap<Vec<u8>, Vec<Posting>>) {
    match grams {
        GramQuery::Anything => {}
        GramQuery::Gram(gram) => {
            by_key.entry(IndexTerm::Gram(*gram).key()).or_default();
        }
        GramQuery::All(some) | GramQuery::Any(some) => some.iter().for_each(|one| add_keys(one, by_key)),
    }
}

/// What the index says about the terms of a search, by their index.
pub(crate) struct Evidence {
    terms: Vec<TermEvidence>,
    /// Stale items, and those that are not in the index by what they hold: whatever is looked for, they are read.
    unread: DeadItems,
}

struct TermEvidence {
    /// The items that have a form of the word, with what it weighs.
    stem: Vec<Posting>,
    /// The items that may have the text, with the places; `None` is any item.
    text: Option<Vec<Posting>>,
    proof: Proof,
}

impl Evidence {
    /// The items that may match, in ascending order; `None` if nothing rules any out.
    pub(crate) fn candidates(&self, search: &Search) -> Option<Vec<i64>> {
        let mut candidates: Vec<i64> = self.unread.iter().collect();
        for wanted in search.wanted() {
            let mut lists: Vec<Vec<i64>> = wanted.iter().filter_map(|&term| self.terms[term].possible()).collect();
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
    pub(crate) fn known(&self, term: usize, item: i64) -> Known {
        if self.unread.contains(item) {
            return Known::Unread;
        }
        let evidence = &self.terms[term];
        if let Some(weight) = payload(&evidence.stem, item) {
            return Known::Present(weight.into());
        }
        match (&evidence.text, evidence.proof) {
            (None, _) => Known::PerhapsAsText,
            (Some(text), proof) => match (payload(text, item), proof) {
                (None, _) => Known::Absent,
                (Some(places), Proof::Certain) => SearchTerm::known_in(places),
                (Some(_), Proof::Candidate) => Known::PerhapsAsText,
            },
        }
    }
}

impl TermEvidence {
    /// The items that may have the term; `None` is any item.
    fn possible(&self) -> Option<Vec<i64>> {
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
    let mut all: Vec<Posting> = lists.into_iter().flatten().collect();
    all.sort_unstable();
    all.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 |= next.1;
        }
        same
    });
    all
}
