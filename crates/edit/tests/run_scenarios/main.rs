//! Runs the scenarios: `../scenarios/<area>/<NNN_sentence>/`, one folder for one request.
//!
//! A folder holds `before` (the bytes of the content) and `request.json`, and what must come of them: `after`
//! (bytes) with an optional `expect.json`; or `error.json`, in folders named `NNN_rejects_…`; or `matches.json`
//! for a search. The JSON of an answer is compared field by field: what a scenario does not name it does not
//! check. A new scenario is a new folder; nothing else has to know of it.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a scenario that cannot be read is a failure"
)]

mod folder;
mod insert;
#[path = "../oracle/mod.rs"]
mod oracle;
mod patch;
mod replace;
mod search;

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use folder::Folder;

#[test]
fn replace_scenarios() {
    run("replace", 300, replace::scenario);
}

#[test]
fn insert_scenarios() {
    run("insert", 80, insert::scenario);
}

#[test]
fn patch_scenarios() {
    run("patch", 130, patch::scenario);
}

#[test]
fn search_scenarios() {
    run("search", 40, search::scenario);
}

/// What is wrong with the answer, a line each; nothing if it is as expected.
type Failures = Vec<String>;

fn run(area: &str, at_least: usize, scenario: fn(&Folder) -> Failures) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenarios").join(area);
    let mut names: Vec<String> = fs::read_dir(&root)
        .unwrap_or_else(|error| panic!("{}: {error}", root.display()))
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert!(names.len() >= at_least, "{area}: only {} scenarios; is the checkout complete?", names.len());

    let mut report = String::new();
    let mut failed = 0;
    for name in &names {
        let failures = catch_unwind(AssertUnwindSafe(|| {
            let folder = Folder::read(&root.join(name), name);
            scenario(&folder)
        }))
        .unwrap_or_else(|panic| vec![format!("panicked: {}", panic_message(panic.as_ref()))]);
        if !failures.is_empty() {
            failed += 1;
            report += &format!("\n{area}/{name}\n  {}\n", failures.join("\n  "));
        }
    }
    assert!(failed == 0, "{failed} of {} {area} scenarios failed:\n{report}", names.len());
}

fn panic_message(panic: &(dyn std::any::Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("?")
}
