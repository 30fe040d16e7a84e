//! The everyday commands: each sends requests of the REST API, to the local store or to a server, and shows the answers.

pub(super) mod blame;
pub(super) mod diff;
pub(super) mod edit;
mod editor;
pub(super) mod get;
pub(super) mod history;
pub(super) mod lifecycle;
pub(super) mod list;
pub(super) mod named_item;
pub(super) mod new;
pub(super) mod organizations;
pub(super) mod patch;
mod refusal;
pub(super) mod render;
pub(super) mod restore;
pub(super) mod search;
pub(super) mod tags;

use serde_json::Value;

use crate::api::Api;
use crate::command_error::CommandError;
use crate::output::{OutputFormat, print, print_json, print_to_stderr, printable};

/// A member of an answer that is text; empty where it is null.
pub(super) fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap_or_default()
}

/// What people call an item: its title, or else its name, address or path.
pub(super) fn title(item: &Value) -> &str {
    ["title", "name", "url", "path"].into_iter().map(|key| text(item, key)).find(|name| !name.is_empty()).unwrap_or("-")
}

/// What has to happen before a write is applied that was kept as a proposal; `None` of one that is applied. That the last
/// proposal for the item was refused is told beside it.
fn proposed(answer: &Value) -> Option<String> {
    if answer["applied"] != false {
        return None;
    }
    if let Some(rejected) = answer.get("rejected") {
        let reason = rejected["reason"].as_str().unwrap_or("no reason was given");
        print_to_stderr(&format!("note: the last proposal for this item was rejected: {}", printable(reason)));
    }
    Some(format!("a person has to accept proposal {}", printable(text(&answer["proposal"], "id"))))
}

/// Ends a command by saying what was done to an item, which is remembered.
async fn report(api: &Api, format: OutputFormat, done: &str, item: &Value) -> Result<(), CommandError> {
    api.last.set(text(item, "id"));
    match format {
        OutputFormat::Json => print_json(item)?,
        OutputFormat::Text => {
            let (kind, id) = (printable(text(item, "type")), printable(text(item, "id")));
            let what = format!("{kind} {id} ({})", printable(title(item)));
            match proposed(item) {
                Some(waits) => print(&format!("Proposed {what}: {waits}"))?,
                None => print(&format!("{done} {what}"))?,
            }
        }
    }
    api.finish().await;
    Ok(())
}
