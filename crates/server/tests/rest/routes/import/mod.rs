//! `POST /import`

mod formats;
mod history;
mod refused;

use serde_json::{Value, json};

use crate::support::client::{Client, text};
use crate::support::test_store::{TestStore, unlimited};

on_both!(
    records_become_items_with_their_times_and_fields,
    the_same_import_again_changes_nothing,
    a_changed_source_is_a_new_version_merged_with_what_was_changed_here,
    a_source_that_was_renamed_is_known_by_its_id,
    an_existing_bookmark_keeps_what_its_owner_wrote,
    a_dry_run_says_the_same_and_writes_nothing,
    an_id_of_another_user_is_not_taken_and_not_told,
    an_item_in_the_trash_and_a_taken_name_are_left_alone,
    one_import_is_one_write,
);

/// Imports a body; the report.
pub(super) async fn import(client: &Client, query: &str, body: impl Into<reqwest::Body>) -> Value {
    client.send_bytes(&format!("POST /import?{query}"), body).await.expect(200, json!({})).json()
}

/// Records, one a line.
pub(super) fn lines(records: &[Value]) -> String {
    records.iter().map(|record| format!("{record}\n")).collect()
}

/// The counts of a report that are not 0.
pub(super) fn counts(report: &Value) -> Value {
    let names = ["created", "updated", "merged", "unchanged", "skipped", "conflicts"];
    let counts =
        names.into_iter().filter(|name| report[*name] != 0).map(|name| (name.to_owned(), report[name].clone()));
    Value::Object(counts.collect())
}

/// The only item of a collection.
async fn only(client: &Client, collection: &str) -> Value {
    let list = client.get(&format!("/{collection}?include_content=true")).await.json();
    assert_eq!(list["total"], 1, "{list:#}");
    list["items"][0].clone()
}

fn plan(content: &str) -> Value {
    json!({"source": "notes/plan.md", "type": "note", "title": "Plan", "tags": ["Work", "q1"], "content": content,
        "front_matter": "aliases: [p]\n", "created_at": "2020-01-02T03:04:05Z", "updated_at": "2021-01-02T03:04:05.123456Z"})
}

async fn records_become_items_with_their_times_and_fields(store: TestStore) {
    let server = store.serve().await;
    let owner = server.owner();
    let future =
        json!({"source": "f", "type": "bookmark", "url": "HTTP://Example.org", "created_at": "2999-01-01T00:00:00Z"});
    let prompt = json!({"source": "p", "type": "prompt", "name": "greet", "content": "Hi {{ who }}", "archived": true,
        "arguments": [{"name": "who"}], "notices": ["renamed"]});
    let report = import(&owner, "format=records", lines(&[plan("a\r\nb "), future, prompt])).await;
    assert_eq!(counts(&report), json!({"created": 3}));
    assert_eq!(report["notices"], json!([{"source": "p", "reason": "renamed"}]));
    let note = only(&owner, "notes").await;
    assert_eq!(note["created_at"], "2020-01-02T03:04:05.000000Z");
    assert_eq!(note["updated_at"], "2021-01-02T03:04:05.123456Z");
    assert_eq!((&note["tags"], &note["front_matter"]), (&json!(["work", "q1"]), &json!("aliases: [p]\n")));
    assert_eq!((&note["content"], &note["version"]), (&json!("a\r\nb "), &json!(1)));
    let bookmark = only(&owner, "bookmarks").await;
    assert_eq!(bookmark["url"], "http://example.org/");
    assert!(text(&bookmark["created_at"]).as_str() < "2999", "{bookmark}");
    assert_eq!(owner.get("/prompts?view=archived").await.json()["total"], 1);
    let history = owner.get(&format!("/notes/{}/history", text(&note["id"]))).await.json();
    let record = &history["items"][0];
    assert_eq!((&record["action"], &record["source"]), (&json!("create"), &json!("rest")));
    assert_eq!(record["created_at"], "2021-01-02T03:04:05.123456Z");
    assert_eq!(record["imported_from"], Value::Null);
}

