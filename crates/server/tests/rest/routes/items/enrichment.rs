//! `GET /notes/{id}/enrichment`, and the model that makes summaries.

use interline_server::{AiKey, AiSettings};
use serde_json::{Value, json};

use crate::routes::webhooks::with_worker;
use crate::support::client::{Client, text};
use crate::support::http_endpoint::{EndpointReply, HttpEndpoint, PATIENCE, until};
use crate::support::test_store::TestStore;

on_both!(
    a_model_is_asked_and_what_it_says_is_kept_beside_the_item,
    a_model_that_cannot_be_reached_is_asked_again,
    a_model_that_talks_nonsense_is_given_up,
    the_newest_content_wins,
    without_a_model_nothing_is_asked,
    one_users_many_items_leave_the_model_to_others_too,
);

fn model(endpoint: &HttpEndpoint) -> AiSettings {
    AiSettings { url: endpoint.url("/v1"), model: "small".to_owned(), key: Some(AiKey::new("sk-1".to_owned())) }
}

/// A completion that says this.
fn says(content: &str) -> EndpointReply {
    EndpointReply::Text(200, json!({"choices": [{"message": {"role": "assistant", "content": content}}]}).to_string())
}

fn summary(text: &str, tags: &Value) -> EndpointReply {
    says(&json!({"summary": text, "tags": tags}).to_string())
}

/// The enrichment of an item once it is as it should be.
async fn enriched(client: &Client, path: &str, is_right: impl Fn(&Value) -> bool) -> Value {
    until(client, &format!("{path}/enrichment"), is_right).await
}

fn is_done(shown: &Value) -> bool {
    shown["current"] == json!(true) && shown["pending"] == json!(false)
}

/// A new note that the model is asked about: changes leave that to be done once somebody has said that they do it.
async fn asked(client: &Client, body: &Value) -> Value {
    let asking = async {
        loop {
            let note = client.create("notes", body.clone()).await;
            let shown = client.get(&format!("/notes/{}/enrichment", text(&note["id"]))).await.json();
            if shown["pending"] == json!(true) {
                return note;
            }
        }
    };
    tokio::time::timeout(PATIENCE, asking).await.expect("the worker begins")
}

/// The address of such a note.
async fn asked_about(client: &Client, content: &str) -> String {
    format!("/notes/{}", text(&asked(client, &json!({"title": "Plan", "content": content})).await["id"]))
}

async fn a_model_is_asked_and_what_it_says_is_kept_beside_the_item(store: TestStore) {
    let tags = json!(["Rust", "async io", "already", "!!", "rust"]);
    let mut endpoint = HttpEndpoint::answering([summary(" About rust. ", &tags)]).await;
    let server = store.serve_with(with_worker(Some(model(&endpoint)))).await;
    let owner = server.owner();
    let body = json!({"title": "Plan", "tags": ["already"], "content": "all of it"});
    let note = asked(&owner, &body).await;
    let path = format!("/notes/{}", text(&note["id"]));
    let got = endpoint.next().await;
    assert_eq!((got.path.as_str(), got.header("authorization")), ("/v1/chat/completions", "Bearer sk-1"));
    let asked = got.json();
    assert_eq!(asked["model"], json!("small"));
    let document: Value = serde_json::from_str(asked["messages"][1]["content"].as_str().unwrap()).unwrap();
    assert_eq!(document, json!({"type": "note", "title": "Plan", "content": "all of it"}));
    let shown = enriched(&owner, &path, is_done).await;
    assert_eq!(
        (&shown["enrichment"]["summary"], &shown["enrichment"]["suggested_tags"]),
        (&json!("About rust."), &json!(["rust", "async-io"]))
    );
    assert_eq!((&shown["enrichment"]["model"], &shown["enrichment"]["version"]), (&json!("small"), &json!(1)));
    // The item is what it was.
    let after = owner.get(&path).await.json();
    assert_eq!((&after["tags"], &after["version"], &after["content"]), (&note["tags"], &json!(1), &note["content"]));
    owner.patch(&path, json!({"tags": ["other"]})).await.expect(200, json!({}));
    let shown = owner.get(&format!("{path}/enrichment")).await.json();
    assert_eq!((&shown["pending"], &shown["current"]), (&json!(false), &json!(false)), "tags are not read");
    let (bob, _) = owner.new_user("bob").await;
    bob.get(&format!("{path}/enrichment")).await.expect(404, json!({"error": "not_found"}));
}

