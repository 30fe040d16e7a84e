//! `/proposals`: what a proposing token is answered, and what people decide.

use serde_json::{Value, json};

use crate::support::client::{Client, text};
use crate::support::test_store::{TestServer, TestStore};

on_both!(
    a_write_is_answered_with_its_proposal,
    a_repeated_write_gets_the_same_answer_and_proposes_once,
    conditions_are_those_of_the_stored_item,
    a_proposal_is_read_and_accepted_by_hunk,
    a_stale_one_says_where_and_is_stale,
    a_rejection_is_told_once,
    several_are_decided_each_by_itself,
    bad_requests_are_refused,
    proposals_are_events_for_those_who_may_know,
);

async fn people(store: TestStore) -> (TestServer, Client, Client) {
    let server = store.serve().await;
    let owner = server.owner();
    let (agent, _) = owner.new_token(json!({"name": "agent", "agent": true, "writes": "propose"})).await;
    (server, owner, agent)
}

const TEN: &str = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n";

async fn note(owner: &Client) -> String {
    format!("/notes/{}", text(&owner.note("Plan", Some(TEN)).await["id"]))
}

async fn propose(agent: &Client, path: &str, old: &str, new: &str) -> String {
    let body = json!({"old_str": old, "new_str": new, "reason": "a test"});
    let answer = agent.patch(&format!("{path}/str-replace"), body).await.expect(202, json!({"applied": false}));
    text(&answer.json()["proposal"]["id"])
}

async fn a_write_is_answered_with_its_proposal(store: TestStore) {
    let (_server, owner, agent) = people(store).await;
    let path = note(&owner).await;
    let body = json!({"old_str": "2\n", "new_str": "two\n", "reason": "words"});
    let answer = agent.patch(&format!("{path}/str-replace"), body).await.expect(
        202,
        json!({"applied": false, "version": 1, "success": true, "proposal": {"revision": 1, "state": "pending"}}),
    );
    assert_eq!(answer.header("etag"), "", "a proposed state has no tag");
    agent.get(&path).await.expect(200, json!({"pending": true, "version": 1, "content": TEN.replace("2\n", "two\n")}));
    owner.get(&path).await.expect(200, json!({"version": 1, "content": TEN}));
    agent.delete(&path).await.expect(202, json!({"applied": false, "proposal": {"revision": 2}}));
    owner.get(&path).await.expect(200, json!({"deleted_at": null}));
    let code = json!({"entity_type": "module", "path": "a.py", "content": "x = 1\n"});
    agent.post("/code/replace", code).await.expect(202, json!({"applied": false}));
    agent
        .post("/code/get", json!({"entity_type": "module", "path": "a.py"}))
        .await
        .expect(200, json!({"content": "x = 1\n"}));
    owner.post("/code/get", json!({"entity_type": "module", "path": "a.py"})).await.expect(404, json!({}));
    let listed = agent.get("/notes").await.expect(200, json!({"total": 1})).json();
    assert!(listed["items"][0].get("pending").is_none(), "lists show what is stored");
    agent.post("/tokens", json!({"name": "x"})).await.expect(403, json!({"error": "forbidden"}));
    agent.patch("/tags/a", json!({"new_name": "b"})).await.expect(403, json!({}));
}

async fn a_repeated_write_gets_the_same_answer_and_proposes_once(store: TestStore) {
    let (_server, owner, agent) = people(store).await;
    let path = note(&owner).await;
    let body = json!({"old_str": "2\n", "new_str": "two\n"});
    let line = format!("PATCH {path}/str-replace");
    let send = || agent.send_with(&line, &[("idempotency-key", "k1")], Some(&body));
    let first = send().await.expect(202, json!({"applied": false})).json();
    let again = send().await.expect(202, json!({"applied": false}));
    assert_eq!(again.header("idempotency-replayed"), "true");
    assert_eq!(again.json()["proposal"], first["proposal"]);
    owner.get("/proposals").await.expect(200, json!({"items": [{"revision": 1}]}));
}

