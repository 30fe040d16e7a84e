//! `POST /notes/{id}/archive`, `/unarchive`

use serde_json::{Value, json};

use crate::support::client::text;
use crate::support::test_store::TestStore;

on_both!(archiving_is_idempotent_and_no_version, a_deleted_note_is_not_archived, the_answer_is_the_item);

async fn archiving_is_idempotent_and_no_version(store: TestStore) {
    let owner = store.serve().await.owner();
    let made = owner.note("x", Some("y")).await;
    let path = format!("/notes/{}", text(&made["id"]));

    let active = owner.post(&format!("{path}/unarchive"), json!({})).await;
    assert_eq!(active.header("etag"), "\"1.0\"");
    assert_eq!(active.expect(200, json!({})).json(), made);

    let archived = owner.post(&format!("{path}/archive"), json!({})).await;
    assert_eq!(archived.header("etag"), "\"1.1\"", "the tag counts changes of the state");
    let archived = archived.expect(200, json!({"version": 1, "updated_at": made["updated_at"]})).json();
    let again = owner.post(&format!("{path}/archive"), json!({})).await.expect(200, json!({}));
    assert_eq!(again.header("etag"), "\"1.1\"");
    assert_eq!(again.json(), archived);

    let back = owner.post(&format!("{path}/unarchive"), json!({})).await;
    assert_eq!(back.header("etag"), "\"1.2\"");
    assert_eq!(back.expect(200, json!({})).json(), made);
}

async fn a_deleted_note_is_not_archived(store: TestStore) {
    let owner = store.serve().await.owner();
    let path = format!("/notes/{}", text(&owner.note("x", None).await["id"]));
    owner.delete(&path).await.expect(204, Value::Null);
    for verb in ["archive", "unarchive"] {
        owner.post(&format!("{path}/{verb}"), json!({})).await.expect(404, json!({"error": "not_found"}));
    }
}

async fn the_answer_is_the_item(store: TestStore) {
    let owner = store.serve().await.owner();
    let path = format!("/content/{}", text(&owner.note("x", Some("y")).await["id"]));
    let answer = owner.send(&format!("POST {path}/archive"), None).await;
    answer.expect(200, json!({"content": "y", "content_preview": null}));
    let answer = owner.send(&format!("POST {path}/unarchive?include_content=false"), None).await;
    answer.expect(200, json!({"content": null, "content_preview": "y"}));
}
