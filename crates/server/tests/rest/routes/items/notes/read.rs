//! `GET /notes/{id}`

use serde_json::{Value, json};

use crate::support::client::text;
use crate::support::test_store::TestStore;

on_both!(
    content_and_preview_exclude_each_other,
    reading_writes_nothing,
    an_item_of_another_kind_is_not_found,
    what_is_not_an_id_is_refused,
    an_unknown_id_is_not_found,
    head_answers_as_get_without_a_body,
    archived_and_deleted_items_are_read,
);

async fn content_and_preview_exclude_each_other(store: TestStore) {
    let owner = store.serve().await.owner();
    let long = "äb\n".repeat(200);
    let preview: String = long.chars().take(500).collect();
    let whole = json!({"total_lines": 201, "start_line": 1, "end_line": 201, "is_partial": false});
    let nothing = json!({"content_length": null, "content_preview": null, "content": null, "content_metadata": null});
    let with = json!({"content_length": 600, "content_preview": null, "content": long, "content_metadata": whole});
    let without = json!({"content_length": 600, "content_preview": preview, "content": null, "content_metadata": null});
    let one_line = json!({"total_lines": 1, "start_line": 1, "end_line": 1, "is_partial": false});
    for (content, query, expected) in [
        (Some(&*long), "", with.clone()),
        (Some(&*long), "?include_content=true", with),
        (Some(&*long), "?include_content=false", without),
        (
            Some(""),
            "",
            json!({"content_length": 0, "content_preview": null, "content": "", "content_metadata": one_line}),
        ),
        (Some(""), "?include_content=false", json!({"content_length": 0, "content_preview": "", "content": null})),
        (None, "", nothing.clone()),
        (None, "?include_content=true", nothing.clone()),
        (None, "?include_content=false", nothing),
    ] {
        let id = text(&owner.note("x", content).await["id"]);
        owner.check(&format!("GET /notes/{id}{query}"), Value::Null, 200, expected.clone()).await;
        owner.check(&format!("GET /content/{id}{query}"), Value::Null, 200, expected).await;
    }
}

async fn reading_writes_nothing(store: TestStore) {
    let owner = store.serve().await.owner();
    let made = owner.note("x", Some("y")).await;
    let path = format!("/notes/{}", text(&made["id"]));
    for query in ["", "?include_content=false", "?start_line=1"] {
        owner.get(&format!("{path}{query}")).await.expect(200, json!({}));
    }
    assert_eq!(owner.get(&path).await.json(), made);
}

async fn an_item_of_another_kind_is_not_found(store: TestStore) {
    let owner = store.serve().await.owner();
    let id = text(&owner.note("x", None).await["id"]);
    for path in ["bookmarks/{}", "prompts/{}", "content/{}?type=prompt", "notes/{}?type=bookmark"] {
        let path = path.replace("{}", &id);
        let refused = json!({"error": "not_found", "id": id});
        owner.check(&format!("GET /{path}"), Value::Null, 404, refused).await;
    }
    for path in ["content/{}", "content/{}?type=note", "notes/{}?type=note"] {
        owner.check(&format!("GET /{}", path.replace("{}", &id)), Value::Null, 200, json!({"type": "note"})).await;
    }
    assert_eq!(owner.refused_fields(&format!("GET /content/{id}?type=poem"), Value::Null).await, ["type"]);
}

async fn what_is_not_an_id_is_refused(store: TestStore) {
    let owner = store.serve().await.owner();
    for id in [
        "x",
        "1",
        "%20",
        "%00",
        "%ff",
        "0190a6f47b3c7def8123456789abcdef",
        "{0190a6f4-7b3c-7def-8123-456789abcdef}",
        "urn:uuid:0190a6f4-7b3c-7def-8123-456789abcdef",
        "0190a6f4-7b3c-7def-8123-456789abcdeg",
        "'%20OR%201=1--",
        "0190a6f4-7b3c-7def-8123-456789abcdef%20",
        "..%2f..%2fetc%2fpasswd",
    ] {
        for line in
            ["GET /notes/{}", "DELETE /notes/{}", "POST /notes/{}/restore", "GET /content/{}", "DELETE /tokens/{}"]
        {
            assert_eq!(owner.refused_fields(&line.replace("{}", id), Value::Null).await, ["id"], "{id}");
        }
    }
}

async fn an_unknown_id_is_not_found(store: TestStore) {
    let owner = store.serve().await.owner();
    let id = "0190a6f4-7b3c-7def-8123-456789abcdef";
    let expected = json!({
        "error": "not_found", "type": "note", "id": id, "message": format!("there is no note {id}"), "suggestion": "…list…",
    });
    owner.check(&format!("GET /notes/{id}"), Value::Null, 404, expected).await;
    owner.check(&format!("GET /content/{id}"), Value::Null, 404, json!({"type": null, "id": id})).await;
}

async fn head_answers_as_get_without_a_body(store: TestStore) {
    let owner = store.serve().await.owner();
    let id = text(&owner.note("x", Some("y")).await["id"]);
    for path in [&format!("/notes/{id}"), "/notes", "/tags", "/health"] {
        let get = owner.get(path).await;
        let head = owner.send(&format!("HEAD {path}"), None).await;
        assert_eq!((head.status, head.bytes.len()), (200, 0), "{path}");
        for header in ["content-length", "content-type", "etag"] {
            assert_eq!(head.header(header), get.header(header), "{path} {header}");
        }
    }
}

async fn archived_and_deleted_items_are_read(store: TestStore) {
    let owner = store.serve().await.owner();
    let path = format!("/notes/{}", text(&owner.note("x", Some("y")).await["id"]));
    owner.post(&format!("{path}/archive"), json!({})).await.expect(200, json!({"content": "y"}));
    owner.get(&path).await.expect(200, json!({"content": "y", "deleted_at": null, "archived_at": "…Z…"}));
    owner.delete(&path).await.expect(204, Value::Null);
    owner.get(&path).await.expect(200, json!({"content": "y", "deleted_at": "…Z…", "archived_at": "…Z…"}));
    owner.delete(&format!("{path}?permanent=true")).await.expect(204, Value::Null);
    owner.get(&path).await.expect(404, json!({"error": "not_found"}));
}
