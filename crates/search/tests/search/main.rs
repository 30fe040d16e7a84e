//! Searches over items against a naive oracle, and what is shown of what they find.
//!
//! `INTERLINE_ORACLE_CASES` sets the number of corpora, `INTERLINE_ORACLE_FIRST` the first seed.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a failed test is a panic")]

mod generate;
mod index;
mod oracle;
mod presence;
mod scores;
mod snippets;

use interline_search::SearchedFields;

use oracle::Texts;

fn searched(texts: &Texts) -> SearchedFields<'_> {
    SearchedFields {
        title: texts.title.as_deref(),
        name: texts.name.as_deref(),
        description: texts.description.as_deref(),
        url: texts.url.as_deref(),
        path: texts.path.as_deref(),
        content: texts.content.as_deref(),
    }
}

/// Runs `check` for every seed.
fn for_every_seed(default_count: u64, check: impl Fn(u64)) {
    let first = number_from_environment("INTERLINE_ORACLE_FIRST", 0);
    let count = number_from_environment("INTERLINE_ORACLE_CASES", default_count);
    (first..first + count).for_each(check);
}

#[expect(clippy::disallowed_methods, reason = "the runner of the tests asks through the environment")]
fn number_from_environment(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |value| value.parse().unwrap())
}
