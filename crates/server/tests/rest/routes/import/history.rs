//! `POST /import?format=jsonl`: an export with its history, into a store that has nothing, something or all of it.

use serde_json::{Value, json};

use super::{counts, import};
use crate::support::client::{Client, text};
use crate::support::test_store::TestStore;

on_both!(
    an_export_that_is_imported_and_exported_again_is_the_same_byte_for_byte,
    a_later_export_brings_the_later_versions,
    an_import_goes_on_where_it_was_interrupted,
    names_that_an_item_had_once_may_be_taken_now,
    a_history_that_is_made_up_stays_in_bounds,
);

async fn export(client: &Client) -> String {
    let answer = client.get("/export").await;
    assert_eq!(answer.header("content-disposition"), "attachment; filename=\"interline-export.jsonl\"");
    String::from_utf8(answer.bytes).unwrap()
}

/// Items of every kind, in every state, with a history.
async fn populate(client: &Client) -> Vec<String> {
    let mut ids = Vec::new();
    for number in 0..6 {
        let body = json!({"title": format!("Note {number}"), "content": format!("{number}\nline\n"), "tags": ["a"],
            "front_matter": "k: [1, 2]\n"});
        let note = client.create("notes", body).await;
        let path = format!("/notes/{}", text(&note["id"]));
        let edit = json!({"old_str": "line", "new_str": "lines ä\r"});
        client.check(&format!("PATCH {path}/str-replace"), edit, 200, json!({})).await;
        client.patch(&path, json!({"add_tags": ["b"], "front_matter": null})).await;
        match number {
            1 => drop(client.post(&format!("{path}/archive"), json!({})).await),
            2 => drop(client.delete(&path).await),
            3 => {
                client.delete(&path).await;
                client.post(&format!("{path}/restore"), json!({})).await;
                client.post(&format!("{path}/history/1/restore"), json!({})).await;
            }
            _ => {}
        }
        ids.push(text(&note["id"]));
    }
    client.create("bookmarks", json!({"url": "https://a.example/", "description": "d", "content": null})).await;
    let prompt = json!({"name": "greet", "content": "Hi {{ who }}", "arguments": [{"name": "who", "description": "w", "required": true}]});
    let prompt = client.create("prompts", prompt).await;
    client
        .check(
            &format!("POST /prompts/{}/render", text(&prompt["id"])),
            json!({"arguments": {"who": "x"}}),
            200,
            json!({}),
        )
        .await;
    ids
}

async fn an_export_that_is_imported_and_exported_again_is_the_same_byte_for_byte(store: TestStore) {
    let server = store.serve().await;
    let owner = server.owner();
    let (ann, _) = owner.new_user("ann").await;
    let ids = populate(&ann).await;
    let exported = export(&ann).await;
    assert_eq!(counts(&import(&ann, "format=jsonl", exported.clone()).await), json!({"unchanged": 8}));
    assert_eq!(export(&ann).await, exported);

    // The ids are taken as long as they are Ann's.
    for id in &ids {
        ann.delete(&format!("/notes/{id}?permanent=true")).await;
    }
    for collection in ["bookmarks", "prompts"] {
        let found = ann.get(&format!("/{collection}")).await.json();
        ann.delete(&format!("/{collection}/{}?permanent=true", text(&found["items"][0]["id"]))).await;
    }
    let (ben, _) = owner.new_user("ben").await;
    let report = import(&ben, "format=jsonl", exported.clone()).await;
    assert_eq!(counts(&report), json!({"created": 8}), "{report:#}");
    assert_eq!(export(&ben).await, exported);
    assert_eq!(counts(&import(&ben, "format=jsonl", exported.clone()).await), json!({"unchanged": 8}));
    assert_eq!(export(&ben).await, exported);

    let history = ben.get(&format!("/notes/{}/history", ids[0])).await.json();
    let record = &history["items"][0];
    assert_eq!((&record["user"]["name"], &record["imported_from"]["user"]), (&json!("ben"), &json!("ann")));
    assert_eq!(record["version"], 3);
    ben.get(&format!("/notes/{}/history/1", ids[0])).await.expect(200, json!({"content": "0\nline\n", "tags": ["a"]}));
}

