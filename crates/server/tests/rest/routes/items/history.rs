//! `GET /notes/{id}/history`, `…/{version}`, `…/{version}/diff`, `POST …/{version}/restore`

use serde_json::{Value, json};

use crate::routes::items::editing::{changes_of, of_every_kind};
use crate::support::client::{Client, text};
use crate::support::test_store::TestStore;

on_both!(
    every_change_is_listed_newest_first,
    the_user_and_token_of_a_change_are_listed,
    a_history_has_pages,
    every_version_is_read_as_it_was,
    any_two_versions_are_compared,
    a_long_diff_is_cut,
    a_version_is_restored_as_a_new_one,
    a_restore_is_made_on_the_expected_version_only,
    a_restore_into_a_taken_address_or_name_is_refused,
    a_deleted_item_has_a_history_and_a_purged_one_has_none,
    a_version_that_does_not_exist_is_not_found,
    anothers_history_is_not_found,
);

/// An item of each kind with four versions and three steps of its life between them: its content is `a\n`, `a\n`, `a\nb\n`,
/// `c\nb\n`.
async fn eventful(client: &Client) -> Vec<String> {
    let paths = of_every_kind(client, Some("a\n")).await;
    for path in &paths {
        for (line, body) in [
            (format!("PATCH {path}"), json!({"description": "second", "tags": ["x"]})),
            (format!("POST {path}/archive"), Value::Null),
            (format!("POST {path}/insert"), json!({"at": "end", "new_str": "b"})),
            (format!("POST {path}/unarchive"), Value::Null),
            (format!("PATCH {path}/str-replace"), json!({"old_str": "a", "new_str": "c"})),
            // What changes nothing is no part of it.
            (format!("PATCH {path}/str-replace"), json!({"old_str": "c", "new_str": "c"})),
            (format!("POST {path}/track-usage"), Value::Null),
        ] {
            let status = client.send(&line, Some(&body).filter(|body| !body.is_null())).await.status;
            assert!((200..300).contains(&status), "{line}: {status}");
        }
    }
    paths
}

/// The fields that [`eventful`] makes an item of a kind with. A prompt has arguments always, if only none.
fn made_with(kind: &str) -> Value {
    match kind {
        "note" => json!(["title", "content"]),
        "bookmark" => json!(["url", "content"]),
        _ => json!(["name", "arguments", "content"]),
    }
}

async fn every_change_is_listed_newest_first(store: TestStore) {
    let owner = store.serve().await.owner();
    for path in eventful(&owner).await {
        let kind = text(&owner.get(&path).await.json()["type"]);
        let made = made_with(&kind);
        let expected_json = json!({
            "items": [
                {"version": 4, "action": "update", "changed_fields": ["content"], "content_length": 4},
                {"version": null, "action": "unarchive", "changed_fields": [], "content_length": 4},
                {"version": 3, "action": "update", "changed_fields": ["content"], "content_length": 4},
                {"version": null, "action": "archive", "changed_fields": [], "content_length": 2},
                {"version": 2, "action": "update", "changed_fields": ["description", "tags"], "content_length": 2},
                {"version": 1, "action": "create", "changed_fields": made, "content_length": 2},
            ],
            "total": 6, "offset": 0, "limit": 50, "has_more": false,
        });
        let history = owner.get(&format!("{path}/history")).await.expect(200, expected_json).json();
        let records = history["items"].as_array().unwrap();
        for record in records {
            let members: Vec<&str> = record.as_object().unwrap().keys().map(String::as_str).collect();
            let mut expected = vec!["version", "action", "changed_fields", "created_at", "source", "user", "token"];
            expected.extend(["client", "reason", "change_set", "review", "imported_from", "content_length"]);
            expected.sort_unstable();
            assert_eq!(members, expected);
            assert!(text(&record["created_at"]).ends_with('Z'), "{record}");
        }
        assert!(records.windows(2).all(|pair| text(&pair[0]["created_at"]) >= text(&pair[1]["created_at"])));
    }
    let id = text(&owner.note("x", None).await["id"]);
    let expected_json = json!({"items": [{"version": 1, "changed_fields": ["title"], "content_length": null}]});
    owner.get(&format!("/notes/{id}/history")).await.expect(200, expected_json);
}

