//! Benchmarks, side by side with the raw operations on the same bytes; see `bench/README.md`.
//!
//! `just bench [GROUP…] [--rows PART OF A ROW'S NAME]`

#![expect(clippy::print_stdout, reason = "the tables go to stdout")]

use std::error::Error;

mod engine;
mod groups;
mod load;
mod measure;
mod prose;
mod requests;
mod servers;
mod store;
mod table;
mod texts;

use groups::Group;

/// The allocator of the command.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// What to measure.
struct Choice {
    groups: Vec<Group>,
    /// Rows whose names contain it.
    rows: String,
}

fn main() -> Result<(), Box<dyn Error>> {
    let choice = Choice::parse(std::env::args().skip(1))?;
    for group in choice.groups {
        group.run(&choice.rows)?;
    }
    Ok(())
}

impl Choice {
    fn parse(mut words: impl Iterator<Item = String>) -> Result<Choice, String> {
        let (mut groups, mut rows) = (Vec::new(), String::new());
        while let Some(word) = words.next() {
            match (word.as_str(), Group::named(&word)) {
                ("--rows", _) => rows = words.next().ok_or("--rows: which?")?,
                (_, Some(group)) => groups.push(group),
                (_, None) => return Err(format!("{word}: the groups are {}", Group::names().join(", "))),
            }
        }
        if groups.is_empty() {
            groups.extend(Group::ALL);
        }
        Ok(Choice { groups, rows })
    }
}