async fn conditions_are_those_of_the_stored_item(store: TestStore) {
    let (_server, owner, agent) = people(store).await;
    let path = note(&owner).await;
    let tag = owner.get(&path).await.header("etag").to_owned();
    agent.send_with(&format!("GET {path}"), &[("if-none-match", &tag)], None).await.expect(304, Value::Null);
    propose(&agent, &path, "2\n", "two\n").await;
    agent
        .send_with(&format!("GET {path}"), &[("if-none-match", &tag)], None)
        .await
        .expect(200, json!({"pending": true}));
    owner.send_with(&format!("GET {path}"), &[("if-none-match", &tag)], None).await.expect(304, Value::Null);
    let body = json!({"title": "Next"});
    agent.send_with(&format!("PATCH {path}"), &[("if-match", &tag)], Some(&body)).await.expect(202, json!({}));
}

async fn a_proposal_is_read_and_accepted_by_hunk(store: TestStore) {
    let (_server, owner, agent) = people(store).await;
    let path = note(&owner).await;
    let id = propose(&agent, &path, "1\n2\n", "one\n2\n").await;
    assert_eq!(propose(&agent, &path, "10\n", "ten\n").await, id);
    let read = owner.get(&format!("/proposals/{id}")).await.expect(
        200,
        json!({"revision": 2, "state": "pending", "agent": true, "reason": "a test", "base_version": 1,
               "changed_fields": ["content"], "requests": [{"action": "update"}, {}], "token": {"name": "agent"}}),
    );
    let hunks = read.json()["hunks"].as_array().unwrap().clone();
    assert_eq!(hunks.len(), 2);
    let accept = format!("/proposals/{id}/accept");
    owner.post(&accept, json!({"revision": 1})).await.expect(409, json!({"error": "conflict", "revision": 2}));
    let one = json!({"revision": 2, "hunks": [hunks[1]["id"]]});
    owner
        .post(&accept, one)
        .await
        .expect(200, json!({"proposal": {"state": "pending", "revision": 3}, "item": {"version": 2}}));
    owner.get(&path).await.expect(200, json!({"content": TEN.replace("10\n", "ten\n")}));
    let mine = json!({"revision": 3, "content": TEN.replace("1\n2", "I\n2").replace("10\n", "ten\n")});
    owner.post(&accept, mine).await.expect(200, json!({"proposal": {"state": "accepted"}}));
    owner.get(&format!("{path}/history")).await.expect(
        200,
        json!({"items": [
            {"token": {"name": "agent"}, "review": "kept", "accepted": {"proposal": id, "by": {"name": "owner"}, "text": "reviewer"}},
            {"accepted": {"text": "proposed"}},
            {},
        ]}),
    );
    owner.post(&accept, json!({"revision": 3})).await.expect(409, json!({"state": "accepted"}));
}

async fn a_stale_one_says_where_and_is_stale(store: TestStore) {
    let (_server, owner, agent) = people(store).await;
    let path = note(&owner).await;
    let id = propose(&agent, &path, "5\n", "five\n").await;
    owner.patch(&path, json!({"content": TEN.replace("5\n", "FIVE\n")})).await.expect(200, json!({}));
    let accept = owner.post(&format!("/proposals/{id}/accept"), json!({"revision": 1})).await;
    let refused = accept.expect(409, json!({"error": "conflict", "state": "stale"})).json();
    assert_eq!(refused["conflicts"][0]["theirs"]["text"], "FIVE\n");
    owner.get(&format!("/proposals/{id}")).await.expect(200, json!({"state": "stale"}));
    owner.get(&path).await.expect(200, json!({"version": 2}));
}

async fn a_rejection_is_told_once(store: TestStore) {
    let (_server, owner, agent) = people(store).await;
    let path = note(&owner).await;
    let id = propose(&agent, &path, "5\n", "five\n").await;
    let reject = format!("/proposals/{id}/reject");
    owner.post(&reject, json!({"reason": "digits are fine"})).await.expect(200, json!({"state": "rejected"}));
    agent.get(&format!("/proposals/{id}")).await.expect(200, json!({"decision_reason": "digits are fine"}));
    let body = json!({"title": "Next"});
    agent.patch(&path, body).await.expect(202, json!({"rejected": {"id": id, "reason": "digits are fine"}}));
    let again = agent.patch(&path, json!({"title": "After"})).await.expect(202, json!({})).json();
    assert!(again.get("rejected").is_none(), "{again}");
    owner.post(&reject, json!({})).await.expect(409, json!({"state": "rejected"}));
}

