//! Searches over items against a naive oracle, and what is shown of what they find.
//!
//! `INTERLINE_ORACLE_CASES` sets the number of corpora, `INTERLINE_ORACLE_FIRST` the first seed.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a failed test is a panic")]

mod generate;
mod index;
mod oracle;
mod scores;

use std::sync::Arc;

use interline_items::fields::{Description, PromptName, Title, Url};
use interline_items::search::Searched;
use interline_items::{Fields, Item, ItemId, Kind, Snapshot, SpaceId, Stamp};
use jiff::Timestamp;

use oracle::Texts;

/// An item with these texts.
fn item(texts: &Texts) -> Snapshot {
    let fields = Fields {
        title: texts.title.clone().map(Title::from_stored),
        name: texts.name.clone().map(PromptName::from_stored),
        description: texts.description.clone().map(Description::from_stored),
        url: texts.url.clone().map(Url::from_stored),
        ..Fields::default()
    };
    let item = Item {
        id: ItemId::generate(),
        kind: Kind::Note,
        space: SpaceId::generate(),
        fields,
        content: None,
        stamp: Stamp { version: 1, revision: 0 },
        created_at: Timestamp::UNIX_EPOCH,
        updated_at: Timestamp::UNIX_EPOCH,
        last_used_at: None,
        archived_at: None,
        deleted_at: None,
    };
    Snapshot { item, content: texts.content.as_deref().map(Arc::from) }
}

fn searched(item: &Snapshot) -> Searched<'_> {
    Searched::of(item)
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
