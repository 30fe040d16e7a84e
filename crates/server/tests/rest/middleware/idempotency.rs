//! `Idempotency-Key`: a write that is sent again gets the response of the first, and applies nothing.

use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::routes::items::editing::{changes_of, of_every_kind};
use crate::support::client::{Answer, Client, text};
use crate::support::openapi_document::{operations, with_values};
use crate::support::test_store::TestStore;

on_both!(
    every_write_is_made_once,
    a_new_item_is_made_once,
    a_change_of_a_tag_is_made_once,
    a_key_stands_for_one_request,
    a_failure_is_not_remembered,
    keys_are_of_a_user,
    of_many_at_once_one_is_made,
    a_key_that_is_none_is_refused,
    reads_have_no_keys,
    a_write_that_changed_nothing_is_not_made_later,
    a_key_is_refused_where_the_answer_is_a_secret,
    every_write_takes_a_key_or_refuses_it,
);

async fn send(client: &Client, line: &str, key: &str, body: &Value) -> Answer {
    client.send_with(line, &[("idempotency-key", key)], Some(body).filter(|body| !body.is_null())).await
}

/// Demands that an answer is the one of before, from memory: the same but for the content.
fn assert_replayed(first: &Answer, again: &Answer) {
    let line = &first.line;
    assert_eq!(first.header("idempotency-replayed"), "", "{line}");
    assert_eq!(again.header("idempotency-replayed"), "true", "{line}");
    assert_eq!(again.status, first.status, "{line}");
    for header in ["etag", "location"] {
        assert_eq!(again.header(header), first.header(header), "{line}: {header}");
    }
    if first.bytes.is_empty() {
        assert!(again.bytes.is_empty(), "{line}");
        return;
    }
    let (mut expected, again) = (first.json(), again.json());
    // Nothing of the content is remembered.
    for text in ["content", "content_preview", "content_metadata"] {
        if expected.get(text).is_some() {
            expected[text] = Value::Null;
        }
    }
    if expected.get("diff").is_some() {
        expected["diff"] = json!("");
        expected["diff_truncated"] = json!(true);
    }
    assert_eq!(again, expected, "{line}");
}

async fn every_write_is_made_once(store: TestStore) {
    let owner = store.serve().await.owner();
    for (route, body) in [
        ("PATCH *", json!({"title": "new", "content": "whole"})),
        ("PATCH */str-replace", json!({"old_str": "two", "new_str": "two two"})),
        ("PATCH */content", json!({"operations": [{"start_line": 1, "end_line": 0, "content": "x"}]})),
        ("POST */insert", json!({"at": "end", "new_str": "x"})),
        ("POST */delete-content", json!({"content_to_delete": "two"})),
        ("POST */edits", json!({"edits": [{"old_str": "two", "new_str": "2"}, {"old_str": "2", "new_str": "2two"}]})),
        ("POST */archive", Value::Null),
        ("DELETE *", Value::Null),
        ("POST */history/1/restore", Value::Null),
    ] {
        for path in of_every_kind(&owner, Some("one two\nthree\n")).await {
            if route.ends_with("/restore") {
                owner.patch(&path, json!({"content": "other"})).await.expect(200, json!({}));
            }
            let line = route.replace('*', &path);
            let key = line.replace(' ', ":");
            let first = send(&owner, &line, &key, &body).await;
            assert!((200..300).contains(&first.status), "{line}: {}", first.status);
            let (after, changes) = (owner.get(&path).await.json(), changes_of(&owner, &path).await);
            for _ in 0..2 {
                assert_replayed(&first, &send(&owner, &line, &key, &body).await);
            }
            assert_eq!(owner.get(&path).await.json(), after, "{line}");
            assert_eq!(changes_of(&owner, &path).await, changes, "{line}");
        }
    }
    // The way back from the archive and the trash, and out of the server.
    for path in of_every_kind(&owner, Some("a")).await {
        for (undone, route) in [
            ("POST */archive", "POST */unarchive"),
            ("DELETE *", "POST */restore"),
            ("DELETE *", "DELETE *?permanent=true"),
        ] {
            owner.send(&undone.replace('*', &path), None).await;
            let line = route.replace('*', &path);
            let key = line.replace(' ', ":");
            let first = send(&owner, &line, &key, &Value::Null).await;
            assert!((200..300).contains(&first.status), "{line}: {}", first.status);
            assert_replayed(&first, &send(&owner, &line, &key, &Value::Null).await);
        }
        owner.get(&path).await.expect(404, json!({}));
    }
    let id = text(&owner.create("prompts", json!({"name": "named", "content": "a"})).await["id"]);
    for (line, body) in [
        ("PATCH /prompts/name/named", json!({"title": "x"})),
        ("PATCH /prompts/name/named/str-replace", json!({"old_str": "a", "new_str": "aa"})),
    ] {
        let first = send(&owner, line, line.rsplit('/').next().unwrap(), &body).await.expect(200, json!({}));
        assert_replayed(&first, &send(&owner, line, line.rsplit('/').next().unwrap(), &body).await);
    }
    owner.get(&format!("/prompts/{id}")).await.expect(200, json!({"content": "aa", "version": 3}));
}

