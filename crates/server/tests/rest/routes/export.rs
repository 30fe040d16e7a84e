//! `GET /export`

use std::io::{Cursor, Read as _};

use serde_json::json;
use zip::ZipArchive;

use super::import::{counts, import};
use crate::support::client::{Client, text};
use crate::support::test_store::TestStore;

on_both!(
    markdown_is_a_zip_without_the_trash_that_can_be_edited_and_imported,
    bookmarks_are_what_a_browser_imports,
    skills_are_a_folder_for_each_prompt,
    an_export_goes_on_after_an_id,
    an_export_has_nothing_of_others,
    what_cannot_be_exported_is_refused,
);

/// The files of a zip, by name.
fn files(bytes: &[u8]) -> Vec<(String, String)> {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).unwrap();
    let mut files = Vec::new();
    for index in 0..archive.len() {
        let mut file = archive.by_index(index).unwrap();
        let mut content = String::new();
        file.read_to_string(&mut content).unwrap();
        let name = file.name().unwrap().into_owned();
        files.push((name, content));
    }
    files.sort();
    files
}

async fn zip_of(client: &Client, format: &str) -> Vec<(String, String)> {
    let answer = client.get(&format!("/export?format={format}")).await.expect(200, serde_json::Value::Null);
    assert_eq!(answer.header("content-type"), "application/zip");
    files(&answer.bytes)
}

async fn markdown_is_a_zip_without_the_trash_that_can_be_edited_and_imported(store: TestStore) {
    let server = store.serve().await;
    let owner = server.owner();
    let body = json!({"title": "Plan: 1/2", "content": "one\n\ntwo\n", "tags": ["a"], "front_matter": "k: v\n"});
    let note = owner.create("notes", body).await;
    let gone = owner.note("Gone", Some("x")).await;
    owner.delete(&format!("/notes/{}", text(&gone["id"]))).await;
    let archived = owner.note("Old", Some("y")).await;
    owner.post(&format!("/notes/{}/archive", text(&archived["id"])), json!({})).await;
    let exported = zip_of(&owner, "markdown").await;
    let names: Vec<&str> = exported.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names.len(), 2, "{names:?}");
    assert_eq!(names[0], "Old.md");
    let file = &exported[1].1;
    assert!(file.starts_with("---\n") && file.ends_with("one\n\ntwo\n") && file.contains("k: v\n"), "{file}");
    assert!(file.contains(&text(&note["id"])), "{file}");

    let query = |name: &str| format!("format=markdown&source=folder&name={name}");
    let path = format!("/notes/{}", text(&note["id"]));
    assert_eq!(counts(&import(&owner, &query("plan.md"), file.clone()).await), json!({"unchanged": 1}));
    let edited = file.replace("two\n", "2\n");
    assert_eq!(counts(&import(&owner, &query("other.md"), edited).await), json!({"updated": 1}));
    owner
        .get(&path)
        .await
        .expect(200, json!({"content": "one\n\n2\n", "front_matter": "k: v\n", "tags": ["a"], "version": 2}));
}

async fn bookmarks_are_what_a_browser_imports(store: TestStore) {
    let server = store.serve().await;
    let owner = server.owner();
    let body = json!({"url": "https://a.example/?a=1&b=2", "title": "A <b>", "tags": ["x", "y"], "description": "d"});
    let made = owner.create("bookmarks", body).await;
    owner.note("No bookmark", None).await;
    let answer = owner.get("/export?format=bookmarks-html").await.expect(200, serde_json::Value::Null);
    assert_eq!(answer.header("content-disposition"), "attachment; filename=\"interline-bookmarks.html\"");
    let html = String::from_utf8(answer.bytes).unwrap();
    assert!(html.contains("https://a.example/?a=1&amp;b=2") && !html.contains("<b>"), "{html}");
    owner.delete(&format!("/bookmarks/{}?permanent=true", text(&made["id"]))).await;
    assert_eq!(counts(&import(&owner, "format=bookmarks-html", html).await), json!({"created": 1}));
    let found = owner.get("/bookmarks").await.json();
    assert_eq!((&found["items"][0]["title"], &found["items"][0]["tags"]), (&json!("A <b>"), &json!(["x", "y"])));
}

async fn skills_are_a_folder_for_each_prompt(store: TestStore) {
    let server = store.serve().await;
    let owner = server.owner();
    owner.create("prompts", json!({"name": "tidy-up", "description": "Tidies.", "content": "Tidy up.\n"})).await;
    owner.note("No prompt", None).await;
    let exported = zip_of(&owner, "skill").await;
    assert_eq!(exported.len(), 1);
    assert_eq!(exported[0].0, "tidy-up/SKILL.md");
    assert!(exported[0].1.contains("name: tidy-up\n") && exported[0].1.ends_with("Tidy up.\n"), "{}", exported[0].1);
}

async fn an_export_goes_on_after_an_id(store: TestStore) {
    let server = store.serve().await;
    let owner = server.owner();
    let mut ids = Vec::new();
    for title in ["A", "B", "C"] {
        ids.push(text(&owner.note(title, None).await["id"]));
    }
    let rest = owner.get(&format!("/export?after={}", ids[0])).await;
    let rest = String::from_utf8(rest.bytes).unwrap();
    assert!(!rest.contains(&ids[0]) && rest.contains(&ids[1]) && rest.contains(&ids[2]), "{rest}");
    assert!(rest.ends_with("{\"end\":{\"items\":2}}\n"), "{rest}");
    let none = owner.get(&format!("/export?after={}", ids[2])).await;
    assert!(String::from_utf8(none.bytes).unwrap().ends_with("{\"end\":{\"items\":0}}\n"));
}

async fn an_export_has_nothing_of_others(store: TestStore) {
    let server = store.serve().await;
    let owner = server.owner();
    owner.note("Secret", Some("secret")).await;
    let (ben, _) = owner.new_user("ben").await;
    ben.note("Mine", None).await;
    for format in ["jsonl", "markdown", "bookmarks-html", "skill"] {
        let answer = ben.get(&format!("/export?format={format}")).await.expect(200, serde_json::Value::Null);
        assert!(!String::from_utf8_lossy(&answer.bytes).to_ascii_lowercase().contains("secret"), "{format}");
    }
    let (bookmarks_only, _) = owner.new_token(json!({"name": "t", "kinds": ["bookmark"]})).await;
    let answer = bookmarks_only.get("/export").await;
    assert!(String::from_utf8(answer.bytes).unwrap().ends_with("{\"end\":{\"items\":0}}\n"));
}

async fn what_cannot_be_exported_is_refused(store: TestStore) {
    let server = store.serve().await;
    let owner = server.owner();
    owner.get("/export?format=word").await.expect(422, json!({"error": "validation_failed"}));
    owner.get("/export?after=x").await.expect(422, json!({"error": "validation_failed"}));
    let after = "after=0190a6f4-7b3c-7def-8123-456789abcdef";
    owner.get(&format!("/export?format=markdown&{after}")).await.expect(400, json!({"error": "invalid_parameters"}));
    server.without_token().get("/export").await.expect(401, json!({}));
}
