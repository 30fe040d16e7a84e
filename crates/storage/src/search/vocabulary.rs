//! The pieces of a segment once more, as a text to search: which of them are like a pattern, it tells in no time.
//!
//! It is in blocks of one term each, which come after those of all other terms and have that text in the place of a
//! posting list: every piece between two line ends.

use interline_items::search::PiecePattern;
use memchr::memmem::Finder;
use memchr::{memchr, memrchr};

use super::block::{TermEntry, Terms};
use super::segment::Block;
use crate::codec::CodecError;

/// What the keys of a vocabulary begin with, and no others.
pub(crate) const VOCABULARY: &[u8] = b"v";

/// How large a block gets: what is read from end to end is best read in long pieces.
const BLOCK_BYTES: usize = 32 * 1024;

const END: u8 = b'\n';

/// Makes the vocabulary of pieces that come in ascending order.
#[derive(Debug, Default)]
pub(super) struct VocabularyBuilder {
    blocks: Vec<Block>,
    first: Vec<u8>,
    words: Vec<u8>,
}

impl VocabularyBuilder {
    pub(super) fn push(&mut self, piece: &[u8]) {
        if self.words.len() + piece.len() > BLOCK_BYTES {
            self.cut();
        }
        if self.words.is_empty() {
            self.first = [VOCABULARY, piece].concat();
            self.words.push(END);
        }
        self.words.extend_from_slice(piece);
        self.words.push(END);
    }

    pub(super) fn finish(mut self) -> Vec<Block> {
        self.cut();
        self.blocks
    }

    fn cut(&mut self) {
        if !self.words.is_empty() {
            let first = std::mem::take(&mut self.first);
            let mut data = Vec::with_capacity(self.words.len() + first.len() + 8);
            TermEntry { shared: 0, suffix: &first, list: &self.words }.put(&mut data);
            self.blocks.push(Block { first, data });
            self.words.clear();
        }
    }
}

/// The pieces of a term that is a part of a vocabulary.
pub(super) fn pieces<B: AsRef<[u8]>>(terms: &Terms<B>) -> Option<impl Iterator<Item = &[u8]>> {
    let is_one = terms.key().starts_with(VOCABULARY);
    is_one.then(|| terms.list().split(|byte| *byte == END).filter(|piece| !piece.is_empty()))
}

/// What finds the pieces that are like a pattern.
pub(crate) struct VocabularyMatcher(Finder<'static>);

impl VocabularyMatcher {
    pub(crate) fn new(pattern: &PiecePattern) -> VocabularyMatcher {
        let needle = match pattern {
            PiecePattern::Contains(part) => part.clone(),
            PiecePattern::StartsWith(start) => format!("\n{start}"),
            PiecePattern::EndsWith(end) => format!("{end}\n"),
            PiecePattern::Equals(whole) => format!("\n{whole}\n"),
        };
        VocabularyMatcher(Finder::new(&needle).into_owned())
    }

    /// Goes over the pieces of a block that are like the pattern.
    pub(crate) fn find(&self, block: &[u8], mut each: impl FnMut(&[u8])) -> Result<(), CodecError> {
        let mut terms = Terms::new(block);
        if !terms.advance()? || !terms.key().starts_with(VOCABULARY) {
            return Err(CodecError::Index("a vocabulary is malformed"));
        }
        let words = terms.list();
        let mut at = 0;
        while let Some(found) = self.0.find(&words[at..]) {
            // Where the pattern begins with the end of a piece, it is the next that is found.
            let within = at + found + usize::from(words[at + found] == END);
            let start = memrchr(END, &words[..within]).map_or(0, |end| end + 1);
            let end = memchr(END, &words[within..]).map_or(words.len(), |end| within + end);
            each(&words[start..end]);
            // The end may be the beginning of the next.
            at = end.max(at + 1).min(words.len());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_found_by_patterns() {
        let pieces = ["auth", "author", "authors", "oauth", "state", "usestate", "x", "über", "überall"];
        let mut builder = VocabularyBuilder::default();
        pieces.iter().for_each(|piece| builder.push(piece.as_bytes()));
        let blocks = builder.finish();
        assert_eq!(blocks.len(), 1);
        let text = |text: &str| text.to_owned();
        for pattern in [
            PiecePattern::Contains(text("auth")),
            PiecePattern::Contains(text("t")),
            PiecePattern::Contains(text("x")),
            PiecePattern::Contains(text("nowhere")),
            PiecePattern::StartsWith(text("auth")),
            PiecePattern::StartsWith(text("über")),
            PiecePattern::EndsWith(text("auth")),
            PiecePattern::EndsWith(text("state")),
            PiecePattern::Equals(text("auth")),
            PiecePattern::Equals(text("x")),
            PiecePattern::Equals(text("aut")),
        ] {
            let mut found = Vec::new();
            let finder = VocabularyMatcher::new(&pattern);
            finder.find(&blocks[0].data, |piece| found.push(str::from_utf8(piece).unwrap().to_owned())).unwrap();
            let expected: Vec<&str> = pieces.into_iter().filter(|piece| pattern.matches(piece)).collect();
            assert_eq!(found, expected, "{pattern:?}");
        }
    }

    #[test]
    fn a_large_vocabulary_has_several_blocks_and_each_piece_once() {
        let mut builder = VocabularyBuilder::default();
        let pieces: Vec<String> = (0..10_000).map(|number| format!("piece{number:05}")).collect();
        pieces.iter().for_each(|piece| builder.push(piece.as_bytes()));
        let blocks = builder.finish();
        assert!(blocks.len() > 2 && blocks.is_sorted_by(|one, next| one.first < next.first));
        let finder = VocabularyMatcher::new(&PiecePattern::StartsWith("piece".to_owned()));
        let mut found = Vec::new();
        for block in &blocks {
            finder.find(&block.data, |piece| found.push(str::from_utf8(piece).unwrap().to_owned())).unwrap();
        }
        assert_eq!(found, pieces);
    }

    #[test]
    fn what_is_no_vocabulary_is_refused() {
        let finder = VocabularyMatcher::new(&PiecePattern::Contains("x".to_owned()));
        for block in [&b""[..], b"\x00\x01s\x00", b"\xff\xff"] {
            assert!(finder.find(block, |_| {}).is_err(), "{block:?}");
        }
    }
}
