//! Building a segment: terms with their postings become blocks.

use interline_search::IndexTerm;

use super::block::TermEntry;
use super::postings::{self, Posting};
use super::vocabulary::VocabularyBuilder;
use crate::codec::CodecError;

/// How large a block gets, unless a single posting list is larger: small enough to be read for one term, large enough
/// that rows are few.
const BLOCK_BYTES: usize = 8192;

/// A block of a segment, as the storages keep it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    /// The key of its first term: a term is in the last block whose first key is not above its own.
    pub(crate) first: Vec<u8>,
    /// The terms with their postings; `block` reads them.
    pub(crate) data: Vec<u8>,
}

/// Makes blocks from terms that come in ascending order. It holds one block, however large the segment is, and the
/// vocabulary.
#[derive(Debug, Default)]
pub(crate) struct SegmentBuilder {
    first: Vec<u8>,
    data: Vec<u8>,
    /// The key of the last term.
    last: Vec<u8>,
    list: Vec<u8>,
    vocabulary: VocabularyBuilder,
}

impl SegmentBuilder {
    /// Adds a term. Keys must ascend, and items within `postings`; a term without postings is left out. Returns the
    /// block before, once it is full.
    pub(crate) fn push(&mut self, key: &[u8], postings: &[Posting]) -> Result<Option<Block>, CodecError> {
        if postings.is_empty() {
            return Ok(None);
        }
        if key <= self.last.as_slice() {
            return Err(CodecError::Index("the terms of a segment do not ascend"));
        }
        self.list.clear();
        postings::encode(&mut self.list, postings)?;
        let full = self.data.len() + key.len() + self.list.len() > BLOCK_BYTES;
        let finished = if full { self.cut() } else { None };
        let shared = if self.data.is_empty() {
            self.first = key.to_vec();
            0
        } else {
            self.last.iter().zip(key).take_while(|(a, b)| a == b).count()
        };
        TermEntry { shared, suffix: &key[shared..], list: &self.list }.put(&mut self.data);
        self.last.clear();
        self.last.extend_from_slice(key);
        if let Some(token) = key.strip_prefix(IndexTerm::TOKEN_PREFIX) {
            self.vocabulary.push(token);
        }
        Ok(finished)
    }

    /// The last block, if there was a term, and the vocabulary.
    pub(crate) fn finish(mut self) -> Vec<Block> {
        let mut blocks: Vec<Block> = self.cut().into_iter().collect();
        blocks.append(&mut self.vocabulary.finish());
        blocks
    }

    fn cut(&mut self) -> Option<Block> {
        let block = Block { first: std::mem::take(&mut self.first), data: std::mem::take(&mut self.data) };
        (!block.data.is_empty()).then_some(block)
    }
}

/// Builds the segment of a batch of items: each with its number and its terms, which ascend by key, with their payloads.
/// An item occurs once. Takes about 0.1 µs a term.
pub(crate) fn build_segment<K: AsRef<[u8]>>(items: &[(i64, Vec<(K, u8)>)]) -> Result<Vec<Block>, CodecError> {
    let mut items: Vec<_> = items.iter().collect();
    items.sort_by_key(|(item, _)| *item);
    let mut entries: Vec<(&[u8], Posting)> = Vec::with_capacity(items.iter().map(|(_, terms)| terms.len()).sum());
    for (item, terms) in items {
        entries.extend(terms.iter().map(|(key, payload)| (key.as_ref(), (*item, *payload))));
    }
    let count = u32::try_from(entries.len()).map_err(|_| CodecError::Index("a batch has too many terms"))?;
    let mut sort_keys: Vec<SortKey> =
        (0..count).zip(&entries).map(|(entry, (key, _))| SortKey::new(key, entry)).collect();
    // Stable, because that sort merges what is in order already, as the terms of each item are.
    sort_keys.sort();

    let key = |sort_key: &SortKey| entries[sort_key.entry()].0;
    let mut builder = SegmentBuilder::default();
    let mut blocks = Vec::new();
    let mut postings = Vec::new();
    for alike in sort_keys.chunk_by_mut(|a, b| a.prefix() == b.prefix()) {
        let whole = alike[0].has_whole_key();
        if !whole {
            alike.sort_by_key(key);
        }
        for term in alike.chunk_by(|a, b| whole || key(a) == key(b)) {
            postings.clear();
            postings.extend(term.iter().map(|sort_key| entries[sort_key.entry()].1));
            blocks.extend(builder.push(key(&term[0]), &postings)?);
        }
    }
    blocks.extend(builder.finish());
    Ok(blocks)
}

/// An entry of a batch as a number, because numbers sort much faster than keys that are all over the memory: the first
/// bytes of its key, how many the key has (those beyond count as one), and which entry it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct SortKey(u128);

impl SortKey {
    /// How many bytes of a key are in a sort key.
    const PREFIX_BYTES: usize = 11;

    fn new(key: &[u8], entry: u32) -> SortKey {
        let mut first = [0; 16];
        let seen = key.len().min(SortKey::PREFIX_BYTES);
        first[16 - SortKey::PREFIX_BYTES..][..seen].copy_from_slice(&key[..seen]);
        let length = key.len().min(SortKey::PREFIX_BYTES + 1) as u128;
        SortKey(u128::from_be_bytes(first) << 40 | length << 32 | u128::from(entry))
    }

    /// The first bytes of the key, and its length: they order as keys do, and are equal for keys that differ later.
    fn prefix(self) -> u128 {
        self.0 >> 32
    }

    fn has_whole_key(self) -> bool {
        self.prefix() & 0xff <= SortKey::PREFIX_BYTES as u128
    }

    /// The index of the entry.
    fn entry(self) -> usize {
        let [.., a, b, c, d] = self.0.to_be_bytes();
        u32::from_be_bytes([a, b, c, d]) as usize
    }
}
