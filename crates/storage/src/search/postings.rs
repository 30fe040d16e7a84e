//! Posting lists: the items that have a term, and a payload for each.
//!
//! Per posting, the distance to the item before, doubled, plus 1 if a payload byte follows. It follows unless the
//! payload is 1, as most are, so that a posting of a dense list is one byte.

use crate::codec::{CodecError, varint};

/// An item's number (at least 1) and its payload (at least 1).
pub(crate) type Posting = (i64, u8);

/// The payload that takes no byte.
const USUAL: u8 = 1;

/// Appends an encoded list. Its items must ascend; an error leaves part of the list behind.
pub(super) fn encode(bytes: &mut Vec<u8>, postings: &[Posting]) -> Result<(), CodecError> {
    let mut before = 0;
    for &(item, payload) in postings {
        if item <= before || payload == 0 {
            return Err(CodecError::Index("an item has two postings of one term, or an impossible one"));
        }
        let distance = item.abs_diff(before) << 1;
        if payload == USUAL {
            varint::put(bytes, distance);
        } else {
            varint::put(bytes, distance | 1);
            bytes.push(payload);
        }
        before = item;
    }
    Ok(())
}

/// The postings of an encoded list, in ascending order of items. Ends after an error.
#[derive(Clone, Debug)]
pub(crate) struct Postings<'a> {
    rest: &'a [u8],
    before: i64,
}

impl<'a> Postings<'a> {
    /// The postings of an encoded list.
    pub(super) fn decode(bytes: &'a [u8]) -> Postings<'a> {
        Postings { rest: bytes, before: 0 }
    }

    fn step(&mut self) -> Option<Posting> {
        let number = varint::take(&mut self.rest)?;
        let distance = i64::try_from(number >> 1).ok().filter(|distance| *distance > 0)?;
        let item = self.before.checked_add(distance)?;
        self.before = item;
        if number & 1 == 0 {
            return Some((item, USUAL));
        }
        let (payload, rest) = self.rest.split_first()?;
        self.rest = rest;
        (*payload > USUAL).then_some((item, *payload))
    }
}

impl Iterator for Postings<'_> {
    type Item = Result<Posting, CodecError>;

    #[inline]
    fn next(&mut self) -> Option<Result<Posting, CodecError>> {
        if self.rest.is_empty() {
            return None;
        }
        let posting = self.step();
        if posting.is_none() {
            self.rest = &[];
        }
        Some(posting.ok_or(CodecError::Index("a posting list is malformed")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes_of(postings: &[Posting]) -> Vec<u8> {
        let mut bytes = Vec::new();
        encode(&mut bytes, postings).unwrap();
        bytes
    }

    #[test]
    fn lists_come_back_as_they_were() {
        let cases: [&[Posting]; 5] = [
            &[],
            &[(1, 1)],
            &[(1, 255), (2, 1), (3, 2), (1000, 1)],
            &[(i64::MAX, 7)],
            &[(1, 1), (i64::MAX - 1, 1), (i64::MAX, 1)],
        ];
        for postings in cases {
            let decoded: Result<Vec<Posting>, CodecError> = Postings::decode(&bytes_of(postings)).collect();
            assert_eq!(decoded.unwrap(), postings);
        }
    }

    #[test]
    fn a_posting_of_a_dense_list_is_one_byte() {
        let postings: Vec<Posting> = (1..=1000).map(|item| (item * 50, 1)).collect();
        assert_eq!(bytes_of(&postings).len(), 1000);
    }

    #[test]
    fn what_no_list_can_hold_is_refused() {
        for postings in [&[(0, 1)][..], &[(-1, 1)], &[(1, 0)], &[(2, 1), (2, 1)], &[(2, 1), (1, 1)]] {
            assert!(encode(&mut Vec::new(), postings).is_err(), "{postings:?}");
        }
    }

    #[test]
    fn malformed_bytes_end_in_one_error() {
        let beyond = [bytes_of(&[(i64::MAX, 1)]), vec![2]].concat();
        let cases: [&[u8]; 6] = [&[0], &[2, 0x80], &[3], &[3, 1], &[3, 0], &beyond];
        for bytes in cases {
            let postings: Vec<_> = Postings::decode(bytes).collect();
            let (last, before) = postings.split_last().unwrap();
            assert!(last.is_err() && before.iter().all(Result::is_ok), "{bytes:?}");
        }
    }
}