async fn a_new_item_is_made_once(store: TestStore) {
    let owner = store.serve().await.owner();
    let long = "x".repeat(600);
    for (collection, body) in [
        ("notes", json!({"title": "x", "content": long})),
        ("bookmarks", json!({"url": "https://example.org", "content": long})),
        ("prompts", json!({"name": "x", "content": long})),
    ] {
        let line = format!("POST /{collection}");
        let first = send(&owner, &line, collection, &body).await.expect(201, json!({"content": long}));
        let again = send(&owner, &line, collection, &body).await.expect(201, json!({"content": null}));
        assert_eq!(again.header("location"), format!("/{collection}/{}", first.id()));
        assert_replayed(&first, &again);
        owner.get(&format!("/{collection}")).await.expect(200, json!({"total": 1}));
        // What happened since does not matter.
        owner.delete(&format!("/{collection}/{}?permanent=true", first.id())).await.expect(204, Value::Null);
        assert_replayed(&first, &send(&owner, &line, collection, &body).await);
        owner.get(&format!("/{collection}")).await.expect(200, json!({"total": 0}));
    }
}

async fn a_change_of_a_tag_is_made_once(store: TestStore) {
    let owner = store.serve().await.owner();
    owner.create("notes", json!({"title": "Plan", "tags": ["old"]})).await;
    for (line, key, body) in
        [("PATCH /tags/old", "rename", json!({"new_name": "new"})), ("DELETE /tags/new", "delete", Value::Null)]
    {
        let first = send(&owner, line, key, &body).await;
        assert!(first.status < 300, "{line}: {}", first.status);
        assert_replayed(&first, &send(&owner, line, key, &body).await);
    }
}

async fn a_key_stands_for_one_request(store: TestStore) {
    let owner = store.serve().await.owner();
    let [one, two] = [owner.note("x", Some("a")).await, owner.note("y", Some("a")).await];
    let [one, two] = [one, two].map(|note| format!("/notes/{}", text(&note["id"])));
    let append = json!({"at": "end", "new_str": "b"});
    send(&owner, &format!("POST {one}/insert"), "key", &append).await.expect(200, json!({"version": 2}));
    for (line, body) in [
        (format!("POST {one}/insert"), json!({"at": "end", "new_str": "c"})),
        (format!("POST {one}/insert"), json!({"at": "end", "new_str": "b", "dry_run": true})),
        (format!("POST {two}/insert"), append.clone()),
        (format!("PATCH {one}"), json!({"title": "z"})),
        (format!("DELETE {one}"), Value::Null),
        ("POST /notes".to_owned(), json!({"title": "z"})),
    ] {
        let expected = json!({"error": "validation_failed", "errors": [{"field": "Idempotency-Key", "message": "…another request…"}]});
        send(&owner, &line, "key", &body).await.expect(422, expected);
    }
    owner.get(&one).await.expect(200, json!({"content": "a\nb", "version": 2, "title": "x"}));
    owner.get(&two).await.expect(200, json!({"content": "a", "version": 1}));
    owner.get("/notes").await.expect(200, json!({"total": 2}));
    send(&owner, &format!("POST {one}/insert"), "other", &append).await.expect(200, json!({"version": 3}));
}

