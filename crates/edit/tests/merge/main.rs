//! Merging: examples, laws over generated triples, and what git makes of the same triples.
//!
//! `INTERLINE_MERGE_TRIPLES` sets the number of generated triples that are compared with git, `INTERLINE_MERGE_FIRST` the first
//! seed. `INTERLINE_MERGE_REAL` sets the number of triples of real texts, and `INTERLINE_MERGE_CASES` a file of editbench cases
//! to make them of; without it they are made of the sources of this repository.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "tests speak by panics and print figures")]

mod beside_git;
mod examples;
mod generate;
mod git;
mod laws;
#[path = "../oracle/mod.rs"]
mod oracle;
mod properties;
mod real_texts;

/// What the runner of the tests asks for.
#[expect(clippy::disallowed_methods, reason = "the runner of the tests asks through the environment")]
fn from_environment(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

fn number_from_environment(name: &str, default: u64) -> u64 {
    from_environment(name).map_or(default, |value| value.parse().unwrap())
}
