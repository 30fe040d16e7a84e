//! `GET /notes?sort_by=&sort_order=`

use serde_json::{Value, json};

use crate::routes::code::{CodeUsers, app_file};
use crate::support::client::{Client, text};
use crate::support::test_store::TestStore;

on_both!(
    the_last_changed_comes_first,
    titles_sort_by_their_folded_text,
    what_has_no_title_sorts_by_its_name_address_or_path,
    orders_are_by_what_they_name,
    archived_and_deleted_items_sort_by_when_they_became_so,
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

async fn what_has_no_title_sorts_by_its_name_address_or_path(store: TestStore) {
    let users = CodeUsers::new(store).await;
    let client = &users.acme;
    for (collection, body) in [
        ("notes", json!({"title": "M"})),
        ("notes", json!({"title": "httpz"})),
        ("bookmarks", json!({"url": "https://b.example/Z"})),
        ("bookmarks", json!({"url": "https://b.example/a"})),
        ("bookmarks", json!({"url": "https://a.example/", "title": "Zebra"})),
        ("prompts", json!({"name": "greet", "content": "x"})),
        ("prompts", json!({"name": "aaa", "title": "n", "content": "x"})),
    ] {
        client.create(collection, body).await;
    }
    users.put(client, app_file("shop", "Lib/Äther.txt"), "x").await;
    let shown = |item: &Value| {
        let fields = ["title", "name", "url", "path"];
        fields.iter().find_map(|field| item[*field].as_str()).unwrap().to_owned()
    };
    let listed = async |query: &str| {
        let list = client.get(&format!("/content?sort_by=title&limit=100{query}")).await.expect(200, json!({})).json();
        list["items"].as_array().unwrap().iter().map(shown).collect::<Vec<_>>()
    };
    let wanted = ["greet", "https://b.example/a", "https://b.example/Z", "httpz", "Lib/Äther.txt", "M", "n", "Zebra"];
    let among = |found: &[String]| -> Vec<String> {
        found.iter().filter(|one| wanted.contains(&one.as_str())).cloned().collect()
    };
    let ascending = listed("").await;
    assert_eq!(among(&ascending), wanted);
    let mut reversed = ascending.clone();
    reversed.reverse();
    assert_eq!(listed("&sort_order=desc").await, reversed);
    // A title that comes, and one that goes, moves the item.
    let greet = client.get("/prompts/name/greet").await.id();
    client.patch(&format!("/prompts/{greet}"), json!({"title": "zz"})).await.expect(200, json!({}));
    assert_eq!(among(&listed("").await).first().map(String::as_str), Some("https://b.example/a"));
    client.patch(&format!("/prompts/{greet}"), json!({"title": null})).await.expect(200, json!({}));
    assert_eq!(listed("").await, ascending);
}

async fn archived_and_deleted_items_sort_by_when_they_became_so(store: TestStore) {
    let owner = store.serve().await.owner();
    let mut paths = Vec::new();
    for title in ["a", "b", "c", "d", "e"] {
        paths.push(format!("/notes/{}", text(&owner.note(title, None).await["id"])));
    }
    for index in [3, 1, 2] {
        owner.post(&format!("{}/archive", paths[index]), json!({})).await.expect(200, json!({}));
    }
    for index in [1, 0] {
        owner.delete(&paths[index]).await.expect(204, Value::Null);
    }
    let rows: &[(&str, &[&str])] = &[
        ("view=archived&sort_by=archived_at", &["c", "d"]),
        ("view=archived&sort_by=archived_at&sort_order=asc", &["d", "c"]),
        ("view=deleted&sort_by=deleted_at", &["a", "b"]),
        ("view=deleted&sort_by=deleted_at&sort_order=asc", &["b", "a"]),
        // What is neither comes last, either way.
        ("view=active&view=archived&sort_by=archived_at", &["c", "d", "e"]),
        ("view=active&view=archived&sort_by=archived_at&sort_order=asc", &["d", "c", "e"]),
        ("view=active&view=archived&view=deleted&sort_by=archived_at", &["c", "b", "d", "e", "a"]),
        ("view=active&view=archived&view=deleted&sort_by=deleted_at&sort_order=asc", &["b", "a", "c", "d", "e"]),
        ("sort_by=deleted_at", &["e"]),
    ];
    for (query, expected) in rows {
        assert_eq!(titles(&owner, &format!("/notes?{query}")).await, *expected, "{query}");
        assert_eq!(titles(&owner, &format!("/content?{query}")).await, *expected, "{query}");
    }
    // The orders of a search are those of a list.
    let found = titles(&owner, "/notes?q=c+OR+d&view=archived&sort_by=archived_at&sort_order=asc").await;
    assert_eq!(found, ["d", "c"]);
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
        // Without a title it is the address.
        ("sort_by=title", ["a", "b", "-"]),
        ("sort_by=title&sort_order=desc", ["-", "b", "a"]),
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
