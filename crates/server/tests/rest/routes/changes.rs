//! `/changes`: the inbox, net diffs, keeping and taking back; who writes and why.

use serde_json::{Value, json};

use crate::support::client::{Client, text};
use crate::support::test_store::TestStore;

on_both!(
    an_agents_work_is_one_set_with_its_client_and_reasons,
    a_set_is_read_with_its_diff_and_hunks,
    sets_are_kept_and_the_inbox_empties,
    an_undo_keeps_what_came_later_and_is_undone_itself,
    an_undo_in_conflict_says_where,
    some_hunks_are_taken_back,
    undo_of_a_purged_item_is_a_conflict,
    agents_do_not_decide,
    attribution_is_refused_by_its_field,
    a_change_set_of_another_user_does_not_exist,
    pages_go_on_where_the_last_one_ended,
    bad_parameters_are_named,
    decisions_are_events,
);

const NO_ID: &str = "01990000-0000-7000-8000-000000000000";

/// The owner, and an agent of theirs.
async fn people(store: TestStore) -> (crate::support::test_store::TestServer, Client, Client) {
    let server = store.serve().await;
    let owner = server.owner();
    let (agent, _) = owner.new_token(json!({"name": "agent", "agent": true})).await;
    (server, owner, agent)
}

async fn unreviewed(owner: &Client) -> Vec<Value> {
    owner.get("/changes?state=unreviewed").await.expect(200, json!({})).json()["items"].as_array().unwrap().clone()
}

async fn an_agents_work_is_one_set_with_its_client_and_reasons(store: TestStore) {
    let (_server, owner, agent) = people(store).await;
    let note = agent.note("Plan", Some("one\ntwo\n")).await;
    let path = format!("/notes/{}", text(&note["id"]));
    for (headers, body) in [
        (&[][..], json!({"old_str": "one", "new_str": "1", "reason": "digits are shorter"})),
        (&[("interline-reason", "the same for two")][..], json!({"old_str": "two", "new_str": "2"})),
    ] {
        let headers: Vec<(&str, &str)> = [&[("interline-client", "my-tool/1.2")], headers].concat();
        agent.send_with(&format!("PATCH {path}/str-replace"), &headers, Some(&body)).await.expect(200, json!({}));
    }
    let history = owner.get(&format!("{path}/history")).await.expect(
        200,
        json!({"items": [
            {"client": {"name": "my-tool", "version": "1.2"}, "reason": "the same for two", "review": "unreviewed"},
            {"client": {"name": "my-tool", "version": "1.2"}, "reason": "digits are shorter", "review": "unreviewed"},
            {"reason": null, "review": "unreviewed"},
        ]}),
    );
    let set = history.json()["items"][0]["change_set"].clone();
    assert_eq!(history.json()["items"][1]["change_set"], set);
    let inbox = unreviewed(&owner).await;
    assert_eq!(inbox.len(), 2, "the client that made the note called itself otherwise");
    assert_eq!(inbox[0]["id"], set);
    assert_eq!(inbox[0]["reasons"], json!(["digits are shorter", "the same for two"]));
    assert_eq!((&inbox[0]["agent"], &inbox[0]["token"]["name"]), (&json!(true), &json!("agent")));
    assert_eq!(
        inbox[0]["items"],
        json!([{"id": note["id"], "type": "note", "title": "Plan", "from_version": 1, "to_version": 3,
            "lines_added": 2, "lines_removed": 2, "state": "unreviewed"}])
    );
    owner.get("/users/me").await.expect(200, json!({"unreviewed": 2}));
}

/// A note of the owner in which an agent has changed the first and the last of ten lines; the note's path and the set.
async fn edited(owner: &Client, agent: &Client) -> (String, String) {
    let note = owner.note("Plan", Some("1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n")).await;
    let path = format!("/notes/{}", text(&note["id"]));
    let edits = json!({"edits": [{"old_str": "1\n2", "new_str": "one\n2"}, {"old_str": "10", "new_str": "ten"}]});
    agent.post(&format!("{path}/edits"), edits).await.expect(200, json!({}));
    let set = text(&owner.get(&format!("{path}/history")).await.json()["items"][0]["change_set"]);
    (path, set)
}

async fn content(owner: &Client, path: &str) -> String {
    text(&owner.get(path).await.expect(200, json!({})).json()["content"])
}

