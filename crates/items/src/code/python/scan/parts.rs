//! Where a module is cut into parts, each of which is parsed by itself.
//!
//! A tree takes many times the memory of its text. Those of short parts, made and dropped one after the other, stay in
//! the processor's cache and in the same few pages, which takes less time than one tree of the whole.

use ruff_text_size::TextSize;

/// Bytes after which a part ends as soon as it may.
const PART_BYTES: usize = 32 * 1024;

/// Some statements of a module.
#[derive(Clone, Copy)]
pub(in super::super) struct Part<'s> {
    pub(in super::super) text: &'s str,
    /// Where it begins in the module.
    pub(in super::super) start: TextSize,
}

/// A module that is cut between statements.
pub(in super::super) struct Parts<'s> {
    source: &'s str,
    /// Where parts begin, but for the first.
    cuts: Vec<usize>,
    after: After,
}

/// What the last logical line was that is not in a block.
#[derive(Clone, Copy, PartialEq, Eq)]
enum After {
    /// None, or one after which something may still be imported from `__future__`: such a line is in the first part.
    Beginning,
    Decorator,
    Other,
}

impl<'s> Parts<'s> {
    /// One part, so far.
    pub(in super::super) fn uncut(source: &'s str) -> Parts<'s> {
        Parts { source, cuts: Vec::new(), after: After::Beginning }
    }

    /// A logical line outside all blocks begins at `offset` with blanks and continuations, if any, and then this.
    pub(super) fn line(&mut self, offset: usize, line: &[u8]) {
        let may_cut = self.after == After::Other && begins_statement(line);
        if may_cut && offset - self.cuts.last().copied().unwrap_or(0) >= PART_BYTES {
            self.cuts.push(offset);
        }
        self.after = match line.first() {
            Some(b'@') => After::Decorator,
            _ if self.after == After::Beginning && !ends_beginning(line) => After::Beginning,
            _ => After::Other,
        };
    }

    /// How many there are; one at the least.
    pub(in super::super) fn len(&self) -> usize {
        self.cuts.len() + 1
    }

    /// A part, by its number from 0 on.
    pub(in super::super) fn part(&self, index: usize) -> Part<'s> {
        let start = index.checked_sub(1).map_or(0, |before| self.cuts[before]);
        let end = self.cuts.get(index).copied().unwrap_or(self.source.len());
        Part { text: &self.source[start..end], start: TextSize::of(&self.source[..start]) }
    }
}

/// Whether a line is surely neither a text, as a module may begin with, nor an import from `__future__`.
fn ends_beginning(line: &[u8]) -> bool {
    let word = line.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
    let is_prefix = matches!(line.get(word), Some(b'\'' | b'"'));
    word > 0 && !is_prefix && !line.starts_with(b"from")
}

/// Whether a line outside all blocks begins a statement: it is not a later clause of one. A mark that is not ASCII would be
/// skipped at the start of a part.
fn begins_statement(line: &[u8]) -> bool {
    let clauses: [&[u8]; 4] = [b"elif", b"else", b"except", b"finally"];
    line.first().is_some_and(u8::is_ascii) && !clauses.iter().any(|clause| line.starts_with(clause))
}
