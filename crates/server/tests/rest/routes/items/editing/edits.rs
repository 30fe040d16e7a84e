//! `POST /notes/{id}/edits`: several edits that are saved as one version.

use serde_json::{Value, json};

use super::{assert_edits, assert_refuses, wrong};
use crate::support::test_store::TestStore;

on_both!(
    each_edit_sees_the_result_of_the_one_before_and_all_are_one_version,
    options_are_for_all_edits,
    the_first_failure_refuses_all_and_reports_its_index,
    there_are_from_1_to_100_edits,
    only_the_last_text_is_a_content,
);

const ROUTE: &str = "POST */edits";

fn edits(pairs: &[(&str, &str)]) -> Value {
    let edits: Vec<Value> = pairs.iter().map(|(old, new)| json!({"old_str": old, "new_str": new})).collect();
    json!({"edits": edits})
}

async fn each_edit_sees_the_result_of_the_one_before_and_all_are_one_version(store: TestStore) {
    let owner = store.serve().await.owner();
    let hundred: Vec<(String, &str)> = (0..100).map(|number| (format!("<{number}>"), "x")).collect();
    let hundred: Vec<(&str, &str)> = hundred.iter().map(|(old, new)| (old.as_str(), *new)).collect();
    let numbers: String = (0..100).map(|number| format!("<{number}>\n")).collect();
    for (before, body, after, shown) in [
        (
            "one two\n",
            edits(&[("two", "2 + 2"), ("2 + 2", "four")]),
            "one four\n",
            json!({"match_type": "exact", "line": 1, "replacements": 2}),
        ),
        // The loosest level of all, and the line of the first.
        (
            "a\nb \nc\n",
            edits(&[("c", "C"), ("a\nb\n", "ab\n")]),
            "ab\nC\n",
            json!({"match_type": "whitespace_normalized", "line": 3}),
        ),
        (
            "a a\nb",
            json!({"edits": [{"old_str": "a", "new_str": "b", "expected_matches": 2},
                {"old_str": "b", "new_str": "c", "expected_matches": 3}]}),
            "c c\nc",
            json!({"replacements": 5}),
        ),
        // There and back again.
        ("one two\n", edits(&[("two", "2"), ("2", "two")]), "one two\n", json!({"diff": ""})),
        (&numbers, edits(&hundred), &"x\n".repeat(100), json!({"replacements": 100})),
    ] {
        assert_edits(&owner, ROUTE, Some(before), &body, after, &shown).await;
    }
}

async fn options_are_for_all_edits(store: TestStore) {
    let owner = store.serve().await.owner();
    let mut matching = edits(&[("a\r\nb", "x\ny"), ("c", "1\n2")]);
    matching["line_endings"] = json!("match");
    assert_edits(&owner, ROUTE, Some("a\r\nb\r\nc\r\n"), &matching, "x\r\ny\r\n1\r\n2\r\n", &json!({})).await;
    let mut capped = edits(&[("c", "C"), ("a\nb", "x")]);
    capped["match"] = json!("exact");
    let expected = json!({"error": "no_match", "edit_index": 1, "suggestion": "…`match`…"});
    assert_refuses(&owner, ROUTE, Some("a \nb\nc"), &capped, 400, &expected).await;
}

async fn the_first_failure_refuses_all_and_reports_its_index(store: TestStore) {
    let owner = store.serve().await.owner();
    for (body, status, shown) in [
        (
            edits(&[("a", "b"), ("a", "c"), ("zzz", "d")]),
            400,
            json!({"error": "no_match", "edit_index": 1, "nearest": [], "message": "…`edits[1]` (the 2nd of 3): …",
                "suggestion": "…no edit was made…"}),
        ),
        (edits(&[("zzz", "b"), ("a", "c")]), 400, json!({"error": "no_match", "edit_index": 0})),
        (
            edits(&[("a", "x x"), ("x", "y")]),
            400,
            json!({"error": "multiple_matches", "edit_index": 1, "total_matches": 2, "match_type": "exact",
                "matches": [{"field": "content", "line": 1, "context": "x x"}, {"line": 1}]}),
        ),
        (
            edits(&[("a", "x"), ("", "y")]),
            422,
            json!({"error": "validation_failed", "edit_index": 1, "errors": [{"field": "edits[1].old_str"}]}),
        ),
        (edits(&[("a", "\0")]), 422, wrong("edits[0].new_str")),
        (
            json!({"edits": [{"old_str": "a", "new_str": "x", "expected_matches": 0}]}),
            422,
            wrong("edits[0].expected_matches"),
        ),
    ] {
        assert_refuses(&owner, ROUTE, Some("a"), &body, status, &shown).await;
    }
}

async fn there_are_from_1_to_100_edits(store: TestStore) {
    let owner = store.serve().await.owner();
    for count in [0, 101] {
        assert_refuses(&owner, ROUTE, Some("a"), &edits(&vec![("a", "a"); count]), 422, &wrong("edits")).await;
    }
    for (one, field) in [
        (json!({"new_str": "x"}), "edits[0].old_str"),
        (json!({"old_str": "a"}), "edits[0].new_str"),
        (json!({"old_str": "a", "new_str": null}), "edits[0].new_str"),
        (json!({"old_str": 1, "new_str": "x"}), "edits[0].old_str"),
        (json!({"old_str": "a", "new_str": "x", "expected_matches": null}), "edits[0].expected_matches"),
        (json!({"old_str": "a", "new_str": "x", "dry_run": true}), "edits[0].dry_run"),
        (json!({"old_str": "a", "new_str": "x", "match": "exact"}), "edits[0].match"),
        (json!(["a", "x"]), "edits[0]"),
        (json!("a"), "edits[0]"),
    ] {
        assert_refuses(&owner, ROUTE, Some("a"), &json!({"edits": [one]}), 422, &wrong(field)).await;
    }
}

async fn only_the_last_text_is_a_content(store: TestStore) {
    let owner = store.serve().await.owner();
    let long = "x".repeat(9 * 1024 * 1024);
    // Too long in between, and no template in between.
    let id = crate::support::client::text(&owner.note("x", Some("a b")).await["id"]);
    let expected = json!({"content": "c b", "version": 2});
    owner.check(&format!("POST /notes/{id}/edits"), edits(&[("a", &long), (&long, "c")]), 200, expected).await;
    let broken = edits(&[("b", "{{ broken"), ("{{ broken", "whole")]);
    assert_edits(&owner, ROUTE, Some("a b"), &broken, "a whole", &json!({})).await;
    let expected = json!({"error": "too_large", "limit": 8 * 1024 * 1024, "actual": long.len() + 2});
    owner.check(&format!("POST /notes/{id}/edits"), edits(&[("c", &long), ("b", "d")]), 413, expected).await;
}
