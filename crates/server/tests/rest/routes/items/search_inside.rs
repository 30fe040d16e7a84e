//! `GET /notes/{id}/search`: searching inside one item.

use serde_json::{Value, json};

use crate::routes::items::editing::of_every_kind;
use crate::support::client::{Client, text};
use crate::support::test_store::TestStore;

on_both!(
    every_occurrence_is_listed_with_its_lines_and_context,
    expressions_are_matched_by_lines,
    an_expression_that_cannot_be_is_refused_with_its_place,
    other_fields_are_one_entry_each,
    the_total_is_true_when_the_list_is_cut,
    no_match_is_a_success,
    what_cannot_be_asked_is_refused,
    deleted_items_are_searched_and_anothers_are_not_found,
    a_long_line_is_cut_around_the_match,
);

/// `name=value&…`, escaped.
fn query(parameters: &[(&str, &str)]) -> String {
    url::form_urlencoded::Serializer::new(String::new()).extend_pairs(parameters).finish()
}

/// Demands what a search of a content finds: the lines and contexts, in order. All matches are told.
async fn assert_finds(client: &Client, content: &str, parameters: &[(&str, &str)], found: &[(u64, u64, &str)]) {
    let matches: Vec<Value> = found
        .iter()
        .map(|(line, end, context)| json!({"field": "content", "line": line, "end_line": end, "context": context}))
        .collect();
    let expected = json!({"matches": matches, "total_matches": found.len()});
    for path in of_every_kind(client, Some(content)).await {
        let answer = client.get(&format!("{path}/search?{}", query(parameters))).await.expect(200, json!({}));
        assert_eq!(answer.json(), expected, "{parameters:?}");
    }
}

async fn every_occurrence_is_listed_with_its_lines_and_context(store: TestStore) {
    let owner = store.serve().await.owner();
    let content = "one\ntwo\nthree\nTwo two\nfive\nsix\n";
    let [first, second] = ["one\ntwo\nthree\nTwo two", "two\nthree\nTwo two\nfive\nsix"];
    for (parameters, found) in [
        (&[("q", "two")][..], &[(2, 2, first), (4, 4, second), (4, 4, second)][..]),
        (&[("q", "two"), ("case_sensitive", "true")], &[(2, 2, first), (4, 4, second)]),
        (&[("q", "TWO"), ("case_sensitive", "true")], &[]),
        (&[("q", "TWO"), ("context_lines", "0")], &[(2, 2, "two"), (4, 4, "Two two"), (4, 4, "Two two")]),
        (&[("q", "five"), ("context_lines", "1")], &[(5, 5, "Two two\nfive\nsix")]),
        (&[("q", "one"), ("context_lines", "10")], &[(1, 1, content)]),
        // It may span lines; a line is what ends with `\n`.
        (&[("q", "two\nthree"), ("context_lines", "0")], &[(2, 3, "two\nthree")]),
        (&[("q", "two\nthree"), ("context_lines", "1")], &[(2, 3, "one\ntwo\nthree\nTwo two")]),
        (&[("q", "t.o")], &[]),
        (&[("q", "zzz")], &[]),
    ] {
        assert_finds(&owner, content, parameters, found).await;
    }
    // As many as an edit would see.
    assert_finds(&owner, "aaa", &[("q", "aa")], &[(1, 1, "aaa"), (1, 1, "aaa")]).await;
    assert_finds(&owner, "ÄÖ straße\n", &[("q", "äö"), ("context_lines", "0")], &[(1, 1, "ÄÖ straße")]).await;
    assert_finds(&owner, "a+b", &[("q", "+")], &[(1, 1, "a+b")]).await;
}

async fn expressions_are_matched_by_lines(store: TestStore) {
    let owner = store.serve().await.owner();
    let content = "alpha 1\nBeta 22\nalpha 333\n";
    for (q, case_sensitive, found) in [
        (r"^alpha \d+$", "false", &[(1, 1, "alpha 1"), (3, 3, "alpha 333")][..]),
        ("^beta", "false", &[(2, 2, "Beta 22")]),
        ("^beta", "true", &[]),
        ("(?i)^beta", "true", &[(2, 2, "Beta 22")]),
        ("1.B", "true", &[]),
        (r"1\nB", "true", &[(1, 2, "alpha 1\nBeta 22")]),
        // Leftmost, and not overlapping.
        ("33", "true", &[(3, 3, "alpha 333")]),
    ] {
        let parameters = [("q", q), ("regex", "true"), ("case_sensitive", case_sensitive), ("context_lines", "0")];
        assert_finds(&owner, content, &parameters, found).await;
    }
}

async fn an_expression_that_cannot_be_is_refused_with_its_place(store: TestStore) {
    let owner = store.serve().await.owner();
    for path in of_every_kind(&owner, Some("a")).await {
        for q in ["(", "[a", "*", r"(?=a)", r"(?<!a)b", r"(a)\1", "a{1000}{1000}{1000}"] {
            let line = format!("{path}/search?{}", query(&[("q", q), ("regex", "true")]));
            let refusal = owner.get(&line).await.expect(400, json!({"error": "invalid_pattern"})).json();
            assert!(!text(&refusal["detail"]).is_empty(), "{q}: {refusal}");
            assert!(refusal.get("position").is_some(), "{q}: {refusal}");
            owner.get(&line.replace("regex=true", "regex=false")).await.expect(200, json!({"total_matches": 0}));
        }
    }
}

