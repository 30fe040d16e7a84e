//! `POST /code/delete`

use serde_json::json;

use super::{Cast, FLOW, file, with};
use crate::client::text;
use crate::place::Place;

on_both!(a_deleted_file_is_gone_until_it_is_restored);

async fn a_deleted_file_is_gone_until_it_is_restored(place: Place) {
    let cast = Cast::new(place).await;
    let target = file("workflow", "acme.py");
    let wrong = with(&target, json!({"expected_version": 2}));
    cast.acme.post("/code/delete", wrong).await.expect(409, json!({"error": "conflict"}));
    let deleted = cast.acme.post("/code/delete", target.clone()).await.expect(
        200,
        json!({"success": true, "path": "acme.py", "entity_type": "workflow", "organization_id": cast.acme_id}),
    );
    let id = text(&deleted.json()["id"]);
    for line in ["/code/get", "/code/read", "/code/delete"] {
        cast.acme.post(line, target.clone()).await.expect(404, json!({"error": "not_found", "type": "workflow"}));
    }
    cast.acme.get(&format!("/content/{id}")).await.expect(200, json!({"path": "acme.py", "content": FLOW}));
    cast.acme.post(&format!("/content/{id}/restore"), json!({})).await.expect(200, json!({"path": "acme.py"}));
    assert_eq!(cast.text(&cast.acme, &target).await, FLOW);
}
