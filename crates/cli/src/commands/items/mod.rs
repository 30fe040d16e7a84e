//! The everyday commands: each sends requests of the REST API, to the local store or to a server, and shows the answers.

pub(super) mod diff;
pub(super) mod edit;
mod editor;
pub(super) mod get;
pub(super) mod history;
pub(super) mod lifecycle;
pub(super) mod list;
mod named_item;
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
use crate::args::StoreCommandArgs;
use crate::command_error::CommandError;
use crate::output::{OutputFormat, print, print_json, printable};

/// A member of an answer that is text; empty where it is null.
fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap_or_default()
}

/// What people call an item: its title, or else its name, address or path.
fn title(item: &Value) -> &str {
    ["title", "name", "url", "path"].into_iter().map(|key| text(item, key)).find(|name| !name.is_empty()).unwrap_or("-")
}

/// Says what was done to an item, and remembers it.
fn report(api: &Api, options: &StoreCommandArgs, done: &str, item: &Value) -> Result<(), CommandError> {
    api.last.set(text(item, "id"));
    match options.format() {
        OutputFormat::Json => print_json(item),
        OutputFormat::Text => {
            let (kind, id) = (printable(text(item, "type")), printable(text(item, "id")));
            print(&format!("{done} {kind} {id} ({})", printable(title(item))))
        }
    }
}
