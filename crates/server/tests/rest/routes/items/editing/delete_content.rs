//! `POST /notes/{id}/delete-content`

use serde_json::json;

use super::{assert_edits, assert_refuses, wrong};
use crate::support::test_store::TestStore;

on_both!(a_passage_goes, what_is_not_there_or_too_often_is_refused);

const ROUTE: &str = "POST */delete-content";

async fn a_passage_goes(store: TestStore) {
    let owner = store.serve().await.owner();
    for (before, body, after, shown) in [
        (
            "a b c",
            json!({"content_to_delete": " b"}),
            "a c",
            json!({"match_type": "exact", "line": 1, "replacements": 1}),
        ),
        ("x\n\ny\n", json!({"content_to_delete": "x\n"}), "\ny\n", json!({"match_type": "exact", "diff": "…-x…"})),
        ("a\r\nb", json!({"content_to_delete": "\nb"}), "a", json!({"match_type": "whitespace_normalized"})),
        ("x\n  a", json!({"content_to_delete": "a\n"}), "x", json!({"match_type": "indentation_relative", "line": 2})),
        ("xaaay", json!({"content_to_delete": "a", "expected_matches": 3}), "xy", json!({"replacements": 3})),
        ("all", json!({"content_to_delete": "all"}), "", json!({"content_length": 0})),
    ] {
        assert_edits(&owner, ROUTE, Some(before), &body, after, &shown).await;
    }
}

async fn what_is_not_there_or_too_often_is_refused(store: TestStore) {
    let owner = store.serve().await.owner();
    for (body, status, shown) in [
        (
            json!({"content_to_delete": "zzz"}),
            400,
            json!({"error": "no_match", "nearest": [], "message": "`content_to_delete` was not found in the content"}),
        ),
        (
            json!({"content_to_delete": "a"}),
            400,
            json!({"error": "multiple_matches", "total_matches": 2, "suggestion": "…`expected_matches`: 2 to delete all…",
                "matches": [{"line": 1, "context": "a\na"}, {"line": 2, "context": "a\na"}]}),
        ),
        (
            json!({"content_to_delete": "a", "expected_matches": 3}),
            400,
            json!({"error": "multiple_matches", "total_matches": 2}),
        ),
        (json!({"content_to_delete": "a", "match": "loose"}), 422, wrong("match")),
        (json!({"content_to_delete": ""}), 422, wrong("content_to_delete")),
        (json!({"old_str": "a"}), 422, wrong("old_str")),
        (json!({"content_to_delete": "a", "new_str": ""}), 422, wrong("new_str")),
    ] {
        assert_refuses(&owner, ROUTE, Some("a\na"), &body, status, &shown).await;
    }
}
