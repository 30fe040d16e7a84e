//! Searches that are refused, and searches that look as if they were.

use serde_json::{Value, json};

use super::{Parameters, address};
use crate::support::test_store::TestStore;

on_both!(
    what_cannot_be_asked_is_refused_by_name,
    parameters_that_exclude_each_other_are_refused,
    odd_queries_are_answered,
);

async fn what_cannot_be_asked_is_refused_by_name(store: TestStore) {
    let owner = store.serve().await.owner();
    let (words, long) = ("word ".repeat(51), "x".repeat(1_001));
    let rows: &[(Parameters<'_>, &[&str])] = &[
        (&[("q", "-deploy")], &["q"]),
        (&[("q", "-deploy -\"dry run\"")], &["q"]),
        (&[("q", "deploy OR -staging")], &["q"]),
        (&[("q", "a\0b")], &["q"]),
        (&[("q", "\0")], &["q"]),
        (&[("q", &words)], &["q"]),
        (&[("q", &long)], &["q"]),
        (&[("q", "a"), ("q", "b")], &["q"]),
        (&[("q", "a"), ("q", "b"), ("limit", "0")], &["limit", "q"]),
        (&[("q", "a"), ("sort_by", "rank")], &["sort_by"]),
        (&[("q", "a"), ("cursor", "x")], &["cursor"]),
        (&[("regex", "")], &["regex"]),
        (&[("regex", "a\0b")], &["regex"]),
        (&[("regex", "a"), ("regex", "b")], &["regex"]),
    ];
    for collection in ["notes", "bookmarks", "prompts", "content"] {
        for (parameters, fields) in rows {
            let line = format!("GET {}", address(collection, parameters));
            assert_eq!(owner.refused_fields(&line, Value::Null).await, *fields, "{line}");
        }
    }
    // As long as a line of a request may be.
    let line = format!("GET /content?q={}", "a+".repeat(10_000));
    assert_eq!(owner.refused_fields(&line, Value::Null).await, ["q"]);
}

async fn parameters_that_exclude_each_other_are_refused(store: TestStore) {
    let owner = store.serve().await.owner();
    let rows: &[(Parameters<'_>, &str)] = &[
        (&[("q", "a"), ("regex", "a")], "…exclude each other…"),
        (&[("sort_by", "relevance")], "…`q`…"),
        (&[("sort_by", "relevance"), ("q", " ")], "…`q`…"),
        (&[("sort_by", "relevance"), ("regex", "a")], "…`q`…"),
    ];
    for (parameters, message) in rows {
        let expected = json!({"error": "invalid_parameters", "message": message});
        owner.get(&address("content", parameters)).await.expect(400, expected);
    }
}

async fn odd_queries_are_answered(store: TestStore) {
    let owner = store.serve().await.owner();
    owner
        .note("odd", Some("say \"yes\" or (no) * OR \u{1}\u{7f} -- a AND b: NOT c; ' DROP TABLE _%_ \\ 木漏れ日 🦀"))
        .await;
    for (q, total) in [
        // Quotes that are not closed, or in the middle.
        ("\"yes", 1),
        ("say\"", 0),
        // Nothing is asked for: a list.
        ("\"", 1),
        ("\"\"\"", 1),
        // Operators alone are text.
        ("OR", 1),
        ("OR OR", 1),
        ("OR say", 1),
        ("say OR", 1),
        ("-", 1),
        ("--", 1),
        ("- -", 1),
        ("*", 1),
        ("(no)", 1),
        ("AND", 1),
        ("NOT c;", 1),
        // What other engines choke on.
        ("'", 1),
        ("%", 1),
        ("_%_", 1),
        ("\\", 1),
        ("a:b", 0),
        ("NEAR(a b)", 0),
        ("title:odd", 0),
        ("\u{1}\u{7f}", 1),
        ("\u{202e}", 0),
        ("木漏", 1),
        ("🦀", 1),
        ("the and of", 0),
        ("ﬀ", 0),
    ] {
        owner.get(&address("notes", &[("q", q)])).await.expect(200, json!({"total": total}));
    }
}
