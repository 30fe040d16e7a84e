//! Runs the scenarios of searching.

use interline_edit::{Case, Pattern, PatternError, SearchOptions, search};
use serde_json::{Value, json};

use crate::Failures;
use crate::folder::{Fields, Folder, differences};

pub(crate) fn scenario(folder: &Folder) -> Failures {
    let mut fields = Fields(folder.request.clone());
    let q = fields.string("q").expect("q");
    let case = if fields.flag("case_sensitive").unwrap_or(true) { Case::Sensitive } else { Case::Insensitive };
    let regex = fields.flag("regex").unwrap_or(false);
    let options = SearchOptions {
        context_lines: fields.number("context_lines").unwrap_or(0),
        limit: fields.number("limit").unwrap_or(100),
    };
    fields.end();

    let pattern = if regex { Pattern::regex(&q, case) } else { Pattern::literal(&q, case) };
    let pattern = match pattern {
        Ok(pattern) => pattern,
        Err(error) => {
            let name = match &error {
                PatternError::Empty => "empty",
                PatternError::Invalid { .. } => "invalid",
                PatternError::TooLarge => "too_large",
            };
            return folder.refused(&error, &json!({"error": name}));
        }
    };
    let text = folder.before.as_str();
    let found = search(text, &pattern, &options, &mut || true).expect("nobody interrupts");
    let Some(expected) = &folder.matches else { return vec![format!("not refused: {found:?}")] };
    let matches: Vec<Value> = found
        .hits
        .iter()
        .map(|hit| {
            json!({
                "text": &text[hit.range.clone()],
                "start": hit.range.start,
                "end": hit.range.end,
                "first_line": hit.first_line,
                "last_line": hit.last_line,
                "context": hit.context,
                "context_first_line": hit.context_first_line,
            })
        })
        .collect();
    let mut failures = differences("matches.json", expected, &json!({"total": found.total, "matches": matches}));
    if pattern.is_match(text) != (found.total > 0) {
        failures.push(format!("is_match says {}, but there are {} matches", pattern.is_match(text), found.total));
    }
    failures
}
