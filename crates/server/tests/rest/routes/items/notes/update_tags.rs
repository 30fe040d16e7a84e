//! `PATCH /notes/{id}` with `tags`, `add_tags` and `remove_tags`

use serde_json::json;

use crate::support::client::text;
use crate::support::test_store::TestStore;

on_both!(some_tags_change_and_the_others_stay, tags_and_their_changes_exclude_each_other, tags_stay_within_their_limit);

async fn some_tags_change_and_the_others_stay(store: TestStore) {
    let owner = store.serve().await.owner();
    for (patch, tags) in [
        (json!({"add_tags": ["c"]}), json!(["a", "b", "c"])),
        (json!({"add_tags": [" C ", "c", "a"]}), json!(["a", "b", "c"])),
        (json!({"remove_tags": ["a"]}), json!(["b"])),
        (json!({"remove_tags": ["A", "nowhere"]}), json!(["b"])),
        (json!({"add_tags": ["c"], "remove_tags": ["b"]}), json!(["a", "c"])),
        (json!({"add_tags": ["c"], "remove_tags": ["c"]}), json!(["a", "b"])),
        (json!({"remove_tags": ["a", "b"]}), json!([])),
        (json!({"tags": ["x"]}), json!(["x"])),
        (json!({"tags": []}), json!([])),
    ] {
        let made = owner.create("notes", json!({"title": "x", "tags": ["a", "b"]})).await;
        let line = format!("PATCH /notes/{}", text(&made["id"]));
        owner.check(&line, patch, 200, json!({"tags": tags})).await;
    }
}

async fn tags_and_their_changes_exclude_each_other(store: TestStore) {
    let owner = store.serve().await.owner();
    let made = owner.create("notes", json!({"title": "x", "tags": ["a", "b"]})).await;
    let line = format!("PATCH /notes/{}", text(&made["id"]));
    for (patch, field) in [
        (json!({"tags": ["x"], "add_tags": ["y"]}), "tags"),
        (json!({"tags": [], "remove_tags": ["y"]}), "tags"),
        (json!({"tags": ["x"], "add_tags": [], "remove_tags": []}), "tags"),
        (json!({"add_tags": "y"}), "add_tags"),
        (json!({"remove_tags": "y"}), "remove_tags"),
        (json!({"add_tags": ["ok", "not ok"]}), "add_tags[1]"),
        (json!({"remove_tags": ["not ok"]}), "remove_tags[0]"),
        (json!({"add_tags": [1]}), "add_tags[0]"),
    ] {
        assert_eq!(owner.refused_fields(&line, patch.clone()).await, [field], "{patch}");
    }
}

async fn tags_stay_within_their_limit(store: TestStore) {
    let owner = store.serve().await.owner();
    let tags: Vec<String> = (0..99).map(|number| format!("t{number}")).collect();
    let made = owner.create("notes", json!({"title": "x", "tags": tags})).await;
    let line = format!("PATCH /notes/{}", text(&made["id"]));
    owner.check(&line, json!({"add_tags": ["one-more"]}), 200, json!({})).await;
    let refused = json!({"errors": [{"field": "add_tags", "message": "…101 tags; the limit is 100…"}]});
    owner.check(&line, json!({"add_tags": ["too-many"]}), 422, refused).await;
    owner.check(&line, json!({"add_tags": ["instead"], "remove_tags": ["t0"]}), 200, json!({"version": 3})).await;
}
