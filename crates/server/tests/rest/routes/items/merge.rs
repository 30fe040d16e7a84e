//! `on_stale` of `PATCH /notes/{id}`, `/bookmarks/{id}`, `/prompts/{id}`, `/content/{id}` and `/prompts/name/{name}`

use serde_json::{Value, json};

use crate::routes::items::editing::{changes_of, of_every_kind};
use crate::support::client::{Client, text};
use crate::support::test_store::TestStore;

on_both!(
    a_stale_content_is_merged,
    what_both_changed_is_a_conflict_with_its_places,
    a_stale_content_is_refused_unless_merging_is_asked_for,
    a_merge_that_adds_nothing_is_answered_with_what_is_stored,
    fields_are_merged_one_by_one,
    a_request_to_merge_that_cannot_be_understood_is_refused,
    a_version_that_history_has_forgotten_is_a_plain_conflict,
    what_is_valid_for_one_side_only_is_a_conflict_that_says_so,
    a_repeated_merge_is_answered_from_memory,
    merges_at_once_lose_nothing,
    a_long_conflict_is_an_answer_of_bounded_length,
);

const BASE: &str = "one\r\ntwo\nthree\nfour\nfive";
const OURS: &str = "ONE\r\ntwo\nthree\nfour\nfive";
const THEIRS: &str = "one\r\ntwo\nthree\nfour\nFIVE";
const MERGED: &str = "ONE\r\ntwo\nthree\nfour\nFIVE";

/// Items of every kind at all their addresses, with a second version of this content.
async fn stale(client: &Client, base: &str, theirs: &str) -> Vec<String> {
    let mut paths = of_every_kind(client, Some(base)).await;
    let name = uuid::Uuid::now_v7().simple().to_string();
    client.create("prompts", json!({"name": name, "content": base})).await;
    paths.push(format!("/prompts/name/{name}"));
    for path in &paths {
        client.patch(path, json!({"content": theirs})).await.expect(200, json!({"version": 2}));
    }
    paths
}

/// The address of an item by its id, which has a history too.
async fn by_id(client: &Client, path: &str) -> String {
    format!("/content/{}", text(&client.get(path).await.json()["id"]))
}

fn merging(content: &str) -> Value {
    json!({"content": content, "expected_version": 1, "on_stale": "merge"})
}

async fn a_stale_content_is_merged(store: TestStore) {
    let owner = store.serve().await.owner();
    let merged_from = json!({"base": 1, "theirs": 2});
    for path in stale(&owner, BASE, THEIRS).await {
        let expected = json!({"version": 3, "content": MERGED, "merged_from": merged_from});
        let answer = owner.patch(&path, merging(OURS)).await.expect(200, expected);
        assert_eq!(answer.header("etag"), "\"3.0\"");
        let stored = owner.get(&path).await.expect(200, json!({"version": 3, "content": MERGED})).json();
        assert!(stored.get("merged_from").is_none(), "{stored}");
        let history = owner.get(&format!("{}/history", by_id(&owner, &path).await)).await.json();
        assert_eq!(history["items"][0]["merged_from"], merged_from, "{history}");
        assert!(history["items"][1].get("merged_from").is_none(), "{history}");
    }
    // By `If-Match` too, and without the content in the answer.
    for path in stale(&owner, BASE, THEIRS).await {
        let body = json!({"content": OURS, "on_stale": "merge"});
        let line = format!("PATCH {path}?include_content=false");
        let answer = owner.send_with(&line, &[("if-match", "\"1.0\"")], Some(&body)).await;
        answer.expect(200, json!({"version": 3, "content": null, "merged_from": merged_from}));
        owner.get(&path).await.expect(200, json!({"content": MERGED}));
    }
}

