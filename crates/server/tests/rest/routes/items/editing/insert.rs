//! `POST /notes/{id}/insert`

use serde_json::{Value, json};

use super::{assert_edits, assert_refuses, wrong};
use crate::support::test_store::TestStore;

on_both!(
    a_text_goes_directly_beside_its_anchor,
    lines_go_to_an_edge,
    no_content_becomes_the_text_that_is_inserted_at_an_edge,
    an_anchor_must_be_there_once_and_at_a_strict_level,
    exactly_one_anchor_is_given,
);

const ROUTE: &str = "POST */insert";

fn insert(anchor: &str, place: &str, new: &str) -> Value {
    json!({anchor: place, "new_str": new})
}

async fn a_text_goes_directly_beside_its_anchor(store: TestStore) {
    let owner = store.serve().await.owner();
    for (before, anchor, place, new, after, level, line) in [
        ("a c", "after_str", "a", " b", "a b c", "exact", 1),
        ("a c", "before_str", "c", "b ", "a b c", "exact", 1),
        ("a\nc", "after_str", "a\n", "b\n", "a\nb\nc", "exact", 2),
        ("a\nc", "after_str", "a", "\nb", "a\nb\nc", "exact", 1),
        ("x\ny", "before_str", "y", "1\n", "x\n1\ny", "exact", 2),
        ("x\r\ny", "before_str", "y", "1\n", "x\r\n1\ny", "exact", 2),
        ("a \nb\n", "after_str", "a\nb", "!", "a \nb!\n", "whitespace_normalized", 2),
        ("a", "after_str", "a", "$0\\1", "a$0\\1", "exact", 1),
    ] {
        let expected = json!({"match_type": level, "line": line, "replacements": 1});
        assert_edits(&owner, ROUTE, Some(before), &insert(anchor, place, new), after, &expected).await;
    }
}

async fn lines_go_to_an_edge(store: TestStore) {
    let owner = store.serve().await.owner();
    for (before, edge, new, after, line) in [
        ("foo", "end", "bar", "foo\nbar", 2),
        ("foo\n", "end", "bar", "foo\nbar\n", 2),
        ("foo\r\n", "end", "bar\nbaz\n", "foo\r\nbar\r\nbaz\r\n", 2),
        ("foo", "start", "bar", "bar\nfoo", 1),
        ("foo\r\nx", "start", "bar\n", "bar\r\nfoo\r\nx", 1),
        ("", "end", "x\n", "x\n", 1),
        ("", "start", "x", "x", 1),
    ] {
        let expected = json!({"line": line, "replacements": 1});
        assert_edits(&owner, ROUTE, Some(before), &insert("at", edge, new), after, &expected).await;
    }
}

async fn no_content_becomes_the_text_that_is_inserted_at_an_edge(store: TestStore) {
    let owner = store.serve().await.owner();
    for edge in ["start", "end"] {
        let expected = json!({"line": 1, "replacements": 1, "diff": "…+y…"});
        assert_edits(&owner, ROUTE, None, &insert("at", edge, "x\r\ny"), "x\r\ny", &expected).await;
    }
}

async fn an_anchor_must_be_there_once_and_at_a_strict_level(store: TestStore) {
    let owner = store.serve().await.owner();
    let indented = "f:\n    x\n    y\n";
    let not_allowed = "…copy the text as it stands from line 2 on into `after_str`…";
    for (before, body, shown) in [
        ("a", insert("after_str", "b", "x"), json!({"error": "no_match", "nearest": []})),
        ("a", insert("before_str", "b", "x"), json!({"error": "no_match", "message": "…`before_str`…"})),
        (
            "a a",
            insert("before_str", "a", "x"),
            json!({"error": "multiple_matches", "total_matches": 2, "match_type": "exact",
                "matches": [{"field": "content", "line": 1, "context": "a a"}, {"field": "content", "line": 1}],
                "suggestion": "add lines around the one that is meant until `before_str` is unique"}),
        ),
        ("aaa", insert("after_str", "aa", "x"), json!({"error": "multiple_matches", "total_matches": 2})),
        (indented, insert("after_str", "x\ny\n", "z"), json!({"error": "no_match", "suggestion": not_allowed})),
        (
            "a \nb",
            json!({"after_str": "a\nb", "new_str": "x", "match": "exact"}),
            json!({"error": "no_match", "suggestion": "…`match`: \"whitespace_normalized\"…"}),
        ),
    ] {
        assert_refuses(&owner, ROUTE, Some(before), &body, 400, &shown).await;
    }
    // No request can allow a looser level for an anchor.
    let loose = json!({"after_str": "x\ny\n", "new_str": "z", "match": "spacing_normalized"});
    assert_refuses(&owner, ROUTE, Some(indented), &loose, 400, &json!({"error": "no_match"})).await;
}

async fn exactly_one_anchor_is_given(store: TestStore) {
    let owner = store.serve().await.owner();
    for (body, field) in [
        (json!({"new_str": "x"}), "at"),
        (json!({"after_str": "a", "before_str": "a", "new_str": "x"}), "before_str"),
        (json!({"after_str": "a", "at": "end", "new_str": "x"}), "at"),
        (json!({"before_str": "a", "at": "start", "new_str": "x"}), "at"),
        (json!({"after_str": "a", "before_str": "a", "at": "end", "new_str": "x"}), "at"),
        (json!({"at": "middle", "new_str": "x"}), "at"),
        (json!({"at": "", "new_str": "x"}), "at"),
        (json!({"at": "end"}), "new_str"),
        (json!({"at": "end", "new_str": ""}), "new_str"),
        (json!({"after_str": "a", "new_str": ""}), "new_str"),
        (json!({"after_str": "", "new_str": "x"}), "after_str"),
        (json!({"before_str": "", "new_str": "x"}), "before_str"),
        (json!({}), "new_str"),
    ] {
        assert_refuses(&owner, ROUTE, Some("a"), &body, 422, &wrong(field)).await;
    }
}
