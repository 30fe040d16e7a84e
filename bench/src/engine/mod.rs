//! Benchmarks of the text engine: its speed, and worst-case inputs that could take more than linear time.

use std::error::Error;

use interline_edit::{ReplaceError, Replacement};

mod lines_and_search;
mod merging;
mod outlines;
mod replacing;
mod speed;
mod traps;

pub(crate) fn run(filter: &str) -> Result<(), Box<dyn Error>> {
    speed::run(filter)?;
    let all = replacing::TRAPS.iter().chain(lines_and_search::TRAPS).chain(merging::TRAPS).chain(outlines::TRAPS);
    traps::run(filter, all)
}

/// The outcome of a replacement in a few words, for the table.
fn summary(result: &Result<Replacement, ReplaceError>) -> String {
    match result {
        Ok(done) if done.ranges.len() == 1 => done.level.to_string(),
        Ok(done) => format!("{} × {}", done.ranges.len(), done.level),
        Err(ReplaceError::MultipleMatches(many)) => format!("refused: {} × {}", many.total, many.level),
        Err(ReplaceError::NoMatch(none)) => {
            let cause = none.cause.as_ref().map_or("None".to_owned(), |cause| format!("{cause:?}"));
            let cause = cause.split([' ', '{']).next().unwrap_or("").to_owned();
            format!("no_match: {cause}, {} near", none.nearest.len())
        }
        Err(invalid) => format!("{invalid:?}"),
    }
}
