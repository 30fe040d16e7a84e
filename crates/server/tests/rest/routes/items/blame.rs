//! `GET /notes/{id}/blame`, and of every other collection

use serde_json::{Value, json};

use crate::routes::items::editing::of_every_kind;
use crate::support::client::{Client, text};
use crate::support::test_store::TestStore;

on_both!(
    a_line_comes_from_the_version_that_wrote_it,
    a_range_says_who_wrote_it_and_why,
    a_rewritten_content_keeps_the_origins_of_its_lines,
    a_merge_adds_the_lines_that_were_sent,
    an_undo_and_its_undo_leave_lines_their_first_origin,
    a_restored_version_has_its_old_origins,
    line_endings_are_part_of_their_lines,
    forgotten_versions_are_no_origins,
    without_content_there_are_no_lines,
    archived_and_deleted_items_have_it_and_anothers_do_not,
);

/// The ranges of an item as first line, last line and version.
async fn ranges(client: &Client, path: &str) -> Vec<(u64, u64, u64)> {
    let blame = client.get(&format!("{path}/blame")).await.expect(200, json!({})).json();
    let number = |range: &Value, member: &str| range[member].as_u64().unwrap();
    let range = |range: &Value| (number(range, "start_line"), number(range, "end_line"), number(range, "version"));
    let ranges: Vec<_> = blame["ranges"].as_array().unwrap().iter().map(range).collect();
    assert_eq!(ranges.last().map_or(0, |last| last.1), blame["total_lines"].as_u64().unwrap());
    ranges
}

async fn replace(client: &Client, path: &str, old: &str, new: &str) {
    let body = json!({"old_str": old, "new_str": new});
    client.patch(&format!("{path}/str-replace"), body).await.expect(200, json!({}));
}

async fn note(client: &Client, content: &str) -> String {
    format!("/notes/{}", text(&client.note("Plan", Some(content)).await["id"]))
}

async fn a_line_comes_from_the_version_that_wrote_it(store: TestStore) {
    let owner = store.serve().await.owner();
    for path in of_every_kind(&owner, Some("one\ntwo\nthree\n")).await {
        assert_eq!(ranges(&owner, &path).await, [(1, 4, 1)]);
        replace(&owner, &path, "two", "2").await;
        assert_eq!(ranges(&owner, &path).await, [(1, 1, 1), (2, 2, 2), (3, 4, 1)]);
        owner.post(&format!("{path}/insert"), json!({"at": "end", "new_str": "four"})).await.expect(200, json!({}));
        owner.patch(&path, json!({"tags": ["x"]})).await.expect(200, json!({"version": 4}));
        replace(&owner, &path, "one\n", "").await;
        let expected = [(1, 1, 2), (2, 2, 1), (3, 3, 3), (4, 4, 1)];
        assert_eq!(ranges(&owner, &path).await, expected);
        assert_eq!(ranges(&owner, &path).await, expected, "once more, from memory");
    }
}

async fn a_range_says_who_wrote_it_and_why(store: TestStore) {
    let owner = store.serve().await.owner();
    let (agent, _) = owner.new_token(json!({"name": "agent", "agent": true})).await;
    let path = note(&owner, "one\ntwo").await;
    let body = json!({"old_str": "two", "new_str": "2", "reason": "digits are shorter"});
    let headers = [("interline-client", "my-tool/1.2")];
    agent.send_with(&format!("PATCH {path}/str-replace"), &headers, Some(&body)).await.expect(200, json!({}));
    let record = owner.get(&format!("{path}/history")).await.json()["items"][0].clone();
    let expected = json!({
        "start_line": 2, "end_line": 2, "version": 2, "agent": true, "reason": "digits are shorter",
        "client": {"name": "my-tool", "version": "1.2"}, "user": record["user"], "token": record["token"],
        "change_set": record["change_set"], "created_at": record["created_at"],
    });
    let blame = owner.get(&format!("{path}/blame")).await.expect(200, json!({"version": 2, "total_lines": 2})).json();
    assert_eq!(blame["ranges"][1], expected);
    assert_eq!(blame["ranges"][1]["token"]["name"], "agent");
    assert_eq!((&blame["ranges"][0]["agent"], &blame["ranges"][0]["reason"]), (&json!(false), &Value::Null));
}

async fn a_rewritten_content_keeps_the_origins_of_its_lines(store: TestStore) {
    let owner = store.serve().await.owner();
    let path = note(&owner, "one\ntwo\nthree\n").await;
    owner.patch(&path, json!({"content": "x\ntwo\ny\n"})).await.expect(200, json!({"version": 2}));
    assert_eq!(ranges(&owner, &path).await, [(1, 1, 2), (2, 2, 1), (3, 3, 2), (4, 4, 1)]);
    owner.patch(&path, json!({"content": "all\nelse"})).await.expect(200, json!({"version": 3}));
    assert_eq!(ranges(&owner, &path).await, [(1, 2, 3)]);
}

async fn a_merge_adds_the_lines_that_were_sent(store: TestStore) {
    let owner = store.serve().await.owner();
    let path = note(&owner, "1\n2\n3\n4\n5\n").await;
    owner.patch(&path, json!({"content": "1\n2\n3\n4\nFIVE\n"})).await.expect(200, json!({"version": 2}));
    let stale = json!({"content": "ONE\n2\n3\n4\n5\n", "expected_version": 1, "on_stale": "merge"});
    owner.patch(&path, stale).await.expect(200, json!({"version": 3, "content": "ONE\n2\n3\n4\nFIVE\n"}));
    assert_eq!(ranges(&owner, &path).await, [(1, 1, 3), (2, 4, 1), (5, 5, 2), (6, 6, 1)]);
}

