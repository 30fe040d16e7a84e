//! `POST /import`: what is refused, and what is reported.

use serde_json::json;
use tokio::io::AsyncWriteExt as _;

use super::{counts, import, lines};
use crate::support::client::text;
use crate::support::raw_connection::read_to_end;
use crate::support::test_store::{TestStore, unlimited};

on_both!(
    the_query_is_checked_before_the_body_is_read,
    a_token_needs_read_and_write,
    bad_lines_are_reported_and_the_rest_goes_in,
    what_is_not_of_the_format_is_refused,
    a_line_that_is_too_long_is_skipped,
    a_document_that_is_too_long_is_refused,
    hostile_bytes_are_an_answer,
);

async fn the_query_is_checked_before_the_body_is_read(store: TestStore) {
    let server = store.serve().await;
    let owner = server.owner();
    for (query, field) in [
        ("", "format"),
        ("format=word", "format"),
        ("format=jsonl&dry_run=maybe", "dry_run"),
        ("format=jsonl&source=", "source"),
        ("format=jsonl&source=%00", "source"),
        (&format!("format=jsonl&source={}", "x".repeat(201)), "source"),
        ("format=markdown&name=", "name"),
    ] {
        let answer = owner.send_bytes(&format!("POST /import?{query}"), "x".repeat(100_000)).await;
        let answer = answer.expect(422, json!({"error": "validation_failed"})).json();
        assert_eq!(answer["errors"][0]["field"], field, "{answer}");
    }
}

async fn a_token_needs_read_and_write(store: TestStore) {
    let server = store.serve().await;
    let owner = server.owner();
    for scopes in [json!(["read"]), json!(["write"])] {
        let (token, _) = owner.new_token(json!({"name": "t", "scopes": scopes})).await;
        let body = lines(&[json!({"source": "a", "type": "note", "title": "A"})]);
        token.send_bytes("POST /import?format=records", body).await.expect(403, json!({"error": "forbidden"}));
    }
    let (token, _) = owner.new_token(json!({"name": "t", "scopes": ["write"]})).await;
    token.get("/export").await.expect(403, json!({"error": "forbidden"}));
    let (token, _) = owner.new_token(json!({"name": "t", "kinds": ["note"]})).await;
    let body = lines(&[
        json!({"source": "a", "type": "note", "title": "A"}),
        json!({"source": "b", "type": "bookmark", "url": "https://a.example/"}),
    ]);
    let report = import(&token, "format=records", body).await;
    assert_eq!(counts(&report), json!({"created": 1, "skipped": 1}));
    server.without_token().send_bytes("POST /import?format=records", "x").await.expect(401, json!({}));
    assert_eq!(owner.get("/content").await.json()["total"], 1);
}

async fn bad_lines_are_reported_and_the_rest_goes_in(store: TestStore) {
    let server = store.serve().await;
    let owner = server.owner();
    let body = [
        "{",
        "",
        "null",
        r#"{"source": "a", "type": "note", "titel": "A"}"#,
        r#"{"source": "a", "type": "poem", "title": "A"}"#,
        r#"{"source": "", "type": "note", "title": "A"}"#,
        r#"{"source": "a", "type": "note", "title": " "}"#,
        r#"{"source": "a", "type": "note", "title": "A", "front_matter": "- a"}"#,
        r#"{"source": "a", "type": "note", "title": "A", "content": "\u0000"}"#,
        r#"{"source": "a", "type": "note", "title": "A", "created_at": "yesterday"}"#,
        r#"{"source": "a", "type": "prompt", "name": "p", "content": "{{ x }}"}"#,
        r#"{"source": "a", "type": "note", "title": "A", "history": [{"version": 2, "action": "fly", "state": {"title": "A"}}]}"#,
        r#"{"source": "a", "type": "note", "title": "A", "history": [{"version": 2, "action": "create", "state": {"title": "A"}}, {"version": 1, "action": "update", "state": {"title": "B"}}]}"#,
        r#"{"source": "good", "type": "note", "title": "Good"}"#,
    ];
    let report = import(&owner, "format=records", body.join("\n")).await;
    assert_eq!(counts(&report), json!({"created": 1, "skipped": 12}), "{report:#}");
    assert_eq!(report["problems_total"], 12);
    assert_eq!(report["problems"][0]["source"], "line 1");
    let reasons: Vec<String> = report["problems"].as_array().unwrap().iter().map(|one| text(&one["reason"])).collect();
    for (index, part) in [(2, "titel"), (4, "time"), (6, "title"), (7, "front_matter"), (10, "fly")] {
        assert!(reasons[index].contains(part), "{index}: {reasons:#?}");
    }
}

