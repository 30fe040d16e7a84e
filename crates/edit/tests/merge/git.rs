//! The judge: git's own merge of files.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::generate::Triple;

/// What git makes of a triple.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum GitMerge {
    Clean(String),
    Conflict,
}

/// How a conflict begins in git's output. No text may have it.
pub(crate) const MARKER: &str = "<<<<<<<";

/// A folder that is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Folder {
        static MADE: AtomicUsize = AtomicUsize::new(0);
        let name = format!("interline-merge-{}-{}", std::process::id(), MADE.fetch_add(1, Ordering::Relaxed));
        // Git writes a file for each merge: in memory, where there is such a folder, that takes a fraction of the time.
        let memory = Path::new("/dev/shm");
        let parent = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
        let folder = parent.join(name);
        std::fs::create_dir_all(&folder).unwrap();
        Folder(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Runs git with this input, without any configuration but its own defaults.
fn git(folder: &Path, arguments: &[&str], input: &str) -> Output {
    let mut command = Command::new("git");
    for inherited in ["GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE", "GIT_OBJECT_DIRECTORY"] {
        command.env_remove(inherited);
    }
    command.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null").current_dir(folder);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command
        .spawn()
        .unwrap_or_else(|error| panic!("the program `git` is needed by this test (apt-get install git): {error}"));
    // None of the commands that are run here answers before it has read everything.
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

fn succeed(folder: &Path, arguments: &[&str], input: &str) {
    let output = git(folder, arguments, input);
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// The merges of `git merge-file`, all of them by one process: the three texts of each triple are put into the index as the stages
/// of an unmerged file, and `git checkout --merge` merges every such file with the same code.
pub(crate) fn merge_all(triples: &[Triple]) -> Vec<GitMerge> {
    let folder = Folder::new();
    succeed(&folder.0, &["init", "--quiet"], "");
    let mut blobs = String::new();
    for (index, triple) in triples.iter().enumerate() {
        for (stage, text) in [&triple.base, &triple.ours, &triple.theirs].into_iter().enumerate() {
            assert!(!text.contains(MARKER));
            let _ = write!(blobs, "blob\nmark :{}\ndata {}\n{text}\n", 3 * index + stage + 1, text.len());
        }
    }
    let marks = folder.0.join("marks");
    succeed(&folder.0, &["fast-import", "--quiet", &format!("--export-marks={}", marks.display())], &blobs);
    let marks = std::fs::read_to_string(marks).unwrap();
    let ids: HashMap<usize, &str> = marks.split_terminator('\n').map(mark).collect();
    let mut stages = String::new();
    for index in 0..triples.len() {
        for stage in 1..=3 {
            let _ = writeln!(stages, "100644 {} {stage}\tmerged/{index}", ids[&(3 * index + stage)]);
        }
    }
    succeed(&folder.0, &["update-index", "--index-info"], &stages);
    succeed(&folder.0, &["checkout", "--quiet", "--merge", "--", "merged"], "");
    (0..triples.len())
        .map(|index| match std::fs::read_to_string(folder.0.join(format!("merged/{index}"))).unwrap() {
            merged if merged.contains(MARKER) => GitMerge::Conflict,
            merged => GitMerge::Clean(merged),
        })
        .collect()
}

/// A line of fast-import's marks: `:number id`.
fn mark(line: &str) -> (usize, &str) {
    let (number, id) = line.split_once(' ').unwrap();
    (number.trim_start_matches(':').parse().unwrap(), id)
}

/// The same of one triple by `git merge-file` itself.
pub(crate) fn merge_file(triple: &Triple) -> GitMerge {
    let folder = Folder::new();
    for (name, text) in [("base", &triple.base), ("ours", &triple.ours), ("theirs", &triple.theirs)] {
        std::fs::write(folder.0.join(name), text).unwrap();
    }
    let output = git(&folder.0, &["merge-file", "--stdout", "--quiet", "ours", "base", "theirs"], "");
    match output.status.code() {
        Some(0) => GitMerge::Clean(String::from_utf8(output.stdout).unwrap()),
        Some(1..=127) => GitMerge::Conflict,
        _ => panic!("git merge-file: {output:?}"),
    }
}
