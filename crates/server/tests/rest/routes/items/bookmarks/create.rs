//! `POST /bookmarks`

use serde_json::{Value, json};

use crate::support::client::text;
use crate::support::test_store::TestStore;

on_both!(an_address_is_normalised, wrong_addresses_are_named, an_address_is_taken_once_per_user);

async fn an_address_is_normalised(store: TestStore) {
    let owner = store.serve().await.owner();
    for (given, kept) in [
        ("https://example.org", "https://example.org/"),
        ("  HTTP://EXAMPLE.org:80/a/../b?q=1#f ", "http://example.org/b?q=1#f"),
        ("https://bücher.example/ä b", "https://xn--bcher-kva.example/%C3%A4%20b"),
        ("http://127.0.0.1:8080/", "http://127.0.0.1:8080/"),
    ] {
        let expected = json!({"type": "bookmark", "url": kept, "title": null, "content": null, "tags": []});
        let made = owner.check("POST /bookmarks", json!({"url": given}), 201, expected).await;
        assert_eq!(made.header("location"), format!("/bookmarks/{}", made.id()));
        assert!(made.json().get("name").is_none());
        owner.get(&format!("/bookmarks/{}", made.id())).await.expect(200, json!({"url": kept}));
    }
    owner.create("bookmarks", json!({"url": "https://x.example", "title": " ", "content": "text"})).await;
}

async fn wrong_addresses_are_named(store: TestStore) {
    let owner = store.serve().await.owner();
    for (body, message) in [
        (json!({}), "…is required…"),
        (json!({"url": null}), "…is required…"),
        (json!({"url": ""}), "…must not be blank…"),
        (json!({"url": "example.org"}), "…the address needs `https://` in front…"),
        (json!({"url": "/path"}), "…the address needs `https://` in front…"),
        (json!({"url": "ftp://example.org"}), "…only http and https…"),
        (json!({"url": "javascript:alert(1)"}), "…only http and https…"),
        (json!({"url": "https://user:secret@example.org"}), "…user name or password…"),
        (json!({"url": "https://"}), "…absolute address…"),
        (json!({"url": 1}), "…integer `1`…"),
        (json!({"url": "https://example.org/\0"}), "…NUL…"),
        (json!({"url": format!("https://example.org/{}", "x".repeat(2_048))}), "…2068 characters; the limit is 2048…"),
        (json!({"url": format!("https://example.org/{}", "ä".repeat(2_000))}), "…the limit is 2048…"),
    ] {
        let expected = json!({"error": "validation_failed", "errors": [{"field": "url", "message": message}]});
        owner.check("POST /bookmarks", body, 422, expected).await;
    }
    for absent in ["name", "arguments"] {
        let body = json!({"url": "https://example.org", absent: if absent == "name" { json!("x") } else { json!([]) }});
        assert_eq!(owner.refused_fields("POST /bookmarks", body).await, [absent]);
    }
}

async fn an_address_is_taken_once_per_user(store: TestStore) {
    let owner = store.serve().await.owner();
    let body = json!({"url": "https://example.org/page"});
    let id = text(&owner.create("bookmarks", body.clone()).await["id"]);
    let duplicate = |state: &str| {
        json!({
            "error": "duplicate", "field": "url", "existing_id": id, "existing_state": state,
            "message": "…https://example.org/page…", "suggestion": format!("…{id}…"),
        })
    };
    owner.check("POST /bookmarks", json!({"url": "HTTPS://example.org:443/page"}), 409, duplicate("active")).await;
    owner.post(&format!("/bookmarks/{id}/archive"), json!({})).await.expect(200, json!({}));
    owner.check("POST /bookmarks", body.clone(), 409, duplicate("archived")).await;

    let (other, _) = owner.new_user("other").await;
    other.create("bookmarks", body.clone()).await;

    owner.delete(&format!("/bookmarks/{id}")).await.expect(204, Value::Null);
    owner.create("bookmarks", body).await;
}
