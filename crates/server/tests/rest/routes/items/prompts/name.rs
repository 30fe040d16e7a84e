//! `GET /prompts/name/{name}`, `PATCH /prompts/name/{name}`

use serde_json::{Value, json};

use crate::support::client::text;
use crate::support::test_store::TestStore;

on_both!(a_prompt_is_read_and_changed_by_its_name, names_that_are_none_are_refused, a_deleted_prompt_has_no_name);

async fn a_prompt_is_read_and_changed_by_its_name(store: TestStore) {
    let owner = store.serve().await.owner();
    let made = owner.create("prompts", json!({"name": "hello", "content": "x"})).await;
    let read = owner.get("/prompts/name/hello").await;
    assert_eq!(read.header("etag"), "\"1.0\"");
    assert_eq!(read.expect(200, json!({})).json(), made);
    owner
        .get("/prompts/name/hello?include_content=false")
        .await
        .expect(200, json!({"content": null, "content_preview": "x"}));
    owner.check("PATCH /prompts/name/hello", json!({"content": "y"}), 200, json!({"content": "y", "version": 2})).await;
    owner.check("PATCH /prompts/name/hello", json!({"name": "bye"}), 200, json!({"name": "bye", "version": 3})).await;
    owner.get("/prompts/name/bye/").await.expect(200, json!({"id": made["id"]}));
    let refused = json!({"error": "not_found", "type": "prompt", "id": "hello", "message": "there is no prompt hello"});
    owner.check("GET /prompts/name/hello", Value::Null, 404, refused.clone()).await;
    owner.check("PATCH /prompts/name/hello", json!({"content": "z"}), 404, refused).await;
    owner.check("PATCH /prompts/name/bye", json!({"type": "note"}), 404, json!({"error": "not_found"})).await;
    owner.check("PATCH /prompts/name/bye", json!({"type": "prompt", "title": "t"}), 200, json!({"version": 4})).await;
}

async fn names_that_are_none_are_refused(store: TestStore) {
    let owner = store.serve().await.owner();
    for name in ["Hello", "a_b", "a%20b", "%00", "-", &"x".repeat(101)] {
        assert_eq!(owner.refused_fields(&format!("GET /prompts/name/{name}"), Value::Null).await, ["name"], "{name}");
        assert_eq!(owner.refused_fields(&format!("PATCH /prompts/name/{name}"), json!({})).await, ["name"], "{name}");
    }
}

async fn a_deleted_prompt_has_no_name(store: TestStore) {
    let owner = store.serve().await.owner();
    let path =
        format!("/prompts/{}", text(&owner.create("prompts", json!({"name": "hello", "content": "x"})).await["id"]));
    owner.post(&format!("{path}/archive"), json!({})).await.expect(200, json!({}));
    owner.get("/prompts/name/hello").await.expect(200, json!({"archived_at": "…Z…"}));
    owner.delete(&path).await.expect(204, Value::Null);
    owner.get("/prompts/name/hello").await.expect(404, json!({"error": "not_found"}));
}
