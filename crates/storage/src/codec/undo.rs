//! Undo records, from which old contents are rebuilt. The newest content is stored whole; the undo record of each version
//! says how the content *before* that version is made from the content *of* that version.
//!
//! An edit leaves its inverse splices, a whole write a compressed delta. Both need the newer content, so a version is
//! rebuilt by going back record by record from the newest one. [`encode_step`] makes such a record. When the chain has
//! outgrown the text ([`UndoChain::extended`]), [`encode_whole`] makes a whole copy instead, and older versions are rebuilt
//! from there.

use std::borrow::Cow;
use std::sync::Arc;

use interline_edit::Edit;
use interline_items::ContentWrite;

use super::{CodecError, compression, splices};

/// From how many bytes on splices are compressed; below that, zstd's frame takes what the compression saves.
const ZIPPED_FROM: usize = 256;
/// How many bytes a chain may have, however short the text is.
const MIN_CHAIN_BYTES: u64 = 4096;
/// How many records a chain may have, however long the text is: a rebuild of the oldest content reads each.
const MAX_CHAIN_STEPS: u32 = 2000;

/// The kind of an undo record; stored as its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UndoKind {
    /// The older content is the same.
    Unchanged = 0,
    /// There was no older content.
    Absent = 1,
    /// Splices over the newer content.
    Splices = 2,
    /// The same, compressed.
    ZippedSplices = 3,
    /// What the older content had that the newer one has not, compressed.
    Delta = 4,
    /// The older content, compressed.
    Whole = 5,
    /// The older content was damaged and could not be read.
    Lost = 6,
}

impl UndoKind {
    /// The kind of that number.
    pub(crate) fn from_number(number: i64) -> Result<UndoKind, CodecError> {
        use UndoKind::{Absent, Delta, Lost, Splices, Unchanged, Whole, ZippedSplices};
        [Unchanged, Absent, Splices, ZippedSplices, Delta, Whole, Lost]
            .into_iter()
            .find(|kind| *kind as i64 == number)
            .ok_or(CodecError::Undo("its record is of an unknown kind"))
    }

    /// Whether the older content can be rebuilt without the newer one: a rebuild can start here.
    pub(crate) fn stands_alone(self) -> bool {
        matches!(self, UndoKind::Absent | UndoKind::Whole | UndoKind::Lost)
    }
}

/// The numbers of the kinds that stand alone, as SQL lists them.
macro_rules! standing_alone {
    () => {
        "(1, 5, 6)"
    };
}
pub(crate) use standing_alone;

/// How the content before a version is made from the content of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UndoRecord {
    /// Its kind.
    pub(crate) kind: UndoKind,
    /// Its data.
    pub(crate) bytes: Vec<u8>,
}

/// The chain of an item: its undo records since the last one that stands alone, all of which a rebuild of the content
/// there applies to the newest content.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct UndoChain {
    /// How many bytes the records have.
    pub(crate) bytes: u64,
    /// How many records there are.
    pub(crate) steps: u32,
}

impl UndoRecord {
    /// A record from its columns.
    pub(crate) fn from_stored(kind: i64, bytes: Vec<u8>) -> Result<UndoRecord, CodecError> {
        Ok(UndoRecord { kind: UndoKind::from_number(kind)?, bytes })
    }
}

/// The shortest undo record of a change of content.
pub(crate) fn encode_step(write: &ContentWrite) -> Result<UndoRecord, CodecError> {
    match write {
        ContentWrite::Keep => Ok(UndoRecord { kind: UndoKind::Unchanged, bytes: Vec::new() }),
        ContentWrite::Edit { undo, .. } => {
            let bytes = splices::encode(undo);
            if bytes.len() < ZIPPED_FROM {
                Ok(UndoRecord { kind: UndoKind::Splices, bytes })
            } else {
                Ok(UndoRecord { kind: UndoKind::ZippedSplices, bytes: compression::compress(&bytes)? })
            }
        }
        ContentWrite::Set { old: Some(old), new: Some(new) } => {
            Ok(UndoRecord { kind: UndoKind::Delta, bytes: compression::compress_against(new, old)? })
        }
        ContentWrite::Set { .. } | ContentWrite::Repair { .. } => encode_whole(write),
    }
}

/// The undo record of a repair whose old text could be read: it is not what was written, and the recorded hash of its version
/// says so, but older versions may be rebuilt from it.
pub(crate) fn encode_damaged(old: &str) -> Result<UndoRecord, CodecError> {
    Ok(UndoRecord { kind: UndoKind::Whole, bytes: compression::compress(old.as_bytes())? })
}

/// The undo record of a change of content that stands alone: the next record starts a new chain.
pub(crate) fn encode_whole(write: &ContentWrite) -> Result<UndoRecord, CodecError> {
    let whole = |old: &str| Ok(UndoRecord { kind: UndoKind::Whole, bytes: compression::compress(old.as_bytes())? });
    match write {
        ContentWrite::Keep => encode_step(write),
        ContentWrite::Edit { new, undo } => whole(&undo.apply(new).map_err(|_| ANOTHER_TEXT)?),
        ContentWrite::Set { old: Some(old), .. } => whole(old),
        ContentWrite::Repair { .. } => Ok(UndoRecord { kind: UndoKind::Lost, bytes: Vec::new() }),
        ContentWrite::Set { old: None, .. } => Ok(UndoRecord { kind: UndoKind::Absent, bytes: Vec::new() }),
    }
}

