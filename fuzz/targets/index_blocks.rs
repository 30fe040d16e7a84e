//! Blocks of the search index: bytes that this program never wrote are read to an end, and what it writes comes back.
#![no_main]

#[path = "../../crates/storage/src/codec/mod.rs"]
#[allow(unused, reason = "the storages use all of it")]
mod codec;
#[path = "../../crates/storage/src/search/mod.rs"]
#[allow(unused, reason = "the storages use all of it")]
mod search;
mod text_input;

use std::collections::{BTreeMap, BTreeSet};

use arbitrary::Arbitrary;
use codec::CodecError;
use interline_search::{IndexTerm, Search, SearchedFields, TermPresence, TokenPattern, Verdict};
use libfuzzer_sys::fuzz_target;
use search::block::{self, Terms};
use search::candidates::CandidateLookup;
use search::fingerprint::{Fingerprints, fingerprint};
use search::item_keys::item_keys;
use search::item_set::ItemSet;
use search::merge::Merge;
use search::postings::Posting;
use search::segment::{Block, SegmentBuilder, build_segment};
use search::vocabulary::{VOCABULARY, VocabularyMatcher};

type Key = Vec<u8>;
/// What a segment says, without its vocabulary.
type Model = BTreeMap<Key, Vec<Posting>>;

#[derive(Arbitrary, Debug)]
enum Input {
    /// Blocks and tombstones of any bytes, and keys to look up.
    Bytes { blocks: [Vec<u8>; 2], tombstones: Vec<u8>, keys: Vec<Key> },
    /// Segments by their items, the terms of those, and tombstones; then damage to a block.
    Segments { segments: Vec<(Vec<Item>, Vec<u8>)>, damage: Vec<(u8, u16, u8)> },
    /// Contents that are searched by their index.
    Texts { texts: Vec<Vec<u8>>, query: Vec<u8> },
}

/// An item's number, and its terms with their payloads.
#[derive(Arbitrary, Debug)]
struct Item(u8, Vec<(Term, u8)>);

#[derive(Arbitrary, Debug)]
enum Term {
    Short(u8),
    Bytes(Key),
    Token(u8, u8),
    Long(u8, u16),
}

#[rustfmt::skip]
const WORDS: &[&str] = &[
    "run", "runs", "running", "edit", "edits", "state", "usestate", "node.js", "a", "b", "c", " ", " ", " ", "\n", "-",
    "\"", " OR ", "%", "caf\u{E9}", "cafe", "\u{6771}\u{4EAC}", "\u{4EAC}", "\u{DF}", "ss", "_", "x", "xx", "user_id",
    "id", "1", "26",
];

impl Term {
    /// A key that comes before those of vocabularies.
    fn key(&self) -> Key {
        let mut key = match self {
            Term::Short(byte) => vec![b'g', byte % 8],
            Term::Bytes(bytes) => bytes.clone(),
            Term::Token(one, other) => [IndexTerm::TOKEN_PREFIX, &[b'a' + one % 4, b'a' + other % 26]].concat(),
            Term::Long(byte, length) => vec![byte % 3 + 1; usize::from(length % 3_000)],
        };
        match key.first_mut() {
            Some(first) => *first %= VOCABULARY[0],
            None => key.push(b'g'),
        }
        // A token stands between line ends.
        key.iter_mut().for_each(|byte| *byte = if *byte == b'\n' { b'n' } else { *byte });
        // The key of a token is more than its prefix.
        if key == IndexTerm::TOKEN_PREFIX { b"pp".to_vec() } else { key }
    }
}

fn read(blocks: &[Block]) -> Result<Model, CodecError> {
    let mut model = Model::new();
    for block in blocks {
        let mut terms = Terms::new(&block.data);
        while terms.advance()? {
            let postings: Result<Vec<Posting>, CodecError> = terms.postings().collect();
            if !terms.key().starts_with(VOCABULARY) {
                model.insert(terms.key().to_vec(), postings?);
            }
        }
    }
    Ok(model)
}

