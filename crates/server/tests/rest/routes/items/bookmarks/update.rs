//! `PATCH /bookmarks/{id}`

use serde_json::json;

use crate::support::client::text;
use crate::support::test_store::TestStore;

on_both!(an_address_changes_within_the_rules, titles_of_bookmarks_may_go);

async fn an_address_changes_within_the_rules(store: TestStore) {
    let owner = store.serve().await.owner();
    let taken = text(&owner.create("bookmarks", json!({"url": "https://taken.example"})).await["id"]);
    let id = text(&owner.create("bookmarks", json!({"url": "https://example.org"})).await["id"]);
    let line = format!("PATCH /bookmarks/{id}");
    owner.check(&line, json!({"url": "https://EXAMPLE.org/"}), 200, json!({"version": 1})).await;
    owner
        .check(&line, json!({"url": "https://new.example"}), 200, json!({"url": "https://new.example/", "version": 2}))
        .await;
    let refused = json!({"error": "duplicate", "field": "url", "existing_id": taken, "existing_state": "active"});
    owner.check(&line, json!({"url": "https://taken.example", "title": "x"}), 409, refused).await;
    for wrong in [json!({"url": null}), json!({"url": "x"}), json!({"url": []})] {
        assert_eq!(owner.refused_fields(&line, wrong).await, ["url"]);
    }
    owner.get(&format!("/bookmarks/{id}")).await.expect(200, json!({"version": 2, "title": null}));
}

async fn titles_of_bookmarks_may_go(store: TestStore) {
    let owner = store.serve().await.owner();
    let id = text(&owner.create("bookmarks", json!({"url": "https://example.org", "title": "x"})).await["id"]);
    owner
        .check(&format!("PATCH /bookmarks/{id}"), json!({"title": null}), 200, json!({"title": null, "version": 2}))
        .await;
}
