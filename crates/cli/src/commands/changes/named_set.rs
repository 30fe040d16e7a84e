//! The change set that a user names: by id, or a beginning of it.

use reqwest::Method;
use serde_json::Value;
use uuid::Uuid;

use super::{author, item_names};
use crate::api::{Api, ApiRequest};
use crate::command_error::CommandError;
use crate::commands::items::list::items;
use crate::commands::items::text;
use crate::output::{printable, to_minute};

/// Among how many of the newest sets a beginning is looked for: those that `interline changes` has shown.
const NEWEST: usize = 200;
/// As many as the API sends at once.
const PAGE: &str = "100";
/// As for items, fewer digits are no name.
const LEAST_DIGITS: usize = 4;

/// The id of the one set that has that name.
pub(super) async fn find(api: &Api, name: &str) -> Result<String, CommandError> {
    if let Ok(id) = Uuid::try_parse(name) {
        return Ok(id.to_string());
    }
    let is_beginning = name.len() >= LEAST_DIGITS && name.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    if !is_beginning {
        return Err(unknown(name));
    }
    let beginning = name.to_ascii_lowercase();
    let mut found = newest(api).await?;
    found.retain(|set| text(set, "id").starts_with(&beginning));
    match found.as_slice() {
        [set] => Ok(text(set, "id").to_owned()),
        [] => Err(unknown(name)),
        several => Err(ambiguous(name, several)),
    }
}

async fn newest(api: &Api) -> Result<Vec<Value>, CommandError> {
    let (mut found, mut cursor) = (Vec::new(), None::<String>);
    while found.len() < NEWEST {
        let request = ApiRequest::new(Method::GET, &["changes"])?.query("limit", PAGE).maybe_query("cursor", cursor);
        let page = api.send(request).await?;
        found.extend_from_slice(items(&page));
        match page["next_cursor"].as_str() {
            Some(next) => cursor = Some(next.to_owned()),
            None => break,
        }
    }
    Ok(found)
}

fn unknown(name: &str) -> CommandError {
    CommandError::refused(format!("there is no change set {}", printable(name))).hint(format!(
        "write an id, or {LEAST_DIGITS} or more digits that one of the newest {NEWEST} begins with; `interline changes` shows \
         them"
    ))
}

fn ambiguous(name: &str, sets: &[Value]) -> CommandError {
    let line = |set: &Value| {
        let when = to_minute(text(set, "last_at"));
        format!("  {}  {when}  {}: {}", text(set, "id"), printable(&author(set)), printable(&item_names(set)))
    };
    let lines: Vec<String> = sets.iter().map(line).collect();
    CommandError::refused(format!("{} change sets begin with {}:", sets.len(), printable(name)))
        .detail(lines.join("\n"))
        .hint("write more of the id")
}
