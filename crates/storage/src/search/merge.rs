//! Merging segments into one, block by block, without the postings of tombstones.
//!
//! The caller reads and writes, synchronously or not:
//!
//! ```text
//! loop {
//!     if let Some(chunk) = merge.take_chunk(bytes) {
//!         write(chunk);
//!     } else if let Some(input) = merge.needed_input() {
//!         merge.feed(the next block of `input`, or None)?;
//!     } else {
//!         return finish(merge.take_blocks());
//!     }
//! }
//! ```

use super::block::Terms;
use super::item_set::ItemSet;
use super::postings::Posting;
use super::segment::{Block, SegmentBuilder};
use super::vocabulary::VOCABULARY;
use crate::codec::CodecError;

/// A merge in progress. It holds a block of each input, the vocabulary, and the finished blocks that were not taken yet.
#[derive(Debug)]
pub(crate) struct Merge {
    inputs: Vec<MergeInput>,
    builder: Option<SegmentBuilder>,
    finished: Vec<Block>,
    postings: Vec<Posting>,
}

/// A segment that goes into a merge.
#[derive(Debug)]
struct MergeInput {
    tombstones: ItemSet,
    position: InputPosition,
}

/// How far an input was read.
#[derive(Debug)]
enum InputPosition {
    /// Its next block is needed.
    Between,
    /// At a term.
    At(Terms<Vec<u8>>),
    /// After its last block.
    Ended,
}

impl Merge {
    /// A merge of as many segments as there are sets of tombstones, one of each segment. At most one segment has postings
    /// of an item that are not covered by its tombstones.
    pub(crate) fn new(tombstones: impl IntoIterator<Item = ItemSet>) -> Merge {
        let inputs: Vec<MergeInput> = tombstones
            .into_iter()
            .map(|tombstones| MergeInput { tombstones, position: InputPosition::Between })
            .collect();
        let builder = (!inputs.is_empty()).then(SegmentBuilder::default);
        Merge { inputs, builder, finished: Vec::new(), postings: Vec::new() }
    }

    /// The input (from 0) whose next block must be fed; `None` when the merge is complete.
    pub(crate) fn needed_input(&self) -> Option<usize> {
        self.inputs.iter().position(|input| matches!(input.position, InputPosition::Between))
    }

    /// Takes the next block of the input that [`Merge::needed_input`] names; `None` if it has no more. A complete merge takes
    /// nothing. After an error the merge must be given up.
    pub(crate) fn feed(&mut self, block: Option<Vec<u8>>) -> Result<(), CodecError> {
        let Some(input) = self.needed_input() else { return Ok(()) };
        self.inputs[input].position = match block {
            Some(block) => InputPosition::after(Terms::new(block))?,
            None => InputPosition::Ended,
        };
        while self.needed_input().is_none() {
            let Some(key) = self.least_key() else {
                self.finished.extend(self.builder.take().map(SegmentBuilder::finish).unwrap_or_default());
                return Ok(());
            };
            self.merge_term(&key)?;
        }
        Ok(())
    }

    /// The next blocks of the new segment, of so many bytes or a block more; `None` if fewer are finished. When the merge
    /// completes, many blocks are finished at once: those of the vocabulary.
    pub(crate) fn take_chunk(&mut self, bytes: usize) -> Option<Vec<Block>> {
        let mut length = 0;
        let last = self.finished.iter().position(|block| {
            length += block.data.len();
            length >= bytes
        })?;
        Some(self.finished.drain(..=last).collect())
    }

    /// All blocks of the new segment that were finished and not taken, in order. The last ones are there when
    /// [`Merge::needed_input`] is `None`. There may be none at all: then no item of the inputs was live.
    pub(crate) fn take_blocks(&mut self) -> Vec<Block> {
        std::mem::take(&mut self.finished)
    }

    /// The least key at which an input stands.
    fn least_key(&self) -> Option<Vec<u8>> {
        self.inputs.iter().filter_map(|input| input.position.key()).min().map(<[u8]>::to_vec)
    }

    /// Writes the term of that key, and advances the inputs that have it.
    fn merge_term(&mut self, key: &[u8]) -> Result<(), CodecError> {
        self.postings.clear();
        for input in &mut self.inputs {
            if input.position.key() == Some(key) {
                input.take_term(&mut self.postings)?;
            }
        }
        // Stable, because that sort merges what is in order already.
        self.postings.sort_by_key(|(item, _)| *item);
        if let Some(builder) = &mut self.builder {
            self.finished.extend(builder.push(key, &self.postings)?);
        }
        Ok(())
    }
}

impl MergeInput {
    /// Appends the postings of the input's current term, without those of tombstones, and goes to the next term.
    fn take_term(&mut self, postings: &mut Vec<Posting>) -> Result<(), CodecError> {
        let InputPosition::At(terms) = std::mem::replace(&mut self.position, InputPosition::Ended) else {
            return Ok(());
        };
        // The vocabulary is built anew, from the tokens that remain.
        if !terms.key().starts_with(VOCABULARY) {
            let mut tombstones = self.tombstones.sweep();
            for posting in terms.postings() {
                let posting = posting?;
                if !tombstones.contains(posting.0) {
                    postings.push(posting);
                }
            }
        }
        self.position = InputPosition::after(terms)?;
        Ok(())
    }
}

impl InputPosition {
    /// The position of the next term.
    fn after(mut terms: Terms<Vec<u8>>) -> Result<InputPosition, CodecError> {
        Ok(if terms.advance()? { InputPosition::At(terms) } else { InputPosition::Between })
    }

    fn key(&self) -> Option<&[u8]> {
        match self {
            InputPosition::At(terms) => Some(terms.key()),
            InputPosition::Between | InputPosition::Ended => None,
        }
    }
}
