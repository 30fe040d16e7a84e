//! `POST /code/list`

use serde_json::json;

use super::{CodeUsers, FLOW, file};
use crate::support::test_store::TestStore;

on_both!(files_are_listed_with_what_is_known_of_them, what_a_caller_may_not_see_is_not_listed);

async fn files_are_listed_with_what_is_known_of_them(store: TestStore) {
    let users = CodeUsers::new(store).await;
    let listed = users.acme.post("/code/list", json!({"entity_type": "app_file", "app_id": "shop"})).await;
    let listed = listed.expect(
        200,
        json!({"count": 2, "files": [
            {"path": "_layout.tsx", "entity_type": "app_file", "version": 1},
            {"path": "pages/index.tsx", "entity_type": "app_file", "total_lines": 4},
        ]}),
    );
    let first = &listed.json()["files"][0];
    let app = users.acme.get("/apps/shop").await.id();
    assert_eq!(first["app_id"], json!(app));
    assert!(first.get("organization_id").is_none(), "{first}");
    assert!(first.get("content").is_none(), "{first}");
    let by_id = json!({"entity_type": "app_file", "app_id": app, "path_prefix": "/pages/"});
    users.acme.post("/code/list", by_id).await.expect(200, json!({"count": 1, "files": [{"path": "pages/index.tsx"}]}));
}

async fn what_a_caller_may_not_see_is_not_listed(store: TestStore) {
    let users = CodeUsers::new(store).await;
    users.put(&users.acme, file("workflow", "shared.py"), FLOW).await;
    let of_acme = json!({"entity_type": "workflow", "organization_id": users.acme_id});
    let acme = users.acme_id.as_str();
    let acmes = json!([
        {"path": "acme.py", "organization_id": acme},
        {"path": "shared.py"},
        {"path": "shared.py"},
    ]);
    let global = json!([{"path": "shared.py", "organization_id": null}]);
    for (client, body, files) in [
        (&users.acme, json!({"entity_type": "workflow"}), &acmes),
        (&users.admin, of_acme.clone(), &acmes),
        (&users.admin, json!({"entity_type": "workflow"}), &global),
        (&users.umbra, json!({"entity_type": "workflow"}), &global),
        (&users.loner, json!({"entity_type": "workflow"}), &global),
        (&users.umbra, of_acme.clone(), &json!([])),
        (&users.loner, of_acme, &json!([])),
    ] {
        let count = files.as_array().unwrap().len();
        client.post("/code/list", body).await.expect(200, json!({"files": files, "count": count}));
    }
}
