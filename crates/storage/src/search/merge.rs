//! Several segments become one, a block at a time, without those postings that no longer count.
//!
//! The caller reads and writes; so it may do either as it likes, waiting or not:
//!
//! ```text
//! while let Some(input) = merge.need() {
//!     merge.feed(the next block of `input`, or None)?;
//!     write(merge.take_blocks());
//! }
//! ```

use super::block::Terms;
use super::dead::DeadItems;
use super::postings::Posting;
use super::segment::{Block, SegmentBuilder};
use super::vocabulary::VOCABULARY;
use crate::codec::CodecError;

/// A merge under way. It holds a block of each input and what [`Merge::take_blocks`] has not taken yet.
#[derive(Debug)]
pub(crate) struct Merge {
    inputs: Vec<Input>,
    builder: Option<SegmentBuilder>,
    finished: Vec<Block>,
    postings: Vec<Posting>,
}

/// A segment that goes into a merge.
#[derive(Debug)]
struct Input {
    dead: DeadItems,
    place: Place,
}

/// How far an input was read.
#[derive(Debug)]
enum Place {
    /// Its next block is needed.
    Between,
    /// At a term.
    At(Terms<Vec<u8>>),
    /// There is no more.
    Ended,
}

impl Merge {
    /// A merge of as many segments as there are sets: the items that are dead in each. Of an item, at most one segment
    /// has postings that are not dead.
    pub(crate) fn of(dead: impl IntoIterator<Item = DeadItems>) -> Merge {
        let inputs: Vec<Input> = dead.into_iter().map(|dead| Input { dead, place: Place::Between }).collect();
        let builder = (!inputs.is_empty()).then(SegmentBuilder::default);
        Merge { inputs, builder, finished: Vec::new(), postings: Vec::new() }
    }

    /// The input (from 0) whose next block must be fed; `None` when the merge is complete.
    pub(crate) fn need(&self) -> Option<usize> {
        self.inputs.iter().position(|input| matches!(input.place, Place::Between))
    }

    /// Takes the next block of the input that [`Merge::need`] names; `None` if it has no more. A complete merge takes
    /// nothing. After an error the merge must be given up.
    pub(crate) fn feed(&mut self, block: Option<Vec<u8>>) -> Result<(), CodecError> {
        let Some(input) = self.need() else { return Ok(()) };
        self.inputs[input].place = match block {
            Some(block) => Place::after(Terms::of(block))?,
            None => Place::Ended,
        };
        while self.need().is_none() {
            let Some(key) = self.least_key() else {
                self.finished.extend(self.builder.take().map(SegmentBuilder::finish).unwrap_or_default());
                return Ok(());
            };
            self.merge_term(&key)?;
        }
        Ok(())
    }

    /// The blocks of the new segment that were finished since the last call, in order. The last ones are there when
    /// [`Merge::need`] has nothing to ask for. There may be none at all: then all was dead.
    pub(crate) fn take_blocks(&mut self) -> Vec<Block> {
        std::mem::take(&mut self.finished)
    }

    /// The least key that an input is at.
    fn least_key(&self) -> Option<Vec<u8>> {
        self.inputs.iter().filter_map(|input| input.place.key()).min().map(<[u8]>::to_vec)
    }

    /// Writes the term of that key, and goes on with the inputs that have it.
    fn merge_term(&mut self, key: &[u8]) -> Result<(), CodecError> {
        self.postings.clear();
        for input in &mut self.inputs {
            if input.place.key() == Some(key) {
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

impl Input {
    /// Appends the postings of the term that the input is at, those of dead items aside, and goes to the next term.
    fn take_term(&mut self, postings: &mut Vec<Posting>) -> Result<(), CodecError> {
        let Place::At(terms) = std::mem::replace(&mut self.place, Place::Ended) else { return Ok(()) };
        // The vocabulary is made anew, of the pieces that are left.
        if !terms.key().starts_with(VOCABULARY) {
            let mut dead = self.dead.sweep();
            for posting in terms.postings() {
                let posting = posting?;
                if !dead.contains(posting.0) {
                    postings.push(posting);
                }
            }
        }
        self.place = Place::after(terms)?;
        Ok(())
    }
}

impl Place {
    /// The place of the next term.
    fn after(mut terms: Terms<Vec<u8>>) -> Result<Place, CodecError> {
        Ok(if terms.advance()? { Place::At(terms) } else { Place::Between })
    }

    fn key(&self) -> Option<&[u8]> {
        match self {
            Place::At(terms) => Some(terms.key()),
            Place::Between | Place::Ended => None,
        }
    }
}
