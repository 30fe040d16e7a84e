//! The blocks around a statement that `break`, `continue` and `return` leave.

/// CPython's bound, per function; it was 20 before Python 3.13.
const MAX_BLOCKS: usize = 21;

/// A block that has to be left in an orderly way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Block {
    Loop,
    /// `with`, `try`, `except`, `finally`.
    Guarded,
    /// `except*`.
    ExceptStar,
}

/// The blocks around a statement, the innermost last.
#[derive(Debug, Default)]
pub(crate) struct Blocks(Vec<Block>);

impl Blocks {
    /// Enters a block; refuses one too many.
    pub(crate) fn push(&mut self, block: Block) -> Result<(), &'static str> {
        self.0.push(block);
        if self.0.len() > MAX_BLOCKS { Err("too many statically nested blocks") } else { Ok(()) }
    }

    pub(crate) fn pop(&mut self) {
        self.0.pop();
    }

    pub(crate) fn in_loop(&self) -> bool {
        self.0.contains(&Block::Loop)
    }

    /// Whether leaving the innermost loop would leave an `except*` too.
    pub(crate) fn loop_is_outside_except_star(&self) -> bool {
        let innermost = self.0.iter().rev().find(|block| **block != Block::Guarded);
        innermost == Some(&Block::ExceptStar)
    }

    pub(crate) fn in_except_star(&self) -> bool {
        self.0.contains(&Block::ExceptStar)
    }
}
