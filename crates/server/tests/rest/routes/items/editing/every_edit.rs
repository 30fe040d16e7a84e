//! What every editing route has in common: conditions, dry runs, states of the item, and access control.

use serde_json::{Value, json};

use super::{at, changes_of, of_every_kind};
use crate::support::client::text;
use crate::support::test_store::TestStore;

on_both!(
    an_edit_of_another_version_is_a_conflict_with_what_changed,
    a_dry_run_shows_the_result_and_writes_nothing,
    the_content_is_left_out_when_asked,
    archived_items_are_edited_and_deleted_ones_are_not_found,
    anothers_items_and_other_kinds_are_not_found,
    a_token_that_only_reads_is_forbidden,
    a_condition_that_cannot_be_understood_changes_nothing,
    no_content_has_nothing_to_edit,
    a_content_that_would_become_too_large_is_refused_with_its_length,
);

const BEFORE: &str = "one two\nthree\n";

/// Every route, an edit of [`BEFORE`], and what it gives.
pub(super) fn every_edit() -> [(&'static str, Value, &'static str); 5] {
    [
        ("PATCH */str-replace", json!({"old_str": "two", "new_str": "2"}), "one 2\nthree\n"),
        ("PATCH */content", json!({"operations": [{"start_line": 2, "end_line": 2, "content": "3"}]}), "one two\n3\n"),
        ("POST */insert", json!({"after_str": "two", "new_str": "!"}), "one two!\nthree\n"),
        ("POST */delete-content", json!({"content_to_delete": " two"}), "one\nthree\n"),
        (
            "POST */edits",
            json!({"edits": [{"old_str": "two", "new_str": "2"}, {"old_str": "2\n", "new_str": "II\n"}]}),
            "one II\nthree\n",
        ),
    ]
}

fn with(body: &Value, option: &str, value: impl Into<Value>) -> Value {
    let mut body = body.clone();
    body[option] = value.into();
    body
}

async fn an_edit_of_another_version_is_a_conflict_with_what_changed(store: TestStore) {
    let owner = store.serve().await.owner();
    for (route, body, after) in every_edit() {
        for path in of_every_kind(&owner, Some(BEFORE)).await {
            let line = at(route, &path);
            let longer = json!({"content": format!("{BEFORE}four\n")});
            owner.patch(&path, longer).await.expect(200, json!({"version": 2}));
            let expected_json = json!({
                "error": "conflict", "current_version": 2, "expected_version": 1, "diff_truncated": false,
                "diff": "--- a/content\n+++ b/content\n@@ -1,2 +1,3 @@\n one two\n three\n+four\n",
                "current": {"version": 2, "content": null, "content_length": 19},
                "message": "the item is at version 2, and version 1 was expected", "suggestion": "…version 2…",
            });
            owner.check(&line, with(&body, "expected_version", 1), 409, expected_json.clone()).await;
            owner.send_with(&line, &[("if-match", "\"1.0\"")], Some(&body)).await.expect(412, expected_json);
            // It comes before all else: also what could not be applied is a conflict, and a dry run too.
            let ahead = json!({"error": "conflict", "expected_version": 9, "current_version": 2, "diff": null});
            owner.check(&line, with(&with(&body, "expected_version", 9), "dry_run", true), 409, ahead).await;
            let both = with(&body, "expected_version", 2);
            owner.send_with(&line, &[("if-match", "\"1.0\"")], Some(&both)).await.expect(422, json!({}));
            assert_eq!(changes_of(&owner, &path).await, 2, "{line}");

            let content = format!("{after}four\n");
            let expected_json = json!({"version": 3, "content": content});
            owner.send_with(&line, &[("if-match", "\"2.0\"")], Some(&both)).await.expect(200, expected_json);
            owner.patch(&path, json!({"content": BEFORE})).await.expect(200, json!({"version": 4}));
            owner.send_with(&line, &[("if-match", "*")], Some(&body)).await.expect(200, json!({"version": 5}));
        }
    }
}

