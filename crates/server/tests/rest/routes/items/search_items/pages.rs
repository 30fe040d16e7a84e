//! Pages of a search.

use serde_json::{Value, json};

use super::{Parameters, address, found};
use crate::support::client::{Client, text};
use crate::support::test_store::TestStore;

on_both!(
    pages_by_cursor_and_by_offset_are_the_whole_in_every_order,
    pages_by_cursor_stay_stable_while_items_come_and_go,
    a_cursor_is_good_for_its_order_only,
);

fn ids(items: &[Value]) -> Vec<String> {
    items.iter().map(|item| text(&item["id"])).collect()
}

/// Notes that match `wool` in three ways; many match equally well.
async fn flock(client: &Client) {
    for number in 0..24 {
        let body = match number % 3 {
            0 => json!({"title": format!("Wool {number}")}),
            1 => json!({"title": format!("{number}"), "description": "woollen"}),
            _ => json!({"title": format!("{number}"), "content": "wool, wool and wool"}),
        };
        client.create("notes", body).await;
    }
    client.note("cotton", None).await;
}

/// A page, and the cursor of the next.
async fn page(client: &Client, parameters: Parameters<'_>) -> (Vec<String>, Option<String>) {
    let list = client.get(&address("notes", parameters)).await.expect(200, json!({})).json();
    assert_eq!(list["has_more"], !list["next_cursor"].is_null());
    (ids(list["items"].as_array().unwrap()), list["next_cursor"].as_str().map(str::to_owned))
}

async fn pages_by_cursor_and_by_offset_are_the_whole_in_every_order(store: TestStore) {
    let owner = store.serve().await.owner();
    flock(&owner).await;
    let orders: &[Parameters<'_>] = &[
        &[],
        &[("sort_order", "asc")],
        &[("sort_by", "title")],
        &[("sort_by", "updated_at")],
        &[("sort_by", "last_used_at")],
    ];
    for order in orders {
        let parameters = [&[("q", "wool")], *order].concat();
        let whole = ids(&found(&owner, "notes", &[&parameters[..], &[("limit", "100")]].concat()).await);
        assert_eq!(whole.len(), 24, "{order:?}");

        let (mut by_cursor, mut next) = page(&owner, &[&parameters[..], &[("limit", "7")]].concat()).await;
        while let Some(cursor) = next {
            let (more, after) = page(&owner, &[&parameters[..], &[("limit", "7"), ("cursor", &cursor)]].concat()).await;
            by_cursor.extend(more);
            next = after;
        }
        assert_eq!(by_cursor, whole, "{order:?}");

        let mut by_offset = Vec::new();
        for offset in ["0", "7", "14", "21", "28"] {
            by_offset.extend(page(&owner, &[&parameters[..], &[("limit", "7"), ("offset", offset)]].concat()).await.0);
        }
        assert_eq!(by_offset, whole, "{order:?}");
    }
}

async fn pages_by_cursor_stay_stable_while_items_come_and_go(store: TestStore) {
    let owner = store.serve().await.owner();
    flock(&owner).await;
    let whole = ids(&found(&owner, "notes", &[("q", "wool"), ("limit", "100")]).await);
    let (first, next) = page(&owner, &[("q", "wool"), ("limit", "10")]).await;
    assert_eq!(first, whole[..10]);
    owner.note("Wool, the best match of all: wool", Some("wool")).await;
    owner.delete(&format!("/notes/{}", first[3])).await.expect(204, Value::Null);
    let (rest, _) = page(&owner, &[("q", "wool"), ("limit", "100"), ("cursor", &next.unwrap())]).await;
    assert_eq!(rest, whole[10..]);
}

async fn a_cursor_is_good_for_its_order_only(store: TestStore) {
    let owner = store.serve().await.owner();
    flock(&owner).await;
    let (_, by_relevance) = page(&owner, &[("q", "wool"), ("limit", "2")]).await;
    let (_, by_title) = page(&owner, &[("q", "wool"), ("limit", "2"), ("sort_by", "title")]).await;
    let (by_relevance, by_title) = (by_relevance.unwrap(), by_title.unwrap());
    let rows: &[Parameters<'_>] = &[
        &[("q", "wool"), ("sort_by", "title"), ("cursor", &by_relevance)],
        &[("q", "wool"), ("sort_order", "asc"), ("cursor", &by_relevance)],
        &[("cursor", &by_relevance)],
        &[("regex", "wool"), ("cursor", &by_relevance)],
        &[("q", "wool"), ("cursor", &by_title)],
    ];
    for parameters in rows {
        let line = format!("GET {}", address("notes", parameters));
        assert_eq!(owner.refused_fields(&line, Value::Null).await, ["cursor"], "{parameters:?}");
    }
    // Lists and searches have the other orders in common.
    owner.get(&address("notes", &[("sort_by", "title"), ("cursor", &by_title)])).await.expect(200, json!({}));
}