async fn several_are_decided_each_by_itself(store: TestStore) {
    let (_server, owner, agent) = people(store).await;
    let (one, two) = (note(&owner).await, note(&owner).await);
    let first = propose(&agent, &one, "5\n", "five\n").await;
    let second = propose(&agent, &two, "5\n", "five\n").await;
    let ids = json!([{"id": first, "revision": 1}, {"id": second, "revision": 9}]);
    let decided = owner.post("/proposals/accept", json!({"ids": ids})).await.expect(200, json!({})).json();
    assert_eq!(decided["items"][0]["state"], "accepted");
    assert_eq!(decided["items"][1]["error"]["error"], "conflict");
    let ids = json!([{"id": second, "revision": 1}]);
    owner
        .post("/proposals/reject", json!({"ids": ids, "reason": "no"}))
        .await
        .expect(200, json!({"items": [{"state": "rejected"}]}));
    let pages = owner.get("/proposals?limit=1").await.expect(200, json!({"has_more": true})).json();
    let next = text(&pages["next_cursor"]);
    owner
        .get(&format!("/proposals?limit=1&cursor={next}"))
        .await
        .expect(200, json!({"has_more": false, "items": [{"id": first}]}));
    owner.get("/proposals?state=rejected").await.expect(200, json!({"items": [{"id": second}]}));
    agent.delete(&format!("/proposals/{first}")).await.expect(409, json!({"state": "accepted"}));
}

async fn bad_requests_are_refused(store: TestStore) {
    let (_server, owner, agent) = people(store).await;
    let path = note(&owner).await;
    let id = propose(&agent, &path, "5\n", "five\n").await;
    let accept = format!("POST /proposals/{id}/accept");
    for (line, body) in [
        (accept.as_str(), json!({})),
        (&accept, json!({"revision": "1"})),
        (&accept, json!({"revision": 1, "hunks": []})),
        (&accept, json!({"revision": 1, "hunks": ["x"], "content": "y"})),
        (&accept, json!({"revision": 1, "force": true})),
        ("POST /proposals/accept", json!({"ids": []})),
        ("POST /proposals/accept", json!({"ids": [{"id": id}]})),
        ("POST /proposals/reject", json!({"ids": [{"id": id, "revision": 1}], "reason": "x".repeat(501)})),
        ("POST /tokens", json!({"name": "x", "writes": "maybe"})),
        ("POST /tokens", json!({"name": "x", "writes": null})),
        ("GET /proposals?state=open", Value::Null),
        ("GET /proposals?cursor=x", Value::Null),
    ] {
        let body = Some(&body).filter(|body| !body.is_null());
        owner.send(line, body).await.expect(422, json!({"error": "validation_failed"}));
    }
    let unknown = json!({"revision": 1, "hunks": ["x"]});
    owner.post(&format!("/proposals/{id}/accept"), unknown).await.expect(409, json!({"hunk": "x"}));
    let none = "01990000-0000-7000-8000-000000000000";
    owner
        .post(&format!("/proposals/{none}/accept"), json!({"revision": 1}))
        .await
        .expect(404, json!({"type": "proposal"}));
    owner.get(&format!("/proposals/{id}")).await.expect(200, json!({"state": "pending"}));
}

async fn proposals_are_events_for_those_who_may_know(store: TestStore) {
    let (server, owner, agent) = people(store).await;
    let path = note(&owner).await;
    let mut socket = super::events::listen(&server, "").await;
    let id = propose(&agent, &path, "5\n", "five\n").await;
    let heard = super::events::event(&mut socket).await;
    assert_eq!(
        (&heard["event"], &heard["proposal"], &heard["revision"]),
        (&json!("proposal.made"), &json!(id), &json!(1))
    );
    assert_eq!(heard["type"], "note");
    owner.post(&format!("/proposals/{id}/accept"), json!({"revision": 1})).await.expect(200, json!({}));
    let applied = super::events::event(&mut socket).await;
    assert_eq!((&applied["event"], &applied["token"]["name"]), (&json!("item.updated"), &json!("agent")));
    assert_eq!(super::events::event(&mut socket).await["event"], "proposal.accepted");
}
