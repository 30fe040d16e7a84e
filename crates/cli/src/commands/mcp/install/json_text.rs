//! Setting members in the text of a JSON object. Every other byte stays: the file is somebody's.

use std::ops::Range;

use serde::Serialize as _;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::ser::PrettyFormatter;
use serde_json::{Serializer, StreamDeserializer, Value, json};

use super::client::Transport;
use super::entry::Entry;
use super::{Change, Unfit};

const DEFAULT_INDENT: &str = "  ";

/// The text with the entry in the object at `servers`. Of an entry that is there, what it starts is set and the rest, such
/// as its environment, stays.
pub(super) fn with(text: &str, servers: &str, transport: Transport, entry: &Entry) -> Result<Change, Unfit> {
    let text = if text.trim().is_empty() { "{}\n" } else { text };
    let value: Value = serde_json::from_str(text).map_err(|error| Unfit::Unreadable(error.to_string()))?;
    if !value.is_object() {
        return Err(Unfit::Unreadable("it is no object".to_owned()));
    }
    let there = &value[servers][entry.name];
    if !there.is_null() && !there["command"].is_string() {
        return Err(Unfit::Taken(entry.name.to_owned()));
    }
    let stdio = match transport {
        Transport::Told => Some(("type", json!("stdio"))),
        Transport::Implied => None,
    };
    let members = stdio.into_iter().chain([("command", json!(entry.command)), ("args", json!(entry.args))]);
    let start = after_blanks(text, 0);
    let mut after = text.to_owned();
    for (key, value) in members {
        after = set(&after, start, ("", DEFAULT_INDENT), &[servers, entry.name, key], &value)?;
    }
    Ok(match there.is_null() {
        true => Change::Added(after),
        false if after == text => Change::Nothing,
        false => Change::FieldChange(after),
    })
}

/// An object in a text.
struct Object {
    /// The blanks between its brace and its first member.
    gap: Range<usize>,
    members: Vec<(String, Range<usize>)>,
    /// Where its closing brace is.
    end: usize,
}

/// Sets the member at the path below the object that begins at `start`, on a line that is indented so, in a text whose
/// lines are indented by so much.
fn set(text: &str, start: usize, (indent, unit): (&str, &str), path: &[&str], value: &Value) -> Result<String, Unfit> {
    let [key, below @ ..] = path else { return Ok(text.to_owned()) };
    let object = Object::at(text, start).ok_or_else(|| Unfit::Taken((*key).to_owned()))?;
    let gap = &text[object.gap.clone()];
    let inner = gap.rsplit_once('\n').map(|(_, inner)| inner);
    let seen = inner.and_then(|inner| inner.strip_prefix(indent)).filter(|seen| !seen.is_empty());
    let unit = seen.filter(|_| !object.members.is_empty()).unwrap_or(unit);
    // A key that is there twice counts as its last one.
    let there = object.members.iter().rfind(|(name, _)| name == key).map(|(_, range)| range.clone());
    if let Some(range) = there {
        return match below {
            [] if parsed(&text[range.clone()]).as_ref() == Some(value) => Ok(text.to_owned()),
            [] => Ok(spliced(text, range, &written(value, unit, inner))),
            _ if !text[range.start..].starts_with('{') => Err(Unfit::Taken((*key).to_owned())),
            _ => set(text, range.start, (inner.unwrap_or(indent), unit), below, value),
        };
    }
    let value = below.iter().rev().fold(value.clone(), |value, key| json!({ *key: value }));
    Ok(match object.members.last() {
        Some((_, last)) => {
            let gap = if gap.is_empty() { " " } else { gap };
            let member = format!(",{gap}{}: {}", json!(key), written(&value, unit, inner));
            spliced(text, last.end..last.end, &member)
        }
        None => {
            let inner = format!("{indent}{unit}");
            let member = format!("{}: {}", json!(key), written(&value, unit, Some(&inner)));
            spliced(text, object.gap.start..object.end, &format!("\n{inner}{member}\n{indent}"))
        }
    })
}

impl Object {
    /// The object that begins there, in a text that is JSON; `None` if something else does.
    fn at(text: &str, start: usize) -> Option<Object> {
        let inside = start + 1;
        text[start..].strip_prefix('{')?;
        let mut at = after_blanks(text, inside);
        let gap = inside..at;
        let mut members = Vec::new();
        while !text[at..].starts_with('}') {
            let (key, end) = value_at::<String>(text, at)?;
            let colon = after_blanks(text, end);
            let start = after_blanks(text, colon + 1);
            let (IgnoredAny, end) = value_at(text, start)?;
            members.push((key, start..end));
            at = after_blanks(text, end);
            if text[at..].starts_with(',') {
                at = after_blanks(text, at + 1);
            }
        }
        Some(Object { gap, members, end: at })
    }
}

/// The value that begins there, and where it ends.
fn value_at<T: DeserializeOwned>(text: &str, start: usize) -> Option<(T, usize)> {
    let mut values: StreamDeserializer<'_, _, T> = serde_json::Deserializer::from_str(&text[start..]).into_iter();
    let value = values.next()?.ok()?;
    Some((value, start + values.byte_offset()))
}

fn after_blanks(text: &str, start: usize) -> usize {
    text.len() - text[start..].trim_start_matches([' ', '\t', '\n', '\r']).len()
}

fn parsed(text: &str) -> Option<Value> {
    serde_json::from_str(text).ok()
}

fn spliced(text: &str, range: Range<usize>, new: &str) -> String {
    format!("{}{new}{}", &text[..range.start], &text[range.end..])
}

/// A value as it stands on a line that is indented so, or within one line.
fn written(value: &Value, unit: &str, indent: Option<&str>) -> String {
    let Some(indent) = indent else { return value.to_string() };
    let mut bytes = Vec::new();
    let mut serializer = Serializer::with_formatter(&mut bytes, PrettyFormatter::with_indent(unit.as_bytes()));
    match value.serialize(&mut serializer) {
        Ok(()) => String::from_utf8_lossy(&bytes).replace('\n', &format!("\n{indent}")),
        Err(_) => value.to_string(),
    }
}
