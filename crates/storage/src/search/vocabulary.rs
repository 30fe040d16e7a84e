//! The vocabulary of a segment: its tokens of words once more, as a text in which those that match a pattern are found
//! fast.
//!
//! It is stored in blocks of one term each, which come after those of all other terms and have that text in the place of
//! a posting list: every token stands between two line ends.

use interline_search::TokenPattern;
use memchr::memmem::Finder;
use memchr::{memchr, memrchr};

use super::block::{TermEntry, Terms};
use super::segment::Block;
use crate::codec::CodecError;

/// The prefix of the keys of a vocabulary, and of no others.
pub(crate) const VOCABULARY: &[u8] = b"v";

/// How large a block gets: what is read from end to end is best read in long runs.
const BLOCK_BYTES: usize = 32 * 1024;

const END: u8 = b'\n';

/// Makes a vocabulary from tokens that come in ascending order.
#[derive(Debug, Default)]
pub(super) struct VocabularyBuilder {
    blocks: Vec<Block>,
    first: Vec<u8>,
    text: Vec<u8>,
}

impl VocabularyBuilder {
    pub(super) fn push(&mut self, token: &[u8]) {
        if self.text.len() + token.len() > BLOCK_BYTES {
            self.cut();
        }
        if self.text.is_empty() {
            self.first = [VOCABULARY, token].concat();
            self.text.push(END);
        }
        self.text.extend_from_slice(token);
        self.text.push(END);
    }

    pub(super) fn finish(mut self) -> Vec<Block> {
        self.cut();
        self.blocks
    }

    fn cut(&mut self) {
        if !self.text.is_empty() {
            let first = std::mem::take(&mut self.first);
            let mut data = Vec::with_capacity(self.text.len() + first.len() + 8);
            TermEntry { shared: 0, suffix: &first, list: &self.text }.put(&mut data);
            self.blocks.push(Block { first, data });
            self.text.clear();
        }
    }
}

/// The tokens of a term that is part of a vocabulary; `None` for any other term.
pub(super) fn tokens<B: AsRef<[u8]>>(terms: &Terms<B>) -> Option<impl Iterator<Item = &[u8]>> {
    let is_one = terms.key().starts_with(VOCABULARY);
    is_one.then(|| terms.list().split(|byte| *byte == END).filter(|token| !token.is_empty()))
}

/// Finds the tokens of a vocabulary that match a pattern.
pub(crate) struct VocabularyMatcher(Finder<'static>);

impl VocabularyMatcher {
    pub(crate) fn new(pattern: &TokenPattern) -> VocabularyMatcher {
        let needle = match pattern {
            TokenPattern::Contains(part) => part.clone(),
            TokenPattern::StartsWith(start) => format!("\n{start}"),
            TokenPattern::EndsWith(end) => format!("{end}\n"),
            TokenPattern::Equals(whole) => format!("\n{whole}\n"),
        };
        VocabularyMatcher(Finder::new(&needle).into_owned())
    }

    /// Calls `each` for the tokens of a block that match the pattern.
    pub(crate) fn find(&self, block: &[u8], mut each: impl FnMut(&[u8])) -> Result<(), CodecError> {
        let mut terms = Terms::new(block);
        if !terms.advance()? || !terms.key().starts_with(VOCABULARY) {
            return Err(CodecError::Index("a vocabulary is malformed"));
        }
        let text = terms.list();
        let mut at = 0;
        while let Some(found) = self.0.find(&text[at..]) {
            // Where the match begins with the line end of a token, it is in the next token.
            let within = at + found + usize::from(text[at + found] == END);
            let start = memrchr(END, &text[..within]).map_or(0, |end| end + 1);
            let end = memchr(END, &text[within..]).map_or(text.len(), |end| within + end);
            each(&text[start..end]);
            // The line end may be the beginning of the next match.
            at = end.max(at + 1).min(text.len());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_found_by_patterns() {
        let tokens = ["auth", "author", "authors", "oauth", "state", "usestate", "x", "über", "überall"];
        let mut builder = VocabularyBuilder::default();
        tokens.iter().for_each(|token| builder.push(token.as_bytes()));
        let blocks = builder.finish();
        assert_eq!(blocks.len(), 1);
        let owned = |text: &str| text.to_owned();
        for pattern in [
            TokenPattern::Contains(owned("auth")),
            TokenPattern::Contains(owned("t")),
            TokenPattern::Contains(owned("x")),
            TokenPattern::Contains(owned("nowhere")),
            TokenPattern::StartsWith(owned("auth")),
            TokenPattern::StartsWith(owned("über")),
            TokenPattern::EndsWith(owned("auth")),
            TokenPattern::EndsWith(owned("state")),
            TokenPattern::Equals(owned("auth")),
            TokenPattern::Equals(owned("x")),
            TokenPattern::Equals(owned("aut")),
        ] {
            let mut found = Vec::new();
            let matcher = VocabularyMatcher::new(&pattern);
            matcher.find(&blocks[0].data, |token| found.push(str::from_utf8(token).unwrap().to_owned())).unwrap();
            let expected: Vec<&str> = tokens.into_iter().filter(|token| pattern.matches(token)).collect();
            assert_eq!(found, expected, "{pattern:?}");
        }
    }

    #[test]
    fn a_large_vocabulary_has_several_blocks_and_each_piece_once() {
        let mut builder = VocabularyBuilder::default();
        let tokens: Vec<String> = (0..10_000).map(|number| format!("piece{number:05}")).collect();
        tokens.iter().for_each(|token| builder.push(token.as_bytes()));
        let blocks = builder.finish();
        assert!(blocks.len() > 2 && blocks.is_sorted_by(|one, next| one.first < next.first));
        let matcher = VocabularyMatcher::new(&TokenPattern::StartsWith("piece".to_owned()));
        let mut found = Vec::new();
        for block in &blocks {
            matcher.find(&block.data, |token| found.push(str::from_utf8(token).unwrap().to_owned())).unwrap();
        }
        assert_eq!(found, tokens);
    }

    #[test]
    fn a_block_that_is_no_vocabulary_is_refused() {
        let matcher = VocabularyMatcher::new(&TokenPattern::Contains("x".to_owned()));
        for block in [&b""[..], b"\x00\x01s\x00", b"\xff\xff"] {
            assert!(matcher.find(block, |_| {}).is_err(), "{block:?}");
        }
    }
}
