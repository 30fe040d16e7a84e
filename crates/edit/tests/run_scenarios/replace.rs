//! Runs the scenarios of replacing a passage, and checks the laws of every replacement and refusal.

use std::ops::Range;

use interline_edit::{
    Level, MAX_EXCERPT_CHARS, MultipleMatches, NoMatch, NoMatchCause, Replace, ReplaceError, Replacement,
    SimilarPassage, read_lines, replace, total_lines,
};
use serde_json::{Value, json};

use crate::Failures;
use crate::folder::{Fields, Folder};
use crate::oracle::comparison::engine_warnings;
use crate::oracle::warnings::{Warning, warnings};
use crate::oracle::{self, ReplaceOutcome};

pub(crate) fn scenario(folder: &Folder) -> Failures {
    let mut fields = Fields(folder.request.clone());
    let old_str = fields.string("old_str").expect("old_str");
    let new_str = fields.string("new_str").expect("new_str");
    let mut request = Replace::new(&old_str, &new_str);
    if let Some(level) = fields.level() {
        request.loosest = level;
    }
    if let Some(line_endings) = fields.line_endings() {
        request.line_endings = line_endings;
    }
    if let Some(number) = fields.number("expected_matches") {
        request.expected_matches = number;
    }
    fields.end();

    let mut failures = oracle_failures(folder, &request);
    failures.extend(engine_failures(folder, &request));
    failures
}

/// What the naive oracle makes of the scenario must be the same as what was written by hand.
fn oracle_failures(folder: &Folder, request: &Replace<'_>) -> Failures {
    let actual = match oracle::replace(&folder.before, request) {
        ReplaceOutcome::Applied { after, level, .. } => {
            let warnings = if level == Level::Exact { warnings(&folder.before, request) } else { Vec::new() };
            Ok((after, Value::from_iter(warnings.iter().map(warning_as_json))))
        }
        ReplaceOutcome::NoMatch => Err("no_match"),
        ReplaceOutcome::MultipleMatches { .. } => Err("multiple_matches"),
        ReplaceOutcome::Invalid => Err("invalid"),
    };
    let agrees = match (folder.expected(), &actual) {
        (Ok((after, expected)), Ok((result, warnings))) => {
            after == result && expected.is_none_or(|expected| expected == warnings)
        }
        (Err("empty_old_str" | "zero_expected_matches"), Err(error)) => *error == "invalid",
        (Err("result_too_large"), _) => true,
        (Err(expected), Err(error)) => expected == *error,
        _ => false,
    };
    if agrees { Failures::new() } else { vec![format!("the oracle says {actual:?}")] }
}

fn warning_as_json(warning: &Warning) -> Value {
    match warning {
        Warning::LostIndentation { line, lines } => json!({"code": "lost_indentation", "line": line, "lines": lines}),
        Warning::JoinedLines { line } => json!({"code": "joined_lines", "line": line}),
    }
}

fn engine_failures(folder: &Folder, request: &Replace<'_>) -> Failures {
    match replace(&folder.before, request) {
        Ok(done) => {
            let warnings = engine_warnings(&done);
            let answer = json!({
                "match_type": done.level.name(),
                "line": done.line,
                "replacements": done.ranges.len(),
                "warnings": Value::from_iter(warnings.iter().map(warning_as_json)),
            });
            let mut failures = folder.applied(&done.edit, &answer);
            failures.extend(laws_of_a_replacement(&folder.before, request, &done));
            failures
        }
        Err(error) => {
            let mut failures = folder.refused(&error, &replace_error(&folder.before, &error));
            failures.extend(laws_of_a_refusal(&folder.before, &error));
            failures
        }
    }
}

fn laws_of_a_replacement(before: &str, request: &Replace<'_>, done: &Replacement) -> Failures {
    let mut failures = Failures::new();
    if done.level > request.loosest {
        failures.push(format!("{} is looser than {}", done.level, request.loosest));
    }
    // A line as it is read has the `\r` of its ending, which is no part of the match.
    let is_old_str = |range: &Range<usize>| {
        let as_read = before[range.end..].starts_with("\r\n").then_some(range.end + 1);
        [Some(range.end), as_read].into_iter().flatten().any(|end| &before[range.start..end] == request.old_str)
    };
    if done.level == Level::Exact && !done.ranges.iter().all(is_old_str) {
        failures.push("an exact match is not old_str".to_owned());
    }
    // One line ending may go with whole lines, so matches so near to each other can share a splice.
    let mut joined = done.ranges.clone();
    joined.dedup_by(|next, last| {
        let near = next.start <= last.end + 2;
        if near {
            last.end = next.end;
        }
        near
    });
    for splice in done.edit.splices() {
        let range = &splice.range;
        if !joined.iter().any(|near| near.start.saturating_sub(2) <= range.start && range.end <= near.end + 2) {
            failures.push(format!("{splice:?} lies in none of the ranges {:?}", done.ranges));
        }
    }
    failures
}

