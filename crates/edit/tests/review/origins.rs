//! Origins of lines: examples, the law over generated histories, and long histories.

use interline_edit::{Edit, LineOrigins, OlderVersion, Splice, hunks};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::generate::{any_change, config, lines};
use crate::laws_of_origins::{Change, History};
use crate::oracle::rng::Rng;

proptest! {
    #![proptest_config(config())]

    #[test]
    fn origins_are_those_of_a_naive_history(first in lines(12), changes in vec(any_change(), 0..8)) {
        let mut history = History::new(&first.concat());
        for change in &changes {
            history.change(&change.of_history(&history));
        }
        history.check();
    }
}

/// The versions that the lines came from, after one step from version 2 to version 1; its bytes in brackets were removed,
/// those in braces were written.
fn check(marked: &str, expected: &[u64]) {
    let (mut newest, mut splices) = (String::new(), Vec::new());
    let mut rest = marked;
    while let Some(at) = rest.find(['[', '{']) {
        newest.push_str(&rest[..at]);
        let close = if rest[at..].starts_with('[') { ']' } else { '}' };
        let end = at + rest[at..].find(close).unwrap();
        let (marked, start) = (&rest[at + 1..end], newest.len());
        if close == '}' {
            newest.push_str(marked);
        }
        let removed = if close == ']' { marked } else { "" };
        splices.push(Splice { range: start..newest.len(), text: removed.to_owned() });
        rest = &rest[end + 1..];
    }
    newest.push_str(rest);
    let mut origins = LineOrigins::new(&newest);
    origins.step(2, &Edit::new(splices).unwrap()).unwrap();
    assert_eq!(versions(&origins, 1), expected, "{marked:?}");
}

#[test]
fn a_line_comes_from_the_version_that_touched_it() {
    check("a\nb\n", &[1, 1, 1]);
    check("", &[1]);
    check("{a}", &[2]);
    check("a\n{x\n}b", &[1, 2, 1]);
    check("a{\nx}\nb", &[1, 2, 1]);
    check("a{\r\nx}\r\nb", &[1, 2, 1]);
    check("a\n{b\nc\n}", &[1, 2, 2, 1]);
    check("a\nb[x]c\nd\n", &[1, 2, 1, 1]);
    check("a\n[x\n]b\n", &[1, 1, 1]);
    check("a[\nx]\nb\n", &[1, 1, 1]);
    check("a\n[x]b\n", &[1, 2, 1]);
    check("a[\n]b\nc", &[2, 1]);
    check("a[\r]\nb", &[2, 1]);
    check("a{\n}b\nc", &[2, 2, 1]);
    check("a[\n]", &[2]);
    check("a{\n}", &[2, 2]);
    check("[a\n]", &[1]);
    check("[a]", &[2]);
    check("{a}[b]\nx\n{c}[d]", &[2, 1, 2]);
    check("{a\nsame\nb}[x\nsame\ny]\n", &[2, 1, 2, 1]);
}

/// The version of each line.
fn versions(origins: &LineOrigins<'_>, oldest: u64) -> Vec<u64> {
    origins.lines(oldest).iter().flat_map(|run| (run.start_line..=run.end_line).map(|_| run.version)).collect()
}

#[test]
fn lines_that_were_brought_back_keep_their_first_origin() {
    let texts = ["a\nb\nc\n", "a\nX\nc\n", "a\nX\nc\nd\n", "a\nb\nc\nd\n"];
    let mut origins = LineOrigins::new(texts[3]);
    let source = OlderVersion { version: 1, text: texts[0] };
    origins.step_with_source(4, &hunks(texts[2], texts[3]).revert_all(), source).unwrap();
    assert!(!origins.is_resolved());
    assert_eq!(versions(&origins, 3), [3, 4, 3, 3, 3], "history begins at version 3");
    origins.step_to_text(3, texts[1]).unwrap();
    origins.step_to_text(2, texts[0]).unwrap();
    assert_eq!(versions(&origins, 1), [1, 1, 1, 3, 1]);
}

