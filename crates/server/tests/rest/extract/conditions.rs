//! Conditional requests: `ETag`, `If-None-Match`, `If-Match` and `expected_version`.

use serde_json::{Value, json};

use crate::support::client::text;
use crate::support::test_store::TestStore;

on_both!(
    a_known_state_is_not_sent_again,
    a_condition_that_is_no_list_of_tags_is_ignored,
    a_change_of_state_is_another_tag,
    a_write_is_made_on_the_expected_version_only,
    a_condition_that_cannot_be_understood_is_refused,
    an_expected_version_in_the_body_is_a_conflict,
    header_and_body_must_agree,
    a_change_of_state_takes_its_condition_in_the_body,
    a_body_of_a_change_of_state_is_read_strictly,
    lines_that_are_not_there_are_an_error_of_a_known_state_too,
);

async fn a_known_state_is_not_sent_again(store: TestStore) {
    let owner = store.serve().await.owner();
    let id = text(&owner.create("prompts", json!({"name": "p", "content": "x\ny"})).await["id"]);
    for path in [
        format!("/prompts/{id}"),
        format!("/content/{id}"),
        "/prompts/name/p".to_owned(),
        format!("/prompts/{id}?start_line=2"),
    ] {
        for tag in ["\"1.0\"", "W/\"1.0\"", "\"9.9\", \"1.0\"", "*", "  \"1.0\"  "] {
            let answer = owner.send_with(&format!("GET {path}"), &[("if-none-match", tag)], None).await;
            assert_eq!((answer.status, answer.bytes.len(), answer.header("etag")), (304, 0, "\"1.0\""), "{path} {tag}");
        }
        let other = owner.send_with(&format!("GET {path}"), &[("if-none-match", "\"2.0\"")], None).await;
        assert_eq!((other.status, other.header("etag")), (200, "\"1.0\""), "{path}");
    }
    let missing = "GET /notes/0190a6f4-7b3c-7def-8123-456789abcdef";
    owner.send_with(missing, &[("if-none-match", "*")], None).await.expect(404, json!({}));
}

async fn a_condition_that_is_no_list_of_tags_is_ignored(store: TestStore) {
    let owner = store.serve().await.owner();
    let line = format!("GET /notes/{}", text(&owner.note("x", None).await["id"]));
    let long = "\"1.1\",".repeat(2_000);
    for garbage in [
        "1.0",
        "\"1.0",
        "1",
        "",
        ",",
        "\"\"",
        "W/",
        "\"-1.0\"",
        "\"1.0.0\"",
        "\"99999999999999999999.0\"",
        "ä",
        "\"1\"",
        &long,
    ] {
        owner.send_with(&line, &[("if-none-match", garbage)], None).await.expect(200, json!({"title": "x"}));
    }
}

async fn a_change_of_state_is_another_tag(store: TestStore) {
    let owner = store.serve().await.owner();
    let path = format!("/notes/{}", text(&owner.note("x", None).await["id"]));
    let mut tags = vec![owner.get(&path).await.header("etag").to_owned()];
    for (line, body) in [
        (format!("POST {path}/archive"), Value::Null),
        (format!("PATCH {path}"), json!({"title": "y"})),
        (format!("POST {path}/unarchive"), Value::Null),
        (format!("PATCH {path}"), json!({"tags": ["t"]})),
        ("PATCH /tags/t".to_owned(), json!({"new_name": "u"})),
        (format!("DELETE {path}"), Value::Null),
        (format!("POST {path}/restore"), Value::Null),
    ] {
        owner.send(&line, Some(&body).filter(|body| !body.is_null())).await;
        let tag = owner.get(&path).await.header("etag").to_owned();
        assert!(!tags.contains(&tag), "{line}: {tag} in {tags:?}");
        tags.push(tag);
    }
}

async fn a_write_is_made_on_the_expected_version_only(store: TestStore) {
    let owner = store.serve().await.owner();
    let path = format!("/notes/{}", text(&owner.note("x", None).await["id"]));
    let line = format!("PATCH {path}");
    let matching = |tag: &'static str, title: &'static str| {
        let (owner, line) = (owner.clone(), line.clone());
        async move { owner.send_with(&line, &[("if-match", tag)], Some(&json!({"title": title}))).await }
    };
    matching("\"1.0\"", "a").await.expect(200, json!({"version": 2}));
    let conflict = json!({
        "error": "conflict", "current_version": 2, "expected_version": 1,
        "current": {"title": "a", "version": 2, "content": null},
        "message": "the item is at version 2, and version 1 was expected", "suggestion": "…version 2…",
    });
    matching("\"1.0\"", "b").await.expect(412, conflict);
    matching("W/\"2.0\"", "c").await.expect(200, json!({"version": 3}));
    matching("\"3.77\"", "d").await.expect(200, json!({"version": 4}));
    matching("*", "e").await.expect(200, json!({"version": 5}));
    // Archiving is no version: the tag from before it is as good.
    owner.post(&format!("{path}/archive"), json!({})).await.expect(200, json!({}));
    matching("\"5.0\"", "f").await.expect(200, json!({"version": 6}));
    // What would change nothing is refused all the same.
    matching("\"5.0\"", "f").await.expect(412, json!({"error": "conflict", "current_version": 6}));
    let missing = "PATCH /notes/0190a6f4-7b3c-7def-8123-456789abcdef";
    owner.send_with(missing, &[("if-match", "*")], Some(&json!({}))).await.expect(404, json!({}));
}