async fn an_undo_and_its_undo_leave_lines_their_first_origin(store: TestStore) {
    let owner = store.serve().await.owner();
    let (agent, _) = owner.new_token(json!({"name": "agent", "agent": true})).await;
    let path = note(&owner, "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n").await;
    let edits = json!({"edits": [{"old_str": "1\n2", "new_str": "one\n2"}, {"old_str": "10", "new_str": "ten"}]});
    agent.post(&format!("{path}/edits"), edits).await.expect(200, json!({}));
    let set = text(&owner.get(&format!("{path}/history")).await.json()["items"][0]["change_set"]);
    replace(&owner, &path, "5", "five").await;
    let undone = owner.post(&format!("/changes/{set}/undo"), json!({})).await.expect(200, json!({})).json();
    assert_eq!(ranges(&owner, &path).await, [(1, 4, 1), (5, 5, 3), (6, 11, 1)]);
    replace(&owner, &path, "7", "seven").await;
    let undo = text(&undone["change_set"]["id"]);
    owner.post(&format!("/changes/{undo}/undo"), json!({})).await.expect(200, json!({}));
    let content = "one\n2\n3\n4\nfive\n6\nseven\n8\n9\nten\n";
    owner.get(&path).await.expect(200, json!({"version": 6, "content": content}));
    let expected = [(1, 1, 2), (2, 4, 1), (5, 5, 3), (6, 6, 1), (7, 7, 5), (8, 9, 1), (10, 10, 2), (11, 11, 1)];
    assert_eq!(ranges(&owner, &path).await, expected);
}

async fn a_restored_version_has_its_old_origins(store: TestStore) {
    let owner = store.serve().await.owner();
    let path = note(&owner, "a\nb\n").await;
    replace(&owner, &path, "b", "B").await;
    owner.patch(&path, json!({"content": "all\nelse\n"})).await.expect(200, json!({"version": 3}));
    owner.send(&format!("POST {path}/history/2/restore"), None).await.expect(200, json!({"version": 4}));
    assert_eq!(ranges(&owner, &path).await, [(1, 1, 1), (2, 2, 2), (3, 3, 1)]);
    replace(&owner, &path, "a", "A").await;
    assert_eq!(ranges(&owner, &path).await, [(1, 1, 5), (2, 2, 2), (3, 3, 1)]);
}

async fn line_endings_are_part_of_their_lines(store: TestStore) {
    let owner = store.serve().await.owner();
    let path = note(&owner, "one\r\ntwo\r\nthree\r\n").await;
    replace(&owner, &path, "two", "2").await;
    assert_eq!(ranges(&owner, &path).await, [(1, 1, 1), (2, 2, 2), (3, 4, 1)]);
    owner.patch(&path, json!({"content": "one\n2\r\nthree\r\n"})).await.expect(200, json!({"version": 3}));
    assert_eq!(ranges(&owner, &path).await, [(1, 1, 3), (2, 2, 2), (3, 4, 1)]);
}

async fn forgotten_versions_are_no_origins(store: TestStore) {
    let interline = store.interline.clone();
    let owner = store.serve().await.owner();
    let path = note(&owner, "one\ntwo\nthree").await;
    for (old, new) in [("one", "1"), ("two", "2"), ("three", "3")] {
        replace(&owner, &path, old, new).await;
    }
    assert_eq!(ranges(&owner, &path).await, [(1, 1, 2), (2, 2, 3), (3, 3, 4)]);
    let keep = interline_items::Upkeep { trash: None, history: None, events: None, history_records: Some(2) };
    interline.run_upkeep(keep).await.unwrap();
    assert_eq!(ranges(&owner, &path).await, [(1, 2, 3), (3, 3, 4)], "what was remembered is out of date");
}

async fn without_content_there_are_no_lines(store: TestStore) {
    let owner = store.serve().await.owner();
    let path = format!("/notes/{}", text(&owner.note("Plan", None).await["id"]));
    let empty = json!({"version": 1, "total_lines": 0, "ranges": []});
    owner.get(&format!("{path}/blame")).await.expect(200, empty);
    owner.patch(&path, json!({"content": "one\n"})).await.expect(200, json!({"version": 2}));
    assert_eq!(ranges(&owner, &path).await, [(1, 2, 2)]);
    owner.patch(&path, json!({"content": ""})).await.expect(200, json!({"version": 3}));
    let blame = owner.get(&format!("{path}/blame")).await.expect(200, json!({"total_lines": 1})).json();
    assert_eq!(blame["ranges"].as_array().unwrap().len(), 1, "{blame}");
}

async fn archived_and_deleted_items_have_it_and_anothers_do_not(store: TestStore) {
    let owner = store.serve().await.owner();
    let (other, _) = owner.new_user("other").await;
    let (reader, _) = owner.new_token(json!({"name": "r", "scopes": ["read"]})).await;
    for path in of_every_kind(&owner, Some("one\n")).await {
        owner.send(&format!("POST {path}/archive"), None).await.expect(200, json!({}));
        assert_eq!(ranges(&reader, &path).await, [(1, 2, 1)]);
        owner.delete(&path).await.expect(204, Value::Null);
        assert_eq!(ranges(&owner, &path).await, [(1, 2, 1)]);
        other.get(&format!("{path}/blame")).await.expect(404, json!({"error": "not_found"}));
        owner.delete(&format!("{path}?permanent=true")).await.expect(204, Value::Null);
        owner.get(&format!("{path}/blame")).await.expect(404, json!({"error": "not_found"}));
    }
}
