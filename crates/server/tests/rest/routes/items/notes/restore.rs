//! `POST /notes/{id}/restore`

use serde_json::{Value, json};

use crate::routes::items::editing::of_every_kind;
use crate::support::client::text;
use crate::support::test_store::TestStore;

on_both!(
    a_note_comes_back_as_it_was,
    items_of_every_kind_come_back_as_archived_as_they_were,
    a_live_note_stays_as_it_is,
    a_taken_value_is_a_duplicate
);

async fn a_note_comes_back_as_it_was(store: TestStore) {
    let owner = store.serve().await.owner();
    let path = format!("/notes/{}", text(&owner.note("x", Some("y")).await["id"]));
    owner.post(&format!("{path}/archive"), json!({})).await.expect(200, json!({}));
    let before = owner.get(&path).await.json();
    owner.delete(&path).await.expect(204, Value::Null);
    let restored = owner.post(&format!("{path}/restore"), json!({})).await;
    assert_eq!(restored.header("etag"), "\"1.3\"");
    assert_eq!(restored.expect(200, json!({"archived_at": "…Z…", "deleted_at": null})).json(), before);
}

async fn items_of_every_kind_come_back_as_archived_as_they_were(store: TestStore) {
    let owner = store.serve().await.owner();
    for path in of_every_kind(&owner, Some("a")).await {
        for (state, view) in [("unarchive", "active"), ("archive", "archived")] {
            let before = owner.post(&format!("{path}/{state}"), json!({})).await.expect(200, json!({})).json();
            owner.delete(&path).await.expect(204, Value::Null);
            let expected = json!({"archived_at": before["archived_at"], "deleted_at": null});
            owner.post(&format!("{path}/restore"), json!({})).await.expect(200, expected);
            let collection = path.split('/').nth(1).unwrap();
            let listed = owner.get(&format!("/{collection}?view={view}")).await.json();
            let id = path.rsplit('/').next().unwrap();
            assert!(listed["items"].as_array().unwrap().iter().any(|item| item["id"] == id), "{path} {view}");
        }
    }
}

async fn a_live_note_stays_as_it_is(store: TestStore) {
    let owner = store.serve().await.owner();
    let made = owner.note("x", Some("y")).await;
    let path = format!("/notes/{}", text(&made["id"]));
    let same = owner.post(&format!("{path}/restore"), json!({})).await;
    assert_eq!(same.header("etag"), "\"1.0\"");
    assert_eq!(same.expect(200, json!({})).json(), made);
}

async fn a_taken_value_is_a_duplicate(store: TestStore) {
    let owner = store.serve().await.owner();
    for (collection, body, field) in [
        ("bookmarks", json!({"url": "https://example.org/"}), "url"),
        ("prompts", json!({"name": "hello", "content": "x"}), "name"),
    ] {
        let old = text(&owner.create(collection, body.clone()).await["id"]);
        owner.delete(&format!("/{collection}/{old}")).await.expect(204, Value::Null);
        let new = text(&owner.create(collection, body).await["id"]);
        let refused = json!({"error": "duplicate", "field": field, "existing_id": new, "existing_state": "active"});
        owner.check(&format!("POST /{collection}/{old}/restore"), Value::Null, 409, refused).await;
        owner.get(&format!("/{collection}/{old}")).await.expect(200, json!({"deleted_at": "…Z…"}));
        owner.delete(&format!("/{collection}/{new}")).await.expect(204, Value::Null);
        owner.post(&format!("/{collection}/{old}/restore"), json!({})).await.expect(200, json!({"deleted_at": null}));
    }
}
