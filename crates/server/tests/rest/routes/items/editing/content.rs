//! `PATCH /notes/{id}/content`: replacing lines.

use serde_json::{Value, json};

use super::{assert_edits, assert_refuses};
use crate::support::test_store::TestStore;

on_both!(
    lines_are_replaced_inserted_and_removed,
    operations_that_cannot_be_are_all_reported_and_none_is_applied,
    lines_that_are_not_what_was_expected_are_a_conflict_with_what_they_are,
    a_refusal_of_very_many_operations_stays_short_and_has_their_number,
);

const ROUTE: &str = "PATCH */content";

fn lines(start: u64, end: u64, content: &str) -> Value {
    json!({"start_line": start, "end_line": end, "content": content})
}

fn expecting(expect: &str, mut operation: Value) -> Value {
    operation["expect"] = json!(expect);
    operation
}

fn body(operations: &[Value]) -> Value {
    json!({"operations": operations})
}

async fn lines_are_replaced_inserted_and_removed(store: TestStore) {
    let owner = store.serve().await.owner();
    for (before, operations, after, line) in [
        ("a\nb\nc", vec![lines(2, 2, "B")], "a\nB\nc", 2),
        ("a\nb\nc", vec![lines(3, 3, "C"), lines(1, 1, "A\n")], "A\nb\nC", 1),
        ("a\nb\nc", vec![lines(1, 2, "")], "c", 1),
        ("a\nb\nc", vec![lines(2, 3, "")], "a", 2),
        ("a\nb\nc", vec![lines(1, 0, "0")], "0\na\nb\nc", 1),
        ("a\nb\nc", vec![lines(2, 2, "\n")], "a\n\nc", 2),
        ("a\nb\nc", vec![lines(2, 2, "1\n2\n3")], "a\n1\n2\n3\nc", 2),
        ("a\nb\nc", vec![lines(2, 1, "x"), lines(2, 2, "B"), lines(3, 2, "y")], "a\nx\nB\ny\nc", 2),
        ("a\nb\n", vec![lines(4, 3, "x")], "a\nb\nx\n", 4),
        ("a\nb\n", vec![lines(3, 2, "x")], "a\nb\nx\n", 3),
        ("a\nb\n", vec![lines(3, 3, "x")], "a\nb\nx", 3),
        ("a\nb\n", vec![lines(3, 3, "")], "a\nb", 3),
        ("a\nb", vec![lines(3, 2, "c")], "a\nb\nc", 3),
        ("a\r\nb", vec![lines(2, 2, "")], "a", 2),
        ("a\r\nb\r\n", vec![lines(2, 1, "x\ny")], "a\r\nx\r\ny\r\nb\r\n", 2),
        ("", vec![lines(1, 1, "x")], "x", 1),
        ("", vec![lines(1, 0, "x")], "x", 1),
        ("", vec![lines(2, 1, "x")], "x", 2),
        ("a\nb", vec![expecting("b", lines(2, 2, "B"))], "a\nB", 2),
        ("a\r\nb\n", vec![expecting("a\nb\n", lines(1, 2, "x"))], "x\n", 1),
        // What is there already.
        ("a\nb", vec![expecting("b\n", lines(2, 2, "b"))], "a\nb", 2),
    ] {
        let expected = json!({"operations_applied": operations.len(), "line": line});
        assert_edits(&owner, ROUTE, Some(before), &body(&operations), after, &expected).await;
    }
    for path in super::of_every_kind(&owner, Some("a")).await {
        let answer = owner.patch(&format!("{path}/content"), body(&[lines(1, 1, "b")])).await.json();
        for other in ["match_type", "replacements"] {
            assert!(answer.get(other).is_none(), "{answer}");
        }
        let diff = "--- a/content\n+++ b/content\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n";
        assert_eq!(answer["diff"], diff);
    }
}

async fn operations_that_cannot_be_are_all_reported_and_none_is_applied(store: TestStore) {
    let owner = store.serve().await.owner();
    let out_of_range = "…3 lines…";
    for (operations, bad) in [
        (vec![], vec![]),
        (vec![lines(4, 4, "x"), lines(1, 1, "ok")], vec![(0, out_of_range)]),
        (vec![lines(1, 1, "ok"), lines(3, 4, "x")], vec![(1, out_of_range)]),
        (vec![lines(0, 1, "x"), lines(5, 4, "x")], vec![(0, out_of_range), (1, out_of_range)]),
        (vec![lines(3, 1, "x")], vec![(0, "……")]),
        (vec![lines(1, 0, "")], vec![(0, "……")]),
        (vec![expecting("a", lines(1, 0, "x"))], vec![(0, "…expect…")]),
        // Both operations of an overlap are reported.
        (vec![lines(1, 2, "x"), lines(2, 3, "y")], vec![(0, "…1…"), (1, "…0…")]),
        (vec![lines(1, 3, "x"), lines(2, 1, "y")], vec![(0, "…1…"), (1, "…0…")]),
        (vec![lines(2, 1, "x"), lines(1, 1, "ok"), lines(2, 1, "y")], vec![(0, "…2…"), (2, "…0…")]),
        // Operations that are wrong for any text are reported before those that are wrong for this one.
        (vec![expecting("z", lines(1, 1, "A")), lines(9, 9, "x")], vec![(1, out_of_range)]),
        (vec![lines(u64::MAX, u64::MAX, "x")], vec![(0, out_of_range)]),
    ] {
        let expected: Vec<Value> =
            bad.iter().map(|(index, message)| json!({"index": index, "message": message})).collect();
        let expected = json!({"error": "invalid_operations", "operations": expected, "total_invalid": bad.len()});
        assert_refuses(&owner, ROUTE, Some("a\nb\nc"), &body(&operations), 422, &expected).await;
    }
}

async fn lines_that_are_not_what_was_expected_are_a_conflict_with_what_they_are(store: TestStore) {
    let owner = store.serve().await.owner();
    let operations = [
        lines(1, 1, "A"),
        expecting("x", lines(2, 2, "B")),
        expecting("c\n", lines(3, 3, "C")),
        expecting("d", lines(4, 5, "D")),
    ];
    let expected = json!({
        "error": "conflict", "current_version": 1, "current": {"version": 1, "content": null, "content_length": 9},
        "operations": [{"index": 1, "present": "b"}, {"index": 3, "present": "d\ne"}],
        "message": "the lines of 2 operations are not what their `expect` says",
        "suggestion": "…read the item again, then repeat the change on version…",
    });
    assert_refuses(&owner, ROUTE, Some("a\nb\nc\nd\ne"), &body(&operations), 409, &expected).await;
}

async fn a_refusal_of_very_many_operations_stays_short_and_has_their_number(store: TestStore) {
    let owner = store.serve().await.owner();
    let expected = json!({"error": "invalid_operations", "total_invalid": 5_000});
    assert_refuses(&owner, ROUTE, Some("a"), &body(&vec![lines(7, 7, "x"); 5_000]), 422, &expected).await;
}
