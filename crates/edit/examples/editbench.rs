//! The adapter of the editbench cases: one JSON request a line on stdin, one answer a line on stdout.
//!
//! `cargo run --release --example editbench [-- --line-endings match|literal]`

#![expect(clippy::print_stdout, reason = "the answers go to stdout")]

use std::error::Error;
use std::io::{self, BufRead, Write};
use std::time::Instant;

use interline_edit::{LineEndings, Replace, ReplaceError, ReplaceWarning, Replacement, replace};
use serde_json::{Value, json};

fn main() -> Result<(), Box<dyn Error>> {
    let line_endings = match std::env::args().skip(1).collect::<Vec<_>>().join(" ").as_str() {
        "" | "--line-endings match" => LineEndings::Match,
        "--line-endings literal" => LineEndings::Literal,
        other => return Err(format!("unknown arguments: {other}").into()),
    };
    for line in io::stdin().lock().lines() {
        let case: Value = serde_json::from_str(&line?)?;
        println!("{}", answer(&case, line_endings)?);
        io::stdout().flush()?;
    }
    Ok(())
}

fn answer(case: &Value, line_endings: LineEndings) -> Result<Value, Box<dyn Error>> {
    let field = |name: &str| case[name].as_str().ok_or(format!("`{name}` must be a string"));
    let content = field("content")?;
    let request = Replace { line_endings, ..Replace::new(field("old_str")?, field("new_str")?) };
    let start = Instant::now();
    let result = replace(content, &request).map(|done| (done.edit.apply(content), done));
    let micros = start.elapsed().as_secs_f64() * 1e6;
    let id = &case["id"];
    Ok(match result {
        // As at the doors of code: refused, with the change as it was probably meant.
        Ok((_, Replacement { warnings, level, .. })) if warnings.iter().any(lost_indentation) => {
            let merged = match warnings.iter().find_map(|warning| warning.reindented(request.new_str)) {
                Some(new_str) => {
                    let meant = replace(content, &Replace { new_str: &new_str, ..request })?;
                    Some(meant.edit.apply(content).map_err(|mismatch| mismatch.to_string())?)
                }
                None => None,
            };
            json!({"id": id, "status": "no_match", "match_type": level.name(), "merged": merged, "micros": micros})
        }
        Ok((after, Replacement { level, line, .. })) => {
            let after = after.map_err(|mismatch| mismatch.to_string())?;
            json!({"id": id, "status": "applied", "content": after, "match_type": level.name(), "line": line, "micros": micros})
        }
        Err(ReplaceError::MultipleMatches(many)) => {
            json!({"id": id, "status": "multiple_matches", "match_type": many.level.name(), "micros": micros})
        }
        Err(ReplaceError::NoMatch(none)) => {
            let nearest: Vec<_> = none.nearest.iter().map(|passage| [passage.first_line, passage.last_line]).collect();
            let cause = none.cause.map(|cause| format!("{cause:?}"));
            let merged = none.merged.map(|merged| merged.edit.apply(content)).transpose();
            let merged = merged.map_err(|mismatch| mismatch.to_string())?;
            json!({"id": id, "status": "no_match", "nearest": nearest, "merged": merged, "cause": cause, "micros": micros})
        }
        Err(invalid) => return Err(invalid.into()),
    })
}

fn lost_indentation(warning: &ReplaceWarning) -> bool {
    matches!(warning, ReplaceWarning::LostIndentation { .. })
}
