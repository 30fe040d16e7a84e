//! Which items `?q=` matches, and in which order.

use serde_json::{Value, json};

use super::{Parameters, titles};
use crate::support::client::{Client, text};
use crate::support::test_store::TestStore;

on_both!(
    a_query_finds_words_phrases_and_parts_the_best_first,
    a_collection_finds_its_kind_only,
    a_search_is_combined_with_every_other_parameter,
    among_equal_matches_the_active_ones_come_first,
    an_empty_query_is_a_list,
);

/// Five items, told apart by their titles.
async fn library(client: &Client) {
    for (collection, body) in [
        ("notes", json!({"title": "Deploying servers", "content": "How we run things.", "tags": ["ops"]})),
        (
            "notes",
            json!({"title": "Runbook", "content": "Deploy the server,\nthen deploy again.", "tags": ["ops", "x"]}),
        ),
        (
            "notes",
            json!({"title": "Staging", "description": "A deployed copy", "content": "useState and node.js, 100 %"}),
        ),
        ("bookmarks", json!({"title": "Auth", "url": "https://example.org/authentication"})),
        ("prompts", json!({"title": "Release", "name": "release-notes", "content": "Écris “les notes”."})),
    ] {
        client.create(collection, body).await;
    }
}

async fn a_query_finds_words_phrases_and_parts_the_best_first(store: TestStore) {
    let server = store.serve().await;
    let owner = server.owner();
    library(&owner).await;
    let rows: &[(&str, &[&str])] = &[
        ("deploy", &["Deploying servers", "Staging", "Runbook"]),
        ("DÉPLOYS", &["Deploying servers", "Staging", "Runbook"]),
        ("eploy", &["Deploying servers", "Staging", "Runbook"]),
        ("deploy server", &["Deploying servers", "Runbook"]),
        ("server  deploy", &["Deploying servers", "Runbook"]),
        ("\"deploy again\"", &["Runbook"]),
        ("\"again deploy\"", &[]),
        // A phrase goes on in the next line.
        ("\"server, then\"", &["Runbook"]),
        ("deploy -server", &["Staging"]),
        ("deploy -\"deploy again\"", &["Deploying servers", "Staging"]),
        ("deploy OR notes", &["Release", "Deploying servers", "Staging", "Runbook"]),
        ("deploy server OR authentication", &["Deploying servers", "Runbook", "Auth"]),
        ("deploy or notes", &[]),
        ("usestate", &["Staging"]),
        ("NODE.js", &["Staging"]),
        ("%", &["Staging"]),
        ("_", &[]),
        ("auth", &["Auth"]),
        ("example.org", &["Auth"]),
        ("release-notes", &["Release"]),
        ("\"\\\"les notes\\\"\"", &["Release"]),
        ("ecris", &["Release"]),
        ("zebra", &[]),
    ];
    for (q, expected) in rows {
        assert_eq!(titles(&owner, "content", &[("q", q)]).await, *expected, "{q}");
    }
    server.store.interline.complete_index().await.unwrap();
    for (q, expected) in rows {
        assert_eq!(titles(&owner, "content", &[("q", q)]).await, *expected, "{q}, from the index");
    }
}

