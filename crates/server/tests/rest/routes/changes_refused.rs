//! `/changes` where something is wrong: what was removed, forgotten or published since, names and reasons that are not taken.

use std::num::NonZeroU32;

use interline_server::{RateLimits, Settings};
use serde_json::{Value, json};

use crate::support::client::{Client, text};
use crate::support::test_store::{TestServer, TestStore, unlimited};

on_both!(
    the_changes_of_a_removed_user_are_taken_back,
    publishing_stays_and_the_draft_goes_back,
    a_template_that_would_be_invalid_is_a_conflict,
    versions_that_history_has_forgotten_are_a_conflict,
    a_very_long_reason_is_refused,
    a_replayed_request_is_answered_also_when_its_set_is_closed,
    a_request_that_is_not_carried_out_names_no_set,
);

const SET: &str = "0f9619ff-8b86-4011-b42d-00cf4fc964ff";

async fn people(store: TestStore) -> (TestServer, Client, Client) {
    let server = store.serve().await;
    let owner = server.owner();
    let (agent, _) = owner.new_token(json!({"name": "agent", "agent": true})).await;
    (server, owner, agent)
}

/// What an undo of the set answers.
async fn undo(owner: &Client, status: u16, expected: Value) {
    owner.post(&format!("/changes/{SET}/undo"), json!({})).await.expect(status, expected);
}

async fn the_changes_of_a_removed_user_are_taken_back(store: TestStore) {
    let (server, owner, _) = people(store).await;
    let organization = owner.post("/organizations", json!({"name": "acme"})).await.expect(201, json!({})).id();
    let made =
        owner.post("/users", json!({"name": "ada", "organization_id": organization})).await.expect(201, json!({}));
    let ada = server.with_token(&text(&made.json()["token"]));
    let (agent, _) = ada.new_token(json!({"name": "Claude", "agent": true})).await;
    let file = |more: Value| {
        let mut body = json!({"entity_type": "workflow", "path": "flow.py", "organization_id": organization});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        body
    };
    owner.post("/code/replace", file(json!({"content": "@workflow\ndef one(): ...\n"}))).await.expect(201, json!({}));
    let by_agent = file(json!({"content": "@workflow\ndef two(): ...\n", "change_set": SET}));
    agent.post("/code/replace", by_agent).await.expect(200, json!({}));
    owner.delete(&format!("/users/{}?purge=true", made.id())).await.expect(204, Value::Null);
    owner.get(&format!("/changes/{SET}")).await.expect(200, json!({"user": {"name": "ada"}, "state": "unreviewed"}));
    undo(&owner, 200, json!({"skipped": [], "change_set": {"user": {"name": "owner"}}})).await;
    owner.post("/code/get", file(json!({}))).await.expect(200, json!({"content": "@workflow\ndef one(): ...\n"}));
    owner.get(&format!("/changes/{SET}")).await.expect(200, json!({"state": "undone"}));
}

async fn publishing_stays_and_the_draft_goes_back(store: TestStore) {
    let (_server, owner, agent) = people(store).await;
    owner.post("/apps", json!({"name": "shop"})).await.expect(201, json!({}));
    let file = json!({"entity_type": "app_file", "app_id": "shop", "path": "pages/index.tsx"});
    let before = text(&owner.post("/code/get", file.clone()).await.expect(200, json!({})).json()["content"]);
    let with = |more: Value| {
        let mut body = file.clone();
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        body
    };
    agent.post("/code/replace", with(json!({"content": "bad\n", "change_set": SET}))).await.expect(200, json!({}));
    let publish = [("interline-change-set", SET)];
    agent.send_with("POST /apps/shop/publish", &publish, None).await.expect(200, json!({}));
    undo(&owner, 200, json!({"skipped": [], "change_set": {"items_total": 1}})).await;
    owner.post("/code/get", file.clone()).await.expect(200, json!({"content": before}));
    let published = "/apps/shop/versions/1/file?path=pages/index.tsx";
    owner.get(published).await.expect(200, json!({"content": "bad\n"}));
}