async fn the_user_and_token_of_a_change_are_listed(store: TestStore) {
    let owner = store.serve().await.owner();
    let me = owner.get("/users/me").await.json();
    let (second, token) = owner.new_token(json!({"name": "second"})).await;
    for path in of_every_kind(&owner, Some("a")).await {
        second.patch(&format!("{path}/str-replace"), json!({"old_str": "a", "new_str": "b"})).await;
        let user = json!({"id": me["id"], "name": "owner"});
        let expected = json!({"items": [
            {"version": 2, "source": "rest", "user": user, "token": {"id": token, "name": "second"}},
            {"version": 1, "source": "rest", "user": user, "token": {"name": "first"}},
        ]});
        owner.get(&format!("{path}/history")).await.expect(200, expected);
    }
    // A deleted token is listed all the same.
    let path = format!("/notes/{}", text(&second.note("x", Some("a")).await["id"]));
    owner.delete(&format!("/tokens/{token}")).await.expect(204, Value::Null);
    let expected = json!({"items": [{"version": 1, "token": {"id": token}}]});
    owner.get(&format!("{path}/history")).await.expect(200, expected);
}

async fn a_history_has_pages(store: TestStore) {
    let owner = store.serve().await.owner();
    for path in eventful(&owner).await {
        let all = owner.get(&format!("{path}/history")).await.json()["items"].as_array().unwrap().clone();
        for (query, from, to) in
            [("limit=2", 0, 2), ("limit=2&offset=1", 1, 3), ("offset=4", 4, 6), ("offset=9", 6, 6), ("limit=100", 0, 6)]
        {
            let expected = json!({"total": 6, "has_more": to < 6});
            let page = owner.get(&format!("{path}/history?{query}")).await.expect(200, expected).json();
            assert_eq!(page["items"], json!(all[from..to]), "{query}");
        }
        for (query, field) in [
            ("limit=0", "limit"),
            ("limit=101", "limit"),
            ("limit=x", "limit"),
            ("offset=-1", "offset"),
            ("offset=99999999999999999999", "offset"),
        ] {
            assert_eq!(owner.refused_fields(&format!("GET {path}/history?{query}"), Value::Null).await, [field]);
        }
    }
}

async fn every_version_is_read_as_it_was(store: TestStore) {
    let owner = store.serve().await.owner();
    for path in eventful(&owner).await {
        let now = owner.get(&path).await.json();
        for (version, description, tags, content, lines) in [
            (1, json!(null), json!([]), "a\n", 2),
            (2, json!("second"), json!(["x"]), "a\n", 2),
            (3, json!("second"), json!(["x"]), "a\nb\n", 3),
            (4, json!("second"), json!(["x"]), "c\nb\n", 3),
        ] {
            let line = format!("{path}/history/{version}");
            let metadata = json!({"total_lines": lines, "start_line": 1, "end_line": lines, "is_partial": false});
            let expected = json!({
                "id": now["id"], "type": now["type"], "title": now["title"], "version": version, "tags": tags,
                "description": description, "content": content, "content_length": content.len(),
                "content_preview": null, "content_metadata": metadata, "created_at": now["created_at"],
                "archived_at": null, "deleted_at": null,
            });
            owner.get(&line).await.expect(200, expected);
            let expected = json!({"content": null, "content_preview": content, "content_metadata": null});
            owner.get(&format!("{line}?include_content=false")).await.expect(200, expected);
        }
        let metadata = json!({"total_lines": 3, "start_line": 2, "end_line": 3, "is_partial": true});
        let expected = json!({"content": "b\n", "content_metadata": metadata, "content_length": 4});
        owner.get(&format!("{path}/history/3?start_line=2&end_line=9")).await.expect(200, expected);
        owner.get(&format!("{path}/history/4?end_line=1")).await.expect(200, json!({"content": "c"}));
        for (query, status, expected) in [
            ("start_line=4", 400, json!({"error": "invalid_lines", "total_lines": 3})),
            ("start_line=2&end_line=1", 400, json!({"error": "invalid_lines"})),
            ("start_line=1&include_content=false", 400, json!({"error": "invalid_parameters"})),
            ("start_line=0", 422, json!({"error": "validation_failed"})),
        ] {
            owner.get(&format!("{path}/history/3?{query}")).await.expect(status, expected);
        }
    }
    let id = text(&owner.note("x", None).await["id"]);
    owner.patch(&format!("/notes/{id}"), json!({"content": "now"})).await.expect(200, json!({}));
    let expected = json!({"content": null, "content_length": null, "content_metadata": null, "content_preview": null});
    owner.get(&format!("/notes/{id}/history/1")).await.expect(200, expected);
    let expected = json!({"error": "content_empty"});
    owner.get(&format!("/notes/{id}/history/1?start_line=1")).await.expect(400, expected);
}

