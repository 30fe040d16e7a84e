//! `PATCH /notes/{id}`: fields and whole content. Conditions are in `extract/conditions.rs`.

use serde_json::{Value, json};

use crate::support::client::text;
use crate::support::test_store::TestStore;

on_both!(
    what_is_left_out_stays_and_null_clears,
    null_is_refused_where_a_field_is_needed,
    a_change_that_changes_nothing_writes_nothing,
    every_change_is_a_version,
    wrong_fields_change_nothing,
    the_kind_may_be_named_in_the_query_or_the_body,
    the_answer_leaves_the_content_out_when_asked,
    an_archived_note_is_changed_and_a_deleted_one_is_not_found,
);

fn full() -> Value {
    json!({"title": "Plan", "description": "For spring", "tags": ["a", "b"], "content": "one\ntwo"})
}

async fn what_is_left_out_stays_and_null_clears(store: TestStore) {
    let owner = store.serve().await.owner();
    for (patch, changed) in [
        (json!({"title": "New"}), json!({"title": "New"})),
        (json!({"description": "d"}), json!({"description": "d"})),
        (json!({"description": ""}), json!({"description": ""})),
        (json!({"description": null}), json!({"description": null})),
        (json!({"content": ""}), json!({"content": "", "content_length": 0})),
        (json!({"content": "x\r\n"}), json!({"content": "x\r\n", "content_length": 3})),
        (json!({"content": null}), json!({"content": null, "content_length": null, "content_metadata": null})),
        (json!({"tags": []}), json!({"tags": []})),
        (json!({"tags": ["C", "c"]}), json!({"tags": ["c"]})),
        (
            json!({"title": "T", "description": null, "tags": ["z"], "content": "c"}),
            json!({"title": "T", "description": null, "tags": ["z"], "content": "c", "content_length": 1}),
        ),
    ] {
        let before = owner.create("notes", full()).await;
        let path = format!("/notes/{}", text(&before["id"]));
        let mut expected = before.clone();
        for (field, value) in changed.as_object().unwrap() {
            expected[field] = value.clone();
        }
        expected["version"] = json!(2);
        for derived in ["updated_at", "content_metadata"] {
            expected.as_object_mut().unwrap().remove(derived);
        }
        let after = owner.check(&format!("PATCH {path}"), patch, 200, expected).await;
        assert_eq!(after.header("etag"), "\"2.0\"");
        assert!(text(&after.json()["updated_at"]) > text(&before["updated_at"]));
        assert_eq!(owner.get(&path).await.json(), after.json());
    }
}

async fn null_is_refused_where_a_field_is_needed(store: TestStore) {
    let owner = store.serve().await.owner();
    let line = format!("PATCH /notes/{}", text(&owner.create("notes", full()).await["id"]));
    for field in ["title", "tags", "add_tags", "remove_tags", "expected_version", "type"] {
        assert_eq!(owner.refused_fields(&line, json!({field: null})).await, [field]);
    }
}

async fn a_change_that_changes_nothing_writes_nothing(store: TestStore) {
    let owner = store.serve().await.owner();
    let before = owner.create("notes", full()).await;
    let path = format!("/notes/{}", text(&before["id"]));
    for patch in [
        json!({}),
        full(),
        json!({"title": "Plan"}),
        json!({"tags": [" A ", "b", "B"]}),
        json!({"add_tags": ["a"], "remove_tags": ["zzz"]}),
        json!({"add_tags": []}),
        json!({"content": "one\ntwo"}),
        json!({"expected_version": 1}),
    ] {
        let after = owner.patch(&path, patch).await;
        assert_eq!(after.header("etag"), "\"1.0\"");
        assert_eq!(after.expect(200, json!({})).json(), before);
    }
    assert_eq!(owner.get(&path).await.json(), before);
}

async fn every_change_is_a_version(store: TestStore) {
    let owner = store.serve().await.owner();
    let path = format!("/notes/{}", text(&owner.create("notes", full()).await["id"]));
    for version in 2..12 {
        let patch = json!({"content": format!("version {version}")});
        owner.check(&format!("PATCH {path}"), patch, 200, json!({"version": version})).await;
    }
    owner.get(&path).await.expect(200, json!({"version": 11, "content": "version 11"}));
}

