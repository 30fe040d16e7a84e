//! `GET /notes?sort_by=&sort_order=`

use serde_json::json;

use crate::support::client::{Client, text};
use crate::support::test_store::TestStore;

on_both!(
    the_last_changed_comes_first,
    titles_sort_by_their_folded_text,
    orders_are_by_what_they_name,
    ties_are_broken_by_id
);

async fn titles(client: &Client, path: &str) -> Vec<String> {
    let list = client.get(path).await.expect(200, json!({})).json();
    list["items"].as_array().unwrap().iter().map(|item| item["title"].as_str().unwrap_or("-").to_owned()).collect()
}

async fn the_last_changed_comes_first(store: TestStore) {
    let owner = store.serve().await.owner();
    let first = text(&owner.note("first", None).await["id"]);
    owner.note("second", None).await;
    assert_eq!(titles(&owner, "/notes").await, ["second", "first"]);
    owner.patch(&format!("/notes/{first}"), json!({"content": "x"})).await.expect(200, json!({}));
    assert_eq!(titles(&owner, "/notes").await, ["first", "second"]);
    assert_eq!(titles(&owner, "/notes?sort_by=updated_at&sort_order=asc").await, ["second", "first"]);
    // What is no version does not move an item.
    let second = owner.get("/notes?limit=1&offset=1").await.json();
    owner
        .post(&format!("/notes/{}/track-usage", text(&second["items"][0]["id"])), json!({}))
        .await
        .expect(200, json!({}));
    assert_eq!(titles(&owner, "/notes").await, ["first", "second"]);
}

/// The same on a database whose own order of texts is not that of their characters.
async fn titles_sort_by_their_folded_text(store: TestStore) {
    let owner = store.serve().await.owner();
    let sorted = [
        "10", "9", "_x", "Apfel", "apfel 2", "Banane", "STRASSE", "straßf", "zebra", "Äpfel", "Éclair", "Ω", "ж",
        "日本", "👍",
    ];
    let mut shuffled = sorted;
    shuffled.reverse();
    shuffled.swap(2, 9);
    for title in shuffled {
        owner.note(title, None).await;
    }
    let found = titles(&owner, "/notes?sort_by=title").await;
    assert_eq!(found, sorted);
    let mut reversed = found;
    reversed.reverse();
    assert_eq!(titles(&owner, "/notes?sort_by=title&sort_order=desc").await, reversed);
}

async fn orders_are_by_what_they_name(store: TestStore) {
    let owner = store.serve().await.owner();
    let mut paths = Vec::new();
    for (title, url) in
        [(Some("b"), "https://b.example"), (None, "https://a.example"), (Some("a"), "https://c.example")]
    {
        let made = owner.create("bookmarks", json!({"title": title, "url": url})).await;
        paths.push(format!("/bookmarks/{}", text(&made["id"])));
    }
    for path in [&paths[2], &paths[0]] {
        owner.post(&format!("{path}/track-usage"), json!({})).await.expect(200, json!({}));
    }
    for (query, order) in [
        ("sort_by=created_at", ["a", "-", "b"]),
        ("sort_by=created_at&sort_order=asc", ["b", "-", "a"]),
        ("sort_by=last_used_at", ["b", "a", "-"]),
        ("sort_by=last_used_at&sort_order=asc", ["a", "b", "-"]),
        ("sort_by=title", ["a", "b", "-"]),
        ("sort_by=title&sort_order=desc", ["b", "a", "-"]),
        ("sort_order=asc", ["b", "-", "a"]),
    ] {
        assert_eq!(titles(&owner, &format!("/bookmarks?{query}")).await, order, "{query}");
        assert_eq!(titles(&owner, &format!("/content?{query}")).await, order, "{query}");
    }
}

async fn ties_are_broken_by_id(store: TestStore) {
    let owner = store.serve().await.owner();
    let mut ids = Vec::new();
    for _ in 0..5 {
        ids.push(text(&owner.note("same", None).await["id"]));
    }
    for (order, ids) in [("asc", ids.clone()), ("desc", ids.into_iter().rev().collect())] {
        let list = owner.get(&format!("/notes?sort_by=title&sort_order={order}")).await.json();
        let found: Vec<String> = list["items"].as_array().unwrap().iter().map(|item| text(&item["id"])).collect();
        assert_eq!(found, ids, "{order}");
    }
}
