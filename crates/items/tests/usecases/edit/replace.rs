//! Replacing and deleting passages.

use interline_items::fields::Limits;
use interline_items::{EditRequest, EditUnit, Error, Kind, NeedsText, PassageField, TextChange};
use interline_items::{Level, LineEndings, MatchType};

use super::{assert_edits, assert_refuses, capped, delete, edit, replace, replace_all, request};
use crate::samples::note;
use crate::world::{World, refused_fields};

#[tokio::test]
async fn a_passage_is_found_at_the_strictest_level_that_has_it() {
    let world = World::new().await;
    for (before, old, new, after, level, line) in [
        ("a\nb\nc", "b", "B", "a\nB\nc", Level::Exact, 2),
        ("a $1 b", "$1", "\\1 $0", "a \\1 $0 b", Level::Exact, 1),
        ("héllo wörld\n", "wörld", "Ω👍", "héllo Ω👍\n", Level::Exact, 1),
        ("a\r\nb\r\n", "a\nb", "x\ny", "x\ny\r\n", Level::WhitespaceNormalized, 1),
        ("a  \nb\n", "a\nb", "c", "c\n", Level::WhitespaceNormalized, 1),
        ("f:\n    x = 1\n    y = 2\n", "x = 1\ny = 2\n", "x = 3\n", "f:\n    x = 3\n", Level::IndentationRelative, 2),
        ("say – hi\n", "say - hi\n", "I say - hi\n", "I say – hi\n", Level::PunctuationNormalized, 1),
        ("a    = 1\n", "a = 1\n", "a = 2\n", "a    = 2\n", Level::SpacingNormalized, 1),
    ] {
        let edited = assert_edits(&world, before, &replace(old, new), after).await;
        assert_eq!(
            (edited.match_type, edited.line, edited.count),
            (Some(MatchType::At(level)), Some(line), 1),
            "{before:?}"
        );
    }
}

#[tokio::test]
async fn as_many_places_as_expected_are_replaced() {
    let world = World::new().await;
    let edited = assert_edits(&world, "a b\na\n", &replace_all("a", "c", 2), "c b\nc\n").await;
    assert_eq!((edited.line, edited.count), (Some(1), 2));
    let gone = TextChange::Delete { content_to_delete: "a".to_owned(), expected_matches: 3 };
    let edited = assert_edits(&world, "xaaay", &gone, "xy").await;
    assert_eq!((edited.count, edited.unit), (3, EditUnit::Places));
    for (expected, code) in [(1, "multiple_matches"), (3, "multiple_matches"), (2, "multiple_matches")] {
        // Of two places that overlap not both can be replaced.
        assert_refuses(&world, "aaa", &EditRequest::new(replace_all("aa", "b", expected)), code).await;
    }
}

#[tokio::test]
async fn a_passage_is_deleted_like_one_that_becomes_nothing() {
    let world = World::new().await;
    for (before, content, after) in [("a b c", " b", "a c"), ("a\r\nb", "\nb", "a"), ("x\n\ny\n", "x\n", "\ny\n")] {
        assert_edits(&world, before, &delete(content), after).await;
        assert_edits(&world, before, &replace(content, ""), after).await;
    }
}

#[tokio::test]
async fn a_diff_shows_the_change_alone() {
    let world = World::new().await;
    let edited = assert_edits(&world, "a\nb\nc", &replace("b", "B"), "a\nB\nc").await;
    let diff = "--- a/content\n+++ b/content\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n\\ No newline at end of file\n";
    assert_eq!(edited.diff.text, diff);
    let before = "x\n".repeat(50_000) + "end";
    let long = "y\n".repeat(50_000);
    let edited = assert_edits(&world, &before, &replace("end", &long), &before.replace("end", &long)).await;
    assert!(edited.diff.truncated && edited.diff.text.len() <= 64 * 1024);
}

#[tokio::test]
async fn an_edit_that_changes_nothing_succeeds_and_writes_nothing() {
    let world = World::new().await;
    for change in [replace("b", "b"), replace_all("a", "a", 2), replace("  a\nb", "  a\nb")] {
        assert_edits(&world, "  a\nb a", &change, "  a\nb a").await;
    }
}