fn merged(inputs: &[(Vec<Block>, ItemSet)]) -> Result<Vec<Block>, CodecError> {
    let mut merge = Merge::new(inputs.iter().map(|(_, tombstones)| tombstones.clone()));
    let mut blocks = Vec::new();
    let mut waiting: Vec<_> = inputs.iter().map(|(blocks, _)| blocks.iter()).collect();
    while let Some(input) = merge.needed_input() {
        merge.feed(waiting[input].next().map(|block| block.data.clone()))?;
        blocks.extend(merge.take_blocks());
    }
    Ok(blocks)
}

/// Looks a term up as the storages do.
fn look_up(blocks: &[Block], key: &[u8]) -> Option<Vec<Posting>> {
    let after = blocks.partition_point(|block| block.first.as_slice() <= key);
    let block = &blocks[after.checked_sub(1)?];
    block::find(&block.data, key).unwrap().map(|postings| postings.collect::<Result<_, _>>().unwrap())
}

/// Everything that reads a block. What can be read is written so that it is read as the same.
fn read_block(data: &[u8], keys: &[Key], tombstones: &ItemSet) {
    for key in keys {
        if let Ok(Some(postings)) = block::find(data, key) {
            assert!(postings.count() <= data.len());
        }
    }
    let _ = Fingerprints::default().add_block(data, tombstones);
    for pattern in [TokenPattern::Contains("a".to_owned()), TokenPattern::Equals("ab".to_owned())] {
        let mut bytes = 0;
        let _ = VocabularyMatcher::new(&pattern).find(data, |token| bytes += token.len());
        assert!(bytes <= data.len());
    }
    let block = Block { first: Vec::new(), data: data.to_vec() };
    let (Ok(model), Ok(blocks)) = (read(&[block.clone()]), merged(&[(vec![block], tombstones.clone())])) else {
        return;
    };
    let mut builder = SegmentBuilder::default();
    let mut again = Vec::new();
    for (key, postings) in &model {
        again.extend(builder.push(key, postings).unwrap());
        let found = block::find(data, key).unwrap().unwrap();
        assert_eq!(&found.collect::<Result<Vec<_>, _>>().unwrap(), postings);
    }
    again.extend(builder.finish());
    let mut expected = model.clone();
    expected.retain(|_, postings| !postings.is_empty());
    assert_eq!(read(&again).unwrap(), expected);
    expected.values_mut().for_each(|postings| postings.retain(|(item, _)| !tombstones.contains(*item)));
    expected.retain(|_, postings| !postings.is_empty());
    assert_eq!(read(&blocks).unwrap(), expected);
    // A key has at most the bytes of the block, and so has a token of the vocabulary.
    let bytes: usize = blocks.iter().map(|block| block.data.len()).sum();
    assert!(bytes <= 4 * (data.len() + 8) * (data.len() + 8), "{bytes} bytes of {}", data.len());
}

fn bytes(blocks: &[Vec<u8>; 2], tombstones: &[u8], keys: &[Key]) {
    let set = ItemSet::decode(tombstones).unwrap_or_default();
    assert!(set.len() <= tombstones.len());
    assert_eq!(ItemSet::decode(&set.encode()).unwrap(), set);
    blocks.iter().for_each(|block| read_block(block, keys, &set));
    let inputs = blocks.each_ref().map(|data| (vec![Block { first: Vec::new(), data: data.clone() }], set.clone()));
    if let Ok(blocks) = merged(&inputs) {
        read(&blocks).unwrap();
    }
}

