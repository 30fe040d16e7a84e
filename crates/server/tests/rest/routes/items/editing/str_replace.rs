//! `PATCH /notes/{id}/str-replace`

use serde_json::{Value, json};

use super::{assert_edits, assert_refuses};
use crate::support::client::text;
use crate::support::test_store::TestStore;

on_both!(
    a_passage_is_found_at_the_strictest_level_that_has_it,
    the_loosest_level_may_be_given,
    line_endings_are_literal_or_those_of_the_place,
    as_many_places_as_expected_are_replaced,
    what_changes_nothing_writes_nothing,
    a_passage_that_is_not_there_is_refused_with_what_is_like_it,
    a_known_cause_leads_to_the_next_request,
    several_places_are_refused_with_their_lines_and_true_number,
    the_answer_is_the_item_and_what_was_done_to_it,
    a_long_diff_is_cut,
    a_prompt_is_edited_by_its_name,
);

const ROUTE: &str = "PATCH */str-replace";

fn replace(old: &str, new: &str) -> Value {
    json!({"old_str": old, "new_str": new})
}

fn with(mut body: Value, option: &str, value: Value) -> Value {
    body[option] = value;
    body
}

async fn a_passage_is_found_at_the_strictest_level_that_has_it(store: TestStore) {
    let owner = store.serve().await.owner();
    for (before, old, new, after, level, line) in [
        ("a\nb\nc", "b", "B", "a\nB\nc", "exact", 2),
        ("a $1 b", "$1", "\\1 $0", "a \\1 $0 b", "exact", 1),
        ("héllo wörld\n", "wörld", "Ω👍", "héllo Ω👍\n", "exact", 1),
        ("gone", "gone", "", "", "exact", 1),
        ("a\r\nb", "\nb", "", "a", "whitespace_normalized", 1),
        ("a\r\nb\r\n", "a\nb", "x\ny", "x\ny\r\n", "whitespace_normalized", 1),
        ("a  \nb\n", "a\nb", "c", "c\n", "whitespace_normalized", 1),
        ("foo bar\r\nbaz qux", "bar\nbaz ", "-", "foo -qux", "whitespace_normalized", 1),
        ("f:\n    x = 1\n    y = 2\n", "x = 1\ny = 2\n", "x = 3\n", "f:\n    x = 3\n", "indentation_relative", 2),
        ("f:\n\tx = 1\n\ty\n", "f:\n    x = 1\n", "f:\n    x = 2\n", "f:\n\tx = 2\n\ty\n", "indentation_relative", 1),
        ("x = 1", "x = 1\n", "x = 2\n", "x = 2", "indentation_relative", 1),
        ("say – hi\n", "say - hi\n", "I say - hi\n", "I say – hi\n", "punctuation_normalized", 1),
        ("a    = 1\n", "a = 1\n", "a = 2\n", "a    = 2\n", "spacing_normalized", 1),
    ] {
        let expected = json!({"match_type": level, "line": line, "replacements": 1});
        assert_edits(&owner, ROUTE, Some(before), &replace(old, new), after, &expected).await;
    }
}

async fn the_loosest_level_may_be_given(store: TestStore) {
    const LEVELS: [&str; 5] =
        ["exact", "whitespace_normalized", "indentation_relative", "punctuation_normalized", "spacing_normalized"];
    let owner = store.serve().await.owner();
    for (before, old, level) in [
        ("x = 1\n", "x = 1\n", 0),
        ("x \ny\n", "x\ny\n", 1),
        ("  x = 1\n", "x = 1\n  \n", 2),
        ("“x”\n", "\"x\"\n", 3),
        ("x    = 1\n", "x = 1\n", 4),
    ] {
        for (cap, name) in LEVELS.iter().enumerate() {
            let path = format!("/notes/{}", text(&owner.note("x", Some(before)).await["id"]));
            let body = with(replace(old, "y\n"), "match", json!(name));
            let (status, expected) = if cap >= level {
                (200, json!({"match_type": LEVELS[level], "version": 2}))
            } else {
                (400, json!({"error": "no_match"}))
            };
            owner.check(&super::at(ROUTE, &path), body, status, expected).await;
        }
    }
    let capped = with(replace("a\nb", "y"), "match", json!("exact"));
    let expected = json!({"error": "no_match", "suggestion": "…allow `match`: \"whitespace_normalized\"…"});
    assert_refuses(&owner, ROUTE, Some("a \nb\n"), &capped, 400, &expected).await;
}