pub(crate) fn laws_of_a_refusal(before: &str, error: &ReplaceError) -> Failures {
    let mut failures = Failures::new();
    let mut shown: Vec<&str> = Vec::new();
    match error {
        ReplaceError::EmptyOldStr | ReplaceError::ZeroExpectedMatches | ReplaceError::ResultTooLarge { .. } => {}
        ReplaceError::NoMatch(error) => {
            let similarities: Vec<f64> = error.nearest.iter().map(|passage| passage.similarity).collect();
            let sorted = similarities.windows(2).all(|pair| pair[0] >= pair[1]);
            if !sorted || similarities.iter().any(|s| !(0.0..1.0).contains(s)) || similarities.len() > 3 {
                failures.push(format!("similarities of the nearest passages: {similarities:?}"));
            }
            for passage in &error.nearest {
                let (first, last) = (passage.first_line, passage.last_line);
                if first == 0 || first > last || last > total_lines(before) {
                    failures.push(format!("a nearest passage has the lines {first}..={last}"));
                }
                failures.extend(law_of_a_passage(before, passage));
                shown.push(&passage.text);
            }
        }
        ReplaceError::MultipleMatches(error) => {
            if error.locations.len() != error.total.min(20) {
                failures.push(format!("{} places are shown of {}", error.locations.len(), error.total));
            }
            shown.extend(error.locations.iter().map(|location| location.context.as_str()));
        }
    }
    for line in shown.iter().flat_map(|text| text.split('\n')) {
        if line.chars().count() > MAX_EXCERPT_CHARS {
            failures.push(format!("a line of {} characters is shown", line.chars().count()));
        }
    }
    failures
}

/// What is shown of a passage is its lines, and copied into `old_str` it finds these lines.
fn law_of_a_passage(before: &str, passage: &SimilarPassage) -> Failures {
    let lines = read_lines(before, passage.first_line, passage.last_line).unwrap();
    let expected = lines.replace("\r\n", "\n");
    let expected = expected.strip_suffix('\r').filter(|_| before.contains("\r\n")).unwrap_or(&expected);
    // A `\r` before the line's own `\r\n` looks like one of it where lines are joined by `\n`.
    let is_cut = expected.contains('\r')
        || expected.len() > 6 * 1024
        || expected.split('\n').any(|line| line.chars().count() > MAX_EXCERPT_CHARS);
    let mut failures = Failures::new();
    if !is_cut && passage.text != expected {
        failures.push(format!("lines {lines:?} are shown as {:?}", passage.text));
    }
    let copied = replace(before, &Replace::new(&passage.text, "x"));
    if !is_cut && matches!(copied, Err(ReplaceError::NoMatch(_))) {
        failures.push(format!("{:?} is shown and not found", passage.text));
    }
    failures
}

fn replace_error(before: &str, error: &ReplaceError) -> Value {
    match error {
        ReplaceError::EmptyOldStr => json!({"error": "empty_old_str"}),
        ReplaceError::ZeroExpectedMatches => json!({"error": "zero_expected_matches"}),
        ReplaceError::ResultTooLarge { .. } => json!({"error": "result_too_large"}),
        ReplaceError::NoMatch(error) => no_match(before, error),
        ReplaceError::MultipleMatches(error) => multiple_matches(error),
    }
}

pub(crate) fn no_match(before: &str, error: &NoMatch) -> Value {
    let nearest: Vec<_> = error.nearest.iter().map(|passage| (passage.first_line, passage.last_line)).collect();
    let mut answer = match &error.cause {
        None => json!({"cause": null}),
        Some(NoMatchCause::Capped { level, line }) => json!({"cause": "capped", "level": level.name(), "line": line}),
        Some(NoMatchCause::OtherIndentation { line }) => json!({"cause": "other_indentation", "line": line}),
        Some(NoMatchCause::CannotIndent { new_line, line }) => {
            json!({"cause": "cannot_indent", "new_line": new_line, "line": line})
        }
        Some(NoMatchCause::LostBlanks { line }) => json!({"cause": "lost_blanks", "line": line}),
        Some(NoMatchCause::AlreadyApplied { line }) => json!({"cause": "already_applied", "line": line}),
        Some(NoMatchCause::OtherCase { line }) => json!({"cause": "other_case", "line": line}),
        Some(NoMatchCause::EscapedNewlines { line }) => json!({"cause": "escaped_newlines", "line": line}),
        Some(NoMatchCause::LineNumbers { line }) => json!({"cause": "line_numbers", "line": line}),
        Some(NoMatchCause::EscapedQuotes { line }) => json!({"cause": "escaped_quotes", "line": line}),
        Some(NoMatchCause::Elision { old_line }) => json!({"cause": "elision", "old_line": old_line}),
        Some(NoMatchCause::Blank) => json!({"cause": "blank"}),
    };
    answer["error"] = json!("no_match");
    answer["nearest_lines"] = json!(nearest);
    answer["nearest"] = error.nearest.iter().map(|near| json!({"text": near.text, "diff": near.diff})).collect();
    answer["merged"] = error.merged.as_ref().map_or(Value::Null, |merged| {
        let lines = (merged.first_line, merged.last_line);
        json!({"lines": lines, "after": merged.edit.apply(before).unwrap()})
    });
    answer
}

pub(crate) fn multiple_matches(error: &MultipleMatches) -> Value {
    json!({
        "error": "multiple_matches",
        "total": error.total,
        "expected": error.expected,
        "match_type": error.level.name(),
        "lines": error.locations.iter().map(|location| location.line).collect::<Vec<_>>(),
        "contexts": error.locations.iter().map(|location| location.context.as_str()).collect::<Vec<_>>(),
    })
}
