//! `/apps`

use serde_json::{Value, json};

use crate::routes::code::{CodeUsers, app_file, with};
use crate::support::client::text;
use crate::support::test_store::TestStore;

on_both!(
    an_app_begins_with_a_scaffold_and_is_changed,
    wrong_fields_are_named,
    a_slug_means_the_nearest_app,
    what_is_published_stays,
    an_empty_draft_is_not_published,
    publishing_freezes_under_concurrent_edits,
    a_deleted_app_comes_back_with_all_it_had,
);

async fn an_app_begins_with_a_scaffold_and_is_changed(store: TestStore) {
    let users = CodeUsers::new(store).await;
    let body =
        json!({"name": "Field Reports", "description": "From the field", "navigation": {"items": [{"path": "/"}]}});
    let made = users.acme.post("/apps", body).await.expect(
        201,
        json!({"name": "Field Reports", "slug": "field-reports", "organization_id": users.acme_id,
            "description": "From the field", "navigation": {"items": [{"path": "/"}]}, "published_version": null,
            "draft": {"count": 2, "files": [{"path": "_layout.tsx"}, {"path": "pages/index.tsx", "version": 1}]}}),
    );
    let id = made.id();
    assert_eq!(made.header("location"), format!("/apps/{id}"));
    assert_eq!(users.acme.get("/apps/field-reports").await.json(), made.json());
    assert_eq!(users.acme.get(&format!("/apps/{id}")).await.json(), made.json());
    for (patch, expected) in [
        (json!({}), json!({"updated_at": made.json()["updated_at"]})),
        (json!({"description": null, "navigation": null}), json!({"description": null, "navigation": null})),
        (json!({"name": "Reports", "slug": "reports"}), json!({"name": "Reports", "slug": "reports"})),
        (json!({"navigation": [1]}), json!({"navigation": [1], "name": "Reports"})),
    ] {
        users.acme.patch(&format!("/apps/{id}"), patch).await.expect(200, expected);
    }
    users.acme.get("/apps/field-reports").await.expect(404, json!({"error": "not_found", "type": "app"}));
    let listed = users.acme.get("/apps").await.expect(200, json!({"count": 3})).json();
    let slugs: Vec<&str> = listed["apps"].as_array().unwrap().iter().map(|app| app["slug"].as_str().unwrap()).collect();
    assert_eq!(slugs, ["portal", "shop", "reports"]);
    assert!(listed["apps"][0].get("draft").is_none());
}

async fn wrong_fields_are_named(store: TestStore) {
    let users = CodeUsers::new(store).await;
    let nowhere = "0190a6f4-7b3c-7def-8123-456789abcdef";
    for (body, field) in [
        (json!({}), "name"),
        (json!({"name": ""}), "name"),
        (json!({"name": "日本"}), "slug"),
        (json!({"name": "a", "slug": "A b"}), "slug"),
        (json!({"name": "a", "slug": nowhere}), "slug"),
        (json!({"name": "a", "organization_id": "acme"}), "organization_id"),
        (json!({"name": "a", "description": "x".repeat(4_001)}), "description"),
        (json!({"name": "a", "navigation": "x".repeat(70_000)}), "navigation"),
        (json!({"name": "a", "draft": {}}), "draft"),
    ] {
        assert_eq!(users.acme.refused_fields("POST /apps", body.clone()).await, [field], "{body}");
    }
    for (body, field) in [
        (json!({"name": null}), "name"),
        (json!({"slug": null}), "slug"),
        (json!({"slug": "a--b"}), "slug"),
        (json!({"organization_id": null}), "organization_id"),
    ] {
        assert_eq!(users.acme.refused_fields("PATCH /apps/shop", body.clone()).await, [field], "{body}");
    }
    let elsewhere = json!({"name": "a", "organization_id": nowhere});
    users.admin.post("/apps", elsewhere).await.expect(404, json!({"error": "not_found", "type": "organization"}));
    let shop = users.acme.get("/apps/shop").await.id();
    users
        .acme
        .post("/apps", json!({"name": "Shop"}))
        .await
        .expect(409, json!({"error": "duplicate", "field": "slug", "existing_id": shop, "existing_state": "active"}));
    users.acme.get("/apps/shop/versions/0").await.expect(422, json!({"errors": [{"field": "version"}]}));
    users.acme.get("/apps/shop/versions/1/file").await.expect(422, json!({"errors": [{"field": "path"}]}));
    let keyed = users.acme.send_with("POST /apps/shop/publish", &[("idempotency-key", "k")], None).await;
    keyed.expect(422, json!({"errors": [{"field": "Idempotency-Key"}]}));
}