async fn what_both_changed_is_a_conflict_with_its_places(store: TestStore) {
    let owner = store.serve().await.owner();
    for path in stale(&owner, BASE, "1\ntwo\nthree\nfour\nfive\nsix").await {
        let sent = "ONE\r\ntwo\nthree\nfour\n5";
        let expected = json!({"error": "conflict", "current_version": 2, "expected_version": 1,
        "message": "…both change 2 places of the content…", "suggestion": "…`conflicts`…", "diff": "…-one…",
        "conflicts": [
            {"base": {"start_line": 1, "end_line": 1, "text": "one\r\n"},
                "ours": {"start_line": 1, "end_line": 1, "text": "ONE\r\n"},
                "theirs": {"start_line": 1, "end_line": 1, "text": "1\n"}},
            {"base": {"start_line": 5, "end_line": 5, "text": "five"},
                "ours": {"start_line": 5, "end_line": 5, "text": "5"},
                "theirs": {"start_line": 5, "end_line": 6, "text": "five\nsix"}},
        ]});
        owner.patch(&path, merging(sent)).await.expect(409, expected.clone());
        let body = json!({"content": sent, "on_stale": "merge"});
        let line = format!("PATCH {path}");
        owner.send_with(&line, &[("if-match", "\"1.0\"")], Some(&body)).await.expect(412, expected);
        owner.get(&path).await.expect(200, json!({"version": 2, "content": "1\ntwo\nthree\nfour\nfive\nsix"}));
    }
}

async fn a_stale_content_is_refused_unless_merging_is_asked_for(store: TestStore) {
    let owner = store.serve().await.owner();
    for path in stale(&owner, BASE, THEIRS).await {
        for body in [
            json!({"content": OURS, "expected_version": 1}),
            json!({"content": OURS, "expected_version": 1, "on_stale": "refuse"}),
        ] {
            let refused = owner.patch(&path, body).await.expect(409, json!({"error": "conflict"})).json();
            assert!(refused.get("conflicts").is_none(), "{refused}");
        }
        owner.get(&path).await.expect(200, json!({"version": 2, "content": THEIRS}));
        let fresh = json!({"content": OURS, "expected_version": 2, "on_stale": "refuse"});
        let written = owner.patch(&path, fresh).await.expect(200, json!({"version": 3, "content": OURS})).json();
        assert!(written.get("merged_from").is_none(), "{written}");
    }
}

async fn a_merge_that_adds_nothing_is_answered_with_what_is_stored(store: TestStore) {
    let owner = store.serve().await.owner();
    for path in stale(&owner, BASE, THEIRS).await {
        for content in [BASE, THEIRS] {
            let expected = json!({"version": 2, "content": THEIRS});
            let answer = owner.patch(&path, merging(content)).await.expect(200, expected).json();
            assert!(answer.get("merged_from").is_none(), "{answer}");
        }
        assert_eq!(changes_of(&owner, &by_id(&owner, &path).await).await, 2);
    }
}

async fn fields_are_merged_one_by_one(store: TestStore) {
    let owner = store.serve().await.owner();
    for path in stale(&owner, BASE, THEIRS).await {
        let theirs = json!({"description": "theirs", "tags": ["a"]});
        owner.patch(&path, theirs).await.expect(200, json!({"version": 3}));
        let ours = |fields: Value| {
            let mut body = merging(OURS);
            body.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
            body
        };
        let both = ours(json!({"description": "ours", "tags": ["b"], "title": "Ours"}));
        let expected = json!({"error": "conflict", "fields": ["description", "tags"], "conflicts": [],
            "message": "…the fields `description`, `tags`…"});
        owner.patch(&path, both).await.expect(409, expected);
        owner.get(&path).await.expect(200, json!({"version": 3, "content": THEIRS, "description": "theirs"}));
        let apart = ours(json!({"title": "Ours", "add_tags": ["c"]}));
        let expected = json!({"version": 4, "title": "Ours", "description": "theirs", "tags": ["a", "c"],
            "content": MERGED, "merged_from": {"base": 1, "theirs": 3}});
        owner.patch(&path, apart).await.expect(200, expected);
    }
}

