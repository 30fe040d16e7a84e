//! Inserting a text beside a passage, or at the start or end.

use interline_items::{EditRequest, Error, InsertAt, Kind, PassageField, TextChange};
use interline_items::{Level, MatchType};

use super::{after, assert_edits, assert_refuses, before, delete, edit, insert, replace, replace_all, several};
use crate::samples::note;
use crate::world::{World, refused_fields};

#[tokio::test]
async fn a_text_goes_directly_beside_its_anchor_or_as_lines_to_an_edge() {
    use InsertAt::{End, Start};
    let world = World::new().await;
    let (exact, loose) = (Some(Level::Exact), Some(Level::WhitespaceNormalized));
    for (content, at, new, result, level, line) in [
        ("a c", after("a"), " b", "a b c", exact, 1),
        ("a c", before("c"), "b ", "a b c", exact, 1),
        ("a\nc", after("a\n"), "b\n", "a\nb\nc", exact, 2),
        ("a\nc", after("a"), "\nb", "a\nb\nc", exact, 1),
        ("x\ny", before("y"), "1\n", "x\n1\ny", exact, 2),
        ("a \nb\n", after("a\nb"), "!", "a \nb!\n", loose, 2),
        ("foo", End, "bar", "foo\nbar", None, 2),
        ("foo\n", End, "bar", "foo\nbar\n", None, 2),
        ("foo\r\n", End, "bar\nbaz\n", "foo\r\nbar\r\nbaz\r\n", None, 2),
        ("foo", Start, "bar", "bar\nfoo", None, 1),
        ("foo\r\nx", Start, "bar\n", "bar\r\nfoo\r\nx", None, 1),
        ("", End, "x\n", "x\n", None, 1),
        ("", Start, "x", "x", None, 1),
    ] {
        let edited = assert_edits(&world, content, &insert(at.clone(), new), result).await;
        let summary = (edited.match_type, edited.line, edited.count);
        assert_eq!(summary, (level.map(MatchType::At), Some(line), 1), "{content:?} {at:?}");
    }
}

#[tokio::test]
async fn no_content_becomes_the_text_that_is_inserted_at_an_edge() {
    let world = World::new().await;
    for at in [InsertAt::Start, InsertAt::End] {
        let item = world.create(Kind::Note, note("a")).await;
        let edited = edit(&world, &item, insert(at, "x\r\ny")).await.unwrap();
        assert_eq!(edited.after.content.as_deref(), Some("x\r\ny"));
        assert_eq!((edited.line, edited.after.item.stamp.version), (Some(1), 2));
        assert!(edited.diff.text.contains("+y"), "{}", edited.diff.text);
        assert_eq!(world.text(&item).await.as_deref(), Some("x\r\ny"));
        assert_eq!(world.history(&item)[1].changed_fields, r#"["content"]"#);
    }
}

#[tokio::test]
async fn an_anchor_must_be_there_once_and_at_a_strict_level() {
    let world = World::new().await;
    for (content, at, code) in [
        ("a", after("b"), "no_match"),
        ("a", before("b"), "no_match"),
        ("a a", after("a"), "multiple_matches"),
        ("aaa", before("aa"), "multiple_matches"),
        ("f:\n    x\n    y\n", after("x\ny\n"), "no_match"),
    ] {
        assert_refuses(&world, content, &EditRequest::new(insert(at, "new")), code).await;
    }
    let edit_request = EditRequest::new(insert(after("x\ny\n"), "new"));
    let error = assert_refuses(&world, "f:\n    x\n    y\n", &edit_request, "no_match").await;
    assert!(error.to_string().starts_with("`after_str` could not be matched: "), "{error}");
    // No request can allow a looser level for an anchor.
    assert_eq!(error.suggestion(), "copy the text as it stands from line 2 on into `after_str`");
    match assert_refuses(&world, "a a", &EditRequest::new(insert(before("a"), "b")), "multiple_matches").await {
        error @ Error::MultipleMatches { field: PassageField::BEFORE_STR, .. } => {
            assert_eq!(error.to_string(), "`before_str` is in 2 places where 1 was expected");
            let suggestion = "add lines around the one that is meant until `before_str` is unique";
            assert_eq!(error.suggestion(), suggestion);
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn what_no_text_could_take_is_refused_by_its_field() {
    let world = World::new().await;
    for (at, new, field) in [
        (after(""), "x", "after_str"),
        (before(""), "x", "before_str"),
        (after("a"), "", "new_str"),
        (InsertAt::End, "", "new_str"),
        (InsertAt::Start, "\0", "new_str"),
        (before("\0"), "x", "before_str"),
        (after("\0"), "x", "after_str"),
    ] {
        let error = assert_refuses(&world, "a", &EditRequest::new(insert(at, new)), "validation_failed").await;
        assert_eq!(refused_fields::<()>(Err(error)), [field]);
    }
}

#[test]
fn exactly_one_anchor_is_given() {
    let text = |given: &str| (!given.is_empty()).then(|| given.to_owned());
    for (after_str, before_str, at, expected) in [
        ("x", "", "", Ok(after("x"))),
        ("", "x", "", Ok(before("x"))),
        ("", "", "start", Ok(InsertAt::Start)),
        ("", "", "end", Ok(InsertAt::End)),
        ("", "", "", Err("at")),
        ("", "", "middle", Err("at")),
        ("x", "y", "", Err("before_str")),
        ("x", "", "end", Err("at")),
        ("", "y", "end", Err("at")),
        ("x", "y", "end", Err("at")),
    ] {
        let at = (!at.is_empty()).then_some(at);
        let parsed = InsertAt::parse(text(after_str), text(before_str), at);
        match (parsed, expected) {
            (Ok(parsed), Ok(expected)) => assert_eq!(parsed, expected),
            (parsed, Err(field)) => assert_eq!(refused_fields(parsed), [field]),
            (Err(error), Ok(expected)) => panic!("{expected:?}: {error}"),
        }
    }
}

#[tokio::test]
async fn what_no_content_could_take_is_refused_where_there_is_none() {
    let world = World::new().await;
    let item = world.create(Kind::Note, note("x")).await;
    for (change, field) in [
        (replace("", "x"), "old_str"),
        (replace_all("a", "x", 0), "expected_matches"),
        (delete(""), "content_to_delete"),
        (insert(after(""), "x"), "after_str"),
        (insert(before("a"), ""), "new_str"),
        (several([("a", "b"), ("", "c")]), "edits[1].old_str"),
    ] {
        let refused = edit(&world, &item, change).await.unwrap_err();
        let refused = if let Error::AtEdit { index: 1, error, .. } = refused { *error } else { refused };
        assert_eq!(refused_fields(Err::<(), _>(refused)), [field]);
    }
    let refused = edit(&world, &item, TextChange::Patch(Vec::new())).await.unwrap_err();
    assert!(matches!(refused, Error::InvalidOperations { total: 0, .. }), "{refused}");
    let refused = edit(&world, &item, replace("a", "b")).await.unwrap_err();
    assert!(matches!(refused, Error::ContentEmpty(_)), "{refused}");
}
