//! The item that a user names: by id, a beginning of it, a name, a path, or `@last`.

use interline_items::Kind;
use reqwest::Method;
use serde_json::Value;
use uuid::Uuid;

use super::{text, title};
use crate::api::{Api, ApiRequest};
use crate::args::ItemArgs;
use crate::command_error::CommandError;
use crate::output::printable;

/// An item, named by its id.
pub(in crate::commands) struct NamedItem {
    pub(in crate::commands) id: String,
    /// The type that the user asks for.
    kind: Option<Kind>,
}

impl NamedItem {
    /// Finds the one item that the arguments name.
    pub(in crate::commands) async fn find(api: &Api, args: &ItemArgs) -> Result<NamedItem, CommandError> {
        let kind = args.kind.map(|kind| kind.0);
        Ok(NamedItem { id: find(api, &args.item, kind).await?, kind })
    }

    /// A request to the item, or to what is below it.
    pub(in crate::commands) fn request(&self, method: Method, below: &[&str]) -> Result<ApiRequest, CommandError> {
        let path = [&["content", self.id.as_str()], below].concat();
        Ok(ApiRequest::new(method, &path)?.maybe_query("type", self.kind.map(Kind::name)))
    }
}

/// The id of the one item that has that name.
pub(in crate::commands) async fn find(api: &Api, name: &str, kind: Option<Kind>) -> Result<String, CommandError> {
    if name == "@last" {
        return api.last.id().map(|id| id.to_string()).ok_or_else(|| {
            CommandError::refused("there is no @last: no command has made or changed an item of this store here")
                .hint("name the item; `interline list` shows them")
        });
    }
    if let Ok(id) = Uuid::try_parse(name) {
        return Ok(id.to_string());
    }
    let request = ApiRequest::new(Method::GET, &["content", "lookup"])?.query("item", name);
    let mut found = api.send(request).await?;
    let has_more = found["has_more"] == true;
    let mut items = match found["items"].take() {
        Value::Array(items) => items,
        _ => Vec::new(),
    };
    items.retain(|item| kind.is_none_or(|kind| text(item, "type") == kind.name()));
    match (items.as_slice(), has_more) {
        ([item], false) => Ok(text(item, "id").to_owned()),
        ([], _) => Err(unknown(name, kind)),
        (items, has_more) => Err(ambiguous(name, items, if has_more { More::Are } else { More::None })),
    }
}

/// Whether there are more items than those that are listed.
#[derive(Clone, Copy)]
enum More {
    Are,
    None,
}

fn unknown(name: &str, kind: Option<Kind>) -> CommandError {
    let (kind, name) = (kind.map_or("item", Kind::name), printable(name));
    CommandError::refused(format!("there is no {kind} {name}")).hint(
        "write an id, 4 or more digits that it begins with, a prompt's name, a path of code, or @last; `interline list` shows \
         the ids",
    )
}

fn ambiguous(name: &str, items: &[Value], more: More) -> CommandError {
    let many = match more {
        More::Are => format!("more than {} items are", items.len()),
        More::None => format!("{} items are", items.len()),
    };
    let line = |item: &Value| {
        format!("  {}  {:<8}  {}", printable(text(item, "id")), printable(text(item, "type")), printable(title(item)))
    };
    let lines: Vec<String> = items.iter().map(line).collect();
    CommandError::refused(format!("{many} called {}:", printable(name)))
        .detail(lines.join("\n"))
        .hint("write more of the id, or say the --type")
}
