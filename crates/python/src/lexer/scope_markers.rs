//! Scope markers: where code declares that a name belongs to another scope.

use ruff_text_size::TextRange;

/// Where `global`, `nonlocal` and `:=` stand. A scope without any of them needs no table of its names.
#[derive(Debug, Default)]
pub(crate) struct ScopeMarkers {
    /// In bytes of the source, ascending.
    offsets: Vec<usize>,
}

impl ScopeMarkers {
    pub(super) fn note(&mut self, offset: usize) {
        self.offsets.push(offset);
    }

    /// Forgets the markers after an offset, which will be noted again.
    pub(super) fn forget_after(&mut self, offset: usize) {
        self.offsets.truncate(self.offsets.partition_point(|noted| *noted <= offset));
    }

    /// Whether a marker is in the range.
    pub(crate) fn any_in(&self, range: TextRange) -> bool {
        let next = self.offsets.partition_point(|offset| *offset < range.start().to_usize());
        self.offsets.get(next).is_some_and(|offset| *offset < range.end().to_usize())
    }
}
