//! Broken files in `cases/broken.txt`: their error is on the line where CPython reports it.
//!
//! A case begins with a line `=== line 3`; `no newline` says that its last newline is not part of it. The lines are those of
//! the Python that the first line of the file names; `record_lines.py` writes them. A Python of that version is asked again.

use super::check;
use super::cpython::{CPython, Minor};

const TABLE: &str = include_str!("cases/broken.txt");

struct BrokenFile {
    line: usize,
    source: String,
}

#[test]
fn errors_are_on_the_line_where_cpython_reports_them() {
    let (recorded, files) = table();
    assert!(files.len() >= 60, "{} files", files.len());
    let mut judge = CPython::start();
    let mut wrong = Vec::new();
    for BrokenFile { line, source } in &files {
        match check(source) {
            Err(error) if error.line == *line => {}
            ours => wrong.push(format!("line {line} by the table, ours: {ours:?}\n{source}")),
        }
        let verdict = (judge.minor == recorded).then(|| judge.source(source));
        if let Some(verdict) = verdict.filter(|verdict| verdict.line != Some(*line)) {
            wrong.push(format!("line {line} by the table, CPython: {:?} {}\n{source}", verdict.line, verdict.why));
        }
    }
    println!("{} files, recorded with Python 3.{recorded}; here is 3.{}", files.len(), judge.minor);
    assert!(wrong.is_empty(), "{} of {} wrong:\n{}", wrong.len(), files.len(), wrong.join("\n"));
}

/// The minor version of the Python that recorded the lines, and the files.
fn table() -> (Minor, Vec<BrokenFile>) {
    let mut parts = TABLE.split("=== ");
    let recorded = parts.next().unwrap().strip_prefix("Recorded with Python 3.").unwrap();
    let recorded = recorded.split(' ').next().unwrap().parse().unwrap();
    let files = parts.map(|part| {
        let (header, source) = part.split_once('\n').unwrap();
        let header = header.strip_prefix("line ").unwrap();
        let (line, source) = match header.strip_suffix(" no newline") {
            Some(line) => (line, source.strip_suffix('\n').unwrap()),
            None => (header, source),
        };
        BrokenFile { line: line.parse().unwrap(), source: source.to_owned() }
    });
    (recorded, files.collect())
}
