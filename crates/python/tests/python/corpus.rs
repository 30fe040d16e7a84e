//! Real Python: what CPython compiles is accepted, what it refuses is refused.
//!
//! A twentieth of the files is looked at each time; `INTERLINE_PYTHON_STRIDE=1` takes all of them, and
//! `INTERLINE_PYTHON_FOLDER` others than the standard library.

use std::fs;
use std::path::{Path, PathBuf};

use super::check;
use super::cpython::Judge;

const STRIDE: usize = 20;

#[test]
fn the_standard_library_is_judged_as_cpython_does() {
    let mut judge = Judge::start();
    let folder = from_environment("INTERLINE_PYTHON_FOLDER").map_or_else(|| judge.library.clone(), PathBuf::from);
    let stride = from_environment("INTERLINE_PYTHON_STRIDE").map_or(STRIDE, |stride| stride.parse().unwrap());
    let mut files = Vec::new();
    python_files(&folder, &mut files);
    files.sort();
    assert!(files.len() > 100, "{} has {} files", folder.display(), files.len());

    let mut judged = 0;
    let mut differences = Vec::new();
    for file in files.iter().step_by(stride) {
        let verdict = judge.file(file);
        let (Some(accepted), Some(source)) = (verdict.accepted, verdict.source) else { continue };
        judged += 1;
        let ours = check(&source);
        if ours.is_ok() != accepted {
            differences.push(format!("{}: CPython {:?}, ours {ours:?}", file.display(), verdict.why));
        }
    }
    println!("{judged} files of {} judged by Python 3.{}", files.len(), judge.minor);
    assert!(differences.is_empty(), "{} differences:\n{}", differences.len(), differences.join("\n"));
}

fn python_files(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.is_symlink() {
            python_files(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "py") {
            files.push(path);
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "the runner of the tests asks through the environment")]
fn from_environment(name: &str) -> Option<String> {
    std::env::var(name).ok()
}
