//! Requests at the same time: conflicts between writes, and none lost.

use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::support::client::text;
use crate::support::test_store::TestStore;

on_both!(
    one_of_many_gets_an_address,
    changes_of_different_fields_are_all_made,
    one_of_many_conditional_changes_is_made,
    an_item_is_deleted_once,
);

const MANY: usize = 16;

async fn one_of_many_gets_an_address(store: TestStore) {
    let owner = store.serve().await.owner();
    for (collection, body, field) in [
        ("bookmarks", json!({"url": "https://example.org/race"}), "url"),
        ("prompts", json!({"name": "race", "content": "x"}), "name"),
    ] {
        let mut requests = JoinSet::new();
        for _ in 0..MANY {
            let (client, line, body) = (owner.afresh(), format!("POST /{collection}"), body.clone());
            requests.spawn(async move { client.send(&line, Some(&body)).await });
        }
        let answers = requests.join_all().await;
        let made: Vec<_> = answers.iter().filter(|answer| answer.status == 201).collect();
        assert_eq!(made.len(), 1, "{collection}");
        let id = made[0].id();
        for refused in answers.into_iter().filter(|answer| answer.status != 201) {
            refused.expect(
                409,
                json!({"error": "duplicate", "field": field, "existing_id": id, "existing_state": "active"}),
            );
        }
        owner.get(&format!("/{collection}")).await.expect(200, json!({"total": 1}));
    }
}

async fn changes_of_different_fields_are_all_made(store: TestStore) {
    let owner = store.serve().await.owner();
    let path = format!("/notes/{}", text(&owner.note("x", None).await["id"]));
    let mut requests = JoinSet::new();
    for number in 0..MANY {
        let (client, line) = (owner.afresh(), format!("PATCH {path}"));
        requests.spawn(async move { client.send(&line, Some(&json!({"add_tags": [format!("t{number}")]}))).await });
    }
    let mut versions: Vec<u64> = Vec::new();
    for answer in requests.join_all().await {
        versions.push(answer.expect(200, json!({})).json()["version"].as_u64().unwrap());
    }
    versions.sort_unstable();
    assert_eq!(versions, (2..2 + MANY as u64).collect::<Vec<_>>());
    let note = owner.get(&path).await.json();
    assert_eq!(note["tags"].as_array().unwrap().len(), MANY, "{note}");
}

async fn one_of_many_conditional_changes_is_made(store: TestStore) {
    let owner = store.serve().await.owner();
    let path = format!("/notes/{}", text(&owner.note("x", None).await["id"]));
    let mut requests = JoinSet::new();
    for number in 0..MANY {
        let (client, line) = (owner.afresh(), format!("PATCH {path}"));
        let body = json!({"title": format!("title {number}"), "expected_version": 1});
        requests.spawn(async move { client.send(&line, Some(&body)).await });
    }
    let answers = requests.join_all().await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 1);
    assert_eq!(answers.iter().filter(|answer| answer.status == 409).count(), MANY - 1);
    owner.get(&path).await.expect(200, json!({"version": 2}));
}

async fn an_item_is_deleted_once(store: TestStore) {
    let owner = store.serve().await.owner();
    for query in ["", "?permanent=true"] {
        let path = format!("/notes/{}{query}", text(&owner.note("x", None).await["id"]));
        let mut requests = JoinSet::new();
        for _ in 0..MANY {
            let (client, path) = (owner.afresh(), path.clone());
            requests.spawn(async move { client.delete(&path).await });
        }
        let answers = requests.join_all().await;
        assert_eq!(answers.iter().filter(|answer| answer.status == 204).count(), 1, "{path}");
        assert_eq!(answers.iter().filter(|answer| answer.status == 404).count(), MANY - 1, "{path}");
    }
    owner.check("GET /notes", Value::Null, 200, json!({"total": 0})).await;
}