async fn any_two_versions_are_compared(store: TestStore) {
    let owner = store.serve().await.owner();
    let head = "--- a/content\n+++ b/content\n";
    for path in eventful(&owner).await {
        let kind = text(&owner.get(&path).await.json()["type"]);
        let made = made_with(&kind);
        for (version, against, from, diff, fields) in [
            (1, "", 0, "@@ -0,0 +1 @@\n+a\n", made.clone()),
            (1, "?against=0", 0, "@@ -0,0 +1 @@\n+a\n", made.clone()),
            (2, "", 1, "", json!(["description", "tags"])),
            (3, "", 2, "@@ -1 +1,2 @@\n a\n+b\n", json!(["content"])),
            (4, "", 3, "@@ -1,2 +1,2 @@\n-a\n+c\n b\n", json!(["content"])),
            (4, "?against=2", 2, "@@ -1 +1,2 @@\n-a\n+c\n+b\n", json!(["content"])),
            (2, "?against=4", 4, "@@ -1,2 +1 @@\n-c\n-b\n+a\n", json!(["content"])),
            (3, "?against=3", 3, "", json!([])),
            (1, "?against=2", 2, "", json!(["description", "tags"])),
        ] {
            let shown =
                owner.get(&format!("{path}/history/{version}/diff{against}")).await.expect(200, json!({})).json();
            let diff = if diff.is_empty() { String::new() } else { format!("{head}{diff}") };
            let expected = json!({"from": from, "to": version, "diff": diff, "diff_truncated": false,
                "changed_fields": fields});
            assert_eq!(shown, expected, "{path} {version}{against}");
        }
        for against in ["-1", "x", "1.5", "99999999999999999999"] {
            let line = format!("GET {path}/history/1/diff?against={against}");
            assert_eq!(owner.refused_fields(&line, Value::Null).await, ["against"]);
        }
    }
}

async fn a_long_diff_is_cut(store: TestStore) {
    let owner = store.serve().await.owner();
    let path = format!("/notes/{}", text(&owner.note("x", Some("a")).await["id"]));
    let long = json!({"content": "a line of the text\n".repeat(10_000)});
    owner.patch(&path, long).await.expect(200, json!({}));
    let shown = owner.get(&format!("{path}/history/2/diff")).await.expect(200, json!({"diff_truncated": true})).json();
    assert!(text(&shown["diff"]).len() <= 64 * 1024);
}

