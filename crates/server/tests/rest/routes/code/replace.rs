//! `POST /code/replace`

use serde_json::json;

use super::{CodeUsers, FLOW, MODULE, app_file, file, with};
use crate::support::client::text;
use crate::support::test_store::TestStore;

on_both!(
    a_file_is_made_and_then_replaced,
    python_is_checked_before_it_is_stored,
    a_deleted_path_gets_a_new_file,
    of_many_that_make_one_file_one_makes_it,
);

async fn a_file_is_made_and_then_replaced(store: TestStore) {
    let users = CodeUsers::new(store).await;
    let target = file("workflow", "jobs/nightly.py");
    let body = with(&target, json!({"content": FLOW}));
    let expected = json!({"success": true, "path": "jobs/nightly.py", "entity_type": "workflow",
        "organization_id": users.acme_id, "created": true, "version": 1});
    users.acme.post("/code/replace", body.clone()).await.expect(201, expected);
    users.acme.post("/code/replace", body).await.expect(200, json!({"created": false, "version": 1}));
    let other = with(&target, json!({"content": FLOW.replace("x", "y"), "expected_version": 1}));
    users.acme.post("/code/replace", other.clone()).await.expect(200, json!({"created": false, "version": 2}));
    users.acme.post("/code/replace", other).await.expect(409, json!({"error": "conflict", "current_version": 2}));
    let none = with(&file("workflow", "none.py"), json!({"content": FLOW, "expected_version": 1}));
    users.acme.post("/code/replace", none).await.expect(404, json!({"error": "not_found", "id": "none.py"}));
}

async fn python_is_checked_before_it_is_stored(store: TestStore) {
    let users = CodeUsers::new(store).await;
    let deep = format!("x = {}1{}\n", "(".repeat(10_000), ")".repeat(10_000));
    for (kind, content, status, code) in [
        ("module", "x = \n", 400, "invalid_code"),
        ("module", "if 1:\n\tx = 1\n        y = 2\n", 400, "invalid_code"),
        ("module", deep.as_str(), 400, "invalid_code"),
        ("module", FLOW, 400, "entity_type_mismatch"),
        ("workflow", MODULE, 400, "entity_type_mismatch"),
        ("workflow", "", 400, "entity_type_mismatch"),
        ("workflow", "# @workflow\n'@workflow'\n", 400, "entity_type_mismatch"),
        ("module", "a\0", 422, "validation_failed"),
    ] {
        let body = with(&file(kind, "a.py"), json!({"content": content}));
        users.admin.post("/code/replace", body).await.expect(status, json!({"error": code}));
    }
    for (kind, path, content) in [
        ("module", "empty.py", ""),
        ("module", "bom.py", "\u{feff}x = 1\r\n"),
        ("workflow", "f.py", "import bifrost\n@bifrost.tool()\nasync def f(*, a: int | None = None): ...\n"),
    ] {
        users.put(&users.admin, file(kind, path), content).await;
        assert_eq!(users.text(&users.admin, &file(kind, path)).await, content);
    }
    users.put(&users.acme, app_file("shop", "empty"), "").await;
    users.put(&users.acme, app_file("shop", "not python.py"), "def (").await;
}

async fn a_deleted_path_gets_a_new_file(store: TestStore) {
    let users = CodeUsers::new(store).await;
    let target = file("workflow", "acme.py");
    let first = users.acme.post("/code/delete", target.clone()).await.expect(200, json!({"success": true}));
    let first = text(&first.json()["id"]);
    users.put(&users.acme, target.clone(), FLOW).await;
    let second = text(&users.acme.post("/code/get", target).await.json()["id"]);
    assert_ne!(first, second);
    let restored = users.acme.post(&format!("/content/{first}/restore"), json!({})).await;
    restored
        .expect(409, json!({"error": "duplicate", "field": "path", "existing_id": second, "existing_state": "active"}));
}

async fn of_many_that_make_one_file_one_makes_it(store: TestStore) {
    let users = CodeUsers::new(store).await;
    let tasks: Vec<_> = (0..12)
        .map(|number| {
            let client = users.acme.afresh();
            let body = with(&app_file("shop", "new.txt"), json!({"content": number.to_string()}));
            tokio::spawn(async move { client.post("/code/replace", body).await.status })
        })
        .collect();
    let mut statuses = Vec::new();
    for task in tasks {
        statuses.push(task.await.unwrap());
    }
    statuses.sort_unstable();
    assert_eq!((statuses[..11].to_vec(), statuses[11]), (vec![200; 11], 201));
    users.acme.post("/code/get", app_file("shop", "new.txt")).await.expect(200, json!({"version": 12}));
}