async fn line_endings_are_literal_or_those_of_the_place(store: TestStore) {
    let owner = store.serve().await.owner();
    let before = "a\r\nb\r\nc\r\n";
    for (body, after) in [
        (replace("a\r\nb", "x\ny"), "x\ny\r\nc\r\n"),
        (with(replace("a\r\nb", "x\ny"), "line_endings", json!("literal")), "x\ny\r\nc\r\n"),
        (with(replace("a\r\nb", "x\ny"), "line_endings", json!("match")), "x\r\ny\r\nc\r\n"),
    ] {
        assert_edits(&owner, ROUTE, Some(before), &body, after, &json!({"match_type": "exact"})).await;
    }
}

async fn as_many_places_as_expected_are_replaced(store: TestStore) {
    let owner = store.serve().await.owner();
    let all = |old: &str, count: u64| with(replace(old, "c"), "expected_matches", json!(count));
    let expected = json!({"line": 2, "replacements": 2, "match_type": "exact"});
    assert_edits(&owner, ROUTE, Some("b\na b\na"), &all("a", 2), "b\nc b\nc", &expected).await;
    for (before, body, total) in [
        ("a a a", all("a", 1), 3),
        ("a a a", all("a", 2), 3),
        ("a a a", all("a", 4), 3),
        ("a", all("a", 2), 1),
        // Of two places that overlap not both can be replaced.
        ("aaa", all("aa", 1), 2),
        ("aaa", all("aa", 2), 2),
    ] {
        let expected = json!({"error": "multiple_matches", "total_matches": total, "match_type": "exact"});
        assert_refuses(&owner, ROUTE, Some(before), &body, 400, &expected).await;
    }
    assert_refuses(&owner, ROUTE, Some("a"), &all("b", 2), 400, &json!({"error": "no_match"})).await;
}

async fn what_changes_nothing_writes_nothing(store: TestStore) {
    let owner = store.serve().await.owner();
    for (body, replacements) in [
        (replace("b", "b"), 1),
        (with(replace("a", "a"), "expected_matches", json!(2)), 2),
        (replace("  a\nb", "  a\nb"), 1),
    ] {
        let expected = json!({"diff": "", "replacements": replacements});
        assert_edits(&owner, ROUTE, Some("  a\nb a"), &body, "  a\nb a", &expected).await;
    }
}

