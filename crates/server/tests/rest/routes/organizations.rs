//! `/organizations`

use serde_json::json;

use crate::routes::code::CodeUsers;
use crate::support::test_store::TestStore;

on_both!(admins_make_organizations_and_all_see_their_own, wrong_fields_are_named);

async fn admins_make_organizations_and_all_see_their_own(store: TestStore) {
    let users = CodeUsers::new(store).await;
    let made = users.admin.post("/organizations", json!({"name": "new", "domain": "example.org"})).await;
    let made = made.expect(201, json!({"name": "new", "domain": "example.org"})).json();
    for (client, seen) in [
        (&users.admin, json!([{"name": "acme", "id": users.acme_id, "domain": null}, {"name": "umbra"}, made])),
        (&users.acme, json!([{"name": "acme"}])),
        (&users.umbra, json!([{"name": "umbra"}])),
        (&users.loner, json!([])),
    ] {
        client.get("/organizations").await.expect(200, json!({"organizations": seen}));
    }
    users.acme.get("/spaces").await.expect(
        200,
        json!({"spaces": [
            {"kind": "user", "role": "owner"},
            {"kind": "global", "role": "reader"},
            {"kind": "organization", "name": "acme", "role": "writer"},
            {"kind": "app", "name": "Portal", "role": "reader"},
            {"kind": "app", "name": "Shop", "role": "writer"},
        ]}),
    );
}

async fn wrong_fields_are_named(store: TestStore) {
    let users = CodeUsers::new(store).await;
    for (body, field) in [
        (json!({}), "name"),
        (json!({"name": " "}), "name"),
        (json!({"name": "a\0"}), "name"),
        (json!({"name": 1}), "name"),
        (json!({"name": "a", "domain": ""}), "domain"),
        (json!({"name": "a", "members": []}), "members"),
    ] {
        assert_eq!(users.admin.refused_fields("POST /organizations", body.clone()).await, [field], "{body}");
    }
    let keyed =
        users.admin.send_with("POST /organizations", &[("idempotency-key", "k")], Some(&json!({"name": "a"}))).await;
    keyed.expect(422, json!({"errors": [{"field": "Idempotency-Key"}]}));
}
