//! Setting a server in the text of Codex' configuration. Every other byte stays: the file is somebody's.

use std::collections::BTreeMap;
use std::ops::Range;

use serde::Deserialize;
use serde_json::json;
use toml::{Spanned, Table, Value};

use super::entry::Entry;
use super::{Change, Unfit};

const SERVERS: &str = "mcp_servers";

/// What is there, with its places in the text.
#[derive(Deserialize)]
struct Config {
    #[serde(default)]
    mcp_servers: BTreeMap<String, Server>,
}

#[derive(Deserialize)]
struct Server {
    command: Option<Spanned<String>>,
    args: Option<Spanned<Vec<String>>>,
}

/// The text with the entry as a table of `mcp_servers`. Of an entry that is there, what it starts is set and the rest, such
/// as its environment, stays.
pub(super) fn with(text: &str, entry: &Entry) -> Result<Change, Unfit> {
    let unreadable = |error: toml::de::Error| Unfit::Unreadable(error.to_string().trim_end().to_owned());
    let taken = || Unfit::Taken(format!("{SERVERS}.{}", entry.name));
    let config: Config = toml::from_str(text).map_err(unreadable)?;
    // Strings and lists of them are written in TOML as in JSON.
    let (command, args) = (json!(entry.command).to_string(), json!(entry.args).to_string());
    let there = config.mcp_servers.get(entry.name);
    let after = match there {
        None => {
            let gap = match text.trim_end() {
                "" => "",
                _ if text.ends_with('\n') => "\n",
                _ => "\n\n",
            };
            format!("{text}{gap}[{SERVERS}.{}]\ncommand = {command}\nargs = {args}\n", entry.name)
        }
        Some(Server { command: Some(there), args: there_args }) => {
            let mut changes: Vec<(Range<usize>, String)> = Vec::new();
            if *there.get_ref() != entry.command {
                changes.push((there.span(), command));
            }
            match there_args {
                Some(there) if *there.get_ref() == entry.args => {}
                Some(there) => changes.push((there.span(), args)),
                None => changes.push((there.span().end..there.span().end, format!("\nargs = {args}"))),
            }
            changes.sort_by_key(|(range, _)| (range.start, range.end));
            changes.iter().rev().fold(text.to_owned(), |text, (range, new)| {
                format!("{}{new}{}", &text[..range.start], &text[range.end..])
            })
        }
        Some(Server { command: None, .. }) => return Err(taken()),
    };
    // A text that tells its tables in an unusual way must not come to mean something else.
    let expected = expected(text.parse().map_err(unreadable)?, entry).ok_or_else(taken)?;
    if !after.parse::<Table>().is_ok_and(|after| after == expected) {
        return Err(taken());
    }
    Ok(match there {
        None => Change::Added(after),
        Some(_) if after == text => Change::Nothing,
        Some(_) => Change::FieldChange(after),
    })
}

/// What the configuration has to mean.
fn expected(mut before: Table, entry: &Entry) -> Option<Table> {
    let table = || Value::Table(Table::new());
    let servers = before.entry(SERVERS).or_insert_with(table).as_table_mut()?;
    let server = servers.entry(entry.name).or_insert_with(table).as_table_mut()?;
    server.insert("command".to_owned(), Value::String(entry.command.clone()));
    server.insert("args".to_owned(), Value::Array(entry.args.iter().cloned().map(Value::String).collect()));
    Some(before)
}
