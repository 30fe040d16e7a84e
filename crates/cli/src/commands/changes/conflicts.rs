//! Why changes cannot be taken back or applied, for people: the item, the cause, and the places with both texts.

use serde_json::Value;

use crate::command_error::CommandError;
use crate::commands::items::list::items;
use crate::commands::items::{text, title};
use crate::output::printable;
use crate::screen::cut;

/// How much of a line is repeated.
const LONGEST_LINE: usize = 100;
/// How many lines of each side are repeated.
const MOST_LINES: usize = 5;

/// The error with what is in the way, if that is why it was refused. `set` has the names of the items.
pub(super) fn explained(error: CommandError, set: &Value) -> CommandError {
    let Some(conflicts) = error.response("conflict").and_then(|response| response["conflicts"].as_array()) else {
        return error;
    };
    let Some(lines) = (!conflicts.is_empty()).then(|| lines(conflicts, set)) else { return error };
    let id = text(set, "id");
    CommandError::refused("others changed the same since, and nothing was taken back:").detail(lines).hint(format!(
        "`interline undo {id} --skip-conflicts` takes back the rest;\n      --item and --hunk take back a part"
    ))
}

/// A paragraph for each item that is in conflict.
pub(super) fn lines(conflicts: &[Value], set: &Value) -> String {
    conflicts.iter().map(|conflict| paragraph(conflict, set)).collect::<Vec<_>>().join("\n")
}

fn paragraph(conflict: &Value, set: &Value) -> String {
    let id = text(conflict, "id");
    let name = items(set).iter().find(|item| item["id"] == id).map_or("-", title);
    let fields: Vec<&str> = conflict["fields"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let cause = cause(text(conflict, "cause"), &fields.join(", "));
    let mut lines = vec![format!("  {} ({}): {cause}", printable(name), printable(id))];
    let both = places(conflict["places"].as_array().map_or(&[], Vec::as_slice), ("the set wrote:", "base"));
    lines.extend(both.into_iter().map(|line| format!("  {line}")));
    lines.join("\n")
}

/// The places of a conflict: which lines of the text as it is now, then one of the two other sides and what is there now. Of
/// that side its label and its name in the answer.
pub(in crate::commands) fn places(places: &[Value], (label, side): (&str, &str)) -> Vec<String> {
    let mut lines = Vec::new();
    let now = "now there is:";
    let width = label.len().max(now.len());
    for place in places {
        lines.push(format!("  {}", span(&place["theirs"])));
        lines.extend(passage(&format!("{label:<width$}"), &place[side]));
        lines.extend(passage(&format!("{now:<width$}"), &place["theirs"]));
    }
    lines
}

fn cause(name: &str, fields: &str) -> String {
    match name {
        "lines" => "the same lines were changed later".to_owned(),
        "field" => format!("{} changed later", if fields.is_empty() { "a field was" } else { fields }),
        "lifecycle" => "it was archived, deleted or restored later".to_owned(),
        "edited" => "the set made it, and others have edited it since".to_owned(),
        "taken" => "its name, address or path belongs to another item by now".to_owned(),
        "check" => "the text would not be valid".to_owned(),
        "forgotten" => "its history no longer has these versions".to_owned(),
        "purged" => "it was removed for ever".to_owned(),
        other => printable(other),
    }
}

fn span(passage: &Value) -> String {
    match (passage["start_line"].as_u64().unwrap_or(0), passage["end_line"].as_u64().unwrap_or(0)) {
        (start, end) if end < start => format!("before line {start}:"),
        (start, end) if end == start => format!("line {start}:"),
        (start, end) => format!("lines {start}-{end}:"),
    }
}

/// The first lines of a side.
fn passage(label: &str, passage: &Value) -> Vec<String> {
    let written = text(passage, "text");
    if written.is_empty() {
        return vec![format!("    {label} (nothing)")];
    }
    let all: Vec<&str> = written.trim_end_matches('\n').split('\n').collect();
    let shown = all.iter().take(MOST_LINES).map(|line| match line.trim_end_matches('\r') {
        "" => String::new(),
        line => cut(&printable(line), LONGEST_LINE),
    });
    let mut lines: Vec<String> = shown
        .enumerate()
        .map(|(number, line)| {
            let label = if number == 0 { label.to_owned() } else { " ".repeat(label.len()) };
            format!("    {label} {line}").trim_end().to_owned()
        })
        .collect();
    if all.len() > MOST_LINES {
        lines.push(format!("    {} …", " ".repeat(label.len())));
    }
    lines
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_conflict_names_the_item_and_shows_both_texts() {
        let set = json!({"items": [{"id": "i", "title": "Plan"}]});
        let side = |start: u64, end: u64, text: &str| json!({"start_line": start, "end_line": end, "text": text});
        let place =
            json!({"base": side(10, 10, "ten\n"), "ours": side(10, 10, "10\n"), "theirs": side(10, 11, "X\n\u{1b}\n")});
        let conflicts = [
            json!({"id": "i", "cause": "lines", "places": [place]}),
            json!({"id": "j", "cause": "field", "places": [], "fields": ["title"]}),
        ];
        let expected = "  Plan (i): the same lines were changed later\n    lines 10-11:\n      the set wrote: ten\n      \
                        now there is:  X\n                     \u{fffd}\n  - (j): title changed later";
        assert_eq!(lines(&conflicts, &set), expected);
    }
}
