//! `/users`, `/users/me`

use interline_server::{Auth, Settings};
use serde_json::{Value, json};

use crate::support::client::text;
use crate::support::test_store::TestStore;

on_both!(
    an_admin_makes_users_with_a_first_token,
    only_admins_manage_users,
    wrong_fields_are_named,
    a_user_is_removed_with_its_tokens_and_on_demand_with_its_items,
    without_authentication_every_request_is_the_owners,
);

async fn an_admin_makes_users_with_a_first_token(store: TestStore) {
    let server = store.serve().await;
    let owner = server.owner();
    owner
        .get("/users/me")
        .await
        .expect(200, json!({"name": "owner", "admin": true, "email": null, "organization_id": null}));
    let body = json!({"name": "ada", "email": "ada@example.org"});
    let made = owner
        .check("POST /users", body, 201, json!({"name": "ada", "email": "ada@example.org", "admin": false}))
        .await
        .json();
    let ada = server.with_token(&text(&made["token"]));
    let me = ada
        .get("/users/me/")
        .await
        .expect(200, json!({"id": made["id"], "name": "ada", "created_at": made["created_at"]}));
    assert!(me.json().get("token").is_none());
    ada.get("/tokens").await.expect(200, json!({"tokens": [{"name": "first"}]}));
    ada.create("notes", json!({"title": "x"})).await;
    let admin =
        owner.check("POST /users", json!({"name": "eve", "admin": true}), 201, json!({"admin": true})).await.json();
    let admin = server.with_token(&text(&admin["token"]));
    let users =
        admin.get("/users").await.expect(200, json!({"users": [{"name": "owner"}, {"name": "ada"}, {"name": "eve"}]}));
    assert!(!String::from_utf8_lossy(&users.bytes).contains("il_"));
}

async fn only_admins_manage_users(store: TestStore) {
    let owner = store.serve().await.owner();
    let (ada, _) = owner.new_user("ada").await;
    for client in [&ada, &owner.new_token(json!({"name": "x", "scopes": ["read", "write"]})).await.0] {
        client.get("/users").await.expect(403, json!({"error": "forbidden", "message": "…admin…"}));
        client.check("POST /users", json!({"name": "x"}), 403, json!({"error": "forbidden"})).await;
    }
    owner.get("/users").await.expect(200, json!({"users": [{}, {}]}));
}

async fn wrong_fields_are_named(store: TestStore) {
    let owner = store.serve().await.owner();
    for (body, field) in [
        (json!({}), "name"),
        (json!({"name": null}), "name"),
        (json!({"name": " "}), "name"),
        (json!({"name": "x".repeat(201)}), "name"),
        (json!({"name": "a\0"}), "name"),
        (json!({"name": "x", "email": ""}), "email"),
        (json!({"name": "x", "email": 1}), "email"),
        (json!({"name": "x", "admin": "yes"}), "admin"),
        (json!({"name": "x", "admin": null}), "admin"),
        (json!({"name": "x", "password": "y"}), "password"),
        (json!({"name": "x", "organization_id": "y"}), "organization_id"),
        (json!({"name": "x", "organization_id": "0190a6f4-7b3c-7def-8123-456789abcdef"}), "organization_id"),
        (json!([]), "body"),
    ] {
        assert_eq!(owner.refused_fields("POST /users", body.clone()).await, [field], "{body}");
    }
}

async fn a_user_is_removed_with_its_tokens_and_on_demand_with_its_items(store: TestStore) {
    let owner = store.serve().await.owner();
    let (empty, empty_id) = owner.new_user("empty").await;
    owner.delete(&format!("/users/{empty_id}")).await.expect(204, Value::Null);
    empty.get("/users/me").await.expect(401, json!({"error": "unauthorized"}));

    let (full, full_id) = owner.new_user("full").await;
    full.note("x", None).await;
    let refused = owner.delete(&format!("/users/{full_id}")).await;
    assert!((400..500).contains(&refused.status), "{}", refused.status);
    full.get("/notes").await.expect(200, json!({"total": 1}));
    assert_eq!(owner.refused_fields(&format!("DELETE /users/{full_id}?purge=yes"), Value::Null).await, ["purge"]);
    full.delete(&format!("/users/{full_id}?purge=true")).await.expect(403, json!({"error": "forbidden"}));
    owner.delete(&format!("/users/{full_id}?purge=true")).await.expect(204, Value::Null);
    full.get("/notes").await.expect(401, json!({"error": "unauthorized"}));
    owner.delete(&format!("/users/{full_id}")).await.expect(404, json!({"error": "not_found"}));
    owner.get("/users").await.expect(200, json!({"users": [{"name": "owner"}]}));
}

async fn without_authentication_every_request_is_the_owners(store: TestStore) {
    let settings = Settings { auth: Auth::Owner(store.owner), ..Settings::default() };
    let server = store.serve_with(settings).await;
    let nobody = server.without_token();
    nobody.get("/users/me").await.expect(200, json!({"name": "owner", "admin": true}));
    let note = nobody.note("x", None).await;
    // There are no limits without authentication, whatever the settings say.
    let read = nobody.get(&format!("/notes/{}", text(&note["id"]))).await.expect(200, json!({}));
    assert_eq!(read.header("ratelimit-limit"), "");
    nobody.get("/users").await.expect(200, json!({"users": [{}]}));
    server.with_token("il_wrong").get("/notes").await.expect(200, json!({"total": 1}));
    nobody.check("GET /notes", Value::Null, 200, json!({"items": [{"id": note["id"]}]})).await;
}