async fn a_set_is_read_with_its_diff_and_hunks(store: TestStore) {
    let (_server, owner, agent) = people(store).await;
    let (_, set) = edited(&owner, &agent).await;
    let read = owner.get(&format!("/changes/{set}")).await.expect(
        200,
        json!({"id": set, "state": "unreviewed", "items_total": 1, "items": [{
            "changed_fields": ["content"], "actions": [], "lines_added": 2, "lines_removed": 2, "diff_truncated": false,
            "diff": "--- a/content\n+++ b/content\n@@ -1,4 +1,4 @@\n-1\n+one\n 2\n 3\n 4\n@@ -7,4 +7,4 @@\n 7\n 8\n 9\n-10\n+ten\n",
            "hunks": [{"start_line": 1, "end_line": 1}, {"start_line": 10, "end_line": 10}],
        }]}),
    );
    let item = text(&read.json()["items"][0]["id"]);
    owner.get(&format!("/changes/{set}?item={item}")).await.expect(200, json!({"items": [{"id": item}]}));
    owner.get(&format!("/changes/{set}?item={NO_ID}")).await.expect(200, json!({"items": []}));
    owner.get(&format!("/changes/{NO_ID}")).await.expect(404, json!({"error": "not_found", "id": NO_ID}));
}

async fn sets_are_kept_and_the_inbox_empties(store: TestStore) {
    let (_server, owner, agent) = people(store).await;
    let (_, set) = edited(&owner, &agent).await;
    for _ in 0..2 {
        owner.post(&format!("/changes/{set}/keep"), json!({})).await.expect(200, json!({"id": set, "state": "kept"}));
    }
    let (_, one) = edited(&owner, &agent).await;
    assert_ne!(one, set, "a set about which was decided takes no more changes");
    owner.send(&format!("POST /changes/{one}/keep"), None).await.expect(200, json!({"state": "kept"}));
    let (_, other) = edited(&owner, &agent).await;
    owner.post("/changes/keep", json!({"ids": [other, NO_ID]})).await.expect(404, json!({}));
    assert_eq!(unreviewed(&owner).await.len(), 1);
    owner.post("/changes/keep", json!({"ids": [other]})).await.expect(200, json!({"items": [{"id": other}]}));
    assert!(unreviewed(&owner).await.is_empty());
    owner.get("/users/me").await.expect(200, json!({"unreviewed": 0}));
}

async fn an_undo_keeps_what_came_later_and_is_undone_itself(store: TestStore) {
    let (_server, owner, agent) = people(store).await;
    let (path, set) = edited(&owner, &agent).await;
    owner
        .patch(&format!("{path}/str-replace"), json!({"old_str": "5", "new_str": "five"}))
        .await
        .expect(200, json!({}));
    let undone = owner.post(&format!("/changes/{set}/undo"), json!({"reason": "digits, please"})).await;
    let undone =
        undone.expect(200, json!({"skipped": [], "change_set": {"state": "kept", "reasons": ["digits, please"]}}));
    assert_eq!(content(&owner, &path).await, "1\n2\n3\n4\nfive\n6\n7\n8\n9\n10\n");
    let expected = json!({"items": [{"action": "undo", "reason": "digits, please"}, {}, {"review": "undone"}, {}]});
    owner.get(&format!("{path}/history")).await.expect(200, expected);
    owner
        .post(&format!("/changes/{set}/undo"), json!({}))
        .await
        .expect(200, json!({"change_set": null, "skipped": []}));
    let undo = text(&undone.json()["change_set"]["id"]);
    owner.post(&format!("/changes/{undo}/undo"), json!({})).await.expect(200, json!({}));
    assert_eq!(content(&owner, &path).await, "one\n2\n3\n4\nfive\n6\n7\n8\n9\nten\n");
    owner.get(&format!("/changes/{set}")).await.expect(200, json!({"state": "kept"}));
}

async fn an_undo_in_conflict_says_where(store: TestStore) {
    let (_server, owner, agent) = people(store).await;
    let (path, set) = edited(&owner, &agent).await;
    owner.patch(&format!("{path}/str-replace"), json!({"old_str": "ten", "new_str": "X"})).await.expect(200, json!({}));
    let id = path.strip_prefix("/notes/").unwrap();
    let undo = format!("/changes/{set}/undo");
    owner.post(&undo, json!({})).await.expect(
        409,
        json!({"error": "conflict", "conflicts": [{"id": id, "cause": "lines", "places": [
            {"base": {"start_line": 10, "end_line": 10, "text": "ten\n"}, "theirs": {"text": "X\n"}}]}]}),
    );
    assert_eq!(content(&owner, &path).await, "one\n2\n3\n4\n5\n6\n7\n8\n9\nX\n");
    let skipped = json!({"change_set": null, "skipped": [{"id": id, "cause": "lines"}]});
    owner.post(&undo, json!({"skip_conflicts": true})).await.expect(200, skipped);
}

