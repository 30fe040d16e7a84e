//! Items whose stored content is damaged: the code `corrupt_content`, and how one is repaired.

use serde_json::{Value, json};

use crate::routes::items::editing::of_every_kind;
use crate::support::client::{Answer, Client, text};
use crate::support::test_store::{TestServer, TestStore};

on_both!(
    a_damaged_content_is_never_served_or_edited,
    a_whole_version_repairs_an_item,
    a_whole_content_repairs_an_item,
    others_learn_nothing_of_the_damage,
    damage_is_counted,
);

/// The second version of an item's content is `a\nb\n`; it is damaged where it was changed last.
const DAMAGE: &str = "UPDATE contents SET text = replace(text, 'b', 'x')";

/// An item of each kind, with two versions, of which the newest is damaged.
async fn damaged(store: TestStore) -> (TestServer, Client, Vec<String>) {
    let server = store.serve().await;
    let owner = server.owner();
    let paths = of_every_kind(&owner, Some("a\n")).await;
    for path in &paths {
        owner.check(&format!("POST {path}/insert"), json!({"at": "end", "new_str": "b"}), 200, json!({})).await;
    }
    server.store.execute(DAMAGE).await;
    (server, owner, paths)
}

fn corrupt(path: &str) -> Value {
    let id = path.rsplit('/').next().unwrap();
    json!({"error": "corrupt_content", "id": id, "versions": [1]})
}

/// A request that meets the damage.
async fn refused(client: &Client, line: &str, body: Option<&Value>, expected: Value) -> Answer {
    client.send_to_broken(line, &[], body).await.expect(500, expected)
}

async fn a_damaged_content_is_never_served_or_edited(store: TestStore) {
    let (_server, owner, paths) = damaged(store).await;
    for path in &paths {
        for line in ["", "?start_line=1&end_line=1", "/history/2", "/history/2/diff"] {
            refused(&owner, &format!("GET {path}{line}"), None, corrupt(path)).await;
        }
        for (line, body) in [
            ("PATCH {}/str-replace", json!({"old_str": "a", "new_str": "c"})),
            ("POST {}/insert", json!({"at": "end", "new_str": "c"})),
            ("PATCH {}", json!({"description": "another"})),
            ("POST {}/history/2/restore", json!({})),
        ] {
            refused(&owner, &line.replace("{}", path), Some(&body), corrupt(path)).await;
        }
        owner.get(&format!("{path}/history/1")).await.expect(200, json!({"content": "a\n"}));
        owner.get(&format!("{path}?include_content=false")).await.expect(200, json!({"version": 2}));
        owner.get(&format!("{path}/history")).await.expect(200, json!({}));
        let answer = refused(&owner, &format!("GET {path}"), None, json!({})).await;
        let suggestion = text(&answer.json()["suggestion"]);
        assert!(suggestion.contains("restore one of `versions`"), "{suggestion}");
    }
    let listed = owner.get("/content?include_content=true").await.expect(200, json!({"total": paths.len()})).json();
    for item in listed["items"].as_array().unwrap() {
        assert_eq!(item["content"], Value::Null, "{item}");
    }
    owner.get("/content?q=a").await.expect(200, json!({}));
}

async fn a_whole_version_repairs_an_item(store: TestStore) {
    let (server, owner, paths) = damaged(store).await;
    for path in &paths {
        owner.check(&format!("POST {path}/history/1/restore"), json!({}), 200, json!({"version": 3})).await;
        owner.get(path).await.expect(200, json!({"content": "a\n"}));
        owner.check(&format!("POST {path}/insert"), json!({"at": "end", "new_str": "c"}), 200, json!({})).await;
        owner.get(path).await.expect(200, json!({"content": "a\nc\n"}));
        refused(&owner, &format!("GET {path}/history/2"), None, json!({"versions": [4, 3, 1]})).await;
    }
    assert_eq!(server.store.interline.corrupt_items(), 0);
}

async fn a_whole_content_repairs_an_item(store: TestStore) {
    let (_server, owner, paths) = damaged(store).await;
    for path in &paths {
        owner.check(&format!("PATCH {path}"), json!({"content": "anew\n"}), 200, json!({"version": 3})).await;
        owner.get(path).await.expect(200, json!({"content": "anew\n"}));
    }
}

async fn others_learn_nothing_of_the_damage(store: TestStore) {
    let (server, owner, paths) = damaged(store).await;
    let (bob, _) = owner.new_user("bob").await;
    for path in &paths {
        for line in ["", "?include_content=false", "/history", "/history/1", "/history/2/diff"] {
            bob.get(&format!("{path}{line}")).await.expect(404, json!({"error": "not_found"}));
        }
        bob.check(&format!("POST {path}/history/1/restore"), json!({}), 404, json!({"error": "not_found"})).await;
    }
    assert_eq!(server.store.interline.damage().reads, 0, "nothing of it was read");
}

async fn damage_is_counted(store: TestStore) {
    let (server, owner, paths) = damaged(store).await;
    for path in &paths {
        refused(&owner, &format!("GET {path}"), None, json!({})).await;
    }
    assert_eq!(server.store.interline.corrupt_items(), paths.len() as u64);
    let metrics = String::from_utf8(owner.get("/metrics").await.bytes).unwrap();
    let line = format!("interline_corrupt_items {}", paths.len());
    assert!(metrics.contains(&line) && metrics.contains("interline_corrupt_reads_total "), "{metrics}");
}
