//! `DELETE /notes/{id}`

use serde_json::{Value, json};

use crate::support::client::text;
use crate::support::test_store::TestStore;

on_both!(
    deleting_puts_into_the_trash,
    deleting_for_good_leaves_nothing,
    a_deleted_note_is_deleted_for_good_only,
    the_switch_is_a_switch,
);

async fn deleting_puts_into_the_trash(store: TestStore) {
    let owner = store.serve().await.owner();
    let path = format!("/notes/{}", text(&owner.note("x", Some("y")).await["id"]));
    let gone = owner.delete(&path).await;
    assert!(gone.bytes.is_empty());
    gone.expect(204, Value::Null);
    owner.get("/notes").await.expect(200, json!({"total": 0}));
    owner
        .get("/notes?view=deleted")
        .await
        .expect(200, json!({"total": 1, "items": [{"deleted_at": "…Z…", "version": 1}]}));
}

async fn deleting_for_good_leaves_nothing(store: TestStore) {
    let owner = store.serve().await.owner();
    for state in ["", "/archive", "/delete"] {
        let path = format!("/notes/{}", text(&owner.note("x", Some("y")).await["id"]));
        match state {
            "/archive" => drop(owner.post(&format!("{path}/archive"), json!({})).await.expect(200, json!({}))),
            "/delete" => drop(owner.delete(&path).await.expect(204, Value::Null)),
            _ => {}
        }
        owner.delete(&format!("{path}?permanent=true")).await.expect(204, Value::Null);
        for line in [format!("GET {path}"), format!("DELETE {path}?permanent=true"), format!("POST {path}/restore")] {
            owner.check(&line, Value::Null, 404, json!({"error": "not_found"})).await;
        }
    }
    owner.get("/notes?view=active&view=archived&view=deleted").await.expect(200, json!({"total": 0}));
}

async fn a_deleted_note_is_deleted_for_good_only(store: TestStore) {
    let owner = store.serve().await.owner();
    let path = format!("/notes/{}", text(&owner.note("x", None).await["id"]));
    owner.delete(&path).await.expect(204, Value::Null);
    owner.delete(&path).await.expect(404, json!({"error": "not_found"}));
    owner.delete(&format!("{path}?permanent=false")).await.expect(404, json!({}));
    owner.delete(&format!("{path}?permanent=true")).await.expect(204, Value::Null);
}

async fn the_switch_is_a_switch(store: TestStore) {
    let owner = store.serve().await.owner();
    let path = format!("/notes/{}", text(&owner.note("x", None).await["id"]));
    for query in ["permanent=yes", "permanent=", "permanent=true&permanent=false"] {
        assert_eq!(
            owner.refused_fields(&format!("DELETE {path}?{query}"), Value::Null).await,
            ["permanent"],
            "{query}"
        );
    }
    owner.delete(&format!("{path}?type=prompt")).await.expect(404, json!({}));
    owner.get(&path).await.expect(200, json!({"deleted_at": null}));
}