async fn a_failure_is_not_remembered(store: TestStore) {
    let owner = store.serve().await.owner();
    for path in of_every_kind(&owner, Some("a")).await {
        let (line, body) = (format!("PATCH {path}/str-replace"), json!({"old_str": "b", "new_str": "c"}));
        let key = path.replace('/', ".");
        for _ in 0..2 {
            let refused = send(&owner, &line, &key, &body).await.expect(400, json!({"error": "no_match"}));
            assert_eq!(refused.header("idempotency-replayed"), "");
        }
        let stale = json!({"old_str": "a", "new_str": "c", "expected_version": 9});
        send(&owner, &line, &key, &stale).await.expect(409, json!({"error": "conflict"}));
        send(&owner, &line, &key, &json!({"old_str": ""})).await.expect(422, json!({}));
        owner.patch(&path, json!({"content": "b"})).await.expect(200, json!({}));
        let first = send(&owner, &line, &key, &body).await.expect(200, json!({"content": "c", "version": 3}));
        assert_replayed(&first, &send(&owner, &line, &key, &body).await);
    }
}

async fn keys_are_of_a_user(store: TestStore) {
    let owner = store.serve().await.owner();
    let (other, _) = owner.new_user("other").await;
    let (second, _) = owner.new_token(json!({"name": "second"})).await;
    let body = json!({"title": "x"});
    let first = send(&owner, "POST /notes", "key", &body).await.expect(201, json!({}));
    // Another token of the same user may see less than the answer tells.
    let refused = send(&second, "POST /notes", "key", &body).await;
    refused.expect(422, json!({"errors": [{"field": "Idempotency-Key"}]}));
    let others = send(&other, "POST /notes", "key", &json!({"title": "y"})).await.expect(201, json!({"title": "y"}));
    assert_eq!(others.header("idempotency-replayed"), "");
    assert_ne!(others.id(), first.id());
    for client in [&owner, &other] {
        client.get("/notes").await.expect(200, json!({"total": 1}));
    }
}

async fn of_many_at_once_one_is_made(store: TestStore) {
    let owner = store.serve().await.owner();
    for path in of_every_kind(&owner, Some("a")).await {
        let (line, body) = (format!("POST {path}/insert"), json!({"at": "end", "new_str": "b"}));
        let key = path.replace('/', ".");
        let mut requests = JoinSet::new();
        for _ in 0..16 {
            let (client, line, body, key) = (owner.afresh(), line.clone(), body.clone(), key.clone());
            requests.spawn(async move { send(&client, &line, &key, &body).await });
        }
        let answers = requests.join_all().await;
        let made = |answer: &&Answer| answer.status == 200 && answer.header("idempotency-replayed").is_empty();
        let first = answers.iter().find(made).expect("one is the first");
        assert_eq!(answers.iter().filter(made).count(), 1);
        for answer in &answers {
            match (answer.status, answer.header("idempotency-replayed")) {
                (200, "") => {}
                (200, _) => assert_replayed(first, answer),
                (409, _) => assert!(text(&answer.json()["message"]).contains("Idempotency-Key")),
                (status, _) => panic!("{status}: {}", answer.json()),
            }
        }
        assert_replayed(first, &send(&owner, &line, &key, &body).await);
        owner.get(&path).await.expect(200, json!({"content": "a\nb", "version": 2}));
    }
}

