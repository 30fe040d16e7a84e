//! `/content/{id}/…`: every item route, on every kind.

use serde_json::{Value, json};

use crate::support::client::text;
use crate::support::test_store::TestStore;

on_both!(every_item_route_works_on_every_kind, nothing_is_made_without_a_kind);

async fn every_item_route_works_on_every_kind(store: TestStore) {
    let owner = store.serve().await.owner();
    for (collection, kind, body) in [
        ("notes", "note", json!({"title": "x", "content": "one\ntwo"})),
        ("bookmarks", "bookmark", json!({"url": "https://example.org", "content": "one\ntwo"})),
        ("prompts", "prompt", json!({"name": "x", "content": "one\ntwo"})),
    ] {
        let made = owner.create(collection, body).await;
        let path = format!("/content/{}", text(&made["id"]));
        assert_eq!(owner.get(&path).await.expect(200, json!({"type": kind})).json(), made);
        owner.get(&format!("{path}?start_line=2")).await.expect(200, json!({"type": kind, "content": "two"}));
        owner.check(&format!("PATCH {path}"), json!({"title": "y"}), 200, json!({"type": kind, "version": 2})).await;
        for verb in ["archive", "unarchive", "track-usage"] {
            owner.post(&format!("{path}/{verb}"), json!({})).await.expect(200, json!({"type": kind, "title": "y"}));
        }
        owner.delete(&path).await.expect(204, Value::Null);
        owner
            .post(&format!("{path}/restore"), json!({}))
            .await
            .expect(200, json!({"type": kind, "content": "one\ntwo"}));
        owner.get("/content").await.expect(200, json!({"total": 1, "items": [{"type": kind}]}));
        owner.delete(&format!("{path}?permanent=true&type={kind}")).await.expect(204, Value::Null);
    }
}

async fn nothing_is_made_without_a_kind(store: TestStore) {
    let owner = store.serve().await.owner();
    let refused =
        owner.post("/content", json!({"title": "x"})).await.expect(405, json!({"error": "method_not_allowed"}));
    assert!(refused.header("allow").contains("GET"), "{}", refused.header("allow"));
}
