//! Lists and reads the files of the workspace.

use std::fs;
use std::path::{Path, PathBuf};

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the workspace's root")
}

pub(crate) fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let listing = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = listing.map(|entry| entry.expect("a folder entry").path()).collect();
    paths.sort();
    paths
}

pub(crate) fn everything_under(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for path in entries(folder) {
        if path.is_dir() {
            found.extend(everything_under(&path));
        }
        found.push(path);
    }
    found
}

pub(crate) fn crate_folders() -> Vec<PathBuf> {
    entries(&root().join("crates")).into_iter().filter(|path| path.join("Cargo.toml").is_file()).collect()
}

pub(crate) fn rust_files(folder: &Path) -> Vec<PathBuf> {
    everything_under(folder).into_iter().filter(|path| is_rust(path)).collect()
}

pub(crate) fn is_rust(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "rs")
}

/// `src/…/tests.rs`, `src/…/search_tests.rs`, `src/…/tests/…`: compiled under `#[cfg(test)]` alone.
pub(crate) fn is_test_file(path: &Path) -> bool {
    let stem = stem_of(path);
    stem == "tests" || stem.ends_with("_tests") || path.components().any(|part| part.as_os_str() == "tests")
}

pub(crate) fn name_of(path: &Path) -> String {
    path.file_name().expect("a file name").to_string_lossy().into_owned()
}

pub(crate) fn stem_of(path: &Path) -> String {
    path.file_stem().expect("a file name").to_string_lossy().into_owned()
}

pub(crate) fn shown(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}
