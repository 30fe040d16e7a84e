//! Runs the scenarios: `scenarios/<area>/<NNN_sentence>/`, one folder for one request.
//!
//! A folder holds `before` (the bytes of the content) and `request.json`, and what must come of them: `after`
//! (bytes) with an optional `expect.json`; or `error.json`, in folders named `NNN_rejects_…`; or `matches.json`
//! for a search. The JSON of an answer is compared field by field: what a scenario does not name it does not
//! check. A new scenario is a new folder; nothing else has to know of it.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a scenario that cannot be read is a failure"
)]

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use interline_edit::{
    Case, Cause, Edit, Insert, InsertError, InsertPlace, Level, LineEndings, LineOperation, MAX_EXCERPT_CHARS,
    MultipleMatches, NoMatch, OperationProblem, PatchError, Pattern, PatternError, Replace, ReplaceError, Replacement,
    SearchOptions, insert, patch_lines, replace, search, total_lines,
};
use serde_json::{Map, Value, json};

#[test]
fn replace_scenarios() {
    run("replace", 300, replace_scenario);
}

#[test]
fn insert_scenarios() {
    run("insert", 80, insert_scenario);
}

#[test]
fn patch_scenarios() {
    run("patch", 130, patch_scenario);
}

#[test]
fn search_scenarios() {
    run("search", 40, search_scenario);
}

/// What is wrong with the answer, a line each; nothing if it is as expected.
type Failures = Vec<String>;

fn run(area: &str, at_least: usize, scenario: fn(&Folder) -> Failures) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenarios").join(area);
    let mut names: Vec<String> = fs::read_dir(&root)
        .unwrap_or_else(|error| panic!("{}: {error}", root.display()))
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert!(names.len() >= at_least, "{area}: only {} scenarios; is the checkout complete?", names.len());

    let mut report = String::new();
    let mut failed = 0;
    for name in &names {
        let failures = catch_unwind(AssertUnwindSafe(|| {
            let folder = Folder::read(&root.join(name), name);
            scenario(&folder)
        }))
        .unwrap_or_else(|panic| vec![format!("panicked: {}", panic_message(panic.as_ref()))]);
        if !failures.is_empty() {
            failed += 1;
            report += &format!("\n{area}/{name}\n  {}\n", failures.join("\n  "));
        }
    }
    assert!(failed == 0, "{failed} of {} {area} scenarios failed:\n{report}", names.len());
}