async fn a_dry_run_shows_the_result_and_writes_nothing(store: TestStore) {
    let owner = store.serve().await.owner();
    for (route, body, after) in every_edit() {
        for path in of_every_kind(&owner, Some(BEFORE)).await {
            let (line, was) = (at(route, &path), owner.get(&path).await.json());
            let dry = with(&body, "dry_run", true);
            let expected = json!({"success": true, "dry_run": true, "content": after, "version": 1,
                "content_length": after.chars().count(), "updated_at": was["updated_at"]});
            let would = owner.check(&line, dry, 200, expected).await;
            assert_eq!(would.header("etag"), "\"1.0\"", "{line}: the version to make it on");
            assert_eq!(owner.get(&path).await.json(), was, "{line}");
            assert_eq!(changes_of(&owner, &path).await, 1, "{line}");
            let mut did = owner.check(&line, with(&body, "dry_run", false), 200, json!({"version": 2})).await.json();
            assert!(did.get("dry_run").is_none());
            did["dry_run"] = json!(true);
            for written in ["version", "updated_at"] {
                did[written] = was[written].clone();
            }
            assert_eq!(would.json(), did, "{line}");
        }
    }
}

async fn the_content_is_left_out_when_asked(store: TestStore) {
    let owner = store.serve().await.owner();
    for (route, body, after) in every_edit() {
        for path in of_every_kind(&owner, Some(BEFORE)).await {
            let line = at(route, &path);
            let expected = json!({"success": true, "version": 2, "content": null, "content_metadata": null,
                "content_preview": after, "content_length": after.len(), "line": if after.contains("3\n") { 2 } else { 1 }});
            owner.check(&format!("{line}?include_content=false"), body.clone(), 200, expected).await;
            owner.get(&path).await.expect(200, json!({"content": after}));
        }
    }
}

async fn archived_items_are_edited_and_deleted_ones_are_not_found(store: TestStore) {
    let owner = store.serve().await.owner();
    for (route, body, after) in every_edit() {
        for path in of_every_kind(&owner, Some(BEFORE)).await {
            let line = at(route, &path);
            owner.post(&format!("{path}/archive"), json!({})).await.expect(200, json!({}));
            let expected = json!({"archived_at": "…Z…", "version": 2, "content": after});
            owner.check(&line, body.clone(), 200, expected).await;
            owner.patch(&path, json!({"content": BEFORE})).await.expect(200, json!({}));
            owner.delete(&path).await.expect(204, Value::Null);
            for body in [body.clone(), with(&body, "dry_run", true)] {
                owner.check(&line, body, 404, json!({"error": "not_found"})).await;
            }
            owner.get(&path).await.expect(200, json!({"content": BEFORE, "version": 3}));
        }
    }
}

async fn anothers_items_and_other_kinds_are_not_found(store: TestStore) {
    let owner = store.serve().await.owner();
    let (other, _) = owner.new_user("other").await;
    for path in of_every_kind(&owner, Some(BEFORE)).await {
        let (was, id) = (owner.get(&path).await.json(), path.rsplit('/').next().unwrap().to_owned());
        for (route, body, _) in every_edit() {
            let line = at(route, &path);
            // What is there and what is not, a dry run and a wrong version: no refusal tells which.
            for body in [body.clone(), with(&body, "dry_run", true), with(&body, "expected_version", 7)] {
                other.check(&line, body, 404, json!({"error": "not_found", "id": id})).await;
            }
            for kind in ["note", "bookmark", "prompt"].into_iter().filter(|kind| was["type"] != *kind) {
                let narrowed = with(&body, "type", kind);
                owner.check(&line, narrowed, 404, json!({"error": "not_found", "type": kind, "id": id})).await;
                owner.check(&format!("{line}?type={kind}"), body.clone(), 404, json!({"error": "not_found"})).await;
                let elsewhere = at(route, &format!("/{kind}s/{id}"));
                owner.check(&elsewhere, body.clone(), 404, json!({"error": "not_found", "type": kind})).await;
            }
            let dry = with(&with(&body, "type", was["type"].clone()), "dry_run", true);
            owner.check(&line, dry, 200, json!({"type": was["type"]})).await;
        }
        assert_eq!(owner.get(&path).await.json(), was);
    }
    for (route, body, _) in every_edit() {
        let line = at(route, "/content/0190a6f4-7b3c-7def-8123-456789abcdef");
        owner.check(&line, body.clone(), 404, json!({"error": "not_found"})).await;
        assert_eq!(owner.refused_fields(&at(route, "/notes/1"), body).await, ["id"]);
    }
}