async fn the_same_import_again_changes_nothing(store: TestStore) {
    let server = store.serve().await;
    let owner = server.owner();
    let body = lines(&[plan("a"), json!({"source": "b", "type": "bookmark", "url": "https://a.example/"})]);
    assert_eq!(counts(&import(&owner, "format=records&source=vault", body.clone()).await), json!({"created": 2}));
    assert_eq!(counts(&import(&owner, "format=records&source=vault", body.clone()).await), json!({"unchanged": 2}));
    // Under another name nothing is known of it; a bookmark is known by its address.
    let report = import(&owner, "format=records&source=other", body).await;
    assert_eq!(counts(&report), json!({"created": 1, "unchanged": 1}));
}

async fn a_changed_source_is_a_new_version_merged_with_what_was_changed_here(store: TestStore) {
    let server = store.serve().await;
    let owner = server.owner();
    import(&owner, "format=records", lines(&[plan("one\ntwo\nthree\n")])).await;
    let path = format!("/notes/{}", text(&only(&owner, "notes").await["id"]));

    let report = import(&owner, "format=records", lines(&[plan("ONE\ntwo\nthree\n")])).await;
    assert_eq!(counts(&report), json!({"updated": 1}));
    owner.get(&path).await.expect(200, json!({"version": 2, "content": "ONE\ntwo\nthree\n"}));

    owner.patch(&path, json!({"content": "ONE\ntwo\nTHREE\n", "title": "Mine", "add_tags": ["here"]})).await;
    let mut changed = plan("one again\ntwo\nthree\n");
    changed["tags"] = json!(["work"]);
    assert_eq!(counts(&import(&owner, "format=records", lines(&[changed])).await), json!({"merged": 1}));
    let merged = json!({"version": 4, "title": "Mine", "content": "one again\ntwo\nTHREE\n", "tags": ["work", "here"]});
    owner.get(&path).await.expect(200, merged);

    // What was changed here stays changed, however often the source changes.
    assert_eq!(
        counts(&import(&owner, "format=records", lines(&[plan("1\ntwo\nthree\n")])).await),
        json!({"merged": 1})
    );
    let merged = json!({"version": 5, "title": "Mine", "content": "1\ntwo\nTHREE\n", "tags": ["work", "here", "q1"]});
    owner.get(&path).await.expect(200, merged);

    owner.patch(&path, json!({"content": "mine\ntwo\nTHREE\n"})).await;
    let report = import(&owner, "format=records", lines(&[plan("yours\ntwo\nthree\n")])).await;
    assert_eq!(counts(&report), json!({"conflicts": 1}));
    assert_eq!((&report["problems"][0]["source"], &report["problems_total"]), (&json!("notes/plan.md"), &json!(1)));
    assert!(text(&report["problems"][0]["reason"]).contains("content"), "{report}");
    owner.get(&path).await.expect(200, json!({"version": 6, "content": "mine\ntwo\nTHREE\n"}));
}

/// A file of an export has the id of its item, and the time of a version that is older than the last import.
async fn a_source_that_was_renamed_is_known_by_its_id(store: TestStore) {
    let server = store.serve().await;
    let owner = server.owner();
    let id = text(&owner.create("notes", json!({"title": "Plan", "content": "a\nb\nc\n"})).await["id"]);
    let exported = text(&owner.get(&format!("/notes/{id}")).await.json()["updated_at"]);
    let file = |key: &str, content: &str| {
        let record = json!({"source": key, "type": "note", "id": id, "title": "Plan", "content": content,
            "updated_at": exported});
        lines(&[record])
    };
    let query = "format=records&source=vault";
    let changed = import(&owner, query, file("plan.md", "A\nb\nc\n")).await;
    assert_eq!(counts(&changed), json!({"updated": 1}), "{changed}");
    let renamed = import(&owner, query, file("renamed.md", "A\nb\nC\n")).await;
    assert_eq!(counts(&renamed), json!({"updated": 1}), "{renamed}");
    assert_eq!(only(&owner, "notes").await["content"], "A\nb\nC\n");
}

