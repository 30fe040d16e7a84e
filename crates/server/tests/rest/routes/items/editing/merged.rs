//! `merged`: the change that a refusal offers, and the request that asks for it.

use serde_json::{Value, json};

use super::{at, of_every_kind};
use crate::support::client::{Client, text};
use crate::support::test_store::TestStore;

on_both!(
    what_was_meant_is_offered_and_made_when_it_is_asked_for,
    an_id_that_is_not_of_this_state_is_a_conflict,
    a_dry_run_shows_the_offered_change,
    the_id_belongs_to_the_edit_that_failed_first,
    nothing_is_offered_where_the_change_is_not_clear,
    only_a_replacement_takes_an_id,
);

const BEFORE: &str = "# Plan\n\nfirst load(a) and wait\nthen clean(x) slowly\nat last return y\n";
const AFTER: &str = "# Plan\n\nfirst load(a) and wait\nthen tidy(x) slowly\nat last return y\n";

/// One word of the first line is wrong; the change is of the second.
fn misremembered() -> Value {
    json!({"old_str": "first load(b) and wait\nthen clean(x) slowly\nat last return y\n",
        "new_str": "first load(b) and wait\nthen tidy(x) slowly\nat last return y\n"})
}

fn with_merged(mut body: Value, id: &str) -> Value {
    body["merged"] = json!(id);
    body
}

/// The id that the refusal of a request offers.
async fn offered(client: &Client, line: &str, body: Value) -> String {
    let refused = client.check(line, body, 400, json!({"error": "no_match"})).await;
    let merged = &refused.json()["merged"];
    assert_eq!((&merged["line"], &merged["end_line"]), (&json!(3), &json!(5)), "{merged}");
    let diff = text(&merged["diff"]);
    assert!(diff.contains("-then clean(x) slowly\n+then tidy(x) slowly\n") && !diff.contains("load(b)"), "{diff}");
    text(&merged["id"])
}

async fn content(client: &Client, path: &str) -> String {
    text(&client.get(path).await.json()["content"])
}

async fn what_was_meant_is_offered_and_made_when_it_is_asked_for(store: TestStore) {
    let owner = store.serve().await.owner();
    for path in of_every_kind(&owner, Some(BEFORE)).await {
        let line = at("PATCH */str-replace", &path);
        let id = offered(&owner, &line, misremembered()).await;
        assert_eq!(content(&owner, &path).await, BEFORE, "nothing is applied unseen");
        assert_eq!(offered(&owner, &line, misremembered()).await, id, "the same request has the same id");
        let made = with_merged(misremembered(), &id);
        let shown = json!({"match_type": "merged", "line": 3, "replacements": 1, "version": 2});
        owner.check(&line, made.clone(), 200, shown).await;
        assert_eq!(content(&owner, &path).await, AFTER);
        owner.check(&line, made, 409, json!({"error": "conflict", "current_version": 2})).await;
        assert_eq!(content(&owner, &path).await, AFTER);
    }
}

async fn an_id_that_is_not_of_this_state_is_a_conflict(store: TestStore) {
    let owner = store.serve().await.owner();
    let paths = of_every_kind(&owner, Some(BEFORE)).await;
    let line = at("PATCH */str-replace", &paths[0]);
    let id = offered(&owner, &line, misremembered()).await;
    let other_item = at("PATCH */str-replace", &paths[1]);
    let mut other_request = misremembered();
    other_request["new_str"] = json!("first load(b) and wait\nthen scrub(x) slowly\nat last return y\n");
    let found = json!({"old_str": "# Plan", "new_str": "# Map"});
    let twice = json!({"old_str": "a", "new_str": "b"});
    let nowhere = json!({"old_str": "nothing like it", "new_str": "b"});
    for (line, body, id) in [
        (&line, misremembered(), "0123456789abcdef0123456789abcdef"),
        (&line, misremembered(), ""),
        (&line, misremembered(), &id[..31]),
        (&other_item, misremembered(), &id),
        (&line, other_request, &id),
        (&line, found, &id),
        (&line, twice, &id),
        (&line, nowhere, &id),
    ] {
        let shown = json!({"error": "conflict", "suggestion": "…without `merged`…"});
        owner.check(line, with_merged(body, id), 409, shown).await;
    }
    // Another version, though the passage is the same.
    owner.check(&line, json!({"old_str": "# Plan", "new_str": "# Map"}), 200, json!({"version": 2})).await;
    owner.check(&line, with_merged(misremembered(), &id), 409, json!({"current_version": 2})).await;
    assert_eq!(content(&owner, &paths[1]).await, BEFORE);
}

