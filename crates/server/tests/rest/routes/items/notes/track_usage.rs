//! `POST /notes/{id}/track-usage`

use serde_json::{Value, json};

use crate::support::client::text;
use crate::support::test_store::TestStore;

on_both!(a_use_is_a_time_and_no_version, only_a_writer_marks_a_use, a_deleted_note_is_not_used);

async fn a_use_is_a_time_and_no_version(store: TestStore) {
    let owner = store.serve().await.owner();
    let made = owner.note("x", Some("y")).await;
    let path = format!("/notes/{}", text(&made["id"]));
    let used = owner.post(&format!("{path}/track-usage"), json!({})).await;
    let expected = json!({"last_used_at": "…Z…", "version": 1, "updated_at": made["updated_at"]});
    let used = used.expect(200, expected).json();
    owner.get(&path).await.expect(200, json!({"last_used_at": used["last_used_at"], "version": 1}));
    owner.post(&format!("{path}/archive"), json!({})).await.expect(200, json!({"last_used_at": used["last_used_at"]}));
    owner.post(&format!("{path}/track-usage"), json!({})).await.expect(200, json!({"archived_at": "…Z…"}));
}

async fn only_a_writer_marks_a_use(store: TestStore) {
    let owner = store.serve().await.owner();
    let path = format!("/notes/{}", text(&owner.note("x", None).await["id"]));
    let (reader, _) = owner.new_token(json!({"name": "reader", "scopes": ["read"]})).await;
    reader.post(&format!("{path}/track-usage"), json!({})).await.expect(403, json!({"error": "forbidden"}));
    owner.get(&path).await.expect(200, json!({"last_used_at": null}));
}

async fn a_deleted_note_is_not_used(store: TestStore) {
    let owner = store.serve().await.owner();
    let path = format!("/notes/{}", text(&owner.note("x", None).await["id"]));
    owner.delete(&path).await.expect(204, Value::Null);
    owner.post(&format!("{path}/track-usage"), json!({})).await.expect(404, json!({"error": "not_found"}));
}