async fn a_template_that_would_be_invalid_is_a_conflict(store: TestStore) {
    let (_server, owner, agent) = people(store).await;
    let arguments = json!([{"name": "who"}]);
    let prompt = json!({"name": "greet", "content": "Hello {{ who }}\n-\nyou\n", "arguments": arguments});
    let path = format!("/prompts/{}", text(&owner.create("prompts", prompt).await["id"]));
    let by_agent = json!({"content": "Hello {{ who }}\n-\n{{ who }} and you\n", "change_set": SET});
    agent.patch(&path, by_agent).await.expect(200, json!({}));
    let mine = json!({"content": "Hello {{ mood }}\n-\n{{ who }} and you\n",
        "arguments": [{"name": "who"}, {"name": "mood"}]});
    owner.patch(&path, mine.clone()).await.expect(200, json!({}));
    let id = path.strip_prefix("/prompts/").unwrap();
    undo(&owner, 409, json!({"error": "conflict", "conflicts": [{"id": id, "cause": "check"}]})).await;
    owner.get(&path).await.expect(200, json!({"content": mine["content"], "version": 3}));
    owner.get(&format!("/changes/{SET}")).await.expect(200, json!({"state": "unreviewed"}));
}

async fn versions_that_history_has_forgotten_are_a_conflict(store: TestStore) {
    let (server, owner, agent) = people(store).await;
    let path = format!("/notes/{}", text(&owner.note("A", Some("one\n")).await["id"]));
    agent.patch(&path, json!({"content": "two\n", "change_set": SET})).await.expect(200, json!({}));
    let hunk = owner.get(&format!("/changes/{SET}")).await.json()["items"][0]["hunks"][0]["id"].clone();
    server.store.execute("DELETE FROM versions WHERE version = 1").await;
    let id = path.strip_prefix("/notes/").unwrap();
    undo(&owner, 409, json!({"error": "conflict", "conflicts": [{"id": id, "cause": "forgotten"}]})).await;
    let hunks = owner.post(&format!("/changes/{SET}/undo"), json!({"hunks": [hunk]})).await;
    hunks.expect(409, json!({"error": "conflict", "hunk": hunk}));
    let skipped = json!({"change_set": null, "skipped": [{"id": id, "cause": "forgotten"}]});
    let skip = json!({"skip_conflicts": true});
    owner.post(&format!("/changes/{SET}/undo"), skip).await.expect(200, skipped);
    owner.get(&format!("/changes/{SET}")).await.expect(200, json!({"items": [{"id": id, "diff": null, "hunks": []}]}));
    owner.get(&path).await.expect(200, json!({"content": "two\n"}));
    owner.post(&format!("/changes/{SET}/keep"), json!({})).await.expect(200, json!({"state": "kept"}));
}

async fn a_very_long_reason_is_refused(store: TestStore) {
    let (_server, owner, agent) = people(store).await;
    let path = format!("/notes/{}", text(&owner.note("A", Some("one\n")).await["id"]));
    let long = "x".repeat(10_000_000);
    assert_eq!(agent.refused_fields(&format!("PATCH {path}"), json!({"title": "T", "reason": long})).await, ["reason"]);
    owner.get(&path).await.expect(200, json!({"title": "A", "version": 1}));
}

async fn a_replayed_request_is_answered_also_when_its_set_is_closed(store: TestStore) {
    let (_server, owner, agent) = people(store).await;
    let path = format!("/notes/{}", text(&owner.note("A", Some("one\n")).await["id"]));
    let headers = [("idempotency-key", "k"), ("interline-change-set", SET)];
    let (line, edit) = (format!("PATCH {path}/str-replace"), json!({"old_str": "one", "new_str": "two"}));
    agent.send_with(&line, &headers, Some(&edit)).await.expect(200, json!({"version": 2}));
    owner.post(&format!("/changes/{SET}/keep"), json!({})).await.expect(200, json!({}));
    let again = agent.send_with(&line, &headers, Some(&edit)).await.expect(200, json!({"version": 2}));
    assert_eq!(again.header("idempotency-replayed"), "true");
    let headers = [("idempotency-key", "another"), ("interline-change-set", SET)];
    agent.send_with(&line, &headers, Some(&edit)).await.expect(409, json!({"change_set": SET}));
}

/// A name is stored for a day at least: a request that is refused anyway stores none.
async fn a_request_that_is_not_carried_out_names_no_set(store: TestStore) {
    let one = NonZeroU32::MIN;
    let settings =
        Settings { rate_limits: Some(RateLimits { writes_per_minute: one, ..RateLimits::default() }), ..unlimited() };
    let server = store.serve_with(settings).await;
    let owner = server.owner();
    let (ada, _) = owner.new_user("ada").await;
    let headers = [("interline-change-set", SET)];
    owner.send_with("POST /notes", &headers, Some(&json!({"title": "A"}))).await.expect(429, json!({}));
    // Had the owner named it, it would not exist for another user.
    ada.send_with("POST /notes", &headers, Some(&json!({"title": "A"}))).await.expect(201, json!({}));
}