async fn a_condition_that_cannot_be_understood_is_refused(store: TestStore) {
    let owner = store.serve().await.owner();
    let path = format!("/notes/{}", text(&owner.note("x", None).await["id"]));
    for garbage in ["1.0", "", "\"x\"", "\"1.0\", \"2.0\"", "\"99999999999999999999.0\"", "ä", "\"\"", "W/"] {
        let answer =
            owner.send_with(&format!("PATCH {path}"), &[("if-match", garbage)], Some(&json!({"title": "y"}))).await;
        answer.expect(422, json!({"error": "validation_failed", "errors": [{"field": "If-Match"}]}));
    }
    let twice = [("if-match", "\"1.0\""), ("if-match", "\"2.0\"")];
    owner.send_with(&format!("PATCH {path}"), &twice, Some(&json!({"title": "y"}))).await.expect(422, json!({}));
    owner.get(&path).await.expect(200, json!({"title": "x", "version": 1}));
}

async fn an_expected_version_in_the_body_is_a_conflict(store: TestStore) {
    let owner = store.serve().await.owner();
    let line = format!("PATCH /notes/{}", text(&owner.note("x", None).await["id"]));
    owner.check(&line, json!({"title": "y", "expected_version": 1}), 200, json!({"version": 2})).await;
    let conflict = json!({"error": "conflict", "current_version": 2, "expected_version": 1, "current": {"title": "y"}});
    owner.check(&line, json!({"title": "z", "expected_version": 1}), 409, conflict).await;
    owner.check(&line, json!({"title": "z", "expected_version": 3}), 409, json!({"expected_version": 3})).await;
    owner.check(&line, json!({"title": "z", "expected_version": u64::MAX}), 409, json!({"error": "conflict"})).await;
}

async fn header_and_body_must_agree(store: TestStore) {
    let owner = store.serve().await.owner();
    let line = format!("PATCH /notes/{}", text(&owner.note("x", None).await["id"]));
    let both = json!({"title": "y", "expected_version": 1});
    owner
        .send_with(&line, &[("if-match", "\"2.0\"")], Some(&both))
        .await
        .expect(422, json!({"error": "validation_failed"}));
    owner.send_with(&line, &[("if-match", "\"1.0\"")], Some(&both)).await.expect(200, json!({"version": 2}));
}

async fn a_change_of_state_takes_its_condition_in_the_body(store: TestStore) {
    let owner = store.serve().await.owner();
    let path = format!("/content/{}", text(&owner.note("x", None).await["id"]));
    owner.patch(&path, json!({"title": "y"})).await.expect(200, json!({"version": 2}));
    let history = owner.get(&format!("{path}/history")).await.expect(200, json!({"total": 2, "has_more": false}));
    assert_eq!(history.json().get("next_cursor"), Some(&Value::Null));
    for (line, status) in [
        (format!("POST {path}/track-usage"), 200),
        (format!("POST {path}/archive"), 200),
        (format!("POST {path}/unarchive"), 200),
        (format!("POST {path}/restore"), 200),
        (format!("POST {path}/history/2/restore"), 200),
        (format!("DELETE {path}"), 204),
        (format!("DELETE {path}?permanent=true"), 204),
    ] {
        let conflict = json!({"error": "conflict", "expected_version": 1, "current_version": 2});
        owner.check(&line, json!({"expected_version": 1}), 409, conflict).await;
        owner.check(&line, json!({"type": "prompt"}), 404, json!({"error": "not_found", "type": "prompt"})).await;
        let headers = [("if-match", "\"1.0\"")];
        owner.send_with(&line, &headers, Some(&json!({"expected_version": 2}))).await.expect(422, json!({}));
        owner.send_with(&line, &headers, None).await.expect(412, json!({"error": "conflict"}));
        owner.check(&line, json!({"expected_version": 2, "type": "note"}), status, Value::Null).await;
    }
}

async fn a_body_of_a_change_of_state_is_read_strictly(store: TestStore) {
    let server = store.serve().await;
    let owner = server.owner();
    let path = format!("/notes/{}", text(&owner.note("x", None).await["id"]));
    for line in [
        format!("POST {path}/track-usage"),
        format!("POST {path}/archive"),
        format!("POST {path}/unarchive"),
        format!("POST {path}/restore"),
        format!("POST {path}/history/1/restore"),
        format!("DELETE {path}"),
    ] {
        for (body, field) in [
            (json!({"expected_versoin": 1}), "expected_versoin"),
            (json!({"expected_version": null}), "expected_version"),
            (json!({"expected_version": "1"}), "expected_version"),
            (json!({"type": "poem"}), "type"),
            (json!([]), "body"),
        ] {
            assert_eq!(owner.refused_fields(&line, body.clone()).await, [field], "{line} {body}");
        }
        let answer = server.raw((server.head(&line, "Content-Length: 1\r\n") + "{").as_bytes()).await;
        assert_eq!(answer.status(), 422, "{line}: {}", answer.text);
    }
    owner.get(&path).await.expect(200, json!({"archived_at": null, "deleted_at": null, "last_used_at": null}));
}

async fn lines_that_are_not_there_are_an_error_of_a_known_state_too(store: TestStore) {
    let owner = store.serve().await.owner();
    let text_of = |item: &Value| text(&item["id"]);
    let long = text_of(&owner.note("x", Some("a\nb")).await);
    let empty = text_of(&owner.note("y", None).await);
    for tag in ["\"1.0\"", "*"] {
        for lines in ["start_line=3", "start_line=2&end_line=1"] {
            let line = format!("GET /notes/{long}?{lines}");
            let refused = json!({"error": "invalid_lines", "total_lines": 2});
            owner.send_with(&line, &[("if-none-match", tag)], None).await.expect(400, refused);
        }
        let line = format!("GET /notes/{empty}?end_line=1");
        owner.send_with(&line, &[("if-none-match", tag)], None).await.expect(400, json!({"error": "content_empty"}));
    }
}