async fn a_model_that_cannot_be_reached_is_asked_again(store: TestStore) {
    let good = summary("Fine.", &json!([]));
    let elsewhere = EndpointReply::Redirect("http://127.0.0.1:9/".to_owned());
    let mut endpoint =
        HttpEndpoint::answering([EndpointReply::Status(500), EndpointReply::Status(429), elsewhere, good]).await;
    let server = store.serve_with(with_worker(Some(model(&endpoint)))).await;
    let owner = server.owner();
    let path = asked_about(&owner, "text").await;
    for _ in 0..4 {
        endpoint.next().await;
    }
    let shown = enriched(&owner, &path, is_done).await;
    assert_eq!((&shown["enrichment"]["summary"], &shown["failure"]), (&json!("Fine."), &Value::Null));
}

async fn a_model_that_talks_nonsense_is_given_up(store: TestStore) {
    let replies = [
        says("Sure, here you are!"),
        EndpointReply::Text(200, "x".repeat(2_000_000)),
        EndpointReply::Text(200, "<p>".to_owned()),
    ];
    let mut endpoint = HttpEndpoint::answering(replies).await;
    let server = store.serve_with(with_worker(Some(model(&endpoint)))).await;
    let owner = server.owner();
    let path = asked_about(&owner, "text").await;
    for _ in 0..3 {
        endpoint.next().await;
    }
    let shown = enriched(&owner, &path, |shown| shown["pending"] == json!(false)).await;
    assert_eq!(shown["enrichment"], Value::Null);
    assert!(text(&shown["failure"]).contains("no completion"), "{shown}");
    assert!(endpoint.is_quiet(), "it was asked once more");
}

async fn one_users_many_items_leave_the_model_to_others_too(store: TestStore) {
    let mut endpoint = HttpEndpoint::answering([EndpointReply::Nothing]).await;
    let server = store.serve_with(with_worker(Some(model(&endpoint)))).await;
    let (ada, _) = server.owner().new_user("ada").await;
    let (ben, _) = server.owner().new_user("ben").await;
    asked_about(&ada, "of ada").await;
    for _ in 0..10 {
        ada.note("Plan", Some("of ada")).await;
    }
    let is_of_ada = |body: &str| body.contains("of ada");
    for _ in 0..2 {
        assert!(is_of_ada(&endpoint.next().await.body));
    }
    ben.note("Plan", Some("of ben")).await;
    assert!(!is_of_ada(&endpoint.next().await.body), "two of four places are the most that one user has");
}

async fn the_newest_content_wins(store: TestStore) {
    let mut endpoint = HttpEndpoint::answering([EndpointReply::Status(503), summary("New.", &json!([]))]).await;
    let server = store.serve_with(with_worker(Some(model(&endpoint)))).await;
    let owner = server.owner();
    let path = asked_about(&owner, "old").await;
    endpoint.next().await;
    for (old, new) in [("old", "newer"), ("newer", "newest")] {
        owner
            .patch(&format!("{path}/str-replace"), json!({"old_str": old, "new_str": new}))
            .await
            .expect(200, json!({}));
    }
    let shown = enriched(&owner, &path, is_done).await;
    assert_eq!((&shown["enrichment"]["version"], &shown["enrichment"]["summary"]), (&json!(3), &json!("New.")));
    let mut last = Value::Null;
    while !last.to_string().contains("newest") {
        last = endpoint.next().await.json();
    }
    // Without a text there is nothing to say.
    owner.patch(&path, json!({"content": null})).await.expect(200, json!({}));
    enriched(&owner, &path, |shown| shown["enrichment"] == Value::Null && shown["pending"] == json!(false)).await;
}

async fn without_a_model_nothing_is_asked(store: TestStore) {
    let server = store.serve_with(with_worker(None)).await;
    let owner = server.owner();
    let note = owner.note("Plan", Some("text")).await;
    let path = format!("/notes/{}/enrichment", text(&note["id"]));
    let nothing = json!({"id": note["id"], "enrichment": null, "current": false, "pending": false, "failure": null});
    assert_eq!(owner.get(&path).await.expect(200, json!({})).json(), nothing);
    owner.get(&path.replace("notes", "content")).await.expect(200, nothing.clone());
    owner.get(&path.replace("notes", "bookmarks")).await.expect(404, json!({"error": "not_found"}));
}
