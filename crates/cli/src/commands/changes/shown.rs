//! A change set for people: who and why, then each item with its diff, the id of every hunk above it.

use serde_json::Value;

use super::{author, line_counts, state, when};
use crate::commands::items::list::items;
use crate::commands::items::{text, title};
use crate::output::printable;
use crate::screen::{Screen, Style};

/// The whole set.
pub(super) fn change_set(screen: &Screen, set: &Value) -> String {
    let mut blocks = vec![heading(screen, set)];
    blocks.extend(items(set).iter().map(|item| item_change(screen, item, set)));
    let hidden = set["items_total"].as_u64().unwrap_or(0).saturating_sub(items(set).len() as u64);
    if hidden > 0 {
        blocks.push(screen.paint(Style::Dim, &format!("and {hidden} more items")));
    }
    blocks.join("\n\n")
}

fn heading(screen: &Screen, set: &Value) -> String {
    let reasons: Vec<&str> = set["reasons"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let token = match text(&set["token"], "name") {
        "" => String::new(),
        name => format!(", token {name}"),
    };
    let agent = if set["agent"] == true { " (an agent)" } else { "" };
    let by = format!("{}{agent}{token}, {}", author(set), when(screen, set));
    let about = format!("change set {}, {}", text(set, "id"), state(set));
    let mut lines: Vec<String> = reasons.iter().map(|reason| screen.paint(Style::Bold, &printable(reason))).collect();
    lines.extend([printable(&by), screen.paint(Style::Dim, &printable(&about))]);
    lines.join("\n")
}

fn item_change(screen: &Screen, item: &Value, set: &Value) -> String {
    let mut about = vec![format!("{} {}", text(item, "type"), text(item, "id"))];
    about.push(match item["from_version"].as_u64() {
        Some(from) if item["to_version"] == from => format!("version {from}"),
        Some(from) => format!("version {from} to {}", item["to_version"]),
        None => "new".to_owned(),
    });
    let fields = item["changed_fields"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let fields: Vec<&str> = fields.filter(|field| *field != "content").collect();
    if !fields.is_empty() && !item["from_version"].is_null() {
        about.push(fields.join(", "));
    }
    about.extend(item["actions"].as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned));
    if item["state"] != set["state"] {
        about.push(state(item));
    }
    let name = screen.paint(Style::Bold, &printable(title(item)));
    let mut lines = vec![
        format!("{name}  {}", line_counts([item])).trim_end().to_owned(),
        screen.paint(Style::Dim, &printable(&about.join(", "))),
    ];
    let parts = item["parts"].as_array().filter(|parts| !parts.is_empty());
    match parts {
        Some(parts) => {
            for part in parts {
                let versions = format!("version {} to {}", part["from_version"], part["to_version"]);
                lines.push(screen.paint(Style::Dim, &versions));
                lines.push(diff(screen, part));
            }
        }
        None if item["diff"].is_null() => {
            lines.push(screen.paint(Style::Dim, "its history no longer has these versions"));
        }
        None => lines.push(diff(screen, item)),
    }
    lines.retain(|line| !line.is_empty());
    lines.join("\n")
}

/// A diff without the names of its files, which are no files, and with the ids of its hunks.
pub(in crate::commands) fn diff(screen: &Screen, part: &Value) -> String {
    let mut hunks = items_of(part, "hunks").iter().peekable();
    let diff = text(part, "diff").trim_end_matches('\n');
    let body: Vec<&str> = diff.split('\n').skip_while(|line| !line.starts_with("@@")).collect();
    let mut starts = body.iter().filter_map(|line| new_start(line)).skip(1);
    let mut lines = Vec::new();
    for line in &body {
        if line.starts_with("@@") {
            // Changes that are close to each other share the lines around them, and so a header.
            let next = starts.next().unwrap_or(u64::MAX);
            while let Some(hunk) = hunks.next_if(|hunk| hunk["start_line"].as_u64().unwrap_or(0) < next) {
                lines.push(screen.paint(Style::Dim, &printable(&format!("hunk {}{}", text(hunk, "id"), place(hunk)))));
            }
        }
        lines.push(screen.diff(line));
    }
    if part["diff_truncated"] == true {
        lines.push(screen.paint(Style::Dim, "the diff is longer than what is shown"));
    }
    lines.join("\n")
}

fn items_of<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value[key].as_array().map_or(&[], Vec::as_slice)
}

/// Which lines a hunk changed.
fn place(hunk: &Value) -> String {
    match (hunk["start_line"].as_u64().unwrap_or(0), hunk["end_line"].as_u64().unwrap_or(0)) {
        (start, end) if end < start => format!(", before line {start}"),
        (start, end) if end == start => format!(", line {start}"),
        (start, end) => format!(", lines {start}-{end}"),
    }
}

/// The first line after the change in `@@ -1,4 +1,4 @@`.
fn new_start(line: &str) -> Option<u64> {
    let (_, after) = line.strip_prefix("@@ ")?.split_once('+')?;
    after.split([',', ' ']).next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_hunk_stands_above_its_lines() {
        let hunk = |id: &str, start: u64, end: u64| json!({"id": id, "start_line": start, "end_line": end});
        let part = json!({
            "diff": "--- a/content\n+++ b/content\n@@ -1,6 +1,5 @@\n-1\n+one\n 2\n-3\n@@ -20 +19,2 @@\n+x\n+y\n",
            "hunks": [hunk("aa", 1, 1), hunk("bb", 3, 2), hunk("cc", 19, 20)],
        });
        let expected = "hunk aa, line 1\nhunk bb, before line 3\n@@ -1,6 +1,5 @@\n-1\n+one\n 2\n-3\n\
                        hunk cc, lines 19-20\n@@ -20 +19,2 @@\n+x\n+y";
        assert_eq!(diff(&Screen::terminal(80), &part), expected);
    }

    #[test]
    fn a_reason_cannot_steer_the_terminal() {
        let set = json!({"reasons": ["\u{1b}[2J"], "items": [], "items_total": 0});
        assert!(!change_set(&Screen::terminal(80), &set).contains('\u{1b}'));
    }
}
