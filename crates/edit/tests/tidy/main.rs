//! The house rules that no compiler or linter checks. ARCHITECTURE.md prints them; this test holds them.
//!
//! A new crate adds its row to `rooms.rs` and its floor to `directions.rs`. Rules are checked on code: comments and
//! literals do not count, unless a rule says so.

#![expect(clippy::expect_used, clippy::panic, reason = "a failed test is a panic, in its functions too")]

mod code;
mod directions;
mod files;
mod layout;
mod manifests;
mod names;
mod rooms;
mod subjects;

use std::collections::BTreeSet;
use std::fmt::Write as _;

use code::{code_only, lines_that_name, spelled_out, without_tests};
use files::{crate_folders, everything_under, is_test_file, name_of, read, root, rust_files, shown};
use manifests::{Lock, is_normal_dependencies, section_keys};
use rooms::ROOMS;

#[test]
fn every_crate_has_a_row_of_rules() {
    let folders: BTreeSet<String> = crate_folders().iter().map(|folder| name_of(folder)).collect();
    let rows: BTreeSet<String> = ROOMS.iter().map(|room| room.folder.to_owned()).collect();
    assert_eq!(folders, rows, "crates/ (left) and ROOMS in rooms.rs (right) differ: give each crate its row");
}

#[test]
fn every_crate_takes_the_workspace_lints() {
    let mut problems = String::new();
    for folder in crate_folders() {
        let lints = section_keys(&read(&folder.join("Cargo.toml")), |section| section == "lints");
        if !lints.contains("workspace") {
            let _ = writeln!(problems, "{}: add `[lints]` with `workspace = true`", shown(&folder));
        }
    }
    assert!(problems.is_empty(), "crates without the workspace's lints:\n{problems}");
}

#[test]
fn dependencies_are_those_that_were_decided() {
    let lock = Lock::parse(&read(&root().join("Cargo.lock")));
    let mut problems = String::new();
    for room in ROOMS {
        let manifest = root().join("crates").join(room.folder).join("Cargo.toml");
        let direct = section_keys(&read(&manifest), is_normal_dependencies);
        let brought = lock.tree(&direct).difference(&direct).cloned().collect();
        let brought = room.brought.map(|decided| (brought, decided));
        for (found, decided) in [(direct, room.dependencies)].into_iter().chain(brought) {
            let decided: BTreeSet<String> = decided.iter().map(|(name, _)| (*name).to_owned()).collect();
            for name in found.difference(&decided) {
                let _ = writeln!(problems, "{}: `{name}` came in: drop it, or give it a row and a reason", room.folder);
            }
            for name in decided.difference(&found) {
                let _ = writeln!(problems, "{}: `{name}` is gone: take its row out", room.folder);
            }
        }
    }
    assert!(problems.is_empty(), "dependencies differ from ROOMS in rooms.rs:\n{problems}");
}

#[test]
fn sources_do_not_name_what_their_crate_must_not_do() {
    let mut problems = String::new();
    for room in ROOMS {
        for file in rust_files(&root().join("crates").join(room.folder).join("src")) {
            let code = spelled_out(&code_only(&read(&file)));
            for (name, reason) in room.absent {
                for line in lines_that_name(&code, name) {
                    let _ = writeln!(problems, "{}:{line}: `{name}`: {reason}", shown(&file));
                }
            }
        }
    }
    assert!(problems.is_empty(), "names that do not belong there:\n{problems}");
}

#[test]
fn migrations_pair_up_by_name() {
    let names = |storage: &str| -> BTreeSet<String> {
        let folder = root().join("crates/storage/migrations").join(storage);
        everything_under(&folder).iter().map(|file| name_of(file)).collect()
    };
    assert!(!names("sqlite").is_empty());
    assert_eq!(names("sqlite"), names("postgres"), "both storages migrate by files of the same names");
}

#[test]
fn a_panic_is_not_an_error_answer() {
    let mut problems = String::new();
    for file in crate_folders().iter().flat_map(|folder| rust_files(&folder.join("src"))) {
        if is_test_file(&file) {
            continue;
        }
        let code = without_tests(&code_only(&read(&file)));
        for (number, line) in code.split('\n').enumerate() {
            if line.contains(".unwrap()") || line.contains(".expect(") {
                let _ = writeln!(problems, "{}:{}: {}", shown(&file), number + 1, line.trim());
            }
        }
    }
    assert!(
        problems.is_empty(),
        "return the error, or write the code so that the case cannot arise (`let … else`, `unwrap_or`, patterns):\n{problems}"
    );
}

#[test]
fn lines_of_the_log_are_for_people() {
    let mut problems = String::new();
    for file in crate_folders().iter().flat_map(|folder| rust_files(&folder.join("src"))) {
        let code = code_only(&read(&file));
        for call in code.split("tracing::").skip(1) {
            let call = call.split_once(';').map_or(call, |(call, _)| call);
            let is_line =
                ["trace!(", "debug!(", "info!(", "warn!(", "error!("].iter().any(|name| call.starts_with(name));
            if is_line && ["(?", " ?", "=?"].iter().any(|sigil| call.contains(sigil)) {
                let _ = writeln!(problems, "{}: {}", shown(&file), call.trim());
            }
        }
    }
    assert!(problems.is_empty(), "write what `Display` says (`%`, or a text), not Rust's debug output:\n{problems}");
}
