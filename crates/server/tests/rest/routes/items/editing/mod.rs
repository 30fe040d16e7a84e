//! The editing routes: the same cases on notes, bookmarks and prompts, at their own URLs and at `/content/{id}`.

mod arguments;
mod concurrent;
mod content;
mod delete_content;
mod edits;
mod every_edit;
mod insert;
mod lines_as_read;
mod merged;
mod refused;
mod str_replace;
mod warnings;

use serde_json::{Value, json};

use crate::support::client::{Answer, Client, text};
use crate::support::json_assertion::assert_within;

/// A new item of each kind with this content, at its own address and at the one by its id alone. Prompts have a content
/// that is not blank always: without one there is none among them.
pub(crate) async fn of_every_kind(client: &Client, content: Option<&str>) -> Vec<String> {
    let mut paths = Vec::new();
    for own in [true, false] {
        let unique = uuid::Uuid::now_v7().simple().to_string();
        let url = format!("https://example.org/{unique}");
        let mut drafts = vec![
            ("notes", json!({"title": "Plan", "content": content})),
            ("bookmarks", json!({"url": url, "content": content})),
        ];
        if content.is_some_and(|content| !content.trim().is_empty()) {
            drafts.push(("prompts", json!({"name": unique, "content": content})));
        }
        for (collection, draft) in drafts {
            let id = text(&client.create(collection, draft).await["id"]);
            paths.push(format!("/{}/{id}", if own { collection } else { "content" }));
        }
    }
    paths
}

/// `PATCH */str-replace` at an item.
pub(crate) fn at(route: &str, path: &str) -> String {
    route.replace('*', path)
}

/// How many changes history tells of.
pub(crate) async fn changes_of(client: &Client, path: &str) -> Value {
    client.get(&format!("{path}/history")).await.expect(200, json!({})).json()["total"].clone()
}

/// Demands that an edit of every kind gives a text, as one version, and that the response is as expected.
pub(crate) async fn assert_edits(
    client: &Client,
    route: &str,
    before: Option<&str>,
    body: &Value,
    after: &str,
    shown: &Value,
) {
    for path in of_every_kind(client, before).await {
        let was = client.get(&path).await.json();
        if was["type"] == "prompt" && after.trim().is_empty() {
            continue;
        }
        let line = at(route, &path);
        let answer = client.send(&line, Some(body)).await.expect(200, shown.clone());
        assert_changed(client, &path, &was, &answer, before, after).await;
    }
}

/// Demands that what an edit answered is what is stored now.
async fn assert_changed(client: &Client, path: &str, was: &Value, answer: &Answer, before: Option<&str>, after: &str) {
    let line = format!("{} on {before:?}", answer.line);
    let changed = before != Some(after);
    let version = if changed { 2 } else { 1 };
    let edited = answer.json();
    let expected = json!({
        "success": true, "content": after, "content_length": after.chars().count(), "version": version,
        "id": was["id"], "type": was["type"],
    });
    assert_within(&line, &expected, &edited);
    assert!(edited.get("dry_run").is_none(), "{line}: {edited}");
    assert_eq!(edited["diff"] != "", changed, "{line}: {}", edited["diff"]);
    assert_eq!(edited["updated_at"] != was["updated_at"], changed, "{line}");
    assert_eq!(answer.header("etag"), format!("\"{version}.0\""), "{line}");
    let stored = client.get(path).await.json();
    assert_within(&line, &stored, &edited);
    assert_eq!(changes_of(client, path).await, version, "{line}");
}

/// Demands that an edit of any kind is refused, and changes nothing.
pub(crate) async fn assert_refuses(
    client: &Client,
    route: &str,
    before: Option<&str>,
    body: &Value,
    status: u16,
    shown: &Value,
) {
    for path in of_every_kind(client, before).await {
        let was = client.get(&path).await.json();
        client.send(&at(route, &path), Some(body)).await.expect(status, shown.clone());
        assert_eq!(client.get(&path).await.json(), was, "{route} {body}");
        assert_eq!(changes_of(client, &path).await, 1, "{route} {body}");
    }
}

/// What a refusal with 422 tells about a field.
pub(crate) fn wrong(field: &str) -> Value {
    json!({"error": "validation_failed", "errors": [{"field": field}]})
}