async fn some_hunks_are_taken_back(store: TestStore) {
    let (_server, owner, agent) = people(store).await;
    let (path, set) = edited(&owner, &agent).await;
    let hunk = owner.get(&format!("/changes/{set}")).await.json()["items"][0]["hunks"][1]["id"].clone();
    let undo = format!("/changes/{set}/undo");
    owner.post(&undo, json!({"hunks": ["no such hunk"]})).await.expect(409, json!({"hunk": "no such hunk"}));
    owner.post(&undo, json!({"hunks": [hunk]})).await.expect(200, json!({}));
    assert_eq!(content(&owner, &path).await, "one\n2\n3\n4\n5\n6\n7\n8\n9\n10\n");
    owner.get(&format!("/changes/{set}")).await.expect(200, json!({"state": "partly_undone"}));
}

async fn undo_of_a_purged_item_is_a_conflict(store: TestStore) {
    let (_server, owner, agent) = people(store).await;
    let (path, set) = edited(&owner, &agent).await;
    agent.delete(&format!("{path}?permanent=true")).await.expect(403, json!({"error": "forbidden"}));
    owner.delete(&format!("{path}?permanent=true")).await.expect(204, Value::Null);
    let conflict = json!({"conflicts": [{"id": path.strip_prefix("/notes/").unwrap(), "cause": "purged"}]});
    owner.post(&format!("/changes/{set}/undo"), json!({})).await.expect(409, conflict);
}

async fn agents_do_not_decide(store: TestStore) {
    let (_server, owner, agent) = people(store).await;
    let (_, set) = edited(&owner, &agent).await;
    for (line, body) in [
        (format!("POST /changes/{set}/keep"), json!({})),
        (format!("POST /changes/{set}/undo"), json!({})),
        ("POST /changes/keep".to_owned(), json!({"ids": [set]})),
        ("POST /tokens".to_owned(), json!({"name": "x"})),
        ("POST /users".to_owned(), json!({"name": "x"})),
        ("POST /webhooks".to_owned(), json!({"url": "https://example.org/"})),
        ("POST /organizations".to_owned(), json!({"name": "x"})),
    ] {
        let refused = agent.send(&line, Some(&body)).await;
        refused.expect(403, json!({"error": "forbidden", "suggestion": "ask a person to do it"}));
    }
    assert_eq!(unreviewed(&owner).await.len(), 1);
    let body = json!({"name": "x", "agent": true, "scopes": ["read", "review"]});
    assert_eq!(owner.refused_fields("POST /tokens", body).await, ["scopes"]);
    let (writer, _) = owner.new_token(json!({"name": "x", "scopes": ["read", "write"]})).await;
    writer.post(&format!("/changes/{set}/keep"), json!({})).await.expect(403, json!({}));
    writer.post("/tokens", json!({"name": "y", "scopes": ["review"]})).await.expect(403, json!({}));
}

async fn attribution_is_refused_by_its_field(store: TestStore) {
    let (_server, owner, agent) = people(store).await;
    let (path, _) = edited(&owner, &agent).await;
    let long = "x".repeat(501);
    for (body, field) in [
        (json!({"title": "T", "reason": long}), "reason"),
        (json!({"title": "T", "reason": 7}), "reason"),
        (json!({"title": "T", "change_set": "7"}), "change_set"),
    ] {
        assert_eq!(agent.refused_fields(&format!("PATCH {path}"), body).await, [field]);
    }
    let many = "x".repeat(300);
    for (name, value, field) in [
        ("interline-client", "", "interline-client"),
        ("interline-client", "/2", "interline-client"),
        ("interline-client", many.as_str(), "interline-client"),
        ("interline-reason", long.as_str(), "reason"),
        ("interline-change-set", "x", "change_set"),
    ] {
        let refused = agent.send_with(&format!("PATCH {path}"), &[(name, value)], Some(&json!({"title": "T"}))).await;
        refused.expect(422, json!({"errors": [{"field": field}]}));
    }
    let headers = [("interline-reason", "one")];
    let refused =
        agent.send_with(&format!("PATCH {path}"), &headers, Some(&json!({"title": "T", "reason": "two"}))).await;
    refused.expect(422, json!({"errors": [{"field": "reason"}]}));
    owner.get(&path).await.expect(200, json!({"title": "Plan"}));
}

