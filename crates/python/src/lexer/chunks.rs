//! Where a module is cut into chunks, each of which is parsed by itself.
//!
//! A tree takes many times the memory of its text. Those of short chunks, made and dropped one after the other, stay in
//! the processor's cache and in the same few pages, which takes less time than one tree of the whole.

use ruff_text_size::TextSize;

/// Bytes after which a chunk ends as soon as it may.
const CHUNK_BYTES: usize = 32 * 1024;

/// Some statements of a module.
#[derive(Clone, Copy)]
pub(crate) struct Chunk<'s> {
    pub(crate) text: &'s str,
    /// Where it begins in the module.
    pub(crate) start: TextSize,
}

/// A module that is cut between statements.
pub(crate) struct Chunks<'s> {
    source: &'s str,
    /// Where chunks begin, but for the first.
    cuts: Vec<usize>,
    previous: PreviousLine,
}

/// The last logical line that is not in a block.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PreviousLine {
    /// None, or one after which something may still be imported from `__future__`: such a line is in the first chunk.
    Beginning,
    Decorator,
    Other,
}

impl<'s> Chunks<'s> {
    /// One chunk, so far.
    pub(crate) fn uncut(source: &'s str) -> Chunks<'s> {
        Chunks { source, cuts: Vec::new(), previous: PreviousLine::Beginning }
    }

    /// Notes that a logical line outside all blocks begins at `offset` with blanks and continuations, if any, and then
    /// `line`; cuts before it where the chunk is long enough.
    pub(super) fn begin_line(&mut self, offset: usize, line: &[u8]) {
        let may_cut = self.previous == PreviousLine::Other && begins_statement(line);
        if may_cut && offset - self.cuts.last().copied().unwrap_or(0) >= CHUNK_BYTES {
            self.cuts.push(offset);
        }
        self.previous = match line.first() {
            Some(b'@') => PreviousLine::Decorator,
            _ if self.previous == PreviousLine::Beginning && !ends_beginning(line) => PreviousLine::Beginning,
            _ => PreviousLine::Other,
        };
    }

    /// How many there are; one at the least.
    pub(crate) fn len(&self) -> usize {
        self.cuts.len() + 1
    }

    /// A chunk, by its number from 0 on.
    pub(crate) fn chunk(&self, index: usize) -> Chunk<'s> {
        let start = index.checked_sub(1).map_or(0, |before| self.cuts[before]);
        let end = self.cuts.get(index).copied().unwrap_or(self.source.len());
        Chunk { text: &self.source[start..end], start: TextSize::of(&self.source[..start]) }
    }
}

/// Whether a line is surely neither a text, as a module may begin with, nor an import from `__future__`.
fn ends_beginning(line: &[u8]) -> bool {
    let word = line.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
    let is_prefix = matches!(line.get(word), Some(b'\'' | b'"'));
    word > 0 && !is_prefix && !line.starts_with(b"from")
}

/// Whether a line outside all blocks begins a statement: it is not a later clause of one. A mark that is not ASCII would be
/// skipped at the start of a chunk.
fn begins_statement(line: &[u8]) -> bool {
    let clauses: [&[u8]; 4] = [b"elif", b"else", b"except", b"finally"];
    line.first().is_some_and(u8::is_ascii) && !clauses.iter().any(|clause| line.starts_with(clause))
}
