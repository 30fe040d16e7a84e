//! The paths of files of code.

use unicode_normalization::UnicodeNormalization as _;

use super::text::check;
use super::{FieldError, Hidden, Limits, is_blank, refuse_hidden, refuse_other_form};
use crate::CodeKind;

const FIELD: &str = "path";

/// Where a file of code stands: components joined by `/`. Two spellings of one place are one value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CodePath(String);

impl CodePath {
    /// A path of a file of that kind.
    ///
    /// One `/` at each end is dropped. What is left has no blank component, none that is `.` or `..`, neither a backslash nor
    /// a control character nor one that is not seen, and is in Unicode form NFC; that of Python ends with `.py`. So two paths
    /// that differ look different.
    pub fn parse(kind: CodeKind, path: &str, limits: &Limits) -> Result<CodePath, FieldError> {
        let path = CodePath::parse_stored(kind, path, limits)?;
        refuse_hidden(FIELD, path.as_str(), Hidden::None)?;
        if path.as_str().split('/').any(is_blank) {
            return Err(FieldError::new(FIELD, "a component is blank; name it"));
        }
        refuse_other_form(FIELD, path.as_str())?;
        Ok(path)
    }

    /// The path that a request names to find a file: as [`CodePath::parse`], and also one that was stored when more characters
    /// and spellings were allowed.
    pub fn parse_stored(kind: CodeKind, path: &str, limits: &Limits) -> Result<CodePath, FieldError> {
        let path = CodePath::normal(path);
        check(FIELD, path, limits.path)?;
        if let Some(problem) = problem(path) {
            return Err(FieldError::new(FIELD, format!("{problem}; give a relative path like `pages/index.tsx`")));
        }
        match kind {
            CodeKind::AppFile => {}
            CodeKind::Workflow | CodeKind::Module if is_python(path) => {}
            CodeKind::Workflow | CodeKind::Module => {
                let message = format!("must end with `.py`, since a {} is Python", kind.name());
                return Err(FieldError::new(FIELD, message));
            }
        }
        Ok(CodePath(path.to_owned()))
    }

    /// A path, or the beginning of one, without the `/` that may come before it.
    fn normal(path: &str) -> &str {
        let path = path.strip_prefix('/').unwrap_or(path);
        path.strip_suffix('/').unwrap_or(path)
    }

    /// The same path in Unicode form NFD, which some file systems keep; `None` if that is the same.
    pub(crate) fn decomposed(&self) -> Option<CodePath> {
        let decomposed: String = self.0.nfd().collect();
        (decomposed != self.0).then_some(CodePath(decomposed))
    }

    /// A value that was parsed before it was stored; limits may have changed since.
    pub fn from_stored(stored: String) -> CodePath {
        CodePath(stored)
    }

    /// The path.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// What keeps a text from being a path.
fn problem(path: &str) -> Option<String> {
    if path.is_empty() {
        return Some("must not be empty".to_owned());
    }
    if let Some(odd) = path.chars().find(|c| *c == '\\' || c.is_control()) {
        return Some(format!("{odd:?} cannot be part of it"));
    }
    match path.split('/').find(|component| matches!(*component, "" | "." | "..")) {
        Some("") => Some("a component is empty".to_owned()),
        Some(component) => Some(format!("`{component}` cannot be a component of it")),
        None => None,
    }
}

fn is_python(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.strip_suffix(".py").is_some_and(|stem| !stem.is_empty())
}

#[cfg(test)]
mod tests {
    use std::collections::{HashMap, HashSet};

    use super::*;

    #[test]
    fn a_slash_at_each_end_is_dropped_and_the_rest_stays() {
        for (given, path) in [
            ("pages/index.tsx", "pages/index.tsx"),
            ("/pages/index.tsx", "pages/index.tsx"),
            ("pages/", "pages"),
            ("/a/", "a"),
            ("_layout.tsx", "_layout.tsx"),
            ("a b/c d.txt", "a b/c d.txt"),
            ("Ünïcode/日本.md", "Ünïcode/日本.md"),
            (".hidden/...x", ".hidden/...x"),
        ] {
            let parsed = CodePath::parse(CodeKind::AppFile, given, &Limits::default());
            assert_eq!(parsed.unwrap().as_str(), path, "{given}");
        }
    }