async fn a_change_set_of_another_user_does_not_exist(store: TestStore) {
    let (_server, owner, agent) = people(store).await;
    let (path, set) = edited(&owner, &agent).await;
    let named = "0f9619ff-8b86-4011-b42d-00cf4fc964ff";
    agent.patch(&path, json!({"title": "T", "change_set": named})).await.expect(200, json!({}));
    owner.get(&format!("/changes/{named}")).await.expect(200, json!({"items": [{"changed_fields": ["title"]}]}));
    owner.patch(&path, json!({"title": "U", "change_set": named})).await.expect(409, json!({"change_set": named}));
    let (ada, _) = owner.new_user("ada").await;
    let own = format!("/notes/{}", text(&ada.note("x", None).await["id"]));
    ada.patch(&own, json!({"title": "T", "change_set": named})).await.expect(404, json!({"error": "not_found"}));
    for line in
        [format!("GET /changes/{set}"), format!("POST /changes/{set}/keep"), format!("POST /changes/{set}/undo")]
    {
        ada.send(&line, None).await.expect(404, json!({"error": "not_found", "id": set}));
    }
    for id in [&set, named] {
        let shown = ada.get("/changes").await.expect(200, json!({})).json().to_string();
        assert!(!shown.contains(id), "{shown}");
    }
}

async fn pages_go_on_where_the_last_one_ended(store: TestStore) {
    let (_server, owner, agent) = people(store).await;
    let note = format!("/notes/{}", text(&owner.note("0", None).await["id"]));
    for number in 1..=5 {
        let set = format!("0f9619ff-8b86-4011-b42d-00cf4fc964f{number}");
        agent.patch(&note, json!({"title": number.to_string(), "change_set": set})).await.expect(200, json!({}));
    }
    let (mut seen, mut cursor) = (Vec::new(), String::new());
    loop {
        let page =
            owner.get(&format!("/changes?agent=true&limit=2{cursor}")).await.expect(200, json!({"limit": 2})).json();
        seen.extend(page["items"].as_array().unwrap().iter().map(|set| text(&set["id"])));
        match page["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    assert_eq!(seen.iter().map(|id| id.chars().last().unwrap()).collect::<String>(), "54321");
}

async fn bad_parameters_are_named(store: TestStore) {
    let (_server, owner, agent) = people(store).await;
    let (_, set) = edited(&owner, &agent).await;
    for (query, field) in [
        ("item=7", "item"),
        ("user=x", "user"),
        ("token=", "token"),
        ("agent=maybe", "agent"),
        ("state=new", "state"),
        ("since=yesterday", "since"),
        ("before=1", "before"),
        ("limit=0", "limit"),
        ("limit=101", "limit"),
        ("cursor=x", "cursor"),
    ] {
        owner.get(&format!("/changes?{query}")).await.expect(422, json!({"errors": [{"field": field}]}));
    }
    let undo = format!("POST /changes/{set}/undo");
    for (body, field) in [
        (json!({"items": "x"}), "items"),
        (json!({"items": ["x"]}), "items[0]"),
        (json!({"hunks": [1]}), "hunks[0]"),
        (json!({"skip_conflicts": "yes"}), "skip_conflicts"),
        (json!({"hunk": []}), "hunk"),
    ] {
        assert_eq!(owner.refused_fields(&undo, body).await, [field]);
    }
    assert_eq!(owner.refused_fields("POST /changes/keep", json!({})).await, ["ids"]);
    owner.post(&format!("/changes/{set}/keep"), json!({"items": [NO_ID]})).await.expect(404, json!({}));
}

async fn decisions_are_events(store: TestStore) {
    let (server, owner, agent) = people(store).await;
    let (_, set) = edited(&owner, &agent).await;
    let mut socket = super::events::listen(&server, "").await;
    owner.post(&format!("/changes/{set}/keep"), json!({})).await.expect(200, json!({}));
    let heard = super::events::event(&mut socket).await;
    assert_eq!((&heard["event"], &heard["change_set"]), (&json!("change.kept"), &json!(set)));
    assert!(heard.get("id").is_none() && heard["user"]["name"] == "owner", "{heard}");
    owner.post(&format!("/changes/{set}/undo"), json!({"reason": "no"})).await.expect(200, json!({}));
    let updated = super::events::event(&mut socket).await;
    assert_eq!((&updated["event"], &updated["reason"]), (&json!("item.updated"), &json!("no")));
    let heard = super::events::event(&mut socket).await;
    assert_eq!((&heard["event"], &heard["change_set"]), (&json!("change.undone"), &json!(set)));
}
