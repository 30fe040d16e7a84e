//! `/tags`

use serde_json::{Value, json};

use crate::support::client::text;
use crate::support::test_store::TestStore;

on_both!(
    tags_are_counted_over_what_is_not_deleted,
    tags_are_counted_by_kind_and_view,
    wrong_kinds_and_views_are_refused,
    a_tag_is_renamed_everywhere,
    renaming_merges,
    a_tag_is_removed_everywhere,
    tags_are_renamed_and_removed_in_the_trash_too,
    wrong_names_are_refused,
    tags_of_other_kinds_do_not_exist_for_a_narrowed_token,
);

async fn tags_are_counted_over_what_is_not_deleted(store: TestStore) {
    let owner = store.serve().await.owner();
    owner.get("/tags").await.expect(200, json!({"tags": []}));
    owner.create("notes", json!({"title": "x", "tags": ["b", "a/b"]})).await;
    owner.create("bookmarks", json!({"url": "https://example.org", "tags": ["b"]})).await;
    let archived = text(&owner.create("notes", json!({"title": "x", "tags": ["b", "ä"]})).await["id"]);
    owner.post(&format!("/notes/{archived}/archive"), json!({})).await.expect(200, json!({}));
    let deleted = text(&owner.create("notes", json!({"title": "x", "tags": ["b", "gone"]})).await["id"]);
    owner.delete(&format!("/notes/{deleted}")).await.expect(204, Value::Null);
    let expected = json!({"tags": [{"name": "a/b", "count": 1}, {"name": "b", "count": 3}, {"name": "ä", "count": 1}]});
    for path in ["/tags", "/tags/"] {
        assert_eq!(owner.get(path).await.json(), expected);
    }
}

async fn tags_are_counted_by_kind_and_view(store: TestStore) {
    let owner = store.serve().await.owner();
    owner.create("notes", json!({"title": "x", "tags": ["a", "b"]})).await;
    owner.create("bookmarks", json!({"url": "https://example.org", "tags": ["b"]})).await;
    owner.create("prompts", json!({"name": "p", "content": "x", "tags": ["b", "c"]})).await;
    for (way, tag) in [("archive", "d"), ("trash", "e"), ("both", "f")] {
        let path =
            format!("/notes/{}", text(&owner.create("notes", json!({"title": way, "tags": ["b", tag]})).await["id"]));
        if way != "trash" {
            owner.post(&format!("{path}/archive"), json!({})).await.expect(200, json!({}));
        }
        if way != "archive" {
            owner.delete(&path).await.expect(204, Value::Null);
        }
    }
    for (query, expected) in [
        ("", "a 1, b 4, c 1, d 1"),
        ("?type=note", "a 1, b 2, d 1"),
        ("?type=prompt&type=bookmark", "b 2, c 1"),
        ("?type=module", ""),
        ("?view=active", "a 1, b 3, c 1"),
        ("?view=archived", "b 1, d 1"),
        ("?view=deleted", "b 2, e 1, f 1"),
        ("?view=active&view=archived", "a 1, b 4, c 1, d 1"),
        ("?view=deleted&view=archived&view=active", "a 1, b 6, c 1, d 1, e 1, f 1"),
        ("?view=archived&type=note&type=prompt", "b 1, d 1"),
        ("?view=deleted&type=prompt", ""),
        ("?colour=red", "a 1, b 4, c 1, d 1"),
    ] {
        let list = owner.get(&format!("/tags{query}")).await.expect(200, json!({})).json();
        let counts =
            list["tags"].as_array().unwrap().iter().map(|tag| format!("{} {}", text(&tag["name"]), tag["count"]));
        assert_eq!(counts.collect::<Vec<_>>().join(", "), expected, "{query}");
    }
}

async fn wrong_kinds_and_views_are_refused(store: TestStore) {
    let owner = store.serve().await.owner();
    for (query, fields) in [
        ("type=poem", &["type"][..]),
        ("type=note&type=", &["type"]),
        ("view=trash", &["view"]),
        ("view=Active&type=notes", &["type", "view"]),
    ] {
        let mut refused = owner.refused_fields(&format!("GET /tags?{query}"), Value::Null).await;
        refused.sort_unstable();
        assert_eq!(refused, fields, "{query}");
    }
}

async fn a_tag_is_renamed_everywhere(store: TestStore) {
    let owner = store.serve().await.owner();
    let one = text(&owner.create("notes", json!({"title": "x", "tags": ["old", "z"]})).await["id"]);
    let other = text(&owner.create("bookmarks", json!({"url": "https://example.org", "tags": ["old"]})).await["id"]);
    let untouched = owner.create("notes", json!({"title": "y", "tags": ["other"]})).await;
    let expected = json!({"changed": 2});
    owner.check("PATCH /tags/OLD", json!({"new_name": " New/One "}), 200, expected).await;
    owner.get(&format!("/notes/{one}")).await.expect(200, json!({"tags": ["new/one", "z"], "version": 2}));
    owner.get(&format!("/bookmarks/{other}")).await.expect(200, json!({"tags": ["new/one"], "version": 2}));
    assert_eq!(owner.get(&format!("/notes/{}", text(&untouched["id"]))).await.json(), untouched);
    owner.check("PATCH /tags/new%2Fone", json!({"new_name": "new/one"}), 200, json!({"changed": 0})).await;
    owner.get(&format!("/notes/{one}")).await.expect(200, json!({"version": 2}));
    owner
        .check("PATCH /tags/old", json!({"new_name": "x"}), 404, json!({"error": "not_found", "message": "…old…"}))
        .await;
}