#[test]
fn lines_of_a_restored_version_come_from_where_they_first_stood() {
    let texts = ["a\n", "a\nb\n", "", "X\n", "a\nb\n", "a\nb\nc\n"];
    let mut origins = LineOrigins::new(texts[5]);
    origins.step_to_text(6, texts[4]).unwrap();
    origins.step_restored(5, &hunks(texts[3], texts[4]).revert_all(), 2).unwrap();
    assert_eq!(versions(&origins, 4), [5, 5, 6, 5], "history begins at version 4");
    assert_eq!([4, 3, 2].map(|version| origins.needs(version)), [false, false, true]);
    origins.step_to_text(4, texts[2]).unwrap();
    origins.step_to_text(3, texts[1]).unwrap();
    origins.step_to_text(2, texts[0]).unwrap();
    assert_eq!(versions(&origins, 1), [1, 2, 6, 1]);
}

#[test]
fn what_a_restore_left_out_is_there_for_lines_that_wait_for_it() {
    // Version 4 restored version 1; version 5 takes `b` of version 3 back.
    let texts = ["a\n", "a\nx\n", "a\nb\nc\n", "a\n", "a\nb\n"];
    let undo = |version: usize| hunks(texts[version - 2], texts[version - 1]).revert_all();
    let mut origins = LineOrigins::new(texts[4]);
    origins.step_with_source(5, &undo(5), OlderVersion { version: 3, text: texts[2] }).unwrap();
    origins.step_restored(4, &undo(4), 1).unwrap();
    assert!(origins.needs(3));
    origins.step(3, &undo(3)).unwrap();
    origins.step(2, &undo(2)).unwrap();
    assert_eq!(versions(&origins, 1), [1, 3, 1]);
}

#[test]
fn a_chain_of_restores_ends_where_the_lines_first_stood() {
    let text: String = (0..1_000).map(|line| format!("line {line}\n")).collect();
    let mut origins = LineOrigins::new(&text);
    // Each version with an odd number restores the one before the last; those between empty the text.
    for version in (3..=20_001).rev() {
        let splice = if version % 2 == 1 { (0..text.len(), "") } else { (0..0, text.as_str()) };
        let undo = Edit::new(vec![Splice { range: splice.0, text: splice.1.to_owned() }]).unwrap();
        if version % 2 == 1 {
            origins.step_restored(version, &undo, version - 2).unwrap();
        } else {
            origins.step(version, &undo).unwrap();
        }
    }
    assert!(origins.lines(1).iter().all(|run| run.version == 1));
}

#[test]
fn a_source_that_is_not_as_was_said_brings_nothing_back() {
    for (version, text) in [(1, "x\ny\nz\nb\n"), (2, "b\n"), (9, "b\n")] {
        let mut origins = LineOrigins::new("a\nb\n");
        let undo = hunks("a\n", "a\nb\n").revert_all();
        origins.step_with_source(2, &undo, OlderVersion { version, text }).unwrap();
        origins.step_to_text(1, "").unwrap();
        assert_eq!(versions(&origins, 0), [1, 2, 0], "the last line is the one of the empty text");
        assert!(!origins.is_resolved());
    }
}

#[test]
fn before_a_version_there_may_have_been_no_text() {
    let mut origins = LineOrigins::new("a\nb\n");
    origins.step(3, &hunks("a\n", "a\nb\n").revert_all()).unwrap();
    origins.step_to_nothing(2).unwrap();
    assert_eq!(versions(&origins, 1), [2, 3, 2], "the last line too");
    assert!(origins.is_resolved());
    // A version that gave an older text again leads past the one without.
    let mut origins = LineOrigins::new("a\n");
    origins.step_restored(4, &origins.edit_to(""), 1).unwrap();
    origins.step_to_nothing(2).unwrap();
    assert_eq!(versions(&origins, 1), [1, 1]);
}

#[test]
fn a_long_history_is_that_of_the_naive_one() {
    let mut rng = Rng::new(7);
    let first: String = (0..400).map(|line| format!("line {line}\n")).collect();
    let mut history = History::new(&first);
    for number in 0..1_500 {
        let text = history.newest().to_owned();
        let length = text.len();
        let mut at: Vec<usize> = (0..rng.between(1, 3)).map(|_| rng.below(length)).collect();
        at.sort_unstable();
        at.dedup();
        let splice =
            |at: usize| Splice { range: at..(at + number % 3).min(length), text: "x\n"[..number % 3].to_owned() };
        if let Some(edit) = Edit::new(at.into_iter().map(splice).collect()) {
            history.change(&Change::Edit(edit));
        }
    }
    history.check();
}
