//! The newest CPython on the path.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

/// A minor version of Python 3.
pub(crate) type Minor = u32;

/// A Python that judges sources.
pub(crate) struct CPython {
    process: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
    pub(crate) minor: Minor,
    pub(crate) library: PathBuf,
}

/// What it says.
pub(crate) struct Verdict {
    /// `None` if it gave up, or the file is not text.
    pub(crate) accepted: Option<bool>,
    pub(crate) why: String,
    /// The 1-based line of the error.
    pub(crate) line: Option<usize>,
    /// The text of the file that it was asked about.
    pub(crate) source: Option<String>,
}

impl CPython {
    /// Starts the newest; without one the test fails, because nothing else says what is right.
    pub(crate) fn start() -> CPython {
        let names = (8..40).map(|minor| format!("python3.{minor}")).chain(["python3".to_owned()]);
        let known = names.filter_map(|name| Some((about(&name)?, name)));
        let newest = known.max_by_key(|((minor, _), _)| *minor);
        let ((minor, library), name) = newest.unwrap_or_else(|| panic!("no python3 on the path"));
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/python/judge.py");
        let mut process = Command::new(&name)
            .args(["-X", "utf8", script])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let questions = process.stdin.take().unwrap();
        let answers = BufReader::new(process.stdout.take().unwrap());
        CPython { process, questions, answers, minor, library }
    }

    pub(crate) fn source(&mut self, source: &str) -> Verdict {
        self.ask(&json!({ "source": source }))
    }

    pub(crate) fn file(&mut self, path: &std::path::Path) -> Verdict {
        self.ask(&json!({ "path": path.to_str().unwrap() }))
    }

    fn ask(&mut self, question: &Value) -> Verdict {
        writeln!(self.questions, "{question}").unwrap();
        let mut line = String::new();
        self.answers.read_line(&mut line).unwrap();
        let mut answer: Value = serde_json::from_str(&line).unwrap();
        let source = match answer["source"].take() {
            Value::String(source) => Some(source),
            _ => None,
        };
        let why = answer["why"].as_str().unwrap_or_default().to_owned();
        let line = answer["line"].as_u64().and_then(|line| usize::try_from(line).ok());
        Verdict { accepted: answer["accepted"].as_bool(), why, line, source }
    }
}

impl Drop for CPython {
    fn drop(&mut self) {
        // It may have ended by itself, when a test failed.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Its minor version and its library. A name that a version manager put there may lead nowhere.
fn about(name: &str) -> Option<(Minor, PathBuf)> {
    let script = "import sys, sysconfig; print(sys.version_info[1]); print(sysconfig.get_paths()['stdlib'])";
    let output = Command::new(OsString::from(name)).args(["-c", script]).stderr(Stdio::null()).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let (minor, library) = text.trim().split_once('\n')?;
    Some((minor.trim().parse().ok()?, PathBuf::from(library.trim())))
}
