//! `/organizations`

use serde_json::json;

use crate::code::Cast;
use crate::place::Place;

on_both!(admins_make_organizations_and_all_see_their_own, wrong_fields_are_named);

async fn admins_make_organizations_and_all_see_their_own(place: Place) {
    let cast = Cast::new(place).await;
    let made = cast.admin.post("/organizations", json!({"name": "new", "domain": "example.org"})).await;
    let made = made.expect(201, json!({"name": "new", "domain": "example.org"})).json();
    for (client, seen) in [
        (&cast.admin, json!([{"name": "acme", "id": cast.acme_id, "domain": null}, {"name": "umbra"}, made])),
        (&cast.acme, json!([{"name": "acme"}])),
        (&cast.umbra, json!([{"name": "umbra"}])),
        (&cast.loner, json!([])),
    ] {
        client.get("/organizations").await.expect(200, json!({"organizations": seen}));
    }
    cast.acme.get("/spaces").await.expect(
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

async fn wrong_fields_are_named(place: Place) {
    let cast = Cast::new(place).await;
    for (body, field) in [
        (json!({}), "name"),
        (json!({"name": " "}), "name"),
        (json!({"name": "a\0"}), "name"),
        (json!({"name": 1}), "name"),
        (json!({"name": "a", "domain": ""}), "domain"),
        (json!({"name": "a", "members": []}), "members"),
    ] {
        assert_eq!(cast.admin.refused_fields("POST /organizations", body.clone()).await, [field], "{body}");
    }
    let keyed =
        cast.admin.send_with("POST /organizations", &[("idempotency-key", "k")], Some(&json!({"name": "a"}))).await;
    keyed.expect(422, json!({"errors": [{"field": "Idempotency-Key"}]}));
}
