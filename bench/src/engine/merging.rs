//! Worst-case inputs of merges.

use interline_edit::merge;

use super::lines_and_search::{linear, shuffled};
use super::traps::{Trap, Trial};
use crate::texts::source;

pub(super) const TRAPS: &[Trap] = &[
    linear("merge of 8 MB, 100 lines changed on each side", |size| {
        let base = source(size.scale(8_000_000), 1);
        let every = base.matches('\n').count() / 100;
        let (ours, theirs) = (changed(&base, every, 1), changed(&base, every, every / 2));
        merging(base, ours, theirs)
    }),
    linear("merge of 8 MB, every 40th line changed on each side", |size| {
        let base = source(size.scale(8_000_000), 1);
        let (ours, theirs) = (changed(&base, 40, 1), changed(&base, 40, 20));
        merging(base, ours, theirs)
    }),
    linear("merge of three different texts of 8 MB", |size| {
        let [base, ours, theirs] = [1, 2, 3].map(|seed| source(size.scale(8_000_000), seed));
        merging(base, ours, theirs)
    }),
    linear("merge of 300,000 lines `a` or `b`, shuffled", |size| {
        let [base, ours, theirs] = [1, 2, 3].map(|seed| shuffled(size.scale(300_000), seed));
        merging(base, ours, theirs)
    }),
    linear("merge of 300,000 lines `a` or `b`, two lines changed on each side", |size| {
        let base = shuffled(size.scale(300_000), 1);
        let half = size.scale(300_000) / 2;
        let (ours, theirs) = (changed(&base, half, 10), changed(&base, half, half - 10));
        merging(base, ours, theirs)
    }),
];

/// The text with a word more in one of so many lines.
fn changed(text: &str, every: usize, first: usize) -> String {
    let mut changed = String::with_capacity(text.len());
    for (index, line) in text.split_inclusive('\n').enumerate() {
        if index % every == first {
            changed.push_str("changed ");
        }
        changed.push_str(line);
    }
    changed
}

fn merging(base: String, ours: String, theirs: String) -> Trial {
    Trial::new(base.len(), move || match merge(&base, &ours, &theirs) {
        Ok(edit) => format!("clean, {} splices", edit.splices().len()),
        Err(conflicts) => format!("conflicts: {}", conflicts.len()),
    })
}
