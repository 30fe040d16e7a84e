//! Sets a server in the text of Codex' configuration, which is TOML.
//!
//! The syntax tree of `toml_edit` says where values stand, and only they are written: every other byte of the file is the
//! user's and stays. The tree is not printed, because that would end every line with a line feed, drop a byte order mark
//! and bring dotted keys together.

use toml::{Table, Value};
use toml_edit::{Document, Item, TableLike};

use super::entry::ServerEntry;
use super::{ConfigEdit, EditError, Splice, newline_of, spliced};

const SERVERS: &str = "mcp_servers";

/// Sets the entry as a table of `mcp_servers`. Of an entry that is there, what it starts is set and the rest, such as its
/// environment, stays.
pub(super) fn set_entry(text: &str, entry: &ServerEntry) -> Result<ConfigEdit, EditError> {
    let document =
        Document::parse(text).map_err(|error| EditError::Unreadable(error.to_string().trim_end().to_owned()))?;
    let name = format!("{SERVERS}.{}", entry.name);
    let servers = document.get(SERVERS).map(|servers| table(servers, SERVERS)).transpose()?;
    let existing = servers.and_then(|servers| servers.get(entry.name));
    let after = match existing {
        None => with_table(text, entry),
        Some(existing) => spliced(text, &splices(text, existing, &name, entry)?),
    };
    // A text that writes its tables in an unusual way must not come to mean something else.
    let expected = text.parse().ok().and_then(|before| expected(before, entry));
    if expected.is_none() || after.parse::<Table>().ok() != expected {
        return Err(EditError::NameTaken(name));
    }
    Ok(match existing {
        None => ConfigEdit::Added(after),
        Some(_) if after == text => ConfigEdit::Unchanged,
        Some(_) => ConfigEdit::Changed(after),
    })
}

/// The text with a table for the entry at its end.
fn with_table(text: &str, entry: &ServerEntry) -> String {
    let newline = newline_of(text);
    let gap = match text.trim_end() {
        "" => String::new(),
        _ if text.ends_with('\n') => newline.to_owned(),
        _ => newline.repeat(2),
    };
    let lines = [
        format!("[{SERVERS}.{}]", entry.name),
        format!("command = {}", string(&entry.command)),
        format!("args = {}", array(&entry.args)),
    ];
    format!("{text}{gap}{}{newline}", lines.join(newline))
}

/// What has to be written into an entry that is there.
fn splices(text: &str, existing: &Item, name: &str, entry: &ServerEntry) -> Result<Vec<Splice>, EditError> {
    let taken = || EditError::NameTaken(name.to_owned());
    let wrong_type = |key: &str, kind: &str| EditError::Unreadable(format!("`{name}.{key}` is not {kind}"));
    let table = table(existing, name)?;
    let (command_key, command) = table.get_key_value("command").ok_or_else(taken)?;
    let command_text = command.as_str().ok_or_else(|| wrong_type("command", "a string"))?;
    let command_range = command.span().ok_or_else(taken)?;
    let mut splices = Vec::new();
    if command_text != entry.command {
        splices.push(Splice { range: command_range.clone(), new: string(&entry.command) });
    }
    let args = array(&entry.args);
    match table.get("args") {
        Some(existing) => {
            let strings = existing.as_array().and_then(|args| args.iter().map(toml_edit::Value::as_str).collect());
            let strings: Vec<&str> = strings.ok_or_else(|| wrong_type("args", "an array of strings"))?;
            if strings != entry.args {
                splices.push(Splice { range: existing.span().ok_or_else(taken)?, new: args });
            }
        }
        None if existing.is_value() => {
            let dotted = if table.is_dotted() { format!("{}.", entry.name) } else { String::new() };
            let at = command_range.end;
            splices.push(Splice { range: at..at, new: format!(", {dotted}args = {args}") });
        }
        None => {
            let key = command_key.span().ok_or_else(taken)?.start;
            splices.push(line_below(text, key, command_range.end, &format!("args = {args}")));
        }
    }
    splices.sort_by_key(|splice| splice.range.start);
    Ok(splices)
}

/// A line below that of a value, with the same indentation and the same dotted keys before `key`, which is where the
/// value's own key begins.
fn line_below(text: &str, key: usize, value_end: usize, line: &str) -> Splice {
    let newline = newline_of(text);
    let prefix = &text[text[..key].rfind('\n').map_or(0, |newline| newline + 1)..key];
    match text[value_end..].find('\n') {
        Some(rest) => {
            let at = value_end + rest + 1;
            Splice { range: at..at, new: format!("{prefix}{line}{newline}") }
        }
        None => Splice { range: text.len()..text.len(), new: format!("{newline}{prefix}{line}") },
    }
}

fn table<'t>(item: &'t Item, name: &str) -> Result<&'t dyn TableLike, EditError> {
    item.as_table_like().ok_or_else(|| EditError::Unreadable(format!("`{name}` is not a table")))
}

fn string(text: &str) -> String {
    toml_edit::Value::from(text).to_string()
}

fn array(strings: &[String]) -> String {
    let strings: Vec<String> = strings.iter().map(|text| string(text)).collect();
    format!("[{}]", strings.join(","))
}

/// What the configuration has to mean.
fn expected(mut before: Table, entry: &ServerEntry) -> Option<Table> {
    let table = || Value::Table(Table::new());
    let servers = before.entry(SERVERS).or_insert_with(table).as_table_mut()?;
    let server = servers.entry(entry.name).or_insert_with(table).as_table_mut()?;
    server.insert("command".to_owned(), Value::String(entry.command.clone()));
    server.insert("args".to_owned(), Value::Array(entry.args.iter().cloned().map(Value::String).collect()));
    Some(before)
}
