//! `POST /code/delete`

use serde_json::json;

use super::{CodeUsers, FLOW, file, with};
use crate::support::client::text;
use crate::support::test_store::TestStore;

on_both!(a_deleted_file_is_gone_until_it_is_restored);

async fn a_deleted_file_is_gone_until_it_is_restored(store: TestStore) {
    let users = CodeUsers::new(store).await;
    let target = file("workflow", "acme.py");
    let wrong = with(&target, json!({"expected_version": 2}));
    users.acme.post("/code/delete", wrong).await.expect(409, json!({"error": "conflict"}));
    let deleted = users.acme.post("/code/delete", target.clone()).await.expect(
        200,
        json!({"success": true, "path": "acme.py", "entity_type": "workflow", "organization_id": users.acme_id}),
    );
    let id = text(&deleted.json()["id"]);
    for line in ["/code/get", "/code/read", "/code/delete"] {
        users.acme.post(line, target.clone()).await.expect(404, json!({"error": "not_found", "type": "workflow"}));
    }
    users.acme.get(&format!("/content/{id}")).await.expect(200, json!({"path": "acme.py", "content": FLOW}));
    users.acme.post(&format!("/content/{id}/restore"), json!({})).await.expect(200, json!({"path": "acme.py"}));
    assert_eq!(users.text(&users.acme, &target).await, FLOW);
}