async fn an_existing_bookmark_keeps_what_its_owner_wrote(store: TestStore) {
    let server = store.serve().await;
    let owner = server.owner();
    let made = owner.create("bookmarks", json!({"url": "https://a.example/", "title": "Mine", "tags": ["x"]})).await;
    let source = |title: &str, description: &str| {
        lines(&[json!({"source": "a", "type": "bookmark", "url": "https://a.example", "title": title, "tags": ["y"],
            "description": description})])
    };
    assert_eq!(counts(&import(&owner, "format=records", source("Theirs", "d")).await), json!({"updated": 1}));
    let path = format!("/bookmarks/{}", text(&made["id"]));
    let kept = json!({"version": 2, "title": "Mine", "description": "d", "tags": ["x", "y"]});
    owner.get(&path).await.expect(200, kept.clone());
    assert_eq!(counts(&import(&owner, "format=records", source("Other", "e")).await), json!({"unchanged": 1}));
    owner.get(&path).await.expect(200, kept);
}

async fn a_dry_run_says_the_same_and_writes_nothing(store: TestStore) {
    let server = store.serve().await;
    let owner = server.owner();
    // The second one with the same key is a change of the first, the third is none.
    let body = lines(&[plan("a"), json!({"source": "x", "type": "note"}), plan("b"), plan("b")]);
    let expected = json!({"created": 1, "updated": 1, "unchanged": 1, "skipped": 1});
    let report = import(&owner, "format=records&dry_run=true", body.clone()).await;
    assert_eq!((&counts(&report), &report["dry_run"]), (&expected, &json!(true)));
    assert_eq!(owner.get("/content").await.json()["total"], 0);
    let report = import(&owner, "format=records", body).await;
    assert_eq!(counts(&report), expected);
}

async fn an_id_of_another_user_is_not_taken_and_not_told(store: TestStore) {
    let server = store.serve().await;
    let owner = server.owner();
    let theirs = owner.note("Secret", Some("s")).await;
    let (ben, _) = owner.new_user("ben").await;
    let free = "0190a6f4-7b3c-7def-8123-456789abcdef";
    let record = |source: &str, id: &Value| json!({"source": source, "type": "note", "title": "Mine", "id": id});
    let report = import(&ben, "format=records", lines(&[record("a", &theirs["id"]), record("b", &json!(free))])).await;
    assert_eq!(counts(&report), json!({"created": 2}));
    assert_eq!(report["notices"], json!([]));
    ben.get(&format!("/notes/{free}")).await.expect(200, json!({"title": "Mine"}));
    ben.get(&format!("/notes/{}", text(&theirs["id"]))).await.expect(404, json!({}));
    owner.get(&format!("/notes/{}", text(&theirs["id"]))).await.expect(200, json!({"title": "Secret", "version": 1}));
    assert_eq!(ben.get("/notes").await.json()["total"], 2);
}

async fn an_item_in_the_trash_and_a_taken_name_are_left_alone(store: TestStore) {
    let server = store.serve().await;
    let owner = server.owner();
    let prompt = |source: &str| json!({"source": source, "type": "prompt", "name": "greet", "content": "Hi"});
    let report = import(&owner, "format=records", lines(&[plan("a"), prompt("p"), prompt("q")])).await;
    assert_eq!(counts(&report), json!({"created": 2, "skipped": 1}));
    assert!(text(&report["problems"][0]["reason"]).contains("`greet`"), "{report}");
    let path = format!("/notes/{}", text(&only(&owner, "notes").await["id"]));
    owner.delete(&path).await;
    let report = import(&owner, "format=records", lines(&[plan("b")])).await;
    assert_eq!(counts(&report), json!({"skipped": 1}));
    assert!(text(&report["problems"][0]["reason"]).contains("trash"), "{report}");
    owner.get(&path).await.expect(200, json!({"content": "a", "version": 1}));
    owner.delete(&format!("{path}?permanent=true")).await;
    assert_eq!(counts(&import(&owner, "format=records", lines(&[plan("b")])).await), json!({"created": 1}));
}

async fn one_import_is_one_write(store: TestStore) {
    let limits = interline_server::RateLimits::default();
    let server = store.serve_with(interline_server::Settings { rate_limits: Some(limits), ..unlimited() }).await;
    let owner = server.owner();
    let notes: Vec<Value> = (0..2_000)
        .map(|n| json!({"source": format!("{n}.md"), "type": "note", "title": format!("Note {n}")}))
        .collect();
    let answer = owner.send_bytes("POST /import?format=records", lines(&notes)).await;
    assert_eq!(answer.header("ratelimit-remaining"), "1199");
    assert_eq!(counts(&answer.json()), json!({"created": 2_000}));
}
