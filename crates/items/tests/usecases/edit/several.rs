//! Several edits in one request: all are applied, or none.

use interline_items::{EditRequest, Error, TextChange};
use interline_items::{Level, MatchType};

use super::{assert_edits, assert_refuses, passage, replace_all, several};
use crate::world::{World, refused_fields};

#[tokio::test]
async fn each_edit_sees_the_result_of_the_one_before_and_all_are_one_version() {
    let world = World::new().await;
    let edited = assert_edits(&world, "one two\n", &several([("two", "2 + 2"), ("2 + 2", "four")]), "one four\n").await;
    assert_eq!((edited.match_type, edited.line, edited.count), (Some(MatchType::At(Level::Exact)), Some(1), 2));
    let edited = assert_edits(&world, "a\nb \nc\n", &several([("c", "C"), ("a\nb\n", "ab\n")]), "ab\nC\n").await;
    assert_eq!((edited.match_type, edited.line), (Some(MatchType::At(Level::WhitespaceNormalized)), Some(3)));
    // There and back again.
    assert_edits(&world, "one two\n", &several([("two", "2"), ("2", "two")]), "one two\n").await;
    let hundred = TextChange::Several((0..100).map(|number| passage(&format!("<{number}>"), "x")).collect());
    let before: String = (0..100).map(|number| format!("<{number}>\n")).collect();
    assert_edits(&world, &before, &hundred, &"x\n".repeat(100)).await;
}

#[tokio::test]
async fn the_first_failure_refuses_all_and_names_its_index() {
    let world = World::new().await;
    for (change, index, code) in [
        (several([("a", "b"), ("a", "c"), ("zzz", "d")]), 1, "no_match"),
        (several([("zzz", "b"), ("a", "c")]), 0, "no_match"),
        (several([("a", "x x"), ("x", "y")]), 1, "multiple_matches"),
        (several([("a", "x"), ("", "y")]), 1, "validation_failed"),
    ] {
        match assert_refuses(&world, "a", &EditRequest::new(change), code).await {
            error @ Error::AtEdit { index: reported, .. } => {
                assert_eq!(reported, index);
                assert!(error.to_string().starts_with(&format!("`edits[{index}]` (the ")), "{error}");
                assert!(error.suggestion().contains("no edit was made"), "{}", error.suggestion());
            }
            other => panic!("{other:?}"),
        }
    }
    match assert_refuses(&world, "a", &EditRequest::new(several([("a", "x"), ("", "y")])), "validation_failed").await {
        Error::AtEdit { error, .. } => assert_eq!(refused_fields::<()>(Err(*error)), ["edits[1].old_str"]),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn there_are_from_1_to_100_edits() {
    let world = World::new().await;
    for count in [0, 101] {
        let edits = TextChange::Several((0..count).map(|_| passage("a", "a")).collect());
        let error = assert_refuses(&world, "a", &EditRequest::new(edits), "validation_failed").await;
        assert_eq!(refused_fields::<()>(Err(error)), ["edits"]);
    }
    let error = assert_refuses(&world, "a", &EditRequest::new(several([("a", "\0")])), "validation_failed").await;
    assert_eq!(refused_fields::<()>(Err(error)), ["edits[0].new_str"]);
}

#[tokio::test]
async fn only_the_last_text_is_a_content() {
    let limits = interline_items::fields::Limits { content_bytes: 10, ..Default::default() };
    let world = World::with_limits(limits).await;
    let long = "x".repeat(20);
    assert_edits(&world, "a b", &several([("a", &long), (&long, "c")]), "c b").await;
    let edit_request = EditRequest::new(several([("a", &long), ("b", "c")]));
    match assert_refuses(&world, "a b", &edit_request, "too_large").await {
        Error::TooLarge { limit: 10, actual: 22 } => {}
        other => panic!("{other:?}"),
    }
    let TextChange::Replace(all) = replace_all("x", &long, 20) else { panic!() };
    let TextChange::Several(mut edits) = several([("a", &long)]) else { panic!() };
    edits.push(all);
    assert_refuses(&world, "a b", &EditRequest::new(TextChange::Several(edits)), "too_large").await;
}
