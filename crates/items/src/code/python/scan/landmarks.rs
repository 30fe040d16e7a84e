//! Where names are said to belong to another scope.

use ruff_text_size::TextRange;

/// Where `global`, `nonlocal` and `:=` stand. A scope without any of them needs no table of its names.
#[derive(Debug, Default)]
pub(in super::super) struct Landmarks {
    /// In bytes of the source, ascending.
    offsets: Vec<usize>,
}

impl Landmarks {
    pub(super) fn note(&mut self, offset: usize) {
        self.offsets.push(offset);
    }

    /// Those after an offset are to be noted again.
    pub(super) fn forget_after(&mut self, offset: usize) {
        self.offsets.truncate(self.offsets.partition_point(|noted| *noted <= offset));
    }

    /// Whether one of them is there.
    pub(in super::super) fn any_in(&self, range: TextRange) -> bool {
        let next = self.offsets.partition_point(|offset| *offset < range.start().to_usize());
        self.offsets.get(next).is_some_and(|offset| *offset < range.end().to_usize())
    }
}
