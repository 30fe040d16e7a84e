//! `POST /import`: a file of every format, whole and again.

use std::io::{Cursor, Write as _};

use serde_json::{Value, json};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::{counts, import};
use crate::support::test_store::TestStore;

on_both!(every_format_is_imported_and_again_changes_nothing, a_vault_is_notes_with_front_matter_and_attachments);

fn zip(files: &[(&str, &str)]) -> Vec<u8> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in files {
        archive.start_file(*name, SimpleFileOptions::default()).unwrap();
        archive.write_all(text.as_bytes()).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

async fn every_format_is_imported_and_again_changes_nothing(store: TestStore) {
    let server = store.serve().await;
    let html = "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><H3>Work</H3>\n<DL><p>\n\
                <DT><A HREF=\"https://html.example/\" ADD_DATE=\"1600000000\">Html</A>\n</DL><p>\n</DL><p>\n";
    let firefox = json!({"guid": "root________", "title": "", "typeCode": 2, "type": "text/x-moz-place-container",
        "root": "placesRoot", "children": [{"guid": "menu________", "title": "menu", "typeCode": 2,
        "type": "text/x-moz-place-container", "root": "bookmarksMenuFolder", "children": [
        {"guid": "a", "title": "Fox", "typeCode": 1, "type": "text/x-moz-place", "uri": "https://fox.example/",
        "dateAdded": 1_600_000_000_000_000_i64}]}]});
    let karakeep = json!({"bookmarks": [{"createdAt": 1_600_000_000, "title": "Kara", "tags": ["t"], "note": null,
        "content": {"type": "link", "url": "https://kara.example/"}}]});
    let langfuse = json!({"data": [
        {"name": "greet", "version": 1, "type": "text", "prompt": "Hi {{who}}", "createdAt": "2024-01-01T00:00:00Z"},
        {"name": "greet", "version": 2, "type": "text", "prompt": "Hello {{who}}", "createdAt": "2024-02-01T00:00:00Z"}]});
    let raindrop = "id,title,note,excerpt,url,folder,tags,created,cover,highlights,favorite\n\
                    1,Rain,,,https://rain.example/,Home,\"a, b\",2020-01-01T00:00:00.000Z,,,false\n";
    let bodies: [(&str, Vec<u8>); 9] = [
        ("markdown", zip(&[("a.md", "# A\n"), ("b/c.md", "---\ntags: [x]\n---\ntext")])),
        ("notion", zip(&[("Page 0123456789abcdef0123456789abcdef.md", "# Page\n\ntext")])),
        ("skill", zip(&[("tidy/SKILL.md", "---\nname: tidy\ndescription: Tidies.\n---\nTidy {{ up }}.\n")])),
        ("bookmarks-html", html.as_bytes().to_vec()),
        ("firefox-json", firefox.to_string().into_bytes()),
        (
            "pocket-csv",
            b"title,url,time_added,tags,status\nPock,https://pock.example/,1600000000,a|b,unread\n".to_vec(),
        ),
        ("raindrop-csv", raindrop.as_bytes().to_vec()),
        ("karakeep-json", karakeep.to_string().into_bytes()),
        ("langfuse-json", langfuse.to_string().into_bytes()),
    ];
    let owner = server.owner();
    for (format, body) in bodies {
        let query = format!("format={format}");
        let report = import(&owner, &query, body.clone()).await;
        assert_eq!(report["problems"], json!([]), "{format}: {report:#}");
        let created = report["created"].as_u64().unwrap();
        assert!(created > 0, "{format}: {report:#}");
        let again = import(&owner, &query, body).await;
        assert_eq!(counts(&again), json!({"unchanged": created}), "{format}: {again:#}");
    }
    let greet = owner.get("/prompts/name/greet").await.expect(200, json!({"version": 2})).json();
    let id = greet["id"].as_str().unwrap();
    let history = owner.get(&format!("/prompts/{id}/history")).await.json();
    assert_eq!(
        (&history["total"], &history["items"][1]["created_at"]),
        (&json!(2), &json!("2024-01-01T00:00:00.000000Z"))
    );
}

async fn a_vault_is_notes_with_front_matter_and_attachments(store: TestStore) {
    let server = store.serve().await;
    let owner = server.owner();
    let vault = zip(&[
        ("Plan.md", "---\ntags: [Work]\naliases: [p]\ncreated: 2020-01-02\n---\n\nSee [[Other]].\n"),
        ("Bad.md", "---\na: [\n---\ntext\n"),
        ("image.png", "png"),
    ]);
    let report = import(&owner, "format=markdown&source=vault", vault).await;
    assert_eq!(report["attachments"], 1, "{report:#}");
    let notes = owner.get("/notes?include_content=true&sort_by=title&sort_order=asc").await.json();
    let plan = notes["items"].as_array().unwrap().iter().find(|note| note["title"] == "Plan").unwrap();
    assert_eq!(plan["content"], "\nSee [[Other]].\n");
    assert_eq!((&plan["tags"], &plan["front_matter"]), (&json!(["work"]), &json!("aliases: [p]\n")));
    assert_eq!(plan["created_at"], "2020-01-02T00:00:00.000000Z");
    let _: &Value = plan;
}
