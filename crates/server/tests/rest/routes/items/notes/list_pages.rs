//! `GET /notes?limit=&offset=&cursor=`

use serde_json::{Value, json};

use crate::support::client::{Client, text};
use crate::support::test_store::TestStore;

on_both!(
    pages_by_offset_cover_the_list,
    pages_by_cursor_cover_the_list_in_every_order,
    pages_by_cursor_are_the_whole_list_of_a_mixed_store,
    pages_by_cursor_are_stable_while_items_change,
    a_cursor_is_good_for_its_order_only,
    cursor_and_offset_exclude_each_other,
);

async fn fill(client: &Client, number: usize) {
    for index in 0..number {
        client.note(&format!("note {index}"), None).await;
    }
}

fn titles(list: &Value) -> Vec<String> {
    list["items"].as_array().unwrap().iter().map(|item| text(&item["title"])).collect()
}

async fn pages_by_offset_cover_the_list(store: TestStore) {
    let owner = store.serve().await.owner();
    fill(&owner, 7).await;
    for (query, page, has_more) in [
        ("limit=3", &["note 6", "note 5", "note 4"][..], true),
        ("limit=3&offset=3", &["note 3", "note 2", "note 1"], true),
        ("limit=3&offset=6", &["note 0"], false),
        ("limit=3&offset=7", &[], false),
        ("limit=3&offset=1000000", &[], false),
        ("limit=7", &["note 6", "note 5", "note 4", "note 3", "note 2", "note 1", "note 0"], false),
        ("limit=1&offset=5", &["note 1"], true),
    ] {
        let list =
            owner.get(&format!("/notes?{query}")).await.expect(200, json!({"total": 7, "has_more": has_more})).json();
        assert_eq!(titles(&list), page, "{query}");
        assert_eq!(list["next_cursor"].is_string(), has_more, "{query}");
    }
    owner.get("/notes?limit=100&offset=2").await.expect(200, json!({"limit": 100, "offset": 2}));
}

async fn all_by_cursor(client: &Client, query: &str) -> Vec<String> {
    let (mut all, mut cursor) = (Vec::new(), String::new());
    loop {
        let list = client.get(&format!("/notes?limit=3{query}{cursor}")).await.expect(200, json!({"total": 8})).json();
        all.extend(titles(&list));
        match &list["next_cursor"] {
            Value::Null => {
                assert_eq!(list["has_more"], false);
                return all;
            }
            next => cursor = format!("&cursor={}", text(next)),
        }
    }
}

async fn pages_by_cursor_cover_the_list_in_every_order(store: TestStore) {
    let owner = store.serve().await.owner();
    fill(&owner, 8).await;
    let used = owner.get("/notes?limit=2&offset=3").await.json();
    for item in used["items"].as_array().unwrap() {
        owner.post(&format!("/notes/{}/track-usage", text(&item["id"])), json!({})).await.expect(200, json!({}));
    }
    for by in ["created_at", "updated_at", "last_used_at", "title"] {
        for order in ["asc", "desc"] {
            let query = format!("&sort_by={by}&sort_order={order}");
            let whole = titles(&owner.get(&format!("/notes?{}", &query[1..])).await.json());
            assert_eq!(all_by_cursor(&owner, &query).await, whole, "{query}");
        }
    }
}

/// Items of several kinds with and without a title, used or not, in every state.
async fn mixed(client: &Client) {
    for number in 0..32_u32 {
        let title = (number % 3 == 0).then(|| format!("{} title", ["Same", "same", "Other"][number as usize % 3]));
        let (collection, body) = match number % 4 {
            0 => ("notes", json!({"title": format!("Note {}", number % 8)})),
            1 => (
                "bookmarks",
                json!({"title": title, "url": format!("https://example.org/{number}/{}", "x".repeat(600))}),
            ),
            2 => ("bookmarks", json!({"title": title, "url": format!("https://example.org/{number}")})),
            _ => ("prompts", json!({"title": title, "name": format!("prompt-{number}"), "content": "x"})),
        };
        let path = format!("/content/{}", text(&client.create(collection, body).await["id"]));
        for (action, every) in [("track-usage", 2), ("archive", 3)] {
            if number % every == 0 {
                client.post(&format!("{path}/{action}"), json!({})).await.expect(200, json!({}));
            }
        }
        if number % 5 == 0 {
            client.delete(&path).await.expect(204, Value::Null);
        }
    }
}