#[tokio::test]
async fn a_passage_that_is_not_there_is_refused_with_what_is_like_it() {
    let world = World::new().await;
    let content = "fn main() {\n    let total = sum(&prices);\n    print(total);\n}\n";
    let edit_request = EditRequest::new(replace("let totals = sum(&price);", "x"));
    match assert_refuses(&world, content, &edit_request, "no_match").await {
        Error::NoMatch { field: PassageField::OLD_STR, none, merged: None } => {
            let nearest = &none.nearest[0];
            assert_eq!((nearest.first_line, nearest.last_line), (2, 2));
            assert_eq!(nearest.text, "    let total = sum(&prices);");
            assert!(nearest.similarity > 0.0 && nearest.similarity < 1.0, "{}", nearest.similarity);
            assert!(!nearest.diff.is_empty());
        }
        other => panic!("{other:?}"),
    }
    let error = assert_refuses(&world, "a", &EditRequest::new(delete("zzz")), "no_match").await;
    assert_eq!(error.to_string(), "`content_to_delete` was not found in the content");
    let long = "word ".repeat(2_000);
    let edit_request = EditRequest::new(replace(&long.replace("word word word word word word", "word wort"), "x"));
    match assert_refuses(&world, &long, &edit_request, "no_match").await {
        Error::NoMatch { none, .. } => {
            assert!(none.nearest.len() <= 3);
            let cut =
                none.nearest.iter().flat_map(|near| near.text.split('\n')).all(|line| line.chars().count() <= 400);
            assert!(cut);
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_known_cause_leads_to_the_next_request() {
    let world = World::new().await;
    for (content, edit_request, message, suggestion) in [
        (
            "f:\n    x = 1\n",
            capped(Level::Exact, replace("f:\nx = 1", "y")),
            "`old_str` could not be matched: the text is there but with other indentation on line 2",
            "copy the text around line 2 as it stands into `old_str`",
        ),
        (
            "a \nb\n",
            capped(Level::Exact, replace("a\nb", "y")),
            "`old_str` could not be matched: the text is on line 1, but found only at the looser level \
             `whitespace_normalized`, which the request does not allow",
            "allow `match`: \"whitespace_normalized\", or copy the text as it stands",
        ),
        (
            "alpha\nHello World\n",
            EditRequest::new(replace("hello world", "y")),
            "`old_str` could not be matched: the text is on line 2 in other upper and lower case",
            "copy the text as it stands from line 2 on into `old_str`",
        ),
        (
            "alpha\nthe new sentence\n",
            EditRequest::new(replace("the old sentence", "the new sentence")),
            "`old_str` could not be matched: `new_str` is already in the content at line 2: the edit may have been made",
            "read around line 2; if the change is there, nothing is left to do",
        ),
    ] {
        let error = assert_refuses(&world, content, &edit_request, "no_match").await;
        assert_eq!(error.to_string(), message);
        assert_eq!(error.suggestion(), suggestion);
    }
}

#[tokio::test]
async fn several_places_are_refused_with_their_lines_and_true_number() {
    let world = World::new().await;
    let content = "one\ntwo\nhit\nthree\nfour\n".repeat(30);
    match assert_refuses(&world, &content, &EditRequest::new(replace("hit", "x")), "multiple_matches").await {
        Error::MultipleMatches { field: PassageField::OLD_STR, many } => {
            assert_eq!((many.total, many.expected, many.level, many.locations.len()), (30, 1, Level::Exact, 20));
            assert_eq!(many.locations[1].line, 8);
            assert_eq!(many.locations[1].context, "one\ntwo\nhit\nthree\nfour");
        }
        other => panic!("{other:?}"),
    }
    let error = assert_refuses(&world, "a a", &EditRequest::new(replace("a", "b")), "multiple_matches").await;
    assert_eq!(error.to_string(), "`old_str` is in 2 places where 1 was expected");
    let suggestion = "add lines around the one that is meant until `old_str` is unique, or give `expected_matches`: 2 to \
                      replace all";
    assert_eq!(error.suggestion(), suggestion);
}

#[tokio::test]
async fn line_endings_are_literal_or_those_of_the_place() {
    let world = World::new().await;
    for (line_endings, after) in [(LineEndings::Literal, "x\ny\r\nc\r\n"), (LineEndings::Match, "x\r\ny\r\nc\r\n")] {
        let item = world.create(Kind::Note, crate::samples::note_of("a\r\nb\r\nc\r\n")).await;
        let edit_request = EditRequest { line_endings, ..EditRequest::new(replace("a\r\nb", "x\ny")) };
        assert_eq!(request(&world, &item, edit_request).await.unwrap().after.content.as_deref(), Some(after));
    }
}

#[tokio::test]
async fn what_no_text_could_take_is_refused_by_its_field() {
    let world = World::new().await;
    for (change, field) in [
        (replace("", "x"), "old_str"),
        (delete(""), "content_to_delete"),
        (replace_all("a", "b", 0), "expected_matches"),
        (replace("a", "\0"), "new_str"),
        (replace("\0", "a"), "old_str"),
        (delete("\0"), "content_to_delete"),
    ] {
        let error = assert_refuses(&world, "a", &EditRequest::new(change), "validation_failed").await;
        assert_eq!(refused_fields::<()>(Err(error)), [field]);
    }
}

#[tokio::test]
async fn a_content_that_would_become_too_large_is_refused_with_its_length() {
    let limits = |content_bytes| Limits { content_bytes, ..Limits::default() };
    let world = World::with_limits(limits(10)).await;
    let mut last = None;
    for (new, actual) in [("123456", 11), ("äöü€€", 17)] {
        let edit_request = EditRequest::new(replace("b", new));
        match assert_refuses(&world, "aabaaa", &edit_request, "too_large").await {
            Error::TooLarge { limit: 10, actual: reported } => assert_eq!(reported, actual),
            other => panic!("{other:?}"),
        }
        last = Some(edit_request);
    }
    assert_edits(&world, "aabaaa", &replace("b", "12345"), "aa12345aaa").await;
    let enormous = EditRequest::new(replace_all("a", &"x".repeat(40), 5));
    assert_refuses(&world, "aabaaa", &enormous, "too_large").await;
    // Of a content that is longer than allowed by now, some can go.
    let item = world.create(Kind::Note, crate::samples::note_of("aabaaa")).await;
    let stricter = world.limited(limits(3));
    let which = crate::world::by_id(&item);
    assert_eq!(crate::world::code(stricter.edit(&world.owner, &which, last.unwrap()).await), "too_large");
    let shorter = stricter.edit(&world.owner, &which, EditRequest::new(delete("b"))).await.unwrap();
    assert_eq!(shorter.after.content.as_deref(), Some("aaaaa"));
}

#[tokio::test]
async fn no_content_has_no_passages_but_an_empty_one_may() {
    let world = World::new().await;
    let item = world.create(Kind::Note, note("a")).await;
    for (change, needs, message) in [
        (replace("a", "b"), NeedsText::Replace, "Content is empty; cannot replace text"),
        (delete("a"), NeedsText::Delete, "Content is empty; cannot delete text"),
        (super::several([("a", "b")]), NeedsText::Replace, "Content is empty; cannot replace text"),
        (TextChange::Patch(vec![super::lines(1, 1, "x")]), NeedsText::Patch, "Content is empty; cannot patch lines"),
        (super::insert(super::after("a"), "b"), NeedsText::Insert, "Content is empty; cannot insert beside a text"),
        (super::insert(super::before("a"), "b"), NeedsText::Insert, "Content is empty; cannot insert beside a text"),
    ] {
        match edit(&world, &item, change).await {
            Err(error @ Error::ContentEmpty(_)) => {
                assert_eq!(error.to_string(), message);
                assert!(matches!(error, Error::ContentEmpty(reported) if reported == needs));
            }
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(world.item(&item).await, item);
    assert_refuses(&world, "", &EditRequest::new(replace("a", "b")), "no_match").await;
}
