//! A proposal for people: who and why, what it changes with the id of every hunk, the requests that made it.

use serde_json::Value;

use crate::commands::changes::{author, shown};
use crate::commands::items::{text, title};
use crate::output::printable;
use crate::screen::{Screen, Style};

/// The whole proposal.
pub(super) fn proposal(screen: &Screen, proposal: &Value) -> String {
    let blocks = [heading(screen, proposal), change(screen, proposal), requests(screen, proposal)];
    blocks.into_iter().filter(|block| !block.is_empty()).collect::<Vec<_>>().join("\n\n")
}

fn heading(screen: &Screen, proposal: &Value) -> String {
    let token = match text(&proposal["token"], "name") {
        "" => String::new(),
        name => format!(", token {name}"),
    };
    let agent = if proposal["agent"] == true { " (an agent)" } else { "" };
    let by = format!("{}{agent}{token}, {}", author(proposal), screen.time(text(proposal, "updated_at")));
    let about =
        format!("proposal {}, revision {}, {}", text(proposal, "id"), proposal["revision"], text(proposal, "state"));
    let mut lines = Vec::new();
    if let Some(reason) = proposal["reason"].as_str() {
        lines.push(screen.paint(Style::Bold, &printable(reason)));
    }
    lines.extend([printable(&by), screen.paint(Style::Dim, &printable(&about))]);
    lines.extend(decision(screen, proposal).map(|decision| printable(&decision)));
    lines.join("\n")
}

/// What became of it, by whom and why.
fn decision(screen: &Screen, proposal: &Value) -> Option<String> {
    let when = screen.time(proposal["decided_at"].as_str()?);
    let by = proposal["decided_by"]["name"].as_str().map(|name| format!(" by {name}")).unwrap_or_default();
    let why = proposal["decision_reason"].as_str().map(|reason| format!(": {reason}")).unwrap_or_default();
    Some(match text(proposal, "state") {
        // Nobody wanted that: it was noticed when somebody tried to accept it, or when it was too old.
        "stale" => format!("stale since {when}"),
        state => format!("{state}{by}, {when}{why}"),
    })
}

/// The item, the new values of its fields, and the diff of its text.
fn change(screen: &Screen, proposal: &Value) -> String {
    let mut about = vec![format!("{} {}", text(proposal, "type"), text(proposal, "item"))];
    about.push(match proposal["base_version"].as_u64() {
        Some(version) => format!("made for version {version}"),
        None => "new".to_owned(),
    });
    about.extend(strings(&proposal["actions"]).map(str::to_owned));
    let mut lines = vec![
        screen.paint(Style::Bold, &printable(title(proposal))),
        screen.paint(Style::Dim, &printable(&about.join(", "))),
    ];
    for (name, value) in proposal["fields"].as_object().into_iter().flatten() {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        lines.push(printable(&format!("{name}: {value}")));
    }
    match proposal["diff"].as_str() {
        Some(diff) if !diff.is_empty() => lines.push(shown::diff(screen, proposal)),
        Some(_) => {}
        None if strings(&proposal["changed_fields"]).any(|field| field == "content") => {
            lines.push(
                screen.paint(Style::Dim, "the history of the item no longer has the version that it was made for"),
            );
        }
        None => {}
    }
    lines.join("\n")
}

/// The requests, where there were several: of one, all is said above.
fn requests(screen: &Screen, proposal: &Value) -> String {
    let requests = proposal["requests"].as_array().map_or(&[][..], Vec::as_slice);
    if requests.len() < 2 {
        return String::new();
    }
    let line = |request: &Value| {
        let fields: Vec<&str> = strings(&request["changed_fields"]).collect();
        let fields = if fields.is_empty() { String::new() } else { format!(" {}", fields.join(", ")) };
        let why = request["reason"].as_str().map(|reason| format!(": {reason}")).unwrap_or_default();
        let (when, action) = (screen.time(text(request, "at")), text(request, "action"));
        printable(&format!("  {when}  {action}{fields}{why}"))
    };
    let heading = screen.paint(Style::Dim, &format!("made by {} requests:", requests.len()));
    [vec![heading], requests.iter().map(line).collect()].concat().join("\n")
}

fn strings(values: &Value) -> impl Iterator<Item = &str> {
    values.as_array().into_iter().flatten().filter_map(Value::as_str)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_proposal_tells_who_why_and_what() {
        let shown = proposal(
            &Screen::terminal(80),
            &json!({
                "id": "p", "revision": 2, "state": "rejected", "item": "i", "type": "note", "title": "Plan",
                "base_version": null, "user": {"name": "ada"}, "token": {"name": "bot"}, "agent": true,
                "client": {"name": "test", "version": "1"}, "reason": "\u{1b}why", "updated_at": "then",
                "decided_at": "now", "decided_by": {"name": "bob"}, "decision_reason": "no",
                "changed_fields": ["title"], "fields": {"title": "Plan", "tags": ["a"]}, "actions": ["archive"],
                "diff": null, "hunks": [],
                "requests": [{"at": "t", "action": "create", "changed_fields": ["title"], "reason": null},
                             {"at": "u", "action": "archive", "changed_fields": [], "reason": "old"}],
            }),
        );
        let expected = "\u{fffd}why\nada via test 1 (an agent), token bot, then\nproposal p, revision 2, rejected\n\
                        rejected by bob, now: no\n\nPlan\nnote i, new, archive\ntags: [\"a\"]\ntitle: Plan\n\n\
                        made by 2 requests:\n  t  create title\n  u  archive: old";
        assert_eq!(shown, expected);
    }
}