fn panic_message(panic: &(dyn std::any::Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("?")
}

/// The files of a scenario.
struct Folder {
    before: String,
    request: Map<String, Value>,
    after: Option<String>,
    expect: Option<Value>,
    error: Option<Value>,
    matches: Option<Value>,
}

impl Folder {
    fn read(path: &Path, name: &str) -> Folder {
        let number = name.get(..3).is_some_and(|digits| digits.bytes().all(|b| b.is_ascii_digit()));
        assert!(number && name[3..].starts_with('_'), "the name is not NNN_sentence");
        let mut files = BTreeMap::new();
        for entry in fs::read_dir(path).unwrap() {
            let entry = entry.unwrap();
            let text = String::from_utf8(fs::read(entry.path()).unwrap()).expect("UTF-8");
            files.insert(entry.file_name().into_string().unwrap(), text);
        }
        let before = files.remove("before").expect("a file `before`");
        let after = files.remove("after");
        let mut json = |name| files.remove(name).map(|text| serde_json::from_str::<Value>(&text).expect(name));
        let Some(Value::Object(request)) = json("request.json") else { panic!("no request.json") };
        let folder = Folder {
            before,
            request,
            after,
            expect: json("expect.json"),
            error: json("error.json"),
            matches: json("matches.json"),
        };
        assert!(files.is_empty(), "files that mean nothing: {:?}", files.keys());
        let outcomes = [folder.after.is_some(), folder.error.is_some(), folder.matches.is_some()];
        assert_eq!(outcomes.iter().filter(|there| **there).count(), 1, "one of after, error.json and matches.json");
        assert_eq!(folder.error.is_some(), name[4..].starts_with("rejects_"), "`rejects_` goes with error.json");
        if let Some(error) = &folder.error {
            assert!(error.get("error").is_some_and(Value::is_string), "error.json names no error");
        }
        folder
    }

    /// The request is refused where an error is expected, and only there.
    fn refused<E: Debug>(&self, error: &E, answer: &Value) -> Failures {
        match &self.error {
            Some(expected) => differences("error.json", expected, answer),
            None => vec![format!("refused: {error:?}")],
        }
    }

    /// The content after the edit, and the laws that hold for every edit.
    fn applied(&self, edit: &Edit, answer: &Value) -> Failures {
        let Some(expected) = &self.after else {
            return vec![format!("not refused: {answer}"), format!("gives {:?}", edit.apply(&self.before))];
        };
        let mut failures = Failures::new();
        let after = edit.apply(&self.before).expect("an edit of this content");
        if after != *expected {
            let same = after.bytes().zip(expected.bytes()).take_while(|(a, b)| a == b).count();
            failures.push(format!("after differs from byte {same}:"));
            failures.push(format!("  expected {expected:?}"));
            failures.push(format!("  actual   {after:?}"));
        }
        if let Some(expected) = &self.expect {
            failures.extend(differences("expect.json", expected, answer));
        }
        let undo = edit.invert(&self.before).expect("an edit of this content");
        if undo.apply(&after).as_ref() != Ok(&self.before) {
            failures.push(format!("undo gives {:?}", undo.apply(&after)));
        }
        let diff = edit.diff(&self.before).expect("an edit of this content");
        if diff.text.is_empty() != (after == self.before) {
            failures.push(format!("the diff is {:?}", diff.text));
        }
        failures
    }
}

/// Where `actual` is not as `expected` says. Fields that `expected` does not have may be anything.
fn differences(path: &str, expected: &Value, actual: &Value) -> Failures {
    match (expected, actual) {
        (Value::Object(fields), Value::Object(_)) => fields
            .iter()
            .flat_map(|(name, value)| match actual.get(name) {
                Some(actual) => differences(&format!("{path}: {name}"), value, actual),
                None => vec![format!("{path}: {name}: expected {value}, but there is none in {actual}")],
            })
            .collect(),
        (Value::Array(values), Value::Array(actual)) if values.len() == actual.len() => values
            .iter()
            .zip(actual)
            .enumerate()
            .flat_map(|(index, (value, actual))| differences(&format!("{path}[{index}]"), value, actual))
            .collect(),
        _ if expected == actual => Failures::new(),
        _ => vec![format!("{path}: expected {expected}"), format!("{path}: actual   {actual}")],
    }
}

/// Takes fields out of a JSON object; what is left over at the end is a mistake.
struct Fields(Map<String, Value>);

impl Fields {
    fn string(&mut self, name: &str) -> Option<String> {
        self.0.remove(name).map(|value| value.as_str().unwrap_or_else(|| panic!("{name}: not a string")).to_owned())
    }

    fn number(&mut self, name: &str) -> Option<usize> {
        let number = self.0.remove(name).map(|value| value.as_u64().unwrap_or_else(|| panic!("{name}: not a number")));
        number.map(|number| usize::try_from(number).expect("64 bits"))
    }

    fn flag(&mut self, name: &str) -> Option<bool> {
        self.0.remove(name).map(|value| value.as_bool().unwrap_or_else(|| panic!("{name}: not true or false")))
    }

    fn level(&mut self) -> Option<Level> {
        self.string("match").map(|name| Level::from_name(&name).expect("a level"))
    }

    fn line_endings(&mut self) -> Option<LineEndings> {
        self.string("line_endings").map(|name| match name.as_str() {
            "literal" => LineEndings::Literal,
            "match" => LineEndings::Match,
            other => panic!("line_endings: {other}"),
        })
    }

    fn end(self) {
        assert!(self.0.is_empty(), "fields that mean nothing: {:?}", self.0.keys().collect::<Vec<_>>());
    }
}

fn replace_scenario(folder: &Folder) -> Failures {
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

    match replace(&folder.before, &request) {
        Ok(done) => {
            let answer = json!({"match_type": done.level.name(), "line": done.line, "replacements": done.places.len()});
            let mut failures = folder.applied(&done.edit, &answer);
            failures.extend(laws_of_a_replacement(&folder.before, &request, &done));
            failures
        }
        Err(error) => {
            let mut failures = folder.refused(&error, &replace_error(&error));
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
    if done.level == Level::Exact && done.places.iter().any(|place| &before[place.clone()] != request.old_str) {
        failures.push("an exact place is not old_str".to_owned());
    }
    // One line ending may go with whole lines, so places so near to each other can share a splice.
    let mut places = done.places.clone();
    places.dedup_by(|next, place| {
        let near = next.start <= place.end + 2;
        if near {
            place.end = next.end;
        }
        near
    });
    for splice in done.edit.splices() {
        let range = &splice.range;
        if !places.iter().any(|place| place.start.saturating_sub(2) <= range.start && range.end <= place.end + 2) {
            failures.push(format!("{splice:?} lies in none of the places {:?}", done.places));
        }
    }
    failures
}

fn laws_of_a_refusal(before: &str, error: &ReplaceError) -> Failures {
    let mut failures = Failures::new();
    let mut shown: Vec<&str> = Vec::new();
    match error {
        ReplaceError::EmptyOldStr | ReplaceError::ZeroExpectedMatches | ReplaceError::ResultTooLarge { .. } => {}
        ReplaceError::NoMatch(error) => {
            let similarities: Vec<f64> = error.nearest.iter().map(|passage| passage.similarity).collect();
            let sorted = similarities.windows(2).all(|pair| pair[0] >= pair[1]);
            if !sorted || similarities.iter().any(|s| !(0.0..=1.0).contains(s)) || similarities.len() > 3 {
                failures.push(format!("similarities of the nearest passages: {similarities:?}"));
            }
            for passage in &error.nearest {
                let (first, last) = (passage.first_line, passage.last_line);
                if first == 0 || first > last || last > total_lines(before) {
                    failures.push(format!("a nearest passage has the lines {first}..={last}"));
                }
                shown.push(&passage.text);
            }
        }
        ReplaceError::MultipleMatches(error) => {
            if error.places.len() != error.total.min(20) {
                failures.push(format!("{} places are shown of {}", error.places.len(), error.total));
            }
            shown.extend(error.places.iter().map(|place| place.context.as_str()));
        }
    }
    for line in shown.iter().flat_map(|text| text.split('\n')) {
        if line.chars().count() > MAX_EXCERPT_CHARS {
            failures.push(format!("a line of {} characters is shown", line.chars().count()));
        }
    }
    failures
}

fn replace_error(error: &ReplaceError) -> Value {
    match error {
        ReplaceError::EmptyOldStr => json!({"error": "empty_old_str"}),
        ReplaceError::ZeroExpectedMatches => json!({"error": "zero_expected_matches"}),
        ReplaceError::ResultTooLarge { .. } => json!({"error": "result_too_large"}),
        ReplaceError::NoMatch(error) => no_match(error),
        ReplaceError::MultipleMatches(error) => multiple_matches(error),
    }
}

fn insert_scenario(folder: &Folder) -> Failures {
    let mut fields = Fields(folder.request.clone());
    let (after, before, at) = (fields.string("after_str"), fields.string("before_str"), fields.string("at"));
    let place = match (after.as_deref(), before.as_deref(), at.as_deref()) {
        (Some(anchor), None, None) => InsertPlace::After(anchor),
        (None, Some(anchor), None) => InsertPlace::Before(anchor),
        (None, None, Some("start")) => InsertPlace::Start,
        (None, None, Some("end")) => InsertPlace::End,
        other => panic!("no place: {other:?}"),
    };
    let new_str = fields.string("new_str").expect("new_str");
    let mut request = Insert::new(place, &new_str);
    if let Some(level) = fields.level() {
        request.loosest = level;
    }
    if let Some(line_endings) = fields.line_endings() {
        request.line_endings = line_endings;
    }
    if let Some(number) = fields.number("max_result_bytes") {
        request.max_result_bytes = number;
    }
    fields.end();

    match insert(&folder.before, &request) {
        Ok(done) => {
            let after = done.edit.apply(&folder.before).expect("an edit of this content");
            let changed = done.edit.changed_lines(&after, 2).expect("the text after it");
            let changed: Vec<_> = changed.iter().map(|lines| (lines.start_line, lines.end_line)).collect();
            let level = done.level.map(Level::name);
            let answer = json!({"match_type": level, "line": done.line, "changed_lines": changed});
            folder.applied(&done.edit, &answer)
        }
        Err(error) => {
            let (answer, of_replace) = match error.clone() {
                InsertError::EmptyAnchor => (json!({"error": "empty_anchor"}), None),
                InsertError::EmptyNewStr => (json!({"error": "empty_new_str"}), None),
                InsertError::ResultTooLarge { .. } => (json!({"error": "result_too_large"}), None),
                InsertError::NoMatch(none) => (no_match(&none), Some(ReplaceError::NoMatch(none))),
                InsertError::MultipleMatches(many) => {
                    (multiple_matches(&many), Some(ReplaceError::MultipleMatches(many)))
                }
            };
            let mut failures = folder.refused(&error, &answer);
            failures.extend(of_replace.iter().flat_map(|error| laws_of_a_refusal(&folder.before, error)));
            failures
        }
    }
}

fn no_match(error: &NoMatch) -> Value {
    let nearest: Vec<_> = error.nearest.iter().map(|passage| (passage.first_line, passage.last_line)).collect();
    let mut answer = match &error.cause {
        None => json!({"cause": null}),
        Some(Cause::Capped { level, line }) => json!({"cause": "capped", "level": level.name(), "line": line}),
        Some(Cause::OtherIndentation { line }) => json!({"cause": "other_indentation", "line": line}),
        Some(Cause::CannotIndent { new_line, line }) => {
            json!({"cause": "cannot_indent", "new_line": new_line, "line": line})
        }
        Some(Cause::AlreadyApplied { line }) => json!({"cause": "already_applied", "line": line}),
        Some(Cause::OtherCase { line }) => json!({"cause": "other_case", "line": line}),
        Some(Cause::EscapedNewlines { line }) => json!({"cause": "escaped_newlines", "line": line}),
        Some(Cause::LineNumbers { line }) => json!({"cause": "line_numbers", "line": line}),
        Some(Cause::Elision) => json!({"cause": "elision"}),
        Some(Cause::Blank) => json!({"cause": "blank"}),
    };
    answer["error"] = json!("no_match");
    answer["nearest_lines"] = json!(nearest);
    answer
}

fn multiple_matches(error: &MultipleMatches) -> Value {
    json!({
        "error": "multiple_matches",
        "total": error.total,
        "expected": error.expected,
        "match_type": error.level.name(),
        "lines": error.places.iter().map(|place| place.line).collect::<Vec<_>>(),
        "contexts": error.places.iter().map(|place| place.context.as_str()).collect::<Vec<_>>(),
    })
}

fn patch_scenario(folder: &Folder) -> Failures {
    let Some(Value::Array(operations)) = folder.request.get("operations") else { panic!("no operations") };
    assert_eq!(folder.request.len(), 1, "fields that mean nothing");
    let operations: Vec<_> = operations
        .iter()
        .map(|operation| {
            let mut fields = Fields(operation.as_object().expect("an object").clone());
            let lines = (fields.number("start_line").unwrap(), fields.number("end_line").unwrap());
            let texts = (fields.string("content").expect("content"), fields.string("expect"));
            fields.end();
            (lines, texts)
        })
        .collect();
    let operations: Vec<LineOperation<'_>> = operations
        .iter()
        .map(|(lines, texts)| LineOperation {
            start_line: lines.0,
            end_line: lines.1,
            content: &texts.0,
            expect: texts.1.as_deref(),
        })
        .collect();
    match patch_lines(&folder.before, &operations) {
        Ok(edit) => folder.applied(&edit, &json!({})),
        Err(error) => folder.refused(&error, &patch_error(&error)),
    }
}

fn patch_error(error: &PatchError) -> Value {
    match error {
        PatchError::NoOperations => json!({"error": "no_operations"}),
        PatchError::Invalid(operations) => {
            let (mut problems, mut others, mut totals) = (Vec::new(), Vec::new(), Vec::new());
            for operation in operations {
                problems.push(match operation.problem {
                    OperationProblem::OutOfRange { total_lines } => {
                        totals.push(total_lines);
                        "out_of_range"
                    }
                    OperationProblem::StartAfterEnd => "start_after_end",
                    OperationProblem::EmptyInsertion => "empty_insertion",
                    OperationProblem::ExpectOnInsertion => "expect_on_insertion",
                    OperationProblem::Overlaps { other } => {
                        others.push(other);
                        "overlaps"
                    }
                });
            }
            let indexes: Vec<_> = operations.iter().map(|operation| operation.index).collect();
            json!({
                "error": "invalid_operations",
                "indexes": indexes,
                "problems": problems,
                "others": others,
                "total_lines": totals,
            })
        }
        PatchError::Stale(operations) => json!({
            "error": "stale",
            "indexes": operations.iter().map(|operation| operation.index).collect::<Vec<_>>(),
            "present": operations.iter().map(|operation| operation.present.as_deref()).collect::<Vec<_>>(),
        }),
    }
}

fn search_scenario(folder: &Folder) -> Failures {
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
