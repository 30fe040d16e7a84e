//! A line that was read, with the `\r` of its ending, names the same line in every edit; the ending stays whole.

use serde_json::json;

use super::{assert_edits, assert_refuses, at, of_every_kind};
use crate::support::client::text;
use crate::support::test_store::TestStore;

on_both!(
    a_line_that_was_read_is_the_passage_of_every_edit,
    a_line_that_was_read_is_exact,
    a_search_inside_counts_what_an_edit_does,
);

const CRLF: &str = "one\r\ntwo\r\nthree\r\n";

async fn a_line_that_was_read_is_the_passage_of_every_edit(store: TestStore) {
    let owner = store.serve().await.owner();
    for path in of_every_kind(&owner, Some(CRLF)).await {
        let read = owner.get(&format!("{path}?start_line=2&end_line=2")).await.expect(200, json!({}));
        let line = text(&read.json()["content"]);
        assert_eq!(line, "two\r", "{path}");
        let new = line.replace("two", "TWO");
        for (route, body, after) in [
            ("PATCH */str-replace", json!({"old_str": line, "new_str": new}), "one\r\nTWO\r\nthree\r\n"),
            ("POST */edits", json!({"edits": [{"old_str": line, "new_str": new}]}), "one\r\nTWO\r\nthree\r\n"),
            ("POST */insert", json!({"after_str": line, "new_str": "\nnew\r"}), "one\r\ntwo\r\nnew\r\nthree\r\n"),
            ("POST */insert", json!({"before_str": line, "new_str": "new\r\n"}), "one\r\nnew\r\ntwo\r\nthree\r\n"),
            ("POST */delete-content", json!({"content_to_delete": line}), "one\r\n\r\nthree\r\n"),
            (
                "PATCH */content",
                json!({"operations": [{"start_line": 2, "end_line": 2, "content": new, "expect": line}]}),
                "one\r\nTWO\r\nthree\r\n",
            ),
        ] {
            let mut dry_run = body;
            dry_run["dry_run"] = json!(true);
            owner.send(&at(route, &path), Some(&dry_run)).await.expect(200, json!({"content": after}));
        }
    }
}

async fn a_line_that_was_read_is_exact(store: TestStore) {
    const ROUTE: &str = "PATCH */str-replace";
    let owner = store.serve().await.owner();
    for (before, body, after) in [
        (CRLF, json!({"old_str": "two\r", "new_str": "TWO\r"}), "one\r\nTWO\r\nthree\r\n"),
        (CRLF, json!({"old_str": "two\r", "new_str": "TWO", "match": "exact"}), "one\r\nTWO\r\nthree\r\n"),
        (CRLF, json!({"old_str": "one\r\ntwo\r", "new_str": "2a\r\n2b\r"}), "2a\r\n2b\r\nthree\r\n"),
        ("two\ntwo\r\n", json!({"old_str": "two\r", "new_str": "TWO\r"}), "two\nTWO\r\n"),
        ("a\rb a\r\n", json!({"old_str": "a\r", "new_str": "x\r", "expected_matches": 2}), "x\rb x\r\n"),
    ] {
        assert_edits(&owner, ROUTE, Some(before), &body, after, &json!({"match_type": "exact"})).await;
    }
    let twice = json!({"error": "multiple_matches", "total_matches": 2, "matches": [{"line": 1}, {"line": 3}]});
    let body = json!({"old_str": "two\r", "new_str": "TWO\r"});
    assert_refuses(&owner, ROUTE, Some("two\r\nx\r\ntwo\r\n"), &body, 400, &twice).await;
}

async fn a_search_inside_counts_what_an_edit_does(store: TestStore) {
    let owner = store.serve().await.owner();
    let content = "two\r\ntwo\ntwo\r\na\rtwo\r";
    for path in of_every_kind(&owner, Some(content)).await {
        for (query, total) in [("two\r", 3), ("two", 4), ("two\r\n", 2), ("a\r", 1)] {
            let parameters = url::form_urlencoded::Serializer::new(String::new()).append_pair("q", query).finish();
            let found = json!({"total_matches": total});
            owner.get(&format!("{path}/search?{parameters}")).await.expect(200, found);
            let edit = json!({"old_str": query, "new_str": "x", "expected_matches": total, "dry_run": true});
            let replaced = json!({"replacements": total, "match_type": "exact"});
            owner.send(&at("PATCH */str-replace", &path), Some(&edit)).await.expect(200, replaced);
        }
    }
}