async fn a_slug_means_the_nearest_app(store: TestStore) {
    let users = CodeUsers::new(store).await;
    let acmes = users.acme.get("/apps/shop").await.id();
    let umbras = users.umbra.post("/apps", json!({"name": "Shop"})).await.expect(201, json!({})).id();
    assert_eq!(users.umbra.get("/apps/shop").await.id(), umbras);
    let refused = users.admin.get("/apps/shop").await;
    refused.expect(400, json!({"error": "invalid_parameters", "message": "…by its id…"}));
    assert_eq!(users.admin.get(&format!("/apps/{acmes}")).await.id(), acmes);
    users.umbra.get(&format!("/apps/{acmes}")).await.expect(404, json!({"error": "not_found"}));
    let global = users.admin.post("/apps", json!({"name": "Shop"})).await.expect(201, json!({})).id();
    assert_eq!(users.admin.get("/apps/shop").await.id(), global);
    assert_eq!(users.acme.get("/apps/shop").await.id(), acmes);
    assert_eq!(users.loner.get("/apps/shop").await.id(), global);
}

async fn what_is_published_stays(store: TestStore) {
    let users = CodeUsers::new(store).await;
    let me = users.acme.get("/users/me").await.id();
    let publish = async || users.acme.send("POST /apps/shop/publish", None).await;
    publish().await.expect(
        200,
        json!({"success": true, "version": 1, "file_count": 2, "user": me, "app": {"slug": "shop", "published_version": 1}}),
    );
    let index = app_file("shop", "pages/index.tsx");
    let before = users.text(&users.acme, &index).await;
    let edit = with(&index, json!({"old_string": "Hello", "new_string": "Bye"}));
    users.acme.post("/code/patch", edit).await.expect(200, json!({}));
    let gone = users.acme.post("/code/delete", app_file("shop", "_layout.tsx")).await.id();
    users.acme.delete(&format!("/content/{gone}?permanent=true")).await.expect(204, Value::Null);
    publish().await.expect(200, json!({"version": 2, "file_count": 1}));
    users.acme.get("/apps/shop/versions").await.expect(
        200,
        json!({"versions": [{"version": 2, "file_count": 1}, {"version": 1, "file_count": 2, "user": me}]}),
    );
    users.acme.get("/apps/shop/versions/1").await.expect(
        200,
        json!({"version": 1, "files": [{"path": "_layout.tsx"}, {"path": "pages/index.tsx", "content_length": before.len()}]}),
    );
    let read = async |version: u64, path: &str| {
        users.acme.get(&format!("/apps/shop/versions/{version}/file?path={path}")).await
    };
    read(1, "pages/index.tsx").await.expect(200, json!({"content": before, "path": "pages/index.tsx", "version": 1}));
    read(1, "_layout.tsx").await.expect(200, json!({}));
    read(2, "/pages/index.tsx").await.expect(200, json!({"content": before.replace("Hello", "Bye")}));
    read(2, "_layout.tsx").await.expect(404, json!({"error": "not_found"}));
    read(3, "pages/index.tsx").await.expect(404, json!({"error": "not_found"}));
    users.acme.get("/apps/shop/versions/3").await.expect(404, json!({"error": "not_found"}));
    users.acme.get("/apps/shop").await.expect(200, json!({"published_version": 2, "draft": {"count": 1}}));
}

async fn an_empty_draft_is_not_published(store: TestStore) {
    let users = CodeUsers::new(store).await;
    for path in ["_layout.tsx", "pages/index.tsx"] {
        users.acme.post("/code/delete", app_file("shop", path)).await.expect(200, json!({}));
    }
    assert_eq!(users.acme.refused_fields("POST /apps/shop/publish", Value::Null).await, ["draft"]);
    users.acme.get("/apps/shop/versions").await.expect(200, json!({"versions": []}));
}