impl UndoChain {
    /// The chain with the record `step` of `write` at its end; `None` if a whole copy is due instead.
    pub(crate) fn extended(self, write: &ContentWrite, step: &UndoRecord) -> Option<UndoChain> {
        if step.kind == UndoKind::Unchanged {
            return Some(self);
        }
        if step.kind.stands_alone() {
            return Some(UndoChain::default());
        }
        let longer = UndoChain { bytes: self.bytes + step.bytes.len() as u64, steps: self.steps + 1 };
        let fits = longer.bytes <= MIN_CHAIN_BYTES.max(old_length(write)) && longer.steps <= MAX_CHAIN_STEPS;
        fits.then_some(longer)
    }

    /// The record to store for `write` whose shortest record is `step`, and the chain with it: a whole copy, which starts
    /// a new chain, if the chain would be too long.
    pub(crate) fn extended_or_restarted<'a>(
        self,
        write: &ContentWrite,
        step: &'a UndoRecord,
    ) -> Result<(Cow<'a, UndoRecord>, UndoChain), CodecError> {
        match self.extended(write, step) {
            Some(longer) => Ok((Cow::Borrowed(step), longer)),
            None => Ok((Cow::Owned(encode_whole(write)?), UndoChain::default())),
        }
    }
}

/// Rebuilds the content before the last of some records, which are newest first, from `newest`, the content after the
/// first of them. `newest` is not used if the first record stands alone.
pub(crate) fn rebuild(newest: Option<Arc<str>>, records: &[UndoRecord]) -> Result<Option<Arc<str>>, CodecError> {
    let mut content = newest;
    // Edits in a row are composed before they are applied: one pass over the text instead of one for each.
    let mut edits = Vec::new();
    for UndoRecord { kind, bytes } in records {
        match kind {
            UndoKind::Unchanged => {}
            UndoKind::Splices => edits.push(decode_splices(bytes)?),
            UndoKind::ZippedSplices => edits.push(decode_zipped_splices(bytes)?),
            UndoKind::Delta => {
                let newer = apply_edits(content, &std::mem::take(&mut edits))?.ok_or(NO_NEWER)?;
                content = Some(decode_delta(&newer, bytes)?);
            }
            UndoKind::Whole => (content, edits) = (Some(decode_whole(bytes)?), Vec::new()),
            UndoKind::Absent => (content, edits) = (None, Vec::new()),
            UndoKind::Lost => return Err(CodecError::Undo("it was damaged when its item was repaired")),
        }
    }
    apply_edits(content, &edits)
}

/// The edit of a record with splices.
pub(super) fn decode_splices(bytes: &[u8]) -> Result<Edit, CodecError> {
    splices::decode(bytes)
}

/// The edit of a record with compressed splices.
pub(super) fn decode_zipped_splices(bytes: &[u8]) -> Result<Edit, CodecError> {
    splices::decode(&compression::decompress(bytes)?)
}

/// The older text of a delta.
pub(super) fn decode_delta(newer: &str, bytes: &[u8]) -> Result<Arc<str>, CodecError> {
    text(compression::decompress_against(newer, bytes)?)
}

/// The text of a whole copy.
pub(super) fn decode_whole(bytes: &[u8]) -> Result<Arc<str>, CodecError> {
    text(compression::decompress(bytes)?)
}

pub(super) const NO_NEWER: CodecError = CodecError::Undo("there is no newer content");
const ANOTHER_TEXT: CodecError = CodecError::Undo("its splices are for another text");

/// Applies edits to a content, one after the other.
pub(super) fn apply_edits(content: Option<Arc<str>>, edits: &[Edit]) -> Result<Option<Arc<str>>, CodecError> {
    if edits.is_empty() {
        return Ok(content);
    }
    let newer = content.ok_or(NO_NEWER)?;
    let older = composed(edits)?.apply(&newer).map_err(|_| ANOTHER_TEXT)?;
    Ok(Some(Arc::from(older)))
}

/// Composes edits that follow each other into one. By halves, so that each is copied a logarithmic number of times.
fn composed(edits: &[Edit]) -> Result<Edit, CodecError> {
    match edits {
        [] => Ok(Edit::default()),
        [edit] => Ok(edit.clone()),
        several => {
            let (first, then) = several.split_at(several.len() / 2);
            composed(first)?.then(&composed(then)?).map_err(|_| ANOTHER_TEXT)
        }
    }
}

fn text(bytes: Vec<u8>) -> Result<Arc<str>, CodecError> {
    String::from_utf8(bytes).map(Arc::from).map_err(|_| CodecError::Undo("it is no text"))
}

/// How many bytes the content had before a change.
fn old_length(write: &ContentWrite) -> u64 {
    match write {
        ContentWrite::Keep | ContentWrite::Repair { .. } => 0,
        ContentWrite::Edit { new, undo } => {
            let (mut gone, mut back) = (0, 0);
            for splice in undo.splices() {
                gone += splice.range.len();
                back += splice.text.len();
            }
            (new.len() + back).saturating_sub(gone) as u64
        }
        ContentWrite::Set { old, .. } => old.as_ref().map_or(0, |old| old.len() as u64),
    }
}

#[cfg(test)]
#[path = "undo_tests.rs"]
mod tests;