async fn a_collection_finds_its_kind_only(store: TestStore) {
    let owner = store.serve().await.owner();
    owner.note("note", Some("wool")).await;
    owner.create("bookmarks", json!({"title": "bookmark", "url": "https://wool.example"})).await;
    owner.create("prompts", json!({"title": "prompt", "name": "wool", "content": "x"})).await;
    let rows: &[(&str, Parameters<'_>, &[&str])] = &[
        ("content", &[], &["prompt", "bookmark", "note"]),
        ("notes", &[], &["note"]),
        ("bookmarks", &[], &["bookmark"]),
        ("prompts", &[], &["prompt"]),
        ("content", &[("type", "note")], &["note"]),
        ("content", &[("type", "note"), ("type", "prompt")], &["prompt", "note"]),
        ("notes", &[("type", "prompt")], &[]),
    ];
    for (collection, narrowed, expected) in rows {
        let parameters = [&[("q", "wool")], *narrowed].concat();
        assert_eq!(titles(&owner, collection, &parameters).await, *expected, "{collection} {narrowed:?}");
    }
}

async fn a_search_is_combined_with_every_other_parameter(store: TestStore) {
    let owner = store.serve().await.owner();
    library(&owner).await;
    let archived = owner.create("notes", json!({"title": "Archived", "content": "deploy", "tags": ["ops"]})).await;
    owner.post(&format!("/notes/{}/archive", text(&archived["id"])), json!({})).await.expect(200, json!({}));
    let deleted = owner.create("notes", json!({"title": "Deleted deploy"})).await;
    owner.delete(&format!("/notes/{}", text(&deleted["id"]))).await.expect(204, Value::Null);
    let rows: &[(Parameters<'_>, &[&str])] = &[
        (&[("tags", "ops")], &["Deploying servers", "Runbook"]),
        (&[("tags", "ops"), ("tags", "x")], &["Runbook"]),
        (&[("tags", "none"), ("tags", "x"), ("tag_match", "any")], &["Runbook"]),
        (&[("view", "archived")], &["Archived"]),
        (&[("view", "deleted")], &["Deleted deploy"]),
        (&[("view", "archived"), ("view", "active"), ("tags", "ops")], &["Deploying servers", "Runbook", "Archived"]),
        (&[("sort_by", "relevance")], &["Deploying servers", "Staging", "Runbook"]),
        (&[("sort_by", "relevance"), ("sort_order", "desc")], &["Deploying servers", "Staging", "Runbook"]),
        (&[("sort_order", "asc")], &["Runbook", "Staging", "Deploying servers"]),
        (&[("sort_by", "title")], &["Deploying servers", "Runbook", "Staging"]),
        (&[("sort_by", "title"), ("sort_order", "desc")], &["Staging", "Runbook", "Deploying servers"]),
        (&[("sort_by", "created_at")], &["Staging", "Runbook", "Deploying servers"]),
        (&[("sort_by", "updated_at"), ("sort_order", "asc")], &["Deploying servers", "Runbook", "Staging"]),
        (&[("type", "bookmark")], &[]),
    ];
    for (others, expected) in rows {
        let parameters = [&[("q", "deploy")], *others].concat();
        assert_eq!(titles(&owner, "content", &parameters).await, *expected, "{others:?}");
    }
}

async fn among_equal_matches_the_active_ones_come_first(store: TestStore) {
    let owner = store.serve().await.owner();
    for title in ["wool a", "wool b", "wool c", "wool d", "wool e", "wool f"] {
        let path = format!("/notes/{}", text(&owner.note(title, None).await["id"]));
        if ["wool a", "wool e"].contains(&title) {
            owner.post(&format!("{path}/archive"), json!({})).await.expect(200, json!({}));
        }
        if ["wool b", "wool f"].contains(&title) {
            owner.delete(&path).await.expect(204, Value::Null);
        }
    }
    let views = [("view", "active"), ("view", "archived"), ("view", "deleted")];
    for (order, expected) in [
        ("desc", ["wool d", "wool c", "wool e", "wool a", "wool f", "wool b"]),
        ("asc", ["wool c", "wool d", "wool a", "wool e", "wool b", "wool f"]),
    ] {
        let parameters = [&[("q", "wool"), ("sort_order", order)], &views[..]].concat();
        assert_eq!(titles(&owner, "notes", &parameters).await, expected, "{order}");
    }
    // A better match comes before worse ones, whatever its state.
    let best = format!("/notes/{}", text(&owner.note("wool", None).await["id"]));
    owner.patch(&best, json!({"description": "wool", "content": "wool"})).await.expect(200, json!({}));
    owner.post(&format!("{best}/archive"), json!({})).await.expect(200, json!({}));
    assert_eq!(titles(&owner, "notes", &[&[("q", "wool")], &views[..]].concat()).await[0], "wool");
}

async fn an_empty_query_is_a_list(store: TestStore) {
    let owner = store.serve().await.owner();
    library(&owner).await;
    let list = owner.get("/content").await.expect(200, json!({"total": 5})).json();
    for q in ["", " ", "\t \n", "\"\"", "\" \" \"\""] {
        let answer = owner.get(&super::address("content", &[("q", q)])).await.expect(200, json!({}));
        assert_eq!(answer.json(), list, "{q:?}");
    }
}