    #[test]
    fn other_paths_are_refused_with_the_reason() {
        let long = "x".repeat(2_000);
        for (given, reason) in [
            ("", "must not be empty"),
            ("/", "must not be empty"),
            ("//", "must not be empty"),
            ("../secret", "`..`"),
            ("a/../b", "`..`"),
            ("a/./b", "`.`"),
            ("..", "`..`"),
            ("//a", "a component is empty"),
            ("a//b", "a component is empty"),
            ("a\\b", "'\\\\'"),
            ("a\nb", "'\\n'"),
            ("a\u{85}b", "'\\u{85}'"),
            ("a\0b", "character 2 is NUL"),
            (" ", "a component is blank"),
            ("a/ /b", "a component is blank"),
            ("a/\u{a0}\u{2003}", "a component is blank"),
            ("a/\u{2800}", "a component is blank"),
            ("a\u{202e}gpj.md", "character 2 is a control of the direction of text (U+202E); remove it"),
            ("a/\u{2066}b", "character 3 is a control of the direction of text (U+2066); remove it"),
            ("a\u{200e}b", "character 2 is a mark of the direction of text (U+200E); remove it"),
            ("a\u{2028}b", "character 2 is a line separator (U+2028); remove it"),
            ("\u{feff}a", "character 1 is a byte order mark (U+FEFF); remove it"),
            ("a\u{200d}b", "character 2 is an invisible character (U+200D); remove it"),
            ("a\u{ad}b", "character 2 is a soft hyphen (U+00AD); remove it"),
            ("a/cafe\u{301}.md", "character 6 is not in Unicode form NFC"),
            ("a/cafe\u{301}.md", "spell it `a/café.md`"),
            (long.as_str(), "has 2000 characters; the limit is 500"),
        ] {
            let error = CodePath::parse(CodeKind::AppFile, given, &Limits::default()).unwrap_err();
            assert_eq!(error.field, "path");
            assert!(error.message.contains(reason), "{given:?}: {error}");
        }
    }

    #[test]
    fn a_stored_path_is_still_found() {
        for path in ["a\u{202e}b", "cafe\u{301}.md", "a/ /b"] {
            assert!(CodePath::parse(CodeKind::AppFile, path, &Limits::default()).is_err());
            let found = CodePath::parse_stored(CodeKind::AppFile, path, &Limits::default()).unwrap();
            assert_eq!(found.as_str(), path);
        }
        assert!(CodePath::parse_stored(CodeKind::AppFile, "a/../b", &Limits::default()).is_err());
    }

    /// Every path of up to four of these characters: of those that are accepted, no two are the same text in two spellings.
    #[test]
    fn accepted_paths_are_equal_if_and_only_if_their_composed_forms_are() {
        const ALPHABET: [char; 9] = ['e', 'é', '\u{301}', '\u{323}', 'ẹ', '\u{200d}', ' ', '\u{212b}', 'å'];
        let mut texts = vec![String::new()];
        for begin in 0..4 {
            let longer = texts.iter().filter(|text| text.chars().count() == begin);
            let longer = longer.flat_map(|text| ALPHABET.map(|c| format!("{text}{c}")));
            texts.extend(longer.collect::<Vec<_>>());
        }
        let mut accepted = HashMap::new();
        for text in &texts {
            if let Ok(path) = CodePath::parse(CodeKind::AppFile, text, &Limits::default()) {
                assert_eq!(path.as_str(), text);
                let composed: String = text.nfc().collect();
                assert_eq!(accepted.insert(composed.clone(), path), None, "{}", composed.escape_unicode());
            }
        }
        // What has a spelling that is accepted is accepted in that spelling.
        let composed = texts.iter().filter(|text| !text.contains('\u{200d}') && !text.trim().is_empty());
        let composed: HashSet<String> = composed.map(|text| text.nfc().collect()).collect();
        assert!(composed.iter().all(|text| CodePath::parse(CodeKind::AppFile, text, &Limits::default()).is_ok()));
        assert!(accepted.len() > 100);
    }

    #[test]
    fn python_is_in_files_whose_names_say_so() {
        for kind in [CodeKind::Workflow, CodeKind::Module] {
            for path in ["a.py", "shared/x.y.py", "/a.py"] {
                assert!(CodePath::parse(kind, path, &Limits::default()).is_ok(), "{path}");
            }
            for path in ["a.txt", "a", "a.PY", ".py", "shared/.py", "a.py/b", "a.pyc"] {
                let error = CodePath::parse(kind, path, &Limits::default()).unwrap_err();
                assert!(error.message.contains("must end with `.py`"), "{path}: {error}");
            }
        }
    }

    #[test]
    fn the_limit_is_that_of_the_normal_form() {
        let limits = Limits { path: 3, ..Limits::default() };
        assert!(CodePath::parse(CodeKind::AppFile, "/äöü/", &limits).is_ok());
        let error = CodePath::parse(CodeKind::AppFile, "äöüß", &limits).unwrap_err();
        assert_eq!(error.message, "has 4 characters; the limit is 3");
    }
}