async fn a_request_to_merge_that_cannot_be_understood_is_refused(store: TestStore) {
    let owner = store.serve().await.owner();
    for path in stale(&owner, BASE, THEIRS).await {
        let line = format!("PATCH {path}");
        for (body, fields) in [
            (json!({"content": OURS, "expected_version": 1, "on_stale": "overwrite"}), &["on_stale"][..]),
            (json!({"content": OURS, "expected_version": 1, "on_stale": "Merge"}), &["on_stale"]),
            (json!({"content": OURS, "expected_version": 1, "on_stale": null}), &["on_stale"]),
            (json!({"content": OURS, "expected_version": 1, "on_stale": true}), &["on_stale"]),
            (json!({"content": OURS, "expected_version": 1, "on_stale": ["merge"]}), &["on_stale"]),
            (json!({"content": OURS, "expected_version": 1, "onstale": "merge"}), &["onstale"]),
            (json!({"content": OURS, "on_stale": "merge"}), &["expected_version"]),
            (json!({"content": OURS, "on_stale": "refuse"}), &["expected_version"]),
            (json!({"title": "Ours", "expected_version": 1, "on_stale": "merge"}), &["content"]),
            (json!({"expected_version": 2, "on_stale": "refuse"}), &["content"]),
            (json!({"on_stale": "merge"}), &["content", "expected_version"]),
            (json!({"content": "\u{0}", "expected_version": 1, "on_stale": "merge"}), &["content"]),
        ] {
            assert_eq!(owner.refused_fields(&line, body.clone()).await, fields, "{line} {body}");
        }
        let any = json!({"content": OURS, "on_stale": "merge"});
        let refused = owner.send_with(&line, &[("if-match", "*")], Some(&any)).await;
        refused.expect(422, json!({"errors": [{"field": "expected_version"}]}));
        owner.get(&path).await.expect(200, json!({"version": 2, "content": THEIRS}));
    }
    // Edits match passages: there is nothing for them to merge.
    let path = &of_every_kind(&owner, Some(BASE)).await[0];
    let edit = json!({"old_str": "two", "new_str": "2", "expected_version": 1, "on_stale": "merge"});
    assert_eq!(owner.refused_fields(&format!("PATCH {path}/str-replace"), edit).await, ["on_stale"]);
}

async fn a_version_that_history_has_forgotten_is_a_plain_conflict(store: TestStore) {
    let interline = store.interline.clone();
    let owner = store.serve().await.owner();
    for path in stale(&owner, BASE, THEIRS).await {
        let keep = interline_items::Upkeep { trash: None, history: None, events: None, history_records: Some(1) };
        interline.run_upkeep(keep).await.unwrap();
        for version in [1, 7] {
            let body = json!({"content": OURS, "expected_version": version, "on_stale": "merge"});
            let refused = owner.patch(&path, body).await.expect(409, json!({"error": "conflict", "diff": null})).json();
            assert!(refused.get("conflicts").is_none(), "{refused}");
        }
        owner.get(&path).await.expect(200, json!({"version": 2, "content": THEIRS}));
    }
}

async fn what_is_valid_for_one_side_only_is_a_conflict_that_says_so(store: TestStore) {
    let owner = store.serve().await.owner();
    let arguments = |names: &[&str]| names.iter().map(|name| json!({"name": name})).collect::<Value>();
    let draft = json!({"name": "both", "content": "{{ a }}\n1\n2\n3\n{{ b }}\n", "arguments": arguments(&["a", "b"])});
    owner.create("prompts", draft).await;
    let theirs = json!({"content": "{{ a }}\n1\n2\n3\nend\n", "arguments": arguments(&["a"])});
    owner.patch("/prompts/name/both", theirs).await.expect(200, json!({"version": 2}));
    let expected = json!({"error": "conflict", "conflicts": [], "message": "…what comes of merging them is refused…",
        "refusal": {"error": "invalid_template", "undefined_variables": ["b"]}});
    owner.patch("/prompts/name/both", merging("{{ b }}{{ a }}\n1\n2\n3\n{{ b }}\n")).await.expect(409, expected);
    // What was sent is wrong by itself, and then it is right with what it brings.
    let wrong = merging("{{ a\n1\n2\n3\n{{ b }}\n");
    owner.patch("/prompts/name/both", wrong).await.expect(400, json!({"error": "invalid_template"}));
    let right = merging("{{ a }}{{ a }}\n1\n2\n3\n{{ b }}\n");
    owner.patch("/prompts/name/both", right).await.expect(200, json!({"content": "{{ a }}{{ a }}\n1\n2\n3\nend\n"}));
}

