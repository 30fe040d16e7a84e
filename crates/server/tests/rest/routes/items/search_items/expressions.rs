//! Searching over items by a regular expression: `?regex=`.

use serde_json::json;

use super::{address, titles};
use crate::support::client::text;
use crate::support::test_store::TestStore;

on_both!(
    an_expression_is_looked_for_in_contents_alone,
    an_expression_that_cannot_be_is_refused_with_its_place,
    expressions_that_explode_elsewhere_do_not_here,
);

async fn an_expression_is_looked_for_in_contents_alone(store: TestStore) {
    let owner = store.serve().await.owner();
    owner.note("first", Some("fn user_id(a: u32)\nfn other()")).await;
    owner.note("second", Some("alpha\nlet user_id = 1;")).await;
    owner.create("notes", json!({"title": "fn user_id(", "description": "fn user_id("})).await;
    owner
        .create("bookmarks", json!({"title": "third", "url": "https://x.example/user_id", "content": "FN User_id("}))
        .await;
    let rows: &[(&str, &[&str])] = &[
        // The last changed first.
        ("user_id", &["second", "first"]),
        (r"fn \w+_id\(", &["first"]),
        (r"(?i)fn \w+_id\(", &["third", "first"]),
        ("^let", &["second"]),
        ("a$", &["second"]),
        ("alpha.let", &[]),
        (r"alpha\nlet", &["second"]),
    ];
    for (expression, expected) in rows {
        assert_eq!(titles(&owner, "content", &[("regex", expression)]).await, *expected, "{expression}");
    }
    let sorted = [("regex", "user_id"), ("sort_by", "title"), ("type", "note")];
    assert_eq!(titles(&owner, "content", &sorted).await, ["first", "second"]);
    assert_eq!(titles(&owner, "bookmarks", &[("regex", "(?i)user_id")]).await, ["third"]);
}

async fn an_expression_that_cannot_be_is_refused_with_its_place(store: TestStore) {
    let owner = store.serve().await.owner();
    for (expression, position) in [
        ("ab(", json!(2)),
        ("[a", json!(0)),
        ("*", json!(0)),
        ("(?=a)", json!(0)),
        (r"(a)\1", json!(3)),
        ("a{1000}{1000}{1000}", json!(null)),
    ] {
        let answer = owner.get(&address("content", &[("regex", expression)])).await;
        let refusal = answer.expect(400, json!({"error": "invalid_pattern", "position": position})).json();
        assert!(!text(&refusal["detail"]).is_empty(), "{expression}: {refusal}");
    }
}

async fn expressions_that_explode_elsewhere_do_not_here(store: TestStore) {
    let owner = store.serve().await.owner();
    owner.note("long", Some(&"a".repeat(100_000))).await;
    for (expression, expected) in [
        ("^(a+)+b$", &[][..]),
        ("^(a|a)*$", &["long"]),
        ("^(a|aa)+b$", &[]),
        ("(.*)(.*)(.*)(.*)(.*)b", &[]),
        ("(x+x+)+y", &[]),
        ("^(([a-z])+.)+[A-Z]([a-z])+$", &[]),
        ("a{100}{10}b", &[]),
    ] {
        assert_eq!(titles(&owner, "notes", &[("regex", expression)]).await, expected, "{expression}");
    }
}
