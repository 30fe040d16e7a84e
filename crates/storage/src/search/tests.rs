//! Segments beside a naive model: a map from each term to the items that have it.

use std::collections::{BTreeMap, BTreeSet};

use interline_search::IndexTerm;
use proptest::prelude::*;

use super::block::{self, Terms};
use super::fingerprint::{Fingerprints, fingerprint};
use super::item_set::ItemSet;
use super::merge::Merge;
use super::postings::Posting;
use super::segment::{Block, SegmentBuilder, build_segment};
use super::vocabulary::VOCABULARY;
use crate::codec::CodecError;

type Key = Vec<u8>;
/// Items as they go into a segment.
type Batch = Vec<(i64, Vec<(Key, u8)>)>;
/// What a segment says.
type Model = BTreeMap<Key, Vec<Posting>>;

fn model_of(batch: &Batch, tombstones: &ItemSet) -> Model {
    let mut model = Model::new();
    for (item, terms) in batch.iter().filter(|(item, _)| !tombstones.contains(*item)) {
        for (key, payload) in terms {
            model.entry(key.clone()).or_default().push((*item, *payload));
        }
    }
    model.values_mut().for_each(|postings| postings.sort_unstable());
    model
}

fn read(blocks: &[Block]) -> Result<Model, CodecError> {
    let mut model = Model::new();
    for block in blocks {
        let mut terms = Terms::new(&block.data);
        while terms.advance()? && !terms.key().starts_with(VOCABULARY) {
            model.insert(terms.key().to_vec(), terms.postings().collect::<Result<_, _>>()?);
        }
    }
    Ok(model)
}