async fn a_passage_that_is_not_there_is_refused_with_what_is_like_it(store: TestStore) {
    let owner = store.serve().await.owner();
    let before = "fn main() {\n    let total = sum(&prices);\n    print(total);\n}\n";
    let expected = json!({
        "error": "no_match", "message": "`old_str` was not found in the content",
        "suggestion": "…compare with `nearest`; if line 2 is meant, copy its text…",
    });
    let body = replace("let totals = sum(&price);", "x");
    assert_refuses(&owner, ROUTE, Some(before), &body, 400, &expected).await;
    let path = format!("/notes/{}", text(&owner.note("x", Some(before)).await["id"]));
    let refusal = owner.patch(&format!("{path}/str-replace"), body).await.json();
    let nearest = &refusal["nearest"][0];
    assert_eq!((&nearest["line"], &nearest["end_line"]), (&json!(2), &json!(2)), "{refusal}");
    assert_eq!(nearest["text"], "    let total = sum(&prices);");
    assert!((0.1..1.0).contains(&nearest["similarity"].as_f64().unwrap()), "{refusal}");
    assert!(nearest["diff"].as_str().unwrap().contains("+    let total = sum(&prices);"), "{refusal}");
    assert!(refusal["nearest"].as_array().unwrap().len() <= 3);
    // The suggestion is enough to make the right next request.
    let copied = replace(nearest["text"].as_str().unwrap(), "    x();");
    owner.check(&format!("PATCH {path}/str-replace"), copied, 200, json!({"match_type": "exact"})).await;

    let expected = json!({"error": "no_match", "nearest": []});
    assert_refuses(&owner, ROUTE, Some("abc"), &replace("nothing like it", "x"), 400, &expected).await;
    assert_refuses(&owner, ROUTE, Some(""), &replace("a", "b"), 400, &expected).await;
    let long = "word ".repeat(2_000);
    let path = format!("/notes/{}", text(&owner.note("x", Some(&long)).await["id"]));
    let old = long.replacen("word word word", "word wort", 1);
    let refusal = owner.patch(&format!("{path}/str-replace"), replace(&old, "x")).await.expect(400, json!({})).json();
    for near in refusal["nearest"].as_array().unwrap() {
        assert!(near["text"].as_str().unwrap().split('\n').all(|line| line.chars().count() <= 400), "{near}");
    }
}

async fn a_known_cause_leads_to_the_next_request(store: TestStore) {
    let owner = store.serve().await.owner();
    for (before, body, message, suggestion) in [
        (
            "f:\n    x = 1\n",
            with(replace("f:\nx = 1", "y"), "match", json!("exact")),
            "…the text is there but with other indentation on line 2…",
            "…copy the text around line 2 as it stands…",
        ),
        (
            "alpha\nHello World\n",
            replace("hello world", "y"),
            "…the text is on line 2 in other upper and lower case…",
            "…copy the text as it stands from line 2 on…",
        ),
        (
            "alpha\nthe new sentence\n",
            replace("the old sentence", "the new sentence"),
            "…`new_str` is already in the content at line 2: the edit may have been made…",
            "…if the change is there, nothing is left to do…",
        ),
    ] {
        let expected = json!({"error": "no_match", "message": message, "suggestion": suggestion});
        assert_refuses(&owner, ROUTE, Some(before), &body, 400, &expected).await;
    }
}

async fn several_places_are_refused_with_their_lines_and_true_number(store: TestStore) {
    let owner = store.serve().await.owner();
    let before = "one\ntwo\nhit\nthree\nfour\n".repeat(30);
    let context = "one\ntwo\nhit\nthree\nfour";
    let matches: Vec<Value> =
        (0..20).map(|number| json!({"field": "content", "line": 5 * number + 3, "context": context})).collect();
    let expected_json = json!({
        "error": "multiple_matches", "total_matches": 30, "match_type": "exact", "matches": matches,
        "message": "`old_str` is in 30 places where 1 was expected", "suggestion": "…`expected_matches`: 30…",
    });
    assert_refuses(&owner, ROUTE, Some(&before), &replace("hit", "x"), 400, &expected_json).await;
    let expected_json = json!({"error": "multiple_matches", "total_matches": 2, "match_type": "whitespace_normalized",
        "matches": [{"line": 1}, {"line": 3}]});
    assert_refuses(&owner, ROUTE, Some("a \nb\na  \nb"), &replace("a\nb", "x"), 400, &expected_json).await;
    let long = format!("{}hit{}hit", "x".repeat(1_000), "y".repeat(1_000));
    let id = text(&owner.note("x", Some(&long)).await["id"]);
    let refusal = owner.patch(&format!("/notes/{id}/str-replace"), replace("hit", "x")).await.expect(400, json!({}));
    for place in refusal.json()["matches"].as_array().unwrap() {
        let context = text(&place["context"]);
        assert!(context.contains("hit") && context.chars().count() <= 400, "{place}");
    }
}