async fn a_dry_run_shows_the_offered_change(store: TestStore) {
    let owner = store.serve().await.owner();
    let path = of_every_kind(&owner, Some(BEFORE)).await.remove(0);
    let line = at("PATCH */str-replace", &path);
    let mut dry = misremembered();
    dry["dry_run"] = json!(true);
    let id = offered(&owner, &line, dry.clone()).await;
    let shown = json!({"match_type": "merged", "dry_run": true, "version": 1, "diff": "…+then tidy(x) slowly…"});
    owner.check(&line, with_merged(dry, &id), 200, shown).await;
    assert_eq!(content(&owner, &path).await, BEFORE);
    owner.check(&line, with_merged(misremembered(), &id), 200, json!({"version": 2})).await;
}

async fn the_id_belongs_to_the_edit_that_failed_first(store: TestStore) {
    let owner = store.serve().await.owner();
    for path in of_every_kind(&owner, Some(BEFORE)).await {
        let line = at("POST */edits", &path);
        let title = json!({"old_str": "# Plan", "new_str": "# Map"});
        let edits = json!({"edits": [title, misremembered()]});
        let refused = owner.check(&line, edits.clone(), 400, json!({"error": "no_match", "edit_index": 1})).await;
        let id = text(&refused.json()["merged"]["id"]);
        owner.check(&line, with_merged(edits, &id), 200, json!({"match_type": "merged", "replacements": 2})).await;
        assert_eq!(content(&owner, &path).await, AFTER.replace("# Plan", "# Map"));
    }
    // A request has one id: a second edit that is refused has to be corrected.
    let path = of_every_kind(&owner, Some(&format!("{BEFORE}\none more (a) line\nits end\n"))).await.remove(0);
    let line = at("POST */edits", &path);
    let second = json!({"old_str": "one more (b) line\nits end\n", "new_str": "one more (b) line\nits middle\n"});
    let edits = json!({"edits": [misremembered(), second]});
    let refused = owner.check(&line, edits.clone(), 400, json!({"error": "no_match", "edit_index": 0})).await;
    let id = text(&refused.json()["merged"]["id"]);
    let refused = owner.check(&line, with_merged(edits, &id), 400, json!({"error": "no_match", "edit_index": 1})).await;
    assert_eq!(refused.json().get("merged"), None);
}

async fn nothing_is_offered_where_the_change_is_not_clear(store: TestStore) {
    let owner = store.serve().await.owner();
    let twins = format!("{BEFORE}\n{}", &BEFORE[8..]);
    let mut of_a_wrong_line = misremembered();
    of_a_wrong_line["new_str"] = json!("first fetch(b) and wait\nthen clean(x) slowly\nat last return y\n");
    // A diff that is too long for a refusal could not be looked at.
    let mut long = misremembered();
    let lines = "one of very many lines that are added\n".repeat(2_000);
    long["new_str"] = json!(format!("first load(b) and wait\nthen clean(x) slowly\n{lines}at last return y\n"));
    for (before, body) in [
        (BEFORE, long),
        (twins.as_str(), misremembered()),
        (BEFORE, of_a_wrong_line),
        (AFTER, misremembered()),
        ("nothing like it\n", misremembered()),
    ] {
        let path = of_every_kind(&owner, Some(before)).await.remove(0);
        let line = at("PATCH */str-replace", &path);
        let refused = owner.check(&line, body, 400, json!({"error": "no_match"})).await;
        assert_eq!(refused.json().get("merged"), None, "{before:?}");
    }
}

async fn only_a_replacement_takes_an_id(store: TestStore) {
    let owner = store.serve().await.owner();
    let path = of_every_kind(&owner, Some(BEFORE)).await.remove(0);
    for (route, body) in [
        ("PATCH */str-replace", json!({"old_str": "a", "new_str": "b", "merged": 1})),
        ("PATCH */str-replace", json!({"old_str": "a", "new_str": "b", "merged": null})),
        ("POST */delete-content", json!({"content_to_delete": "a", "merged": "x"})),
        ("POST */insert", json!({"at": "end", "new_str": "b", "merged": "x"})),
    ] {
        assert_eq!(owner.refused_fields(&at(route, &path), body.clone()).await, ["merged"], "{route} {body}");
    }
}