async fn a_version_is_restored_as_a_new_one(store: TestStore) {
    let owner = store.serve().await.owner();
    for path in eventful(&owner).await {
        let now = owner.get(&path).await.json();
        let same = owner.send(&format!("POST {path}/history/4/restore"), None).await.expect(200, json!({}));
        assert_eq!((same.json(), same.header("etag")), (now.clone(), "\"4.2\""), "it is so already");
        assert_eq!(changes_of(&owner, &path).await, 6);
        for (version, number, fields) in
            [(1, 5, json!(["description", "tags", "content"])), (3, 6, json!(["description", "tags", "content"]))]
        {
            let was = owner.get(&format!("{path}/history/{version}")).await.json();
            let expected = json!({"version": number, "content": was["content"], "description": was["description"],
                "tags": was["tags"], "title": was["title"], "content_length": was["content_length"]});
            let restored =
                owner.send(&format!("POST {path}/history/{version}/restore"), None).await.expect(200, expected);
            assert_eq!(restored.header("etag"), format!("\"{number}.2\""));
            assert_eq!(owner.get(&path).await.json(), restored.json());
            let last = owner.get(&format!("{path}/history?limit=1")).await.json()["items"][0].clone();
            assert_eq!((&last["version"], &last["changed_fields"]), (&json!(number), &fields), "{last}");
            assert_eq!(last["action"], "restore", "{last}");
            // It is a version like any other.
            assert_eq!(owner.get(&format!("{path}/history/{number}")).await.json()["content"], was["content"]);
        }
        let expected = json!({"version": 7, "content": null, "content_preview": "c\nb\n"});
        owner.send(&format!("POST {path}/history/4/restore?include_content=false"), None).await.expect(200, expected);
    }
    // A prompt comes back with its arguments, together with the text that uses them.
    let draft = json!({"name": "p", "content": "Hi {{ who }}", "arguments": [{"name": "who"}]});
    let path = format!("/prompts/{}", text(&owner.create("prompts", draft).await["id"]));
    let body = json!({"content": "Hi {{ whom }}", "arguments": [{"name": "whom"}]});
    owner.patch(&path, body).await.expect(200, json!({}));
    let expected = json!({"content": "Hi {{ who }}", "arguments": [{"name": "who"}], "version": 3});
    owner.send(&format!("POST {path}/history/1/restore"), None).await.expect(200, expected);
}

async fn a_restore_is_made_on_the_expected_version_only(store: TestStore) {
    let owner = store.serve().await.owner();
    for path in eventful(&owner).await {
        let line = format!("POST {path}/history/1/restore");
        let expected = json!({"error": "conflict", "current_version": 4, "expected_version": 3, "current": {"version": 4},
            "diff": "…+c…"});
        owner.send_with(&line, &[("if-match", "\"3.0\"")], None).await.expect(412, expected);
        owner.send_with(&line, &[("if-match", "garbage")], None).await.expect(422, json!({}));
        owner.get(&path).await.expect(200, json!({"version": 4}));
        owner.send_with(&line, &[("if-match", "\"4.0\"")], None).await.expect(200, json!({"version": 5}));
        owner.send_with(&line, &[("if-match", "*")], None).await.expect(200, json!({"version": 5}));
    }
}

async fn a_restore_into_a_taken_address_or_name_is_refused(store: TestStore) {
    let owner = store.serve().await.owner();
    for (collection, field, draft, moved) in [
        ("bookmarks", "url", json!({"url": "https://a.example/"}), json!({"url": "https://b.example/"})),
        ("prompts", "name", json!({"name": "a", "content": "x"}), json!({"name": "b"})),
    ] {
        let id = text(&owner.create(collection, draft.clone()).await["id"]);
        for path in [format!("/{collection}/{id}"), format!("/content/{id}")] {
            let before = owner.patch(&path, moved.clone()).await.expect(200, json!({})).json();
            let taker = text(&owner.create(collection, draft.clone()).await["id"]);
            let expected =
                json!({"error": "duplicate", "field": field, "existing_id": taker, "existing_state": "active"});
            owner.send(&format!("POST {path}/history/1/restore"), None).await.expect(409, expected.clone());
            owner.post(&format!("/{collection}/{taker}/archive"), json!({})).await.expect(200, json!({}));
            let expected = json!({"error": "duplicate", "existing_state": "archived"});
            owner.send(&format!("POST {path}/history/1/restore"), None).await.expect(409, expected);
            assert_eq!(owner.get(&path).await.json(), before);
            owner.delete(&format!("/{collection}/{taker}")).await.expect(204, Value::Null);
            let restored = json!({field: draft[field]});
            owner.send(&format!("POST {path}/history/1/restore"), None).await.expect(200, restored);
        }
    }
}