async fn a_key_that_is_none_is_refused(store: TestStore) {
    let owner = store.serve().await.owner();
    let (longest, longer) = ("k".repeat(255), "k".repeat(256));
    for key in ["", "a b", "ä", &longer] {
        let expected = json!({"error": "validation_failed", "errors": [{"field": "Idempotency-Key"}]});
        send(&owner, "POST /notes", key, &json!({"title": "x"})).await.expect(422, expected);
    }
    let twice = [("idempotency-key", "a"), ("idempotency-key", "b")];
    owner.send_with("POST /notes", &twice, Some(&json!({"title": "x"}))).await.expect(422, json!({}));
    owner.get("/notes").await.expect(200, json!({"total": 0}));
    send(&owner, "POST /notes", &longest, &json!({"title": "x"})).await.expect(201, json!({}));
}

async fn reads_have_no_keys(store: TestStore) {
    let owner = store.serve().await.owner();
    let path = format!("/notes/{}", text(&owner.note("x", Some("a")).await["id"]));
    for title in ["x", "y"] {
        owner.patch(&path, json!({"title": title})).await.expect(200, json!({}));
        let read = send(&owner, &format!("GET {path}"), "key", &Value::Null).await.expect(200, json!({"title": title}));
        assert_eq!(read.header("idempotency-replayed"), "");
    }
}

async fn a_write_that_changed_nothing_is_not_made_later(store: TestStore) {
    let owner = store.serve().await.owner();
    let path = format!("/notes/{}", text(&owner.note("x", Some("a")).await["id"]));
    let (line, body) = (format!("PATCH {path}"), json!({"title": "x"}));
    let first = send(&owner, &line, "key", &body).await.expect(200, json!({"version": 1}));
    owner.patch(&path, json!({"title": "y"})).await.expect(200, json!({"version": 2}));
    assert_replayed(&first, &send(&owner, &line, "key", &body).await);
    send(&owner, &line, "key", &json!({"title": "z"})).await.expect(422, json!({"error": "validation_failed"}));
    owner.get(&path).await.expect(200, json!({"title": "y", "version": 2}));
}

async fn a_key_is_refused_where_the_answer_is_a_secret(store: TestStore) {
    let owner = store.serve().await.owner();
    for (line, body) in [
        ("POST /tokens", json!({"name": "x"})),
        ("POST /users", json!({"name": "x"})),
        ("POST /webhooks", json!({"url": "https://example.org/"})),
        ("DELETE /tokens/0190a6f4-7b3c-7def-8123-456789abcdef", Value::Null),
        ("DELETE /users/0190a6f4-7b3c-7def-8123-456789abcdef", Value::Null),
    ] {
        let refused = send(&owner, line, "key", &body).await;
        refused.expect(422, json!({"errors": [{"field": "Idempotency-Key"}]}));
    }
}

/// The routes that only read, although they are asked by a body. A key has no meaning for them.
const READ_BY_POST: [&str; 5] = ["/code/list", "/code/search", "/code/read", "/code/get", "/workflows/validate"];

/// A key that is none is refused on every route that takes one, and any key is refused on the others that write.
async fn every_write_takes_a_key_or_refuses_it(store: TestStore) {
    let owner = store.serve().await.owner();
    for operation in operations() {
        let path = with_values(&operation.path);
        let line = format!("{} {path}", operation.method);
        let answer = send(&owner, &line, "not a key", &Value::Null).await;
        let is_read = operation.method == "GET" || READ_BY_POST.contains(&path.as_str());
        let refusal = json!({"error": "validation_failed", "errors": [{"field": "Idempotency-Key"}]});
        if is_read {
            let text = String::from_utf8_lossy(&answer.bytes);
            assert!(!text.contains("Idempotency-Key"), "{line}: {text}");
        } else {
            answer.expect(422, refusal);
        }
    }
}
