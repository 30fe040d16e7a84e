//! Sizes that stay easy to enter: lines of a file, files of a folder.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

use crate::files::{crate_folders, read, root, rust_files, shown};

/// Lines of a source file, tests included.
const MAX_LINES: usize = 600;

/// Source files directly in one folder.
const MAX_FILES: usize = 20;

/// Where the number of files is checked.
const COVERED: &[&str] = &["crates", "bench", "soak"];

/// Folders that may have more files, with the reason.
const LARGE_FOLDERS: &[(&str, &str)] = &[];

#[test]
fn no_source_file_is_too_long_to_enter() {
    let mut sizes: Vec<(usize, String)> = crate_folders()
        .iter()
        .flat_map(|folder| rust_files(folder))
        .map(|file| (read(&file).matches('\n').count(), shown(&file)))
        .collect();
    sizes.sort();
    let at = |per_mille: usize| sizes.get(sizes.len() * per_mille / 1000).map_or(0, |(lines, _)| *lines);
    println!("{} source files; median {} lines, 9 of 10 under {}", sizes.len(), at(500), at(900));
    for (lines, file) in sizes.iter().rev().take(10) {
        println!("{lines:>5} {file}");
    }
    let long: Vec<_> = sizes.iter().filter(|(lines, _)| *lines > MAX_LINES).collect();
    assert!(long.is_empty(), "over {MAX_LINES} lines: split by what a reader looks for: {long:#?}");
}

#[test]
fn no_folder_has_too_many_files_to_enter() {
    let files: Vec<PathBuf> = COVERED.iter().flat_map(|folder| rust_files(&root().join(folder))).collect();
    let problems = folder_problems(files.iter().map(|file| shown(file)), LARGE_FOLDERS);
    assert!(problems.is_empty(), "split a folder by what a reader looks for:\n{problems}");
}

/// Folders with more than [`MAX_FILES`] files that have no reason for it, and reasons that no folder needs any more.
fn folder_problems(files: impl Iterator<Item = String>, large: &[(&str, &str)]) -> String {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for file in files {
        let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
        *counts.entry(folder.to_owned()).or_default() += 1;
    }
    counts.retain(|_, files| *files > MAX_FILES);
    let mut problems = String::new();
    for (folder, files) in &counts {
        if !large.iter().any(|(named, _)| named == folder) {
            let _ = writeln!(problems, "{folder}: {files} files, at most {MAX_FILES} without a reason");
        }
    }
    for (folder, _) in large.iter().filter(|(folder, _)| !counts.contains_key(*folder)) {
        let _ = writeln!(problems, "{folder}: at most {MAX_FILES} files now: take its row out");
    }
    problems
}

#[test]
fn a_folder_with_too_many_files_needs_a_reason() {
    let files = |folder: &str, count: usize| (0..count).map(|n| format!("{folder}/f{n}.rs")).collect::<Vec<_>>();
    let all = || [files("a", 21), files("a/b", 20), files("c", 30)].concat().into_iter();
    assert_eq!(folder_problems(all(), &[("c", "one table, one file")]).matches('\n').count(), 1);
    assert!(folder_problems(all(), &[("c", "one table, one file")]).starts_with("a: 21 files"));
    assert_eq!(
        folder_problems(all(), &[("a", ""), ("c", ""), ("a/b", "")]).matches('\n').count(),
        1,
        "a/b needs no reason"
    );
}
