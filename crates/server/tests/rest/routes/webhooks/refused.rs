//! Webhooks that are refused, and those that do not exist for the caller.

use interline_items::WebhookTargets;
use serde_json::json;

use super::{add, with_jobs, with_worker};
use crate::support::client::text;
use crate::support::http_endpoint::{EndpointReply, HttpEndpoint};
use crate::support::test_store::TestStore;

on_both!(
    private_addresses_are_refused,
    wrong_webhooks_are_refused_by_name,
    the_webhooks_of_others_do_not_exist,
    a_narrow_token_has_narrow_webhooks,
);

async fn private_addresses_are_refused(store: TestStore) {
    let server = store.serve_with(with_jobs(|jobs| jobs.targets = WebhookTargets::Public)).await;
    let owner = server.owner();
    for url in [
        "http://127.0.0.1:80/",
        "http://localhost/",
        "http://[::1]/",
        "http://10.0.0.1/",
        "http://169.254.169.254/latest/meta-data",
        "http://2130706433/",
        "http://[::ffff:192.168.0.1]/",
    ] {
        let answer = owner.post("/webhooks", json!({"url": url})).await.expect(422, json!({}));
        assert!(text(&answer.json()["errors"][0]["message"]).contains("private"), "{url}: {}", answer.json());
    }
    add(&owner, "https://example.com/hook").await;
}

async fn wrong_webhooks_are_refused_by_name(store: TestStore) {
    let server = store.serve_with(with_worker(None)).await;
    let owner = server.owner();
    let url = "https://example.com/";
    for (body, fields) in [
        (json!({}), vec!["url"]),
        (json!({"url": null}), vec!["url"]),
        (json!({"url": ""}), vec!["url"]),
        (json!({"url": "ftp://example.com/"}), vec!["url"]),
        (json!({"url": "example.com"}), vec!["url"]),
        (json!({"url": "https://u:p@example.com/"}), vec!["url"]),
        (json!({"url": format!("{url}{}", "x".repeat(2_000))}), vec!["url"]),
        (json!({"url": url, "types": []}), vec!["types"]),
        (json!({"url": url, "types": ["note", "poem"]}), vec!["types[1]"]),
        (json!({"url": url, "types": null}), vec!["types"]),
        (json!({"url": url, "space_id": "0190a6f4-7b3c-7def-8123-456789abcdef"}), vec!["space_id"]),
        (json!({"url": url, "secret": "mine"}), vec!["secret"]),
    ] {
        assert_eq!(owner.refused_fields("POST /webhooks", body.clone()).await, fields, "{body}");
    }
    let (id, _) = add(&owner, url).await;
    for (body, field) in [
        (json!({"url": "file:///etc/passwd"}), "url"),
        (json!({"active": "yes"}), "active"),
        (json!({"active": null}), "active"),
        (json!({"types": ["x"]}), "types[0]"),
        (json!({"space_id": id}), "space_id"),
    ] {
        assert_eq!(owner.refused_fields(&format!("PATCH /webhooks/{id}"), body.clone()).await, [field], "{body}");
    }
    for query in ["limit=0", "limit=501", "before=x", "before=0"] {
        let path = format!("/webhooks/{id}/deliveries?{query}");
        owner.get(&path).await.expect(422, json!({"error": "validation_failed"}));
    }
    for number in 1..50 {
        add(&owner, &format!("https://example.com/{number}")).await;
    }
    assert_eq!(owner.refused_fields("POST /webhooks", json!({"url": url})).await, ["url"], "there are enough");
}

async fn the_webhooks_of_others_do_not_exist(store: TestStore) {
    let server = store.serve_with(with_worker(None)).await;
    let owner = server.owner();
    let (bob, _) = owner.new_user("bob").await;
    let mut endpoint = HttpEndpoint::answering([EndpointReply::Status(200)]).await;
    let (id, _) = add(&bob, &endpoint.url("/")).await;
    assert_eq!(owner.get("/webhooks").await.json(), json!({"webhooks": []}));
    owner.get(&format!("/webhooks/{id}")).await.expect(404, json!({"error": "not_found"}));
    // He is told of what is his alone.
    owner.note("hers", None).await;
    let his = bob.note("his", None).await;
    assert_eq!(endpoint.next().await.json()["id"], his["id"]);
    let space = text(&owner.get("/spaces").await.json()["spaces"][0]["id"]);
    let body = json!({"url": endpoint.url("/"), "space_id": space});
    assert_eq!(bob.refused_fields("POST /webhooks", body).await, ["space_id"]);
    // What he only reads, he can listen to.
    let spaces = bob.get("/spaces").await.json();
    let global = spaces["spaces"].as_array().unwrap().iter().find(|space| space["kind"] == json!("global")).unwrap();
    let body = json!({"url": endpoint.url("/"), "space_id": global["id"]});
    bob.post("/webhooks", body).await.expect(403, json!({"error": "forbidden"}));
}

async fn a_narrow_token_has_narrow_webhooks(store: TestStore) {
    let server = store.serve_with(with_worker(None)).await;
    let owner = server.owner();
    let (notes, _) = owner.new_token(json!({"name": "notes", "kinds": ["note"]})).await;
    let (reader, _) = owner.new_token(json!({"name": "reader", "scopes": ["read"]})).await;
    let wide = add(&owner, "https://example.com/wide").await.0;
    let body = json!({"url": "https://example.com/narrow"});
    let made = notes.post("/webhooks", body.clone()).await.expect(201, json!({"types": ["note"]})).json();
    notes.get(&format!("/webhooks/{wide}")).await.expect(404, json!({}));
    let seen = notes.get("/webhooks").await.json();
    assert_eq!(seen["webhooks"].as_array().unwrap().len(), 1);
    let wider = json!({"url": "https://example.com/", "types": ["prompt"]});
    notes.post("/webhooks", wider).await.expect(403, json!({"error": "forbidden"}));
    reader.post("/webhooks", body).await.expect(403, json!({"error": "forbidden"}));
    reader.delete(&format!("/webhooks/{}", text(&made["id"]))).await.expect(403, json!({"error": "forbidden"}));
}