async fn the_answer_is_the_item_and_what_was_done_to_it(store: TestStore) {
    let owner = store.serve().await.owner();
    for path in super::of_every_kind(&owner, Some("a\nb\nc")).await {
        let before = owner.get(&path).await.json();
        let line = format!("PATCH {path}/str-replace");
        let answer = owner.check(&line, replace("b", "B"), 200, json!({})).await.json();
        let diff = "--- a/content\n+++ b/content\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n\\ No newline at end of file\n";
        let mut expected = before.clone();
        for (member, value) in [
            ("success", json!(true)),
            ("match_type", json!("exact")),
            ("line", json!(2)),
            ("replacements", json!(1)),
            ("diff", json!(diff)),
            ("version", json!(2)),
            ("content", json!("a\nB\nc")),
            ("updated_at", answer["updated_at"].clone()),
        ] {
            expected[member] = value;
        }
        assert_eq!(answer, expected, "all of it, and nothing else");
        assert!(text(&answer["updated_at"]) > text(&before["updated_at"]));

        let short = format!("{line}?include_content=false");
        let expected_json = json!({"success": true, "line": 2, "diff": "…-B…", "version": 3, "content": null,
            "content_metadata": null, "content_preview": "a\nb\nc", "content_length": 5});
        owner.check(&short, replace("B", "b"), 200, expected_json).await;
        assert_eq!(
            owner.refused_fields(&format!("{line}?include_content=maybe"), replace("b", "B")).await,
            ["include_content"]
        );
    }
}

async fn a_long_diff_is_cut(store: TestStore) {
    let owner = store.serve().await.owner();
    let path = format!("/notes/{}", text(&owner.note("x", Some("start\nend")).await["id"]));
    let body = replace("end", &"a long line of text\n".repeat(10_000));
    let expected = json!({"diff_truncated": true, "version": 2});
    let answer = owner.check(&format!("PATCH {path}/str-replace"), body, 200, expected).await.json();
    assert!(text(&answer["diff"]).len() <= 64 * 1024);
    let short = owner.check(&format!("PATCH {path}/str-replace"), replace("start", "s"), 200, json!({})).await.json();
    assert!(short.get("diff_truncated").is_none());
}

async fn a_prompt_is_edited_by_its_name(store: TestStore) {
    let owner = store.serve().await.owner();
    let id = text(&owner.create("prompts", json!({"name": "greet", "content": "Hello"})).await["id"]);
    let line = "PATCH /prompts/name/greet/str-replace";
    let expected = json!({"success": true, "id": id, "type": "prompt", "name": "greet", "content": "Bye", "version": 2,
        "match_type": "exact", "line": 1, "replacements": 1});
    owner.check(line, replace("Hello", "Bye"), 200, expected).await;
    let arguments = json!([{"name": "who"}]);
    let both = with(replace("Bye", "Bye {{ who }}"), "arguments", arguments);
    owner.check(&format!("{line}?include_content=false"), both, 200, json!({"content": null, "version": 3})).await;
    owner.check(line, replace("Hello", "x"), 400, json!({"error": "no_match"})).await;
    owner.check(line, with(replace("Bye", "x"), "expected_version", json!(1)), 409, json!({"error": "conflict"})).await;
    owner.check(line, with(replace("Bye", "x"), "type", json!("note")), 404, json!({"error": "not_found"})).await;
    let missing = json!({"error": "not_found", "type": "prompt", "id": "none"});
    owner.check("PATCH /prompts/name/none/str-replace", replace("a", "b"), 404, missing).await;
    let (other, _) = owner.new_user("other").await;
    other.check(line, replace("Bye", "x"), 404, json!({"error": "not_found"})).await;
    owner.get(&format!("/prompts/{id}")).await.expect(200, json!({"content": "Bye {{ who }}", "version": 3}));
    owner.delete(&format!("/prompts/{id}")).await.expect(204, Value::Null);
    owner.check(line, replace("Bye", "x"), 404, json!({"error": "not_found"})).await;
}
