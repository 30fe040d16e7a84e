//! Blocks of a segment: looking up one term, or reading all of them.
//!
//! A block is a run of terms in strictly ascending order. Per term: how many bytes its key has in common with the key before,
//! how many follow, those bytes; how many bytes its posting list has, the list.

use std::cmp::Ordering;
use std::ops::Range;

use super::postings::Postings;
use crate::codec::{CodecError, varint};

const MALFORMED: CodecError = CodecError::Index("a block is malformed");

/// A term as it is encoded in a block.
pub(super) struct TermEntry<'a> {
    /// How many leading bytes its key shares with the key before.
    pub(super) shared: usize,
    /// The rest of the key.
    pub(super) suffix: &'a [u8],
    /// The encoded posting list.
    pub(super) list: &'a [u8],
}

impl<'a> TermEntry<'a> {
    /// Appends the entry.
    pub(super) fn put(&self, block: &mut Vec<u8>) {
        varint::put(block, self.shared as u64);
        varint::put(block, self.suffix.len() as u64);
        block.extend_from_slice(self.suffix);
        varint::put(block, self.list.len() as u64);
        block.extend_from_slice(self.list);
    }

    /// Takes the entry that the bytes start with.
    fn take(bytes: &mut &'a [u8]) -> Option<TermEntry<'a>> {
        let shared = varint::take_length(bytes)?;
        let length = varint::take_length(bytes)?;
        let suffix = bytes.split_off(..length)?;
        let length = varint::take_length(bytes)?;
        let list = bytes.split_off(..length)?;
        Some(TermEntry { shared, suffix, list })
    }
}

/// The postings of a term in a block, if it is there.
pub(crate) fn find<'a>(block: &'a [u8], key: &[u8]) -> Result<Option<Postings<'a>>, CodecError> {
    let mut rest = block;
    // Keys are compared without being assembled: the key before is less than `key`, begins with its first `matched`
    // bytes and has `length` bytes.
    let (mut matched, mut length) = (0, 0);
    while !rest.is_empty() {
        let TermEntry { shared, suffix, list } = TermEntry::take(&mut rest).ok_or(MALFORMED)?;
        if shared > length {
            return Err(MALFORMED);
        }
        length = shared + suffix.len();
        match shared.cmp(&matched) {
            // This key differs from `key` where the one before did, by the same byte.
            Ordering::Greater => {}
            // This key is greater than the one before at a byte where that one was equal to `key`.
            Ordering::Less => return Ok(None),
            Ordering::Equal => {
                let rest_of_key = &key[matched..];
                let same = suffix.iter().zip(rest_of_key).take_while(|(a, b)| a == b).count();
                match suffix[same..].cmp(&rest_of_key[same..]) {
                    Ordering::Less => matched += same,
                    Ordering::Equal => return Ok(Some(Postings::decode(list))),
                    Ordering::Greater => return Ok(None),
                }
            }
        }
    }
    Ok(None)
}

/// A cursor over all terms of a block: `advance` goes to the next term, and `key` and `postings` read it.
#[derive(Clone, Debug)]
pub(crate) struct Terms<D> {
    block: D,
    /// Where the next term begins.
    next: usize,
    key: Vec<u8>,
    list: Range<usize>,
}

impl<D: AsRef<[u8]>> Terms<D> {
    /// A cursor before the first term.
    pub(crate) fn new(block: D) -> Terms<D> {
        Terms { block, next: 0, key: Vec::new(), list: 0..0 }
    }

    /// Goes to the next term, if there is one, and returns whether there is. After an error it stays where it was.
    pub(crate) fn advance(&mut self) -> Result<bool, CodecError> {
        let block = self.block.as_ref();
        let mut rest = &block[self.next..];
        if rest.is_empty() {
            return Ok(false);
        }
        let TermEntry { shared, suffix, list } = TermEntry::take(&mut rest).ok_or(MALFORMED)?;
        let replaced = self.key.get(shared..).ok_or(MALFORMED)?;
        // A key that shares more bytes than its entry says would ascend too, but `find` relies on what the entry says.
        if suffix.first() <= replaced.first() {
            return Err(CodecError::Index("the terms of a block do not ascend"));
        }
        self.key.truncate(shared);
        self.key.extend_from_slice(suffix);
        self.next = block.len() - rest.len();
        self.list = self.next - list.len()..self.next;
        Ok(true)
    }

    /// The key of the term; empty before the first.
    pub(crate) fn key(&self) -> &[u8] {
        &self.key
    }

    /// The postings of the term; none before the first.
    pub(crate) fn postings(&self) -> Postings<'_> {
        Postings::decode(self.list())
    }

    /// The bytes of the term's encoded posting list; in a vocabulary they are a text.
    pub(super) fn list(&self) -> &[u8] {
        &self.block.as_ref()[self.list.clone()]
    }
}