async fn a_repeated_merge_is_answered_from_memory(store: TestStore) {
    let owner = store.serve().await.owner();
    for (number, path) in stale(&owner, BASE, THEIRS).await.into_iter().enumerate() {
        let key = format!("merge-{number}");
        let send = async |body: Value| {
            owner.send_with(&format!("PATCH {path}"), &[("idempotency-key", &key)], Some(&body)).await
        };
        let conflicting = send(merging("one\r\ntwo\nthree\nfour\n5")).await.expect(409, json!({"error": "conflict"}));
        assert_eq!(conflicting.header("idempotency-replayed"), "", "a refusal is not remembered");
        let expected = json!({"version": 3, "merged_from": {"base": 1, "theirs": 2}});
        send(merging(OURS)).await.expect(200, expected.clone());
        owner.patch(&path, json!({"content": "new"})).await.expect(200, json!({"version": 4}));
        let again = send(merging(OURS)).await.expect(200, expected);
        assert_eq!((again.header("idempotency-replayed"), again.header("etag")), ("true", "\"3.0\""));
        owner.get(&path).await.expect(200, json!({"version": 4, "content": "new"}));
    }
}

async fn merges_at_once_lose_nothing(store: TestStore) {
    const WRITERS: usize = 20;
    let owner = store.serve().await.owner();
    let base: String = (0..WRITERS).map(|line| format!("<{line}>\nkept {line}\n")).collect();
    for path in of_every_kind(&owner, Some(&base)).await.into_iter().take(3) {
        let writers = (0..WRITERS).map(|number| {
            let (client, path) = (owner.afresh(), path.clone());
            let content = base.replace(&format!("<{number}>"), &format!("({number})"));
            tokio::spawn(async move { client.patch(&path, merging(&content)).await.status })
        });
        for writer in writers.collect::<Vec<_>>() {
            assert_eq!(writer.await.unwrap(), 200);
        }
        let merged = base.replace('<', "(").replace('>', ")");
        owner.get(&path).await.expect(200, json!({"version": 1 + WRITERS, "content": merged}));
        let history = owner.get(&format!("{path}/history?limit=100")).await.json();
        let merges = history["items"].as_array().unwrap().iter().filter(|record| record["merged_from"]["base"] == 1);
        assert_eq!(merges.count(), WRITERS - 1, "all but the first: {history}");
    }
}

async fn a_long_conflict_is_an_answer_of_bounded_length(store: TestStore) {
    let owner = store.serve().await.owner();
    let lines = |word: &str| (0..1_000).map(|line| format!("{word} {line}\nkept {line}\n")).collect::<String>();
    let controls = |last: char| format!("{}{last}", "\u{1}".repeat(200_000));
    for (base, theirs, ours, total) in [
        (lines("base"), lines("theirs"), lines("ours"), Some(1_000)),
        ("x".to_owned(), "y".repeat(1_000_000), "z".repeat(1_000_000), None),
        ("x".to_owned(), controls('y'), controls('z'), None),
    ] {
        let note = owner.note("Long", Some(&base)).await;
        let path = format!("/notes/{}", text(&note["id"]));
        owner.patch(&path, json!({"content": theirs})).await.expect(200, json!({"version": 2}));
        let refused = owner.patch(&path, merging(&ours)).await.expect(409, json!({"error": "conflict"}));
        assert!(refused.bytes.len() <= 64 * 1024, "{}", refused.bytes.len());
        let refused = refused.json();
        assert_eq!(refused.get("total_conflicts").and_then(Value::as_u64), total, "{refused}");
        let conflicts = refused["conflicts"].as_array().unwrap();
        match total {
            Some(_) => assert!(conflicts.len() > 20, "{}", conflicts.len()),
            None if base == "x" && theirs.starts_with('y') => {
                assert_eq!(conflicts[0]["theirs"]["truncated"], true, "{refused}");
            }
            None => {}
        }
    }
}