async fn pages_by_cursor_are_the_whole_list_of_a_mixed_store(store: TestStore) {
    let owner = store.serve().await.owner();
    mixed(&owner).await;
    let ids = |list: &Value| -> Vec<String> {
        list["items"].as_array().unwrap().iter().map(|item| text(&item["id"])).collect()
    };
    let every_view = "view=active&view=archived&view=deleted";
    let searched = format!("{every_view}&q=example+OR+prompt+OR+note");
    for by in ["created_at", "updated_at", "last_used_at", "title", "archived_at", "deleted_at", "relevance"] {
        for (order, filter) in ["asc", "desc"].into_iter().flat_map(|order| [(order, every_view), (order, &*searched)])
        {
            if (by, filter) == ("relevance", every_view) {
                continue;
            }
            let address = format!("/content?{filter}&sort_by={by}&sort_order={order}");
            let whole = owner.get(&format!("{address}&limit=100")).await.expect(200, json!({"total": 32})).json();
            let (mut paged, mut cursor) = (Vec::new(), String::new());
            loop {
                let page = owner.get(&format!("{address}&limit=5{cursor}")).await.expect(200, json!({})).json();
                paged.extend(ids(&page));
                let Some(next) = page["next_cursor"].as_str() else { break };
                assert!(paged.len() < 32, "{address}");
                cursor = format!("&cursor={next}");
            }
            assert_eq!(paged, ids(&whole), "{address}");
        }
    }
}

async fn pages_by_cursor_are_stable_while_items_change(store: TestStore) {
    let owner = store.serve().await.owner();
    fill(&owner, 6).await;
    let first = owner.get("/notes?limit=2").await.expect(200, json!({"offset": 0})).json();
    assert_eq!(titles(&first), ["note 5", "note 4"]);
    let next = text(&first["next_cursor"]);

    // The last item of the page goes, another before it changes its place, and a new one comes.
    owner.delete(&format!("/notes/{}?permanent=true", text(&first["items"][1]["id"]))).await.expect(204, Value::Null);
    let moved = format!("/notes/{}", text(&first["items"][0]["id"]));
    owner.patch(&moved, json!({"content": "changed"})).await.expect(200, json!({}));
    owner.note("new", None).await;

    let second = owner
        .get(&format!("/notes?limit=2&cursor={next}"))
        .await
        .expect(200, json!({"offset": null, "has_more": true}));
    assert_eq!(titles(&second.json()), ["note 3", "note 2"]);
    let next = text(&second.json()["next_cursor"]);
    let third = owner.get(&format!("/notes?limit=2&cursor={next}")).await.expect(200, json!({"has_more": false}));
    assert_eq!(titles(&third.json()), ["note 1", "note 0"]);
}

async fn a_cursor_is_good_for_its_order_only(store: TestStore) {
    let owner = store.serve().await.owner();
    fill(&owner, 3).await;
    let cursor = text(&owner.get("/notes?limit=1").await.json()["next_cursor"]);
    let others =
        ["sort_order=asc", "sort_by=title", "sort_by=created_at", "sort_by=last_used_at", "sort_by=archived_at"];
    for other in others {
        let fields = owner.refused_fields(&format!("GET /notes?{other}&cursor={cursor}"), Value::Null).await;
        assert_eq!(fields, ["cursor"], "{other}");
    }
    owner
        .get(&format!("/notes?limit=1&sort_by=updated_at&sort_order=desc&cursor={cursor}"))
        .await
        .expect(200, json!({}));
    for garbage in ["", "e30", "AAAA", &cursor[1..], &"A".repeat(5_000)] {
        let fields = owner.refused_fields(&format!("GET /notes?cursor={garbage}"), Value::Null).await;
        assert_eq!(fields, ["cursor"], "{garbage}");
    }
}

async fn cursor_and_offset_exclude_each_other(store: TestStore) {
    let owner = store.serve().await.owner();
    fill(&owner, 2).await;
    let cursor = text(&owner.get("/notes?limit=1").await.json()["next_cursor"]);
    let refused = json!({"error": "invalid_parameters", "message": "cursor and offset exclude each other"});
    owner.check(&format!("GET /notes?offset=0&cursor={cursor}"), Value::Null, 400, refused).await;
}