async fn what_is_not_of_the_format_is_refused(store: TestStore) {
    let server = store.serve().await;
    let owner = server.owner();
    for format in ["jsonl", "markdown", "notion", "skill"] {
        let answer = owner.send_bytes(&format!("POST /import?format={format}"), "nothing of the kind").await;
        answer.expect(422, json!({"error": "validation_failed", "report": {"created": 0}}));
    }
    owner.send_bytes("POST /import?format=jsonl", "").await.expect(422, json!({"error": "validation_failed"}));
}

async fn a_line_that_is_too_long_is_skipped(store: TestStore) {
    let server = store.serve_with(interline_server::Settings { max_import_bytes: 40_000, ..unlimited() }).await;
    let owner = server.owner();
    let note = |name: &str, content: &str| json!({"source": name, "type": "note", "title": name, "content": content});
    let body = lines(&[note("a", "x"), note("b", &"x".repeat(100_000)), note("c", "x")]);
    let report = import(&owner, "format=records", body).await;
    assert_eq!(counts(&report), json!({"created": 2, "skipped": 1}));
    assert_eq!(report["problems"][0]["source"], "line 2");
}

async fn a_document_that_is_too_long_is_refused(store: TestStore) {
    let server = store.serve_with(interline_server::Settings { max_import_bytes: 40_000, ..unlimited() }).await;
    let owner = server.owner();
    for format in ["bookmarks-html", "notion"] {
        let answer = owner.send_bytes(&format!("POST /import?format={format}"), "x".repeat(200_000)).await;
        answer.expect(413, json!({"error": "too_large", "limit": 40_000}));
    }
    // And so is a body that ends before its end.
    let mut connection = server.connect().await;
    let body = "{\"source\": \"a\", \"type\": \"note\", \"title\": \"A\"}\n{";
    let request = server.head("POST /import?format=records", "Content-Length: 1000\r\n") + body;
    connection.write_all(request.as_bytes()).await.unwrap();
    connection.shutdown().await.unwrap();
    let answer = read_to_end(&mut connection).await;
    assert!(matches!(answer.status(), 0 | 408), "{}", answer.text);
    assert_eq!(owner.get("/notes").await.json()["total"], u64::from(answer.status() == 408));
}

async fn hostile_bytes_are_an_answer(store: TestStore) {
    let server = store.serve().await;
    let owner = server.owner();
    let formats = [
        "markdown",
        "notion",
        "bookmarks-html",
        "firefox-json",
        "pocket-csv",
        "raindrop-csv",
        "karakeep-json",
        "langfuse-json",
        "skill",
        "jsonl",
        "records",
    ];
    let bodies: [&[u8]; 6] = [b"", b"PK\x03\x04", b"\xff\xfe\0\0", b"{\"a\":", b"[[[[[[[[[[[[[[[[[[", b"a,b\n\"c"];
    for format in formats {
        for body in bodies {
            let answer = owner.send_bytes(&format!("POST /import?format={format}&name=a.md"), body.to_vec()).await;
            assert!(matches!(answer.status, 200 | 422), "{format} {body:?}: {}", answer.status);
        }
    }
}
