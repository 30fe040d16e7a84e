//! `ETag`, `If-None-Match`, `If-Match` and `expected_version`

use serde_json::{Value, json};

use crate::client::text;
use crate::place::Place;

on_both!(
    a_known_state_is_not_sent_again,
    a_condition_that_is_no_list_of_tags_is_ignored,
    a_change_of_state_is_another_tag,
    a_write_is_made_on_the_expected_version_only,
    a_condition_that_cannot_be_understood_is_refused,
    an_expected_version_in_the_body_is_a_conflict,
    header_and_body_must_agree,
);

async fn a_known_state_is_not_sent_again(place: Place) {
    let owner = place.serve().await.owner();
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

async fn a_condition_that_is_no_list_of_tags_is_ignored(place: Place) {
    let owner = place.serve().await.owner();
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

async fn a_change_of_state_is_another_tag(place: Place) {
    let owner = place.serve().await.owner();
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

async fn a_write_is_made_on_the_expected_version_only(place: Place) {
    let owner = place.serve().await.owner();
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

async fn a_condition_that_cannot_be_understood_is_refused(place: Place) {
    let owner = place.serve().await.owner();
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

async fn an_expected_version_in_the_body_is_a_conflict(place: Place) {
    let owner = place.serve().await.owner();
    let line = format!("PATCH /notes/{}", text(&owner.note("x", None).await["id"]));
    owner.check(&line, json!({"title": "y", "expected_version": 1}), 200, json!({"version": 2})).await;
    let conflict = json!({"error": "conflict", "current_version": 2, "expected_version": 1, "current": {"title": "y"}});
    owner.check(&line, json!({"title": "z", "expected_version": 1}), 409, conflict).await;
    owner.check(&line, json!({"title": "z", "expected_version": 3}), 409, json!({"expected_version": 3})).await;
    owner.check(&line, json!({"title": "z", "expected_version": u64::MAX}), 409, json!({"error": "conflict"})).await;
}

async fn header_and_body_must_agree(place: Place) {
    let owner = place.serve().await.owner();
    let line = format!("PATCH /notes/{}", text(&owner.note("x", None).await["id"]));
    let both = json!({"title": "y", "expected_version": 1});
    owner
        .send_with(&line, &[("if-match", "\"2.0\"")], Some(&both))
        .await
        .expect(422, json!({"error": "validation_failed"}));
    owner.send_with(&line, &[("if-match", "\"1.0\"")], Some(&both)).await.expect(200, json!({"version": 2}));
}