async fn renaming_merges(store: TestStore) {
    let owner = store.serve().await.owner();
    let both = text(&owner.create("notes", json!({"title": "x", "tags": ["a", "b", "c"]})).await["id"]);
    owner.create("notes", json!({"title": "y", "tags": ["b"]})).await;
    owner.check("PATCH /tags/c", json!({"new_name": "a"}), 200, json!({"changed": 1})).await;
    owner.get(&format!("/notes/{both}")).await.expect(200, json!({"tags": ["a", "b"]}));
    owner.get("/tags").await.expect(200, json!({"tags": [{"name": "a", "count": 1}, {"name": "b", "count": 2}]}));
}

async fn a_tag_is_removed_everywhere(store: TestStore) {
    let owner = store.serve().await.owner();
    let id = text(&owner.create("notes", json!({"title": "x", "tags": ["a/b", "c"]})).await["id"]);
    owner.delete("/tags/a%2Fb").await.expect(204, Value::Null);
    owner.get(&format!("/notes/{id}")).await.expect(200, json!({"tags": ["c"], "version": 2}));
    owner.delete("/tags/a%2Fb").await.expect(
        404,
        json!({"error": "not_found", "type": "tag", "id": "a/b", "message": "there is no item with the tag a/b"}),
    );
}

async fn tags_are_renamed_and_removed_in_the_trash_too(store: TestStore) {
    let owner = store.serve().await.owner();
    let id = text(&owner.create("notes", json!({"title": "x", "tags": ["old", "z"]})).await["id"]);
    owner.delete(&format!("/notes/{id}")).await.expect(204, Value::Null);
    owner.check("PATCH /tags/old", json!({"new_name": "new"}), 200, json!({"changed": 1})).await;
    owner.get(&format!("/notes/{id}")).await.expect(200, json!({"tags": ["new", "z"]}));
    owner.delete("/tags/z").await.expect(204, Value::Null);
    owner.get("/tags").await.expect(200, json!({"tags": []}));
    owner
        .post(&format!("/notes/{id}/restore"), json!({}))
        .await
        .expect(200, json!({"tags": ["new"], "deleted_at": null}));
    owner.get("/tags").await.expect(200, json!({"tags": [{"name": "new", "count": 1}]}));
}

async fn wrong_names_are_refused(store: TestStore) {
    let owner = store.serve().await.owner();
    owner.create("notes", json!({"title": "x", "tags": ["a"]})).await;
    for name in ["a%20b", "-", "%00", "%ff", &"x".repeat(65)] {
        assert_eq!(owner.refused_fields(&format!("DELETE /tags/{name}"), Value::Null).await.len(), 1, "{name}");
        assert_eq!(
            owner.refused_fields(&format!("PATCH /tags/{name}"), json!({"new_name": "x"})).await.len(),
            1,
            "{name}"
        );
    }
    for (body, field) in [
        (json!({}), "new_name"),
        (json!({"new_name": null}), "new_name"),
        (json!({"new_name": "a b"}), "new_name"),
        (json!({"new_name": ""}), "new_name"),
        (json!({"name": "b"}), "name"),
        (json!({"new_name": "b", "x": 1}), "x"),
        (json!([]), "body"),
    ] {
        assert_eq!(owner.refused_fields("PATCH /tags/a", body.clone()).await, [field], "{body}");
    }
    owner.get("/tags").await.expect(200, json!({"tags": [{"name": "a", "count": 1}]}));
}

async fn tags_of_other_kinds_do_not_exist_for_a_narrowed_token(store: TestStore) {
    let owner = store.serve().await.owner();
    let note = text(&owner.create("notes", json!({"title": "x", "tags": ["both", "note"]})).await["id"]);
    owner.create("bookmarks", json!({"url": "https://example.org", "tags": ["both", "bookmark"]})).await;
    let (narrowed, _) = owner.new_token(json!({"name": "bookmarks", "kinds": ["bookmark"]})).await;
    let seen = json!({"tags": [{"name": "bookmark", "count": 1}, {"name": "both", "count": 1}]});
    assert_eq!(narrowed.get("/tags").await.json(), seen);
    narrowed.check("PATCH /tags/note", json!({"new_name": "x"}), 404, json!({"error": "not_found"})).await;
    narrowed.check("PATCH /tags/both", json!({"new_name": "x"}), 200, json!({"changed": 1})).await;
    owner.get(&format!("/notes/{note}")).await.expect(200, json!({"tags": ["both", "note"], "version": 1}));
}
