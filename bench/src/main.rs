//! Speed, side by side with the raw operations on the same bytes; see `bench/README.md`.
//!
//! `cargo run --release -p interline-bench [-- PART OF A ROW'S NAME]`

#![expect(clippy::print_stdout, reason = "the tables go to stdout")]

use std::error::Error;

mod edit;
mod measure;
mod table;
mod texts;

fn main() -> Result<(), Box<dyn Error>> {
    let filter = std::env::args().skip(1).collect::<Vec<_>>().join(" ");
    edit::run(&filter)
}