/// The two files of the app always say the same version, and no published one changes after it was answered.
async fn publishing_freezes_under_concurrent_edits(store: TestStore) {
    let users = CodeUsers::new(store).await;
    let target = app_file("shop", "counter.txt");
    users.put(&users.acme, target.clone(), "0").await;
    let writer = users.acme.afresh();
    let writing = tokio::spawn(async move {
        for number in 1..40 {
            let body = with(&target, json!({"content": number.to_string()}));
            writer.post("/code/replace", body).await.expect(200, json!({"created": false}));
        }
    });
    let mut published = Vec::new();
    for _ in 0..10 {
        let version =
            users.acme.send("POST /apps/shop/publish", None).await.expect(200, json!({})).json()["version"].clone();
        let path = format!("/apps/shop/versions/{version}/file?path=counter.txt");
        let content = text(&users.acme.get(&path).await.json()["content"]);
        published.push((path, content));
    }
    writing.await.unwrap();
    let numbers: Vec<u32> = published.iter().map(|(_, content)| content.parse().unwrap()).collect();
    assert!(numbers.is_sorted(), "{numbers:?}");
    for (path, content) in published {
        users.acme.get(&path).await.expect(200, json!({"content": content}));
    }
    assert_eq!(users.text(&users.acme, &app_file("shop", "counter.txt")).await, "39");
}

async fn a_deleted_app_comes_back_with_all_it_had(store: TestStore) {
    let users = CodeUsers::new(store).await;
    let id = users.acme.get("/apps/shop").await.id();
    let index = app_file(&id, "pages/index.tsx");
    let content = users.text(&users.acme, &index).await;
    let files = users.acme.get("/content?type=app_file").await.json();
    let is_index = |file: &&Value| file["app_id"] == id.as_str() && file["path"] == "pages/index.tsx";
    let file = text(&files["items"].as_array().unwrap().iter().find(is_index).unwrap()["id"]);
    users.acme.send("POST /apps/shop/publish", None).await.expect(200, json!({"version": 1}));
    users.umbra.delete(&format!("/apps/{id}")).await.expect(404, json!({"error": "not_found"}));
    users.loner.delete("/apps/portal").await.expect(403, json!({"error": "forbidden"}));
    users.acme.delete("/apps/shop").await.expect(204, Value::Null);
    for path in
        [format!("/apps/{id}"), "/apps/shop".to_owned(), format!("/apps/{id}/versions"), format!("/content/{file}")]
    {
        users.acme.get(&path).await.expect(404, json!({"error": "not_found"}));
        users.admin.get(&path).await.expect(404, json!({"error": "not_found"}));
    }
    users.acme.delete("/apps/shop").await.expect(404, json!({"error": "not_found"}));
    users.acme.get("/apps").await.expect(200, json!({"count": 1, "apps": [{"slug": "portal"}]}));
    users.acme.get("/content?q=Hello&type=app_file").await.expect(200, json!({"total": 1}));
    let trash = json!({"count": 1, "apps": [{"id": id, "slug": "shop", "deleted_at": "…Z…", "published_version": 1}]});
    users.acme.get("/apps?view=deleted").await.expect(200, trash);
    users.umbra.get("/apps?view=deleted").await.expect(200, json!({"count": 0}));
    assert_eq!(users.acme.refused_fields("GET /apps?view=archived", Value::Null).await, ["view"]);
    users.umbra.send(&format!("POST /apps/{id}/restore"), None).await.expect(404, json!({"error": "not_found"}));
    users.acme.send("POST /apps/shop/restore", None).await.expect(200, json!({"id": id, "published_version": 1}));
    assert_eq!(users.text(&users.acme, &index).await, content);
    users.acme.get("/apps/shop/versions/1").await.expect(200, json!({"file_count": 2}));
    users.acme.get("/apps?view=deleted").await.expect(200, json!({"count": 0}));
}