async fn wrong_fields_change_nothing(store: TestStore) {
    let owner = store.serve().await.owner();
    let before = owner.create("notes", full()).await;
    let path = format!("/notes/{}", text(&before["id"]));
    for (patch, field) in [
        (json!({"title": " "}), "title"),
        (json!({"title": "x".repeat(501)}), "title"),
        (json!({"title": 1}), "title"),
        (json!({"old_str": "a"}), "old_str"),
        (json!({"content": "x", "old_str": "a"}), "old_str"),
        (json!({"tags": "abc"}), "tags"),
        (json!({"tags": [1]}), "tags[0]"),
        (json!({"tags": ["!"]}), "tags[0]"),
        (json!({"content": 1}), "content"),
        (json!({"content": "\0"}), "content"),
        (json!({"url": "https://example.org"}), "url"),
        (json!({"url": null}), "url"),
        (json!({"name": "x"}), "name"),
        (json!({"arguments": []}), "arguments"),
        (json!({"version": 2}), "version"),
        (json!({"expected_version": "1"}), "expected_version"),
        (json!({"expected_version": -1}), "expected_version"),
        (json!({"expected_version": 1.5}), "expected_version"),
        (json!({"type": "poem"}), "type"),
        (json!([]), "body"),
    ] {
        assert_eq!(owner.refused_fields(&format!("PATCH {path}"), patch.clone()).await, [field], "{patch}");
    }
    let huge = json!({"title": "new", "content": "x".repeat(8 * 1024 * 1024 + 1)});
    owner
        .check(
            &format!("PATCH {path}"),
            huge,
            413,
            json!({"error": "too_large", "limit": 8_388_608, "actual": 8_388_609}),
        )
        .await;
    assert_eq!(owner.get(&path).await.json(), before);
}

async fn the_kind_may_be_named_in_the_query_or_the_body(store: TestStore) {
    let owner = store.serve().await.owner();
    let id = text(&owner.create("notes", full()).await["id"]);
    for (line, patch, status) in [
        ("PATCH /content/{}", json!({"title": "a"}), 200),
        ("PATCH /content/{}", json!({"title": "b", "type": "note"}), 200),
        ("PATCH /content/{}?type=note", json!({"title": "c"}), 200),
        ("PATCH /content/{}", json!({"title": "d", "type": "bookmark"}), 404),
        ("PATCH /content/{}?type=prompt", json!({"title": "e"}), 404),
        ("PATCH /content/{}?type=note", json!({"title": "f", "type": "prompt"}), 404),
        ("PATCH /notes/{}", json!({"title": "g", "type": "bookmark"}), 404),
        ("PATCH /bookmarks/{}", json!({"title": "h"}), 404),
    ] {
        let answer = owner.send(&line.replace("{}", &id), Some(&patch)).await.expect(status, json!({})).json();
        if status == 200 {
            assert_eq!(answer["title"], patch["title"]);
        }
    }
    owner.get(&format!("/notes/{id}")).await.expect(200, json!({"title": "c", "version": 4}));
}

async fn the_answer_leaves_the_content_out_when_asked(store: TestStore) {
    let owner = store.serve().await.owner();
    let id = text(&owner.create("notes", full()).await["id"]);
    let expected = json!({"content": null, "content_metadata": null, "content_preview": "new", "content_length": 3});
    owner.check(&format!("PATCH /notes/{id}?include_content=false"), json!({"content": "new"}), 200, expected).await;
}

async fn an_archived_note_is_changed_and_a_deleted_one_is_not_found(store: TestStore) {
    let owner = store.serve().await.owner();
    let path = format!("/notes/{}", text(&owner.create("notes", full()).await["id"]));
    owner.post(&format!("{path}/archive"), json!({})).await.expect(200, json!({}));
    owner
        .check(&format!("PATCH {path}"), json!({"title": "x"}), 200, json!({"archived_at": "…Z…", "version": 2}))
        .await;
    owner.delete(&path).await.expect(204, Value::Null);
    owner
        .check(&format!("PATCH {path}"), json!({"title": "y"}), 404, json!({"error": "not_found", "type": "note"}))
        .await;
    owner.get(&path).await.expect(200, json!({"title": "x", "version": 2}));
}
