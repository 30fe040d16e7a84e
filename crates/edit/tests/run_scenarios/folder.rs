//! Reads the files of a scenario folder, and compares a result with them.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::fs;
use std::path::Path;

use interline_edit::{Edit, Level, LineEndings};
use serde_json::{Map, Value};

use crate::Failures;

/// The files of a scenario.
pub(crate) struct Folder {
    pub(crate) before: String,
    pub(crate) request: Map<String, Value>,
    after: Option<String>,
    expect: Option<Value>,
    error: Option<Value>,
    pub(crate) matches: Option<Value>,
}

impl Folder {
    pub(crate) fn read(path: &Path, name: &str) -> Folder {
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

    /// The text that is expected, with what `expect.json` says of warnings; or the name of the error.
    pub(crate) fn expected(&self) -> Result<(&str, Option<&Value>), &str> {
        let warnings = self.expect.as_ref().and_then(|expect| expect.get("warnings"));
        match (&self.after, &self.error) {
            (Some(after), _) => Ok((after, warnings)),
            (None, Some(error)) => Err(error["error"].as_str().unwrap()),
            (None, None) => panic!("neither `after` nor error.json"),
        }
    }

    /// The request is refused where an error is expected, and only there.
    pub(crate) fn refused<E: Debug>(&self, error: &E, answer: &Value) -> Failures {
        match &self.error {
            Some(expected) => differences("error.json", expected, answer),
            None => vec![format!("refused: {error:?}")],
        }
    }

    /// The content after the edit, and the laws that hold for every edit.
    pub(crate) fn applied(&self, edit: &Edit, answer: &Value) -> Failures {
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
pub(crate) fn differences(path: &str, expected: &Value, actual: &Value) -> Failures {
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
pub(crate) struct Fields(pub(crate) Map<String, Value>);

impl Fields {
    pub(crate) fn string(&mut self, name: &str) -> Option<String> {
        self.0.remove(name).map(|value| value.as_str().unwrap_or_else(|| panic!("{name}: not a string")).to_owned())
    }

    pub(crate) fn number(&mut self, name: &str) -> Option<usize> {
        let number = self.0.remove(name).map(|value| value.as_u64().unwrap_or_else(|| panic!("{name}: not a number")));
        number.map(|number| usize::try_from(number).expect("64 bits"))
    }

    pub(crate) fn flag(&mut self, name: &str) -> Option<bool> {
        self.0.remove(name).map(|value| value.as_bool().unwrap_or_else(|| panic!("{name}: not true or false")))
    }

    pub(crate) fn level(&mut self) -> Option<Level> {
        self.string("match").map(|name| Level::from_name(&name).expect("a level"))
    }

    pub(crate) fn line_endings(&mut self) -> Option<LineEndings> {
        self.string("line_endings").map(|name| match name.as_str() {
            "literal" => LineEndings::Literal,
            "match" => LineEndings::Match,
            other => panic!("line_endings: {other}"),
        })
    }

    pub(crate) fn end(self) {
        assert!(self.0.is_empty(), "fields that mean nothing: {:?}", self.0.keys().collect::<Vec<_>>());
    }
}
