//! `POST /code/list`

use serde_json::json;

use super::{Cast, FLOW, file};
use crate::place::Place;

on_both!(files_are_listed_with_what_is_known_of_them, what_a_caller_may_not_see_is_not_listed);

async fn files_are_listed_with_what_is_known_of_them(place: Place) {
    let cast = Cast::new(place).await;
    let listed = cast.acme.post("/code/list", json!({"entity_type": "app_file", "app_id": "shop"})).await;
    let listed = listed.expect(
        200,
        json!({"count": 2, "files": [
            {"path": "_layout.tsx", "entity_type": "app_file", "version": 1},
            {"path": "pages/index.tsx", "entity_type": "app_file", "total_lines": 4},
        ]}),
    );
    let first = &listed.json()["files"][0];
    let app = cast.acme.get("/apps/shop").await.id();
    assert_eq!(first["app_id"], json!(app));
    assert!(first.get("organization_id").is_none(), "{first}");
    assert!(first.get("content").is_none(), "{first}");
    let by_id = json!({"entity_type": "app_file", "app_id": app, "path_prefix": "/pages/"});
    cast.acme.post("/code/list", by_id).await.expect(200, json!({"count": 1, "files": [{"path": "pages/index.tsx"}]}));
}

async fn what_a_caller_may_not_see_is_not_listed(place: Place) {
    let cast = Cast::new(place).await;
    cast.put(&cast.acme, file("workflow", "shared.py"), FLOW).await;
    let of_acme = json!({"entity_type": "workflow", "organization_id": cast.acme_id});
    let acme = cast.acme_id.as_str();
    let acmes = json!([
        {"path": "acme.py", "organization_id": acme},
        {"path": "shared.py"},
        {"path": "shared.py"},
    ]);
    let global = json!([{"path": "shared.py", "organization_id": null}]);
    for (client, body, files) in [
        (&cast.acme, json!({"entity_type": "workflow"}), &acmes),
        (&cast.admin, of_acme.clone(), &acmes),
        (&cast.admin, json!({"entity_type": "workflow"}), &global),
        (&cast.umbra, json!({"entity_type": "workflow"}), &global),
        (&cast.loner, json!({"entity_type": "workflow"}), &global),
        (&cast.umbra, of_acme.clone(), &json!([])),
        (&cast.loner, of_acme, &json!([])),
    ] {
        let count = files.as_array().unwrap().len();
        client.post("/code/list", body).await.expect(200, json!({"files": files, "count": count}));
    }
}
