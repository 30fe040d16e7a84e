//! The commands about change sets: the list, the inbox, undo. Each sends requests of the REST API and shows the answers.

pub(super) mod conflicts;
pub(super) mod list;
pub(super) mod review;
pub(super) mod shown;
pub(super) mod undo;

use serde_json::Value;

use super::by_beginning::NamedList;
use super::items::{text, title};
use crate::output::to_minute;
use crate::screen::Screen;

/// Change sets as people name them.
const CHANGE_SETS: NamedList = NamedList {
    path: "changes",
    noun: "change set",
    command: "interline changes",
    line: |set| format!("{}  {}: {}", to_minute(text(set, "last_at")), author(set), item_names(set)),
};

/// The items of a set in a few words: how many, and the first by its name, which may be cut.
fn item_names(set: &Value) -> String {
    let first = set["items"].get(0).map(title).unwrap_or("-");
    match set["items_total"].as_u64().unwrap_or(1) {
        0 | 1 => first.to_owned(),
        total => format!("{total} items: {first}, …"),
    }
}

/// Whose changes they are, of a set or a proposal, and through which program they came.
pub(super) fn author(set: &Value) -> String {
    let client = [text(&set["client"], "name"), text(&set["client"], "version")];
    let client: Vec<&str> = client.into_iter().filter(|part| !part.is_empty()).collect();
    format!("{} via {}", text(&set["user"], "name"), client.join(" "))
}

/// The lines that were added and removed in these items; empty if none were.
fn line_counts<'v>(items: impl IntoIterator<Item = &'v Value>) -> String {
    let (mut added, mut removed) = (0, 0);
    for item in items {
        added += item["lines_added"].as_u64().unwrap_or(0);
        removed += item["lines_removed"].as_u64().unwrap_or(0);
    }
    if (added, removed) == (0, 0) { String::new() } else { format!("+{added} -{removed}") }
}

/// A state as people read it.
fn state(value: &Value) -> String {
    text(value, "state").replace('_', " ")
}

/// When the last change of a set was made.
fn when(screen: &Screen, set: &Value) -> String {
    screen.time(text(set, "last_at"))
}
