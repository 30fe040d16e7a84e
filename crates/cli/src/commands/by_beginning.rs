//! What a user names by its id, or a beginning of it, in a list of the API: a change set, a proposal.

use reqwest::Method;
use serde_json::Value;
use uuid::Uuid;

use super::items::list::items;
use super::items::text;
use crate::api::{Api, ApiRequest};
use crate::command_error::CommandError;
use crate::output::printable;

/// Among how many of the newest a beginning is looked for: those that the command has shown.
const NEWEST: usize = 200;
/// As many as the API sends at once.
const PAGE: &str = "100";
/// As for items, fewer digits are no name.
const LEAST_DIGITS: usize = 4;

/// A list of the API whose members have names.
pub(super) struct NamedList {
    /// Its path, newest first in pages with a cursor.
    pub(super) path: &'static str,
    /// What people call one of them.
    pub(super) noun: &'static str,
    /// The command that shows them.
    pub(super) command: &'static str,
    /// One in a line after its id, for people who have to choose.
    pub(super) line: fn(&Value) -> String,
}

impl NamedList {
    /// The id of the one that has that name. A whole id is not looked for.
    pub(super) async fn find(&self, api: &Api, name: &str) -> Result<String, CommandError> {
        if let Ok(id) = Uuid::try_parse(name) {
            return Ok(id.to_string());
        }
        let is_beginning =
            name.len() >= LEAST_DIGITS && name.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
        if !is_beginning {
            return Err(self.unknown(name));
        }
        let beginning = name.to_ascii_lowercase();
        let mut found = self.newest(api).await?;
        found.retain(|one| text(one, "id").starts_with(&beginning));
        match found.as_slice() {
            [one] => Ok(text(one, "id").to_owned()),
            [] => Err(self.unknown(name)),
            several => Err(self.ambiguous(name, several)),
        }
    }

    async fn newest(&self, api: &Api) -> Result<Vec<Value>, CommandError> {
        let (mut found, mut cursor) = (Vec::new(), None::<String>);
        while found.len() < NEWEST {
            let request =
                ApiRequest::new(Method::GET, &[self.path])?.query("limit", PAGE).maybe_query("cursor", cursor);
            let page = api.send(request).await?;
            found.extend_from_slice(items(&page));
            match page["next_cursor"].as_str() {
                Some(next) => cursor = Some(next.to_owned()),
                None => break,
            }
        }
        Ok(found)
    }

    fn unknown(&self, name: &str) -> CommandError {
        CommandError::refused(format!("there is no {} {}", self.noun, printable(name))).hint(format!(
            "write an id, or {LEAST_DIGITS} or more digits that one of the newest {NEWEST} begins with; `{}` shows them",
            self.command
        ))
    }

    fn ambiguous(&self, name: &str, several: &[Value]) -> CommandError {
        let line = |one: &Value| format!("  {}  {}", printable(text(one, "id")), printable(&(self.line)(one)));
        let lines: Vec<String> = several.iter().map(line).collect();
        CommandError::refused(format!("{} {}s begin with {}:", several.len(), self.noun, printable(name)))
            .detail(lines.join("\n"))
            .hint("write more of the id")
    }
}
