//! The changed lines in the result of an edit: as they are now, with two lines around them.

use interline_items::{ChangedPassage, LinePatch, PassageChange, TextChange};

use super::edit;
use crate::samples::note_of;
use crate::world::World;

async fn changes(content: &str, change: TextChange) -> (Vec<(usize, usize, String)>, bool) {
    let world = World::new().await;
    let item = world.create(interline_items::Kind::Note, note_of(content)).await;
    let changes = edit(&world, &item, change).await.unwrap().changes().unwrap();
    let passages = changes.passages.into_iter();
    let passages = passages.map(|ChangedPassage { start_line, end_line, text }| (start_line, end_line, text));
    (passages.collect(), changes.truncated)
}

fn replace(old_str: &str, new_str: &str, expected_matches: usize) -> TextChange {
    TextChange::Replace(PassageChange { old_str: old_str.to_owned(), new_str: new_str.to_owned(), expected_matches })
}

fn changed(start_line: usize, end_line: usize, text: &str) -> (usize, usize, String) {
    (start_line, end_line, text.to_owned())
}

#[tokio::test]
async fn a_change_is_shown_with_two_lines_around_it() {
    let content = "1\n2\n3\n4\n5\n6\n7";
    for (change, expected) in [
        (replace("4", "x", 1), changed(2, 6, "2\n3\nx\n5\n6")),
        (replace("1", "x", 1), changed(1, 3, "x\n2\n3")),
        (replace("7", "x", 1), changed(5, 7, "5\n6\nx")),
        (replace("3\n4\n", "", 1), changed(1, 5, "1\n2\n5\n6\n7")),
        (replace("4", "x\ny\nz", 1), changed(2, 8, "2\n3\nx\ny\nz\n5\n6")),
    ] {
        let shown = format!("{change:?}");
        assert_eq!(changes(content, change).await, (vec![expected], false), "{shown}");
    }
    assert_eq!(changes(content, replace("4", "4", 1)).await, (vec![], false));
    let patch = LinePatch { start_line: 3, end_line: 2, content: "x".to_owned(), expect: None };
    let inserted = changed(1, 5, "1\n2\nx\n3\n4");
    assert_eq!(changes(content, TextChange::Patch(vec![patch])).await, (vec![inserted], false));
}

#[tokio::test]
async fn changes_far_apart_are_shown_apart() {
    let content = "x\n2\n3\n4\n5\n6\n7\nx\n9\nx\n";
    let expected = vec![changed(1, 3, "y\n2\n3"), changed(6, 11, "6\n7\ny\n9\ny\n")];
    assert_eq!(changes(content, replace("x", "y", 3)).await, (expected, false));
}

#[tokio::test]
async fn a_long_line_is_cut_around_what_was_changed() {
    let content = format!("{}needle{}\n", "a".repeat(5_000), "b".repeat(5_000));
    let (passages, truncated) = changes(&content, replace("needle", "thread", 1)).await;
    let [(1, 2, text)] = passages.as_slice() else { panic!("{passages:?}") };
    assert!(text.contains("aathreadbb") && text.chars().count() < 410, "{text}");
    assert!(!truncated, "what was changed is there");
}

#[tokio::test]
async fn a_long_change_is_shown_in_part() {
    let (passages, truncated) = changes("a\nb\nc", replace("b", &"line\n".repeat(1_000), 1)).await;
    let [(1, 43, text)] = passages.as_slice() else { panic!("{passages:?}") };
    assert!(text.starts_with("a\nline\n") && truncated, "{text}");
    let (passages, truncated) = changes(&"x\n1\n2\n3\n4\n5\n".repeat(5_000), replace("x", "y", 5_000)).await;
    assert!(truncated && passages.iter().map(|(_, _, text)| text.len()).sum::<usize>() < 20_000, "{}", passages.len());
}