async fn a_later_export_brings_the_later_versions(store: TestStore) {
    let server = store.serve().await;
    let owner = server.owner();
    let note = owner.note("Plan", Some("one\n")).await;
    let path = format!("/notes/{}", text(&note["id"]));
    let first = export(&owner).await;
    owner.patch(&path, json!({"content": "two\n"})).await;
    owner.post(&format!("{path}/archive"), json!({})).await;
    let second = export(&owner).await;
    owner.delete(&format!("{path}?permanent=true")).await;

    assert_eq!(counts(&import(&owner, "format=jsonl", first).await), json!({"created": 1}));
    owner.get(&path).await.expect(200, json!({"version": 1, "archived_at": null}));
    assert_eq!(counts(&import(&owner, "format=jsonl", second.clone()).await), json!({"updated": 1}));
    let at_second = owner.get(&path).await.expect(200, json!({"version": 2, "content": "two\n"})).json();
    assert_ne!(at_second["archived_at"], Value::Null);
    assert_eq!(export(&owner).await, second);
}

async fn an_import_goes_on_where_it_was_interrupted(store: TestStore) {
    let server = store.serve().await;
    let owner = server.owner();
    let (ann, _) = owner.new_user("ann").await;
    let ids = populate(&ann).await;
    let exported = export(&ann).await;
    for id in &ids {
        ann.delete(&format!("/notes/{id}?permanent=true")).await;
    }
    let (ben, _) = owner.new_user("ben").await;
    let cut = exported.match_indices("{\"item\"").nth(3).map(|(at, _)| at).unwrap() + 20;
    let answer = ben.send_bytes("POST /import?format=jsonl", exported[..cut].to_owned()).await;
    let answer = answer.expect(422, json!({"error": "validation_failed"})).json();
    assert_eq!(answer["report"]["created"], 3, "{answer:#}");
    assert!(text(&answer["suggestion"]).contains("run the import again"), "{answer:#}");
    let report = import(&ben, "format=jsonl", exported).await;
    assert_eq!((&report["unchanged"], &report["created"]), (&json!(3), &json!(5)), "{report:#}");
}

async fn names_that_an_item_had_once_may_be_taken_now(store: TestStore) {
    let server = store.serve().await;
    let owner = server.owner();
    let prompt = json!({"name": "a", "content": "1"});
    let first = owner.create("prompts", prompt.clone()).await;
    let path = format!("/prompts/{}", text(&first["id"]));
    owner.patch(&path, json!({"name": "b"})).await;
    let second = owner.create("prompts", prompt).await;
    let exported = export(&owner).await;
    owner.delete(&format!("{path}?permanent=true")).await;
    let report = import(&owner, "format=jsonl", exported.clone()).await;
    assert_eq!(counts(&report), json!({"created": 1, "unchanged": 1}), "{report:#}");
    owner.get(&path).await.expect(200, json!({"name": "b", "version": 2}));
    owner.get(&format!("/prompts/{}", text(&second["id"]))).await.expect(200, json!({"name": "a"}));
    assert_eq!(export(&owner).await, exported);
}

/// Anybody can write an export by hand: what it says of others is cut, and numbers and times stay readable for every client.
async fn a_history_that_is_made_up_stays_in_bounds(store: TestStore) {
    let server = store.serve().await;
    let owner = server.owner();
    let id = "0190a6f4-7b3c-7def-8123-456789abcd01";
    let change = |version: u64, user: &str| json!({"version": version, "action": "create", "user": user, "state": {"title": "Forged"}});
    let record = |history: Value| {
        let made = json!({"source": "a", "type": "note", "id": id, "title": "Forged",
            "created_at": "-009000-01-01T00:00:00Z", "history": history});
        format!("{made}\n")
    };
    for version in [0, 1 << 53] {
        let report = import(&owner, "format=records", record(json!([change(version, "eve")]))).await;
        assert_eq!(counts(&report), json!({"skipped": 1}), "{report}");
    }
    let report = import(&owner, "format=records", record(json!([change(1, &"e\u{1b}\n".repeat(10_000))]))).await;
    assert_eq!(counts(&report), json!({"created": 1}), "{report}");
    let note = owner.get(&format!("/notes/{id}")).await.json();
    assert_eq!(note["created_at"], "0000-01-01T00:00:00.000000Z");
    let history = owner.get(&format!("/notes/{id}/history")).await.json();
    assert_eq!(text(&history["items"][0]["imported_from"]["user"]), "e".repeat(200));
}