async fn a_deleted_item_has_a_history_and_a_purged_one_has_none(store: TestStore) {
    let owner = store.serve().await.owner();
    for path in eventful(&owner).await {
        owner.delete(&path).await.expect(204, Value::Null);
        let expected = json!({"total": 7, "items": [{"version": null, "action": "delete", "changed_fields": []}]});
        owner.get(&format!("{path}/history?limit=1")).await.expect(200, expected);
        owner.get(&format!("{path}/history/1")).await.expect(200, json!({"content": "a\n"}));
        owner.get(&format!("{path}/history/3/diff")).await.expect(200, json!({"diff": "…+b…"}));
        let not_found = json!({"error": "not_found"});
        owner.send(&format!("POST {path}/history/1/restore"), None).await.expect(404, not_found.clone());
        assert_eq!(changes_of(&owner, &path).await, 7);
        owner.post(&format!("{path}/restore"), json!({})).await.expect(200, json!({}));
        let expected = json!({"total": 8, "items": [{"version": null, "action": "restore"}]});
        owner.get(&format!("{path}/history?limit=1")).await.expect(200, expected);
        owner.delete(&format!("{path}?permanent=true")).await.expect(204, Value::Null);
        for line in ["history", "history/1", "history/1/diff"] {
            owner.get(&format!("{path}/{line}")).await.expect(404, not_found.clone());
        }
    }
}

async fn a_version_that_does_not_exist_is_not_found(store: TestStore) {
    let owner = store.serve().await.owner();
    for path in of_every_kind(&owner, Some("a")).await {
        for version in ["2", "99", "9223372036854775808", "18446744073709551615"] {
            let expected = json!({"error": "not_found", "id": path.rsplit('/').next(), "current_version": 1});
            for line in ["GET */history/#", "GET */history/#/diff", "POST */history/#/restore"] {
                let line = line.replace('*', &path).replace('#', version);
                owner.send(&line, None).await.expect(404, expected.clone());
            }
            let against = format!("{path}/history/1/diff?against={version}");
            owner.get(&against).await.expect(404, expected.clone());
        }
        for version in ["0", "-1", "x", "1.5", "99999999999999999999"] {
            for line in ["GET */history/#", "GET */history/#/diff", "POST */history/#/restore"] {
                let line = line.replace('*', &path).replace('#', version);
                let status = owner.send(&line, None).await.status;
                assert!(status == 404 || status == 422, "{line}: {status}");
            }
        }
        assert_eq!(changes_of(&owner, &path).await, 1);
    }
}

async fn anothers_history_is_not_found(store: TestStore) {
    let owner = store.serve().await.owner();
    let (other, _) = owner.new_user("other").await;
    let (reader, _) = owner.new_token(json!({"name": "r", "scopes": ["read"]})).await;
    for path in eventful(&owner).await {
        for line in ["GET */history", "GET */history/1", "GET */history/99", "GET */history/1/diff"] {
            let line = line.replace('*', &path);
            other.send(&line, None).await.expect(404, json!({"error": "not_found"}));
            assert!(line.ends_with("99") || reader.send(&line, None).await.status == 200);
        }
        let restore = format!("POST {path}/history/1/restore");
        other.send(&restore, None).await.expect(404, json!({"error": "not_found"}));
        reader.send(&restore, None).await.expect(403, json!({"error": "forbidden"}));
        owner.get(&path).await.expect(200, json!({"version": 4}));
    }
}
