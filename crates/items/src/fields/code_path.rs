//! The paths of files of code.

use super::text::check;
use super::{FieldError, Limits};
use crate::CodeKind;

const FIELD: &str = "path";

/// Where a file of code stands: components joined by `/`. Two spellings of one place are one value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CodePath(String);

impl CodePath {
    /// A path of a file of that kind.
    ///
    /// One `/` at each end is dropped. What is left has no empty component, none that is `.` or `..`, and neither a
    /// backslash nor a control character; that of Python ends with `.py`.
    pub fn parse(kind: CodeKind, path: &str, limits: &Limits) -> Result<CodePath, FieldError> {
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
        return Some("the path is empty".to_owned());
    }
    if let Some(odd) = path.chars().find(|c| *c == '\\' || c.is_control()) {
        return Some(format!("{odd:?} cannot be part of a path"));
    }
    match path.split('/').find(|component| matches!(*component, "" | "." | "..")) {
        Some("") => Some("a component of the path is empty".to_owned()),
        Some(component) => Some(format!("`{component}` cannot be a component of a path")),
        None => None,
    }
}

fn is_python(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.strip_suffix(".py").is_some_and(|stem| !stem.is_empty())
}

#[cfg(test)]
mod tests {
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
            ("", "the path is empty"),
            ("/", "the path is empty"),
            ("//", "the path is empty"),
            ("../secret", "`..`"),
            ("a/../b", "`..`"),
            ("a/./b", "`.`"),
            ("..", "`..`"),
            ("//a", "a component of the path is empty"),
            ("a//b", "a component of the path is empty"),
            ("a\\b", "'\\\\'"),
            ("a\nb", "'\\n'"),
            ("a\u{85}b", "'\\u{85}'"),
            ("a\0b", "character 2 is NUL"),
            (long.as_str(), "path has 2000 characters; the limit is 500"),
        ] {
            let error = CodePath::parse(CodeKind::AppFile, given, &Limits::default()).unwrap_err();
            assert_eq!(error.field, "path");
            assert!(error.message.contains(reason), "{given:?}: {error}");
        }
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
        assert_eq!(error.message, "path has 4 characters; the limit is 3");
    }
}