/// Segments and their merge have each term with its items and no other.
fn segments(segments: &[(Vec<Item>, Vec<u8>)], damage: &[(u8, u16, u8)]) {
    let (mut living, mut all) = (BTreeSet::new(), Model::new());
    let (mut inputs, mut fingerprints, mut sums) = (Vec::new(), Fingerprints::default(), BTreeMap::new());
    for (items, tombstones) in segments.iter().take(4) {
        let mut batch: BTreeMap<i64, BTreeMap<Key, u8>> = BTreeMap::new();
        for Item(item, terms) in items {
            let terms = terms.iter().take(40).map(|(term, payload)| (term.key(), (*payload).max(1)));
            batch.entry(i64::from(*item) + 1).or_default().extend(terms);
        }
        // An item that lives in an earlier segment is dead in the later ones.
        let tombstones: ItemSet = tombstones.iter().map(|item| i64::from(*item) + 1).chain(living.clone()).collect();
        let (mut whole, mut alive) = (Model::new(), Vec::new());
        for (item, terms) in &batch {
            let lives = !tombstones.contains(*item);
            if lives && !terms.is_empty() {
                sums.insert(*item, fingerprint(terms.iter().map(|(key, payload)| (key, *payload))));
            }
            alive.extend(lives.then_some(*item));
            for (key, payload) in terms {
                whole.entry(key.clone()).or_default().push((*item, *payload));
                if lives {
                    all.entry(key.clone()).or_default().push((*item, *payload));
                }
            }
        }
        living.extend(alive);
        let batch: Vec<_> = batch.into_iter().map(|(item, terms)| (item, terms.into_iter().collect())).collect();
        let blocks = build_segment::<Key>(&batch).unwrap();
        assert_eq!(read(&blocks).unwrap(), whole);
        for (key, postings) in &whole {
            assert_eq!(look_up(&blocks, key).as_ref(), Some(postings));
            let near = [key, &[0][..]].concat();
            assert_eq!(look_up(&blocks, &near).as_ref(), whole.get(&near));
        }
        blocks.iter().for_each(|block| fingerprints.add_block(&block.data, &tombstones).unwrap());
        fingerprints.end_segment().unwrap();
        inputs.push((blocks, tombstones));
    }
    all.values_mut().for_each(|postings| postings.sort_unstable());
    assert_eq!(read(&merged(&inputs).unwrap()).unwrap(), all);
    assert_eq!(fingerprints.into_sums(), sums);
    let keys: Vec<Key> = all.into_keys().take(10).collect();
    for (nth, at, byte) in damage.iter().take(4) {
        let mut blocks = inputs.iter().flat_map(|(blocks, _)| blocks);
        let count = blocks.clone().count();
        let Some(block) = blocks.nth(usize::from(*nth) % count.max(1)) else { return };
        let mut data = block.data.clone();
        let at = usize::from(*at) % data.len();
        data[at] = *byte;
        read_block(&data, &keys, &ItemSet::from_iter([1, 2]));
    }
}

/// A search by the index finds what it finds in the texts.
fn texts(texts: &[String], query: &str) {
    let Ok(Some(search)) = Search::parse(query) else { return };
    let items: Vec<(i64, SearchedFields<'_>)> = (1..)
        .zip(texts)
        .map(|(item, text)| (item, SearchedFields { content: Some(text), ..SearchedFields::default() }))
        .collect();
    let batch: Vec<_> = items.iter().map(|(item, text)| (*item, item_keys(text, &item.to_be_bytes()))).collect();
    let blocks = build_segment(&batch).unwrap();
    let mut lookup = CandidateLookup::new(&search, ItemSet::default());
    if lookup.needs_vocabulary() {
        for block in blocks.iter().filter(|block| block.first.starts_with(VOCABULARY)) {
            lookup.scan_vocabulary(&block.data).unwrap();
        }
    }
    for key in lookup.keys() {
        let after = blocks.partition_point(|block| block.first <= key);
        if let Some(block) = after.checked_sub(1).map(|at| &blocks[at]) {
            lookup.add(&key, &block.data, &ItemSet::default()).unwrap();
        }
    }
    let candidates = lookup.finish(&search);
    let possible = candidates.items(&search);
    for (item, text) in &items {
        let score = search.score(text, |_| TermPresence::Unknown, &mut || true).unwrap();
        let presence = |term: usize| candidates.presence(term, *item);
        let found = match search.evaluate(presence) {
            Verdict::No => None,
            Verdict::Yes(score) => Some(score),
            Verdict::Read => search.score(text, presence, &mut || true).unwrap(),
        };
        assert_eq!(found, score, "{query:?} in {text:?}");
        assert!(score.is_none() || possible.as_ref().is_none_or(|items| items.contains(item)), "{query:?} in {text:?}");
    }
}

fuzz_target!(|input: Input| {
    match input {
        Input::Bytes { blocks, tombstones, keys } => bytes(&blocks, &tombstones, &keys),
        Input::Segments { segments: list, damage } => segments(&list, &damage),
        Input::Texts { texts: list, query } => {
            // The use cases refuse NUL.
            let text = |data: &Vec<u8>| text_input::text(data, WORDS).replace('\0', "");
            texts(&list.iter().take(6).map(text).collect::<Vec<_>>(), &text(&query));
        }
    }
});