async fn a_token_that_only_reads_is_forbidden(store: TestStore) {
    let owner = store.serve().await.owner();
    let (reader, _) = owner.new_token(json!({"name": "r", "scopes": ["read"]})).await;
    for path in of_every_kind(&owner, Some(BEFORE)).await {
        for (route, body, _) in every_edit() {
            for body in [body.clone(), with(&body, "dry_run", true)] {
                reader.check(&at(route, &path), body, 403, json!({"error": "forbidden"})).await;
            }
        }
        owner.get(&path).await.expect(200, json!({"content": BEFORE, "version": 1}));
    }
}

async fn a_condition_that_cannot_be_understood_changes_nothing(store: TestStore) {
    let owner = store.serve().await.owner();
    let path = format!("/notes/{}", text(&owner.note("x", Some(BEFORE)).await["id"]));
    for (route, body, _) in every_edit() {
        for garbage in ["1.0", "", "\"x\"", "\"1.0\", \"2.0\"", "\"99999999999999999999.0\"", "W/"] {
            let answer = owner.send_with(&at(route, &path), &[("if-match", garbage)], Some(&body)).await;
            answer.expect(422, super::wrong("If-Match"));
        }
    }
    owner.get(&path).await.expect(200, json!({"content": BEFORE, "version": 1}));
}

async fn no_content_has_nothing_to_edit(store: TestStore) {
    let owner = store.serve().await.owner();
    for ((route, body, _), cannot) in every_edit().into_iter().zip([
        "replace text",
        "patch lines",
        "insert beside a text",
        "delete text",
        "replace text",
    ]) {
        let expected = json!({"error": "content_empty", "message": format!("Content is empty; cannot {cannot}"),
            "suggestion": "…PATCH the item with `content`…"});
        super::assert_refuses(&owner, route, None, &body, 400, &expected).await;
    }
}

async fn a_content_that_would_become_too_large_is_refused_with_its_length(store: TestStore) {
    const LIMIT: usize = 8 * 1024 * 1024;
    let owner = store.serve().await.owner();
    let content = format!("{}\nend", "x".repeat(LIMIT - 9));
    let long = "123456789";
    for (collection, draft) in [
        ("notes", json!({"title": "x", "content": content})),
        ("bookmarks", json!({"url": "https://example.org", "content": content})),
    ] {
        let path = format!("/{collection}/{}", text(&owner.create(collection, draft).await["id"]));
        for (route, body, actual) in [
            ("PATCH */str-replace", json!({"old_str": "end", "new_str": long}), LIMIT + 1),
            ("PATCH */content", json!({"operations": [{"start_line": 2, "end_line": 2, "content": long}]}), LIMIT + 1),
            ("POST */insert", json!({"at": "end", "new_str": long}), LIMIT + 5),
            ("POST */edits", json!({"edits": [{"old_str": "end", "new_str": long}]}), LIMIT + 1),
        ] {
            let expected = json!({"error": "too_large", "limit": LIMIT, "actual": actual});
            owner.check(&at(route, &path), body, 413, expected).await;
        }
        let fits = json!({"old_str": "end", "new_str": &long[1..]});
        let expected = json!({"version": 2, "content_length": LIMIT});
        owner.check(&format!("PATCH {path}/str-replace?include_content=false"), fits, 200, expected).await;
    }
}
