//! `GET /notes`: which items a list has, and their fields.

use serde_json::{Value, json};

use crate::support::client::{Client, text};
use crate::support::test_store::TestStore;

on_both!(
    an_empty_list_has_the_whole_shape,
    entries_have_a_preview_unless_the_content_is_asked_for,
    tags_select_by_all_or_any,
    views_select_by_state,
    a_collection_has_its_kind_only,
    wrong_parameters_are_named_together,
    unknown_parameters_are_ignored,
);

async fn an_empty_list_has_the_whole_shape(store: TestStore) {
    let owner = store.serve().await.owner();
    let empty = json!({"items": [], "total": 0, "offset": 0, "limit": 50, "has_more": false, "next_cursor": null});
    for path in ["/notes", "/notes/", "/bookmarks", "/prompts/", "/content", "/content/", "/notes?", "/notes/?limit=50"]
    {
        assert_eq!(owner.get(path).await.expect(200, json!({})).json(), empty, "{path}");
    }
}

async fn entries_have_a_preview_unless_the_content_is_asked_for(store: TestStore) {
    let owner = store.serve().await.owner();
    let long = "ä\n".repeat(400);
    owner.note("long", Some(&long)).await;
    let preview: String = long.chars().take(500).collect();
    let without = json!({"content_length": 800, "content_preview": preview, "content": null, "content_metadata": null});
    let metadata = json!({"total_lines": 401, "start_line": 1, "end_line": 401, "is_partial": false});
    let with = json!({"content_length": 800, "content_preview": null, "content": long, "content_metadata": metadata});
    for (query, entry) in [("", &without), ("?include_content=false", &without), ("?include_content=true", &with)] {
        owner.get(&format!("/notes{query}")).await.expect(200, json!({"items": [entry]}));
        owner.get(&format!("/content{query}")).await.expect(200, json!({"items": [entry]}));
    }
    owner.note("none", None).await;
    let nothing = json!({"content_length": null, "content_preview": null, "content": null, "content_metadata": null});
    for query in ["", "&include_content=true"] {
        owner.get(&format!("/notes?limit=1{query}")).await.expect(200, json!({"items": [nothing]}));
    }
}

/// The titles in a list, sorted.
async fn titles(client: &Client, path: &str) -> Vec<String> {
    let list = client.get(path).await.expect(200, json!({})).json();
    let mut titles: Vec<String> = list["items"].as_array().unwrap().iter().map(|item| text(&item["title"])).collect();
    assert_eq!(list["total"], titles.len(), "{path}");
    titles.sort();
    titles
}

async fn tags_select_by_all_or_any(store: TestStore) {
    let owner = store.serve().await.owner();
    for (title, tags) in
        [("ab", json!(["a", "b"])), ("a", json!(["a"])), ("b", json!(["b", "c/d"])), ("none", json!([]))]
    {
        owner.create("notes", json!({"title": title, "tags": tags})).await;
    }
    for (query, found) in [
        ("tags=a", &["a", "ab"][..]),
        ("tags=%20A%20", &["a", "ab"]),
        ("tags=a&tags=b", &["ab"]),
        ("tags=a&tags=b&tag_match=all", &["ab"]),
        ("tags=a&tags=b&tag_match=any", &["a", "ab", "b"]),
        ("tags=a&tags=a", &["a", "ab"]),
        ("tags=c/d", &["b"]),
        ("tags=c%2Fd&tags=b", &["b"]),
        ("tags=c", &[]),
        ("tags=zzz&tags=a&tag_match=any", &["a", "ab"]),
        ("tags=zzz", &[]),
        ("tag_match=any", &["a", "ab", "b", "none"]),
    ] {
        assert_eq!(titles(&owner, &format!("/notes?{query}")).await, found, "{query}");
        assert_eq!(titles(&owner, &format!("/content?{query}")).await, found, "{query}");
    }
    for query in ["tags=a,b", "tags=", "tags=a%20b", "tags=%00", "tags=%ff"] {
        assert_eq!(owner.refused_fields(&format!("GET /notes?{query}"), Value::Null).await, ["tags"], "{query}");
    }
}

async fn views_select_by_state(store: TestStore) {
    let owner = store.serve().await.owner();
    for (title, verbs) in
        [("active", &[][..]), ("archived", &["archive"]), ("deleted", &["delete"]), ("both", &["archive", "delete"])]
    {
        let path = format!("/notes/{}", text(&owner.note(title, None).await["id"]));
        for verb in verbs {
            match *verb {
                "delete" => drop(owner.delete(&path).await.expect(204, Value::Null)),
                verb => drop(owner.post(&format!("{path}/{verb}"), json!({})).await.expect(200, json!({}))),
            }
        }
    }
    for (query, found) in [
        ("", &["active"][..]),
        ("?view=active", &["active"]),
        ("?view=archived", &["archived"]),
        ("?view=deleted", &["both", "deleted"]),
        ("?view=active&view=archived", &["active", "archived"]),
        ("?view=archived&view=archived", &["archived"]),
        ("?view=deleted&view=active&view=archived", &["active", "archived", "both", "deleted"]),
    ] {
        assert_eq!(titles(&owner, &format!("/notes{query}")).await, found, "{query}");
    }
}

async fn a_collection_has_its_kind_only(store: TestStore) {
    let owner = store.serve().await.owner();
    owner.note("note", None).await;
    owner.create("bookmarks", json!({"title": "bookmark", "url": "https://example.org"})).await;
    owner.create("prompts", json!({"title": "prompt", "name": "p", "content": "x"})).await;
    for (path, found) in [
        ("/notes", &["note"][..]),
        ("/bookmarks", &["bookmark"]),
        ("/prompts", &["prompt"]),
        ("/content", &["bookmark", "note", "prompt"]),
        ("/content?type=note", &["note"]),
        ("/content?type=note&type=prompt", &["note", "prompt"]),
        ("/notes?type=note", &["note"]),
        ("/notes?type=prompt", &[]),
    ] {
        assert_eq!(titles(&owner, path).await, found, "{path}");
    }
}

async fn wrong_parameters_are_named_together(store: TestStore) {
    let owner = store.serve().await.owner();
    for (query, fields) in [
        ("limit=0", &["limit"][..]),
        ("limit=101", &["limit"]),
        ("limit=x", &["limit"]),
        ("limit=", &["limit"]),
        ("offset=-1", &["offset"]),
        ("offset=1000001", &["offset"]),
        ("view=new", &["view"]),
        ("view=active,archived", &["view"]),
        ("tag_match=some", &["tag_match"]),
        ("sort_by=size", &["sort_by"]),
        ("sort_order=up", &["sort_order"]),
        ("include_content=2", &["include_content"]),
        ("type=poem", &["type"]),
        ("limit=1&limit=2", &["limit"]),
        ("cursor=x", &["cursor"]),
        ("cursor=%00", &["cursor"]),
        ("limit=0&offset=x&view=y&sort_by=z", &["limit", "offset", "sort_by", "view"]),
    ] {
        assert_eq!(owner.refused_fields(&format!("GET /notes?{query}"), Value::Null).await, fields, "{query}");
    }
    let message = json!({"errors": [{"message": "must be a whole number from 1 to 100"}]});
    owner.check("GET /notes?limit=1000", Value::Null, 422, message).await;
}

async fn unknown_parameters_are_ignored(store: TestStore) {
    let owner = store.serve().await.owner();
    for query in ["x=1", "Limit=0", "&&&=&", "%ff=%ff", "limit=7&utm_source=x"] {
        owner.get(&format!("/notes?{query}")).await.expect(200, json!({"total": 0}));
    }
}
