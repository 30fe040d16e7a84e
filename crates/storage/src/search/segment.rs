//! Writing a segment.

use super::block::Entry;
use super::postings::{self, Posting};
use crate::codec::CodecError;

/// How large a block gets, unless a single posting list is larger: small enough to be read for one term, large enough
/// that rows are few.
const BLOCK_BYTES: usize = 8192;

/// A part of a segment, as the storages keep it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    /// The key of its first term: a term is in the last block whose first key is not above its own.
    pub(crate) first: Vec<u8>,
    /// The terms with their postings; `block` reads them.
    pub(crate) data: Vec<u8>,
}

/// Makes blocks of terms that come in ascending order. It holds one block, however large the segment is.
#[derive(Debug, Default)]
pub(crate) struct SegmentBuilder {
    first: Vec<u8>,
    data: Vec<u8>,
    /// The key of the last term.
    last: Vec<u8>,
    list: Vec<u8>,
}

impl SegmentBuilder {
    /// Adds a term. Keys must ascend, and items within `postings`; a term without postings is left out. Gives the block
    /// before, once it is full.
    pub(crate) fn push(&mut self, key: &[u8], postings: &[Posting]) -> Result<Option<Block>, CodecError> {
        if key <= self.last.as_slice() {
            return Err(CodecError::Index("the terms of a segment do not ascend"));
        }
        if postings.is_empty() {
            return Ok(None);
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
        Entry { shared, suffix: &key[shared..], list: &self.list }.put(&mut self.data);
        self.last.clear();
        self.last.extend_from_slice(key);
        Ok(finished)
    }

    /// The last block; `None` if there was no term.
    pub(crate) fn finish(mut self) -> Option<Block> {
        self.cut()
    }

    fn cut(&mut self) -> Option<Block> {
        let block = Block { first: std::mem::take(&mut self.first), data: std::mem::take(&mut self.data) };
        (!block.data.is_empty()).then_some(block)
    }
}

/// The segment of a batch of items: each with its number and its terms, which ascend by key, with their payloads. An
/// item occurs once.
pub(crate) fn segment_of<K: AsRef<[u8]>>(items: &[(i64, Vec<(K, u8)>)]) -> Result<Vec<Block>, CodecError> {
    let mut entries = Vec::with_capacity(items.iter().map(|(_, terms)| terms.len()).sum());
    for (item, terms) in items {
        entries.extend(terms.iter().map(|(key, payload)| (key.as_ref(), *item, *payload)));
    }
    // The stable sort merges what is in order already: each item's terms are.
    entries.sort_by(|(a, item_a, _), (b, item_b, _)| {
        beginning(a).cmp(&beginning(b)).then_with(|| a.cmp(b)).then_with(|| item_a.cmp(item_b))
    });
    let mut builder = SegmentBuilder::default();
    let mut blocks = Vec::new();
    let mut postings = Vec::new();
    for term in entries.chunk_by(|(a, ..), (b, ..)| a == b) {
        postings.clear();
        postings.extend(term.iter().map(|(_, item, payload)| (*item, *payload)));
        blocks.extend(builder.push(term[0].0, &postings)?);
    }
    blocks.extend(builder.finish());
    Ok(blocks)
}

/// The first bytes of a key as a number that orders as they do: most keys differ there, and comparing numbers is fast.
fn beginning(key: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    let length = key.len().min(8);
    bytes[..length].copy_from_slice(&key[..length]);
    u64::from_be_bytes(bytes)
}