/// Looks a term up as the storages do.
fn look_up(blocks: &[Block], key: &[u8]) -> Result<Option<Vec<Posting>>, CodecError> {
    let after = blocks.partition_point(|block| block.first.as_slice() <= key);
    let Some(block) = after.checked_sub(1).map(|at| &blocks[at]) else { return Ok(None) };
    block::find(&block.data, key)?.map(Iterator::collect).transpose()
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

/// No token's, of which a segment has more than was put into it.
fn key() -> impl Strategy<Value = Key> {
    let key = prop_oneof![
        8 => prop::collection::vec(0..3_u8, 1..5),
        2 => prop::collection::vec(any::<u8>(), 1..12),
        // About as long as what a mark sees of a key, and mostly alike.
        4 => (8..14_usize, prop::collection::vec(0..3_u8, 0..4)).prop_map(|(same, rest)| [vec![0; same], rest].concat()),
        1 => (any::<u8>(), 200..5000_usize).prop_map(|(byte, length)| vec![byte; length]),
    ];
    key.prop_map(|mut key| {
        key[0] %= IndexTerm::TOKEN_PREFIX[0];
        key
    })
}

fn terms() -> impl Strategy<Value = Vec<(Key, u8)>> {
    let payload = prop_oneof![3 => Just(1_u8), 1 => 1..=255_u8];
    prop::collection::btree_map(key(), payload, 0..40).prop_map(|terms| terms.into_iter().collect())
}

/// Items in any order, with numbers close together or far apart.
fn batch(most: usize) -> impl Strategy<Value = Batch> {
    let item = prop_oneof![4 => 1..100_i64, 1 => 1..=i64::MAX];
    prop::collection::hash_map(item, terms(), 0..most).prop_map(|items| items.into_iter().collect())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn a_segment_has_each_term_with_its_items_and_no_other(batch in batch(30), absent in prop::collection::vec(key(), 50)) {
        let blocks = build_segment(&batch).unwrap();
        let model = model_of(&batch, &ItemSet::default());
        prop_assert_eq!(&read(&blocks).unwrap(), &model);
        for (key, postings) in &model {
            prop_assert_eq!(look_up(&blocks, key).unwrap(), Some(postings.clone()));
            for near in [[key, &[0][..]].concat(), key[..key.len() - 1].to_vec()] {
                prop_assert_eq!(look_up(&blocks, &near).unwrap(), model.get(&near).cloned());
            }
        }
        for key in absent.iter().map(Vec::as_slice).chain([&[][..], &[0], &[0x75; 20]]) {
            prop_assert_eq!(look_up(&blocks, key).unwrap(), model.get(key).cloned());
            // In each block, whether or not it is the one to look in.
            for block in &blocks {
                let found = block::find(&block.data, key).unwrap();
                prop_assert_eq!(found.is_some(), read(std::slice::from_ref(block)).unwrap().contains_key(key));
            }
        }
    }

    #[test]
    fn a_merge_has_what_lives_in_its_inputs(
        batches in prop::collection::vec((batch(12), prop::collection::btree_set(1..100_i64, 0..30)), 0..5),
    ) {
        let mut living = BTreeSet::new();
        let mut model = Model::new();
        let mut inputs = Vec::new();
        let mut fingerprints = Fingerprints::default();
        let mut expected = BTreeMap::new();
        for (batch, tombstones) in batches {
            // An item that lives in an earlier segment is dead in the later ones.
            let tombstones: ItemSet = tombstones.into_iter().chain(living.iter().copied()).collect();
            let lives = batch.iter().filter(|(item, _)| !tombstones.contains(*item));
            living.extend(lives.clone().map(|(item, _)| *item));
            let sums = lives.filter(|(_, terms)| !terms.is_empty());
            expected.extend(sums.map(|(item, terms)| (*item, fingerprint(terms.iter().cloned()))));
            for (key, postings) in model_of(&batch, &tombstones) {
                model.entry(key).or_default().extend(postings);
            }
            let blocks = build_segment(&batch).unwrap();
            for block in &blocks {
                fingerprints.add_block(&block.data, &tombstones).unwrap();
            }
            inputs.push((blocks, tombstones));
        }
        model.values_mut().for_each(|postings| postings.sort_unstable());
        let blocks = merged(&inputs).unwrap();
        prop_assert_eq!(read(&blocks).unwrap(), model);
        prop_assert_eq!(fingerprints.into_sums(), expected);
        for block in &blocks {
            let mut terms = Terms::new(&block.data);
            prop_assert!(terms.advance().unwrap());
            prop_assert_eq!(terms.key(), block.first.as_slice());
        }
    }
}

/// Everything that reads a block; what it says does not matter.
fn read_in_every_way(data: &[u8], keys: &[Key]) {
    for key in keys {
        if let Ok(Some(postings)) = block::find(data, key) {
            assert!(postings.count() <= data.len());
        }
    }
    let tombstones = ItemSet::from_iter([2, 3]);
    let _ = Fingerprints::default().add_block(data, &tombstones);
    let block = Block { first: Vec::new(), data: data.to_vec() };
    let _ = merged(&[(vec![block.clone()], tombstones), (vec![block.clone(), block], ItemSet::default())]);
}

#[test]
fn damaged_blocks_are_read_to_an_end() {
    let keys = ["a", "ab", "abc", "b", "bcd", "bce", "z"];
    let terms = |skipped, payload| keys[skipped..].iter().map(|key| (key.as_bytes().to_vec(), payload)).collect();
    let batch: Batch = vec![(2, terms(0, 1)), (300, terms(2, 7)), (301, terms(1, 1)), (100_000, terms(4, 255))];
    let data = build_segment(&batch).unwrap().remove(0).data;
    let keys: Vec<Key> = ["", "a", "ab", "abc", "abcd", "b", "bce", "m", "z", "zz"].map(Key::from).into();
    for end in 0..data.len() {
        read_in_every_way(&data[..end], &keys);
    }
    for at in 0..data.len() {
        for byte in 0..=255 {
            let mut damaged = data.clone();
            damaged[at] = byte;
            read_in_every_way(&damaged, &keys);
            let _ = ItemSet::decode(&damaged);
        }
    }
}

#[test]
fn a_block_cut_short_is_an_error_unless_it_ends_between_terms() {
    let terms: Vec<(Key, u8)> = (b'a'..=b'p').map(|byte| (vec![b'x', byte], byte)).collect();
    let data = build_segment(&[(300, terms)]).unwrap().remove(0).data;
    let short = |data: &[u8]| read(&[Block { first: b"xa".to_vec(), data: data.to_vec() }]);
    let whole = (0..data.len()).filter(|end| short(&data[..*end]).is_ok()).count();
    assert_eq!(whole, 16, "nothing, and after each term but the last");
}

/// `find` would not find the second one.
#[test]
fn a_key_that_shares_more_than_it_says_is_refused() {
    let block = |shared: u8, suffix: &[u8]| {
        let mut data = b"\x00\x02ab\x01\x02".to_vec();
        data.extend([shared, u8::try_from(suffix.len()).unwrap()]);
        data.extend([suffix, b"\x01\x02"].concat());
        Block { first: b"ab".to_vec(), data }
    };
    let model: Model = [(b"ab".to_vec(), vec![(1, 1)]), (b"ac".to_vec(), vec![(1, 1)])].into();
    assert_eq!(read(&[block(1, b"c")]).unwrap(), model);
    assert!(read(&[block(0, b"ac")]).is_err());
}

#[test]
fn what_does_not_ascend_is_refused() {
    let mut builder = SegmentBuilder::default();
    assert!(builder.push(b"", &[(1, 1)]).is_err());
    assert!(builder.push(b"b", &[(1, 1)]).is_ok());
    assert!(builder.push(b"b", &[(2, 1)]).is_err());
    assert!(builder.push(b"a", &[(2, 1)]).is_err());
    assert!(builder.push(b"c", &[(2, 1), (2, 1)]).is_err());
    let twice = [(1, vec![("a", 1)]), (1, vec![("a", 1)])];
    assert!(build_segment(&twice).is_err());
    // An item that lives in two inputs, and an input whose blocks are not in order.
    let segment = build_segment(&[(1, vec![("a", 1)])]).unwrap();
    let input = (segment.clone(), ItemSet::default());
    assert!(merged(&[input.clone(), input]).is_err());
    assert!(merged(&[([segment.clone(), segment].concat(), ItemSet::default())]).is_err());
}

#[test]
fn a_merge_of_nothing_that_lives_is_nothing() {
    assert_eq!(merged(&[]).unwrap(), []);
    let segment = build_segment(&[(7, vec![("a", 1), ("b", 2)])]).unwrap();
    assert_eq!(merged(&[(segment, ItemSet::from_iter([7]))]).unwrap(), []);
}

#[test]
fn a_merge_is_written_in_pieces_and_its_vocabulary_too() {
    const TOKEN_PREFIX: usize = 50_000;
    let words: Vec<(Key, u8)> = (100_000..150_000_u32).map(|number| (format!("p{number}").into_bytes(), 1)).collect();
    let segment = build_segment(&[(1, words)]).unwrap();
    let mut merge = Merge::new([ItemSet::default()]);
    let (mut waiting, mut written) = (segment.iter(), Vec::new());
    loop {
        if let Some(token) = merge.take_chunk(TOKEN_PREFIX) {
            let bytes: usize = token.iter().map(|block| block.data.len()).sum();
            assert!(bytes < TOKEN_PREFIX + 2 * 8192, "{bytes}");
            written.extend(token);
        } else if merge.needed_input().is_some() {
            merge.feed(waiting.next().map(|block| block.data.clone())).unwrap();
        } else {
            break written.extend(merge.take_blocks());
        }
    }
    assert_eq!(written, segment);
}

#[test]
fn blocks_are_about_8_kb_and_a_long_list_is_one() {
    let long: Vec<Posting> = (1..30_000).map(|item| (item * 100, 1)).collect();
    let mut builder = SegmentBuilder::default();
    let mut blocks = Vec::new();
    for number in 0..5000_u32 {
        let postings = if number == 2500 { &long[..] } else { &long[..number as usize % 9 + 1] };
        blocks.extend(builder.push(&number.to_be_bytes(), postings).unwrap());
    }
    blocks.extend(builder.finish());
    let large: Vec<usize> = blocks.iter().map(|block| block.data.len()).filter(|bytes| *bytes > 8192 + 16).collect();
    assert_eq!(large.len(), 1, "{large:?}");
    let small = blocks.iter().filter(|block| block.data.len() < 8000).count();
    assert!(small <= 2, "the one before the long list, and the last: {small}");
    assert_eq!(look_up(&blocks, &2500_u32.to_be_bytes()).unwrap(), Some(long));
}

/// A text that has words as English has: few of them often, many of them seldom.
fn document(seed: u64, bytes: usize) -> String {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut random = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let [high, low, ..] = state.to_be_bytes();
        usize::from(u16::from_be_bytes([high, low]))
    };
    const SYLLABLES: [&str; 24] = [
        "the", "an", "ti", "on", "re", "er", "is", "al", "men", "con", "de", "pro", "com", "ing", "sta", "ver", "par",
        "le", "ous", "str", "ack", "wh", "un", "ly",
    ];
    let mut text = String::with_capacity(bytes + 16);
    while text.len() < bytes {
        // Each rank about as often as Zipf's law says; a word's letters are made of its rank.
        let mut rank = (random() >> (random() % 16)) + 1;
        while rank > 0 {
            text.push_str(SYLLABLES[rank % SYLLABLES.len()]);
            rank /= SYLLABLES.len();
        }
        text.push(' ');
    }
    text
}

/// The words of a text and the three-byte tokens of them.
fn terms_of(text: &str) -> Vec<(Key, u8)> {
    let mut terms: BTreeMap<Key, u8> = BTreeMap::new();
    for word in text.split(' ') {
        let payload = terms.entry([b"w", word.as_bytes()].concat()).or_insert(0);
        *payload = payload.saturating_add(1);
    }
    for token in text.as_bytes().windows(3) {
        terms.insert([b"t", token].concat(), 1);
    }
    terms.into_iter().filter(|(key, _)| key.len() > 1).collect()
}

/// Measured: 0.32 bytes of index for each byte of text.
#[test]
fn the_index_is_much_smaller_than_the_text() {
    let texts: Vec<String> = (1..=100).map(|seed| document(seed, 10_000)).collect();
    let batch: Batch = (1..).zip(&texts).map(|(item, text)| (item, terms_of(text))).collect();
    let blocks = build_segment(&batch).unwrap();
    let index: usize = blocks.iter().map(|block| block.first.len() + block.data.len()).sum();
    let text: usize = texts.iter().map(String::len).sum();
    assert!(index * 2 < text, "{index} bytes for {text} of text, in {} blocks", blocks.len());
}