async fn other_fields_are_one_entry_each(store: TestStore) {
    let owner = store.serve().await.owner();
    let shared = json!({"title": "Plan plan", "description": "A plan\nof two lines", "content": "plan\nplan"});
    for (collection, own) in [
        ("notes", json!({})),
        ("bookmarks", json!({"url": "https://example.org/plan"})),
        ("prompts", json!({"name": "plan"})),
    ] {
        let mut draft = shared.clone();
        draft.as_object_mut().unwrap().extend(own.as_object().unwrap().clone());
        let id = text(&owner.create(collection, draft).await["id"]);
        for path in [format!("/{collection}/{id}"), format!("/content/{id}")] {
            let found = |fields: &'static str| {
                let (owner, path) = (owner.clone(), path.clone());
                async move {
                    owner.get(&format!("{path}/search?q=plan&fields={fields}")).await.expect(200, json!({})).json()
                }
            };
            let title = json!({"field": "title", "line": null, "end_line": null, "context": "Plan plan"});
            let description =
                json!({"field": "description", "line": null, "end_line": null, "context": "A plan\nof two lines"});
            assert_eq!(found("title").await, json!({"matches": [title], "total_matches": 1}));
            assert_eq!(found("description").await, json!({"matches": [description], "total_matches": 1}));
            assert_eq!(found("content").await["total_matches"], 2);
            let all = found("title,content,description").await;
            assert_eq!(all["total_matches"], 4);
            for entry in [title, description] {
                assert!(all["matches"].as_array().unwrap().contains(&entry), "{all}");
            }
        }
    }
}

async fn the_total_is_true_when_the_list_is_cut(store: TestStore) {
    let owner = store.serve().await.owner();
    let content = "x\n".repeat(1_234);
    for path in of_every_kind(&owner, Some(&content)).await {
        for (limit, shown) in [("", 100), ("&limit=1", 1), ("&limit=1000", 1_000)] {
            for regex in ["false", "true"] {
                let line = format!("{path}/search?q=x&context_lines=0&regex={regex}{limit}");
                let found = owner.get(&line).await.expect(200, json!({"total_matches": 1_234})).json();
                assert_eq!(found["matches"].as_array().unwrap().len(), shown, "{line}");
                assert_eq!(found["matches"][shown - 1]["line"], shown);
            }
        }
    }
}

async fn no_match_is_a_success(store: TestStore) {
    let owner = store.serve().await.owner();
    for content in [None, Some(""), Some("a")] {
        for path in of_every_kind(&owner, content).await {
            for regex in ["false", "true"] {
                let found = owner.get(&format!("{path}/search?q=zzz&regex={regex}")).await.expect(200, json!({}));
                assert_eq!(found.json(), json!({"matches": [], "total_matches": 0}));
            }
            let found = owner.get(&format!("{path}/search?q=zzz&fields=title,description")).await;
            assert_eq!(found.expect(200, json!({})).json(), json!({"matches": [], "total_matches": 0}));
        }
    }
}

async fn what_cannot_be_asked_is_refused(store: TestStore) {
    let owner = store.serve().await.owner();
    for path in of_every_kind(&owner, Some("a")).await {
        for (parameters, field) in [
            ("", "q"),
            ("q=", "q"),
            ("q=&regex=true", "q"),
            ("q=a&q=b", "q"),
            ("q=a%00b", "q"),
            ("q=a&fields=", "fields"),
            ("q=a&fields=url", "fields"),
            ("q=a&fields=content,tags", "fields"),
            ("q=a&limit=0", "limit"),
            ("q=a&limit=1001", "limit"),
            ("q=a&limit=-1", "limit"),
            ("q=a&limit=x", "limit"),
            ("q=a&context_lines=11", "context_lines"),
            ("q=a&context_lines=-1", "context_lines"),
            ("q=a&context_lines=", "context_lines"),
            ("q=a&regex=maybe", "regex"),
            ("q=a&case_sensitive=yes", "case_sensitive"),
            ("q=a&type=poem", "type"),
        ] {
            let line = format!("GET {path}/search?{parameters}");
            assert_eq!(owner.refused_fields(&line, Value::Null).await, [field], "{line}");
        }
        let two = format!("GET {path}/search?q=a&limit=0&context_lines=11");
        assert_eq!(owner.refused_fields(&two, Value::Null).await, ["context_lines", "limit"]);
        owner.get(&format!("{path}/search?q=a&unknown=1&context_lines=10&limit=1000")).await.expect(200, json!({}));
    }
}

async fn deleted_items_are_searched_and_anothers_are_not_found(store: TestStore) {
    let owner = store.serve().await.owner();
    let (other, _) = owner.new_user("other").await;
    for path in of_every_kind(&owner, Some("a")).await {
        let line = format!("{path}/search?q=a");
        owner.post(&format!("{path}/archive"), json!({})).await.expect(200, json!({}));
        owner.get(&line).await.expect(200, json!({"total_matches": 1}));
        owner.delete(&path).await.expect(204, Value::Null);
        owner.get(&line).await.expect(200, json!({"total_matches": 1}));
        other.get(&line).await.expect(404, json!({"error": "not_found"}));
    }
}

async fn a_long_line_is_cut_around_the_match(store: TestStore) {
    let owner = store.serve().await.owner();
    let content = format!("{}needle{}", "x".repeat(5_000), "y".repeat(5_000));
    for path in of_every_kind(&owner, Some(&content)).await {
        let found = owner.get(&format!("{path}/search?q=needle")).await.expect(200, json!({"total_matches": 1})).json();
        let context = text(&found["matches"][0]["context"]);
        assert!(context.contains("needle") && context.chars().count() <= 400, "{context}");
    }
}
