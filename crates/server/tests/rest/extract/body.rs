//! Request bodies that are malformed, too large, incomplete or of the wrong type.

use std::time::Duration;

use interline_server::Settings;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;

use crate::support::client::text;
use crate::support::raw_connection::read_to_end;
use crate::support::test_store::{TestServer, TestStore, unlimited};

on_both!(
    what_is_not_json_is_refused,
    what_is_not_utf8_is_refused,
    a_body_over_the_limit_is_refused_by_its_announcement,
    a_body_over_the_limit_is_refused_as_it_comes,
    clients_that_send_all_of_a_body_over_the_limit_read_why,
    malformed_chunks_are_refused,
    a_body_that_is_cut_off_changes_nothing,
    a_body_that_does_not_come_is_not_waited_for,
    nesting_is_bounded,
    a_hundred_thousand_tags_are_refused_in_a_small_answer,
    errors_stay_small_whatever_was_sent,
);

async fn assert_nothing_was_made(server: &TestServer) {
    server.owner().get("/notes?view=active&view=archived&view=deleted").await.expect(200, json!({"total": 0}));
}

fn assert_refused(answer: &Value, message: &str) {
    let expected = json!({"error": "validation_failed", "errors": [{"field": "body", "message": message}]});
    crate::support::json_assertion::assert_within("body", &expected, answer);
}

async fn what_is_not_json_is_refused(store: TestStore) {
    let server = store.serve().await;
    for body in [
        "",
        " ",
        "{",
        "{}x",
        "{\"title\": \"x\"",
        "{'title': 'x'}",
        "{\"title\": \"x\",}",
        "{\"title\": NaN}",
        "title=x",
        "nul",
        "\u{feff}{}",
        "{\"title\": \"a\nb\"}",
        "{\"title\": \"\\ud800\"}",
        "{\"title\": \"\\udc00\\ud800\"}",
        "{\"title\": \"\\u12\"}",
        "{\"title\": \"\u{1}\"}",
        "{\"content\": \"x\\ud83d\", \"title\": \"x\"}",
        "<xml/>",
        "{\"title\"}",
        "{\"title\": 1e999}",
        "{\"a\": 1} {\"b\": 2}",
    ] {
        let answer = server.raw_body("POST /notes", body.as_bytes()).await;
        assert_eq!(answer.status(), 422, "{body:?}: {}", answer.text);
        if !body.starts_with("{\"title\": 1e") && !body.starts_with("{\"a\"") {
            assert_refused(&answer.json(), "…is not valid JSON…");
        }
    }
    let twice = server.raw_body("POST /notes", b"{\"title\": \"a\", \"title\": \"b\"}").await;
    assert_eq!((twice.status(), &twice.json()["errors"][0]["field"]), (422, &json!("title")));
    assert_nothing_was_made(&server).await;
}

async fn what_is_not_utf8_is_refused(store: TestStore) {
    let server = store.serve().await;
    for bytes in [
        &b"{\"title\": \"\xff\"}"[..],
        b"{\"title\": \"\xc3\"}",
        b"{\"title\": \"\xed\xa0\x80\"}",
        b"\xff\xfe{\0}\0",
        b"{\"\xff\": 1}",
    ] {
        let answer = server.raw_body("POST /notes", bytes).await;
        assert_eq!(answer.status(), 422, "{bytes:?}: {}", answer.text);
        assert_eq!(answer.json()["error"], "validation_failed");
    }
    assert_nothing_was_made(&server).await;
}

const LIMIT: usize = 20 * 1024 * 1024;

async fn a_body_over_the_limit_is_refused_by_its_announcement(store: TestStore) {
    let server = store.serve().await;
    let owner = server.owner();
    let note = text(&owner.note("x", None).await["id"]);
    for (line, body) in [
        ("POST /notes".to_owned(), json!({"title": "x", "content": "x".repeat(21_000_000)})),
        (format!("PATCH /notes/{note}"), json!({"content": "x".repeat(21_000_000)})),
    ] {
        let actual = body.to_string().len();
        // The server may close the connection before it has read all: then the answer is lost, which is not what is shown
        // here. What it answers is.
        let answer = server.raw_body(&line, body.to_string().as_bytes()).await;
        assert_eq!(answer.status(), 413, "{}", answer.text);
        let expected = json!({"error": "too_large", "limit": LIMIT, "actual": actual, "message": "…20971520 bytes…"});
        crate::support::json_assertion::assert_within(&line, &expected, &answer.json());
    }
    let head = server.head("POST /notes", "Content-Length: 99999999999999\r\n");
    let answer = server.raw(head.as_bytes()).await;
    assert_eq!((answer.status(), &answer.json()["actual"]), (413, &json!(99_999_999_999_999_u64)));
    owner.get("/notes").await.expect(200, json!({"total": 1}));
}

async fn a_body_over_the_limit_is_refused_as_it_comes(store: TestStore) {
    let server = store.serve().await;
    let mut stream = server.connect().await;
    let head = server.head("POST /notes", "Transfer-Encoding: chunked\r\nContent-Type: application/json\r\n");
    stream.write_all(head.as_bytes()).await.unwrap();
    let chunk = format!("100000\r\n{}\r\n", " ".repeat(0x10_0000));
    let mut sent = 0;
    // It stops taking at the limit, or soon after.
    while sent < 2 * LIMIT && stream.write_all(chunk.as_bytes()).await.is_ok() {
        sent += 0x10_0000;
    }
    let answer = read_to_end(&mut stream).await;
    assert_eq!(answer.status(), 413, "{}", answer.text);
    let expected = json!({"error": "too_large", "limit": LIMIT, "actual": null});
    crate::support::json_assertion::assert_within("chunked", &expected, &answer.json());
    assert_nothing_was_made(&server).await;

    let small = server.head("POST /notes", "Transfer-Encoding: chunked\r\nContent-Type: application/json\r\n");
    let body = "5\r\n{\"tit\r\n9\r\nle\": \"x\"}\r\n0\r\n\r\n";
    assert_eq!(server.raw((small + body).as_bytes()).await.status(), 201, "a body in pieces is taken");
}

/// As most libraries do: the answer is read when all is sent.
async fn clients_that_send_all_of_a_body_over_the_limit_read_why(store: TestStore) {
    let server = store.serve().await;
    let megabyte = vec![b' '; 0x10_0000];
    for (headers, before, after) in [
        (format!("Content-Length: {}\r\n", 100 * 0x10_0000), "", ""),
        ("Transfer-Encoding: chunked\r\n".to_owned(), "100000\r\n", "\r\n"),
    ] {
        let mut stream = server.connect().await;
        stream.write_all(server.head("POST /notes", &headers).as_bytes()).await.unwrap();
        for number in 0..100 {
            for part in [before.as_bytes(), &megabyte, after.as_bytes()] {
                stream.write_all(part).await.unwrap_or_else(|error| panic!("{headers}{number} MB: {error}"));
            }
        }
        let answer = read_to_end(&mut stream).await;
        assert_eq!(answer.status(), 413, "{headers}{}", answer.text);
    }
    let expecting = server.head("POST /notes", "Content-Length: 104857600\r\nExpect: 100-continue\r\n");
    let answer = server.raw(expecting.as_bytes()).await;
    assert_eq!(answer.status(), 413, "nobody is asked to send it: {}", answer.text);
    assert_nothing_was_made(&server).await;
}

async fn malformed_chunks_are_refused(store: TestStore) {
    let server = store.serve().await;
    for chunks in [
        "zz\r\n",
        "-1\r\n",
        "0x5\r\n{}\r\n",
        "ffffffffffffffffff\r\n",
        "2\r\n{}garbage\r\n0\r\n\r\n",
        "2\n{}\r\n0\r\n\r\n",
        "2;a\nb\r\n{}\r\n0\r\n\r\n",
        " 2\r\n{}\r\n0\r\n\r\n",
    ] {
        let head = server.head("POST /notes", "Transfer-Encoding: chunked\r\nContent-Type: application/json\r\n");
        let answer = server.raw((head + chunks).as_bytes()).await;
        assert_eq!(answer.status(), 400, "{chunks:?}: {}", answer.text);
        let expected = json!({"error": "invalid_parameters", "message": "…chunks…"});
        crate::support::json_assertion::assert_within(chunks, &expected, &answer.json());
    }
    assert_nothing_was_made(&server).await;
}

async fn a_body_that_is_cut_off_changes_nothing(store: TestStore) {
    let server = store.serve().await;
    let body = "{\"title\": \"x\"}";
    for (headers, sent) in [
        (format!("Content-Length: {}\r\n", body.len() + 1), body.to_owned()),
        (format!("Content-Length: {}\r\n", body.len()), body[..8].to_owned()),
        ("Transfer-Encoding: chunked\r\n".to_owned(), format!("{:x}\r\n{body}\r\n", body.len())),
        ("Transfer-Encoding: chunked\r\n".to_owned(), "zz\r\n".to_owned()),
    ] {
        let mut stream = server.connect().await;
        stream.write_all((server.head("POST /notes", &headers) + &sent).as_bytes()).await.unwrap();
        stream.shutdown().await.unwrap();
        let answer = read_to_end(&mut stream).await;
        assert!([0, 400, 408].contains(&answer.status()), "{headers}{sent}: {}", answer.text);
        if answer.status() == 408 {
            assert_eq!(answer.json()["error"], "request_timeout");
        }
    }
    assert_nothing_was_made(&server).await;
}

async fn a_body_that_does_not_come_is_not_waited_for(store: TestStore) {
    let settings = Settings { request_timeout: Duration::from_millis(50), ..unlimited() };
    let server = store.serve_with(settings).await;
    let answer = server.raw((server.head("POST /notes", "Content-Length: 100\r\n") + "{").as_bytes()).await;
    assert_eq!(answer.status(), 408, "{}", answer.text);
    let expected = json!({"error": "request_timeout", "suggestion": "nothing was applied; send the request again"});
    crate::support::json_assertion::assert_within("slow", &expected, &answer.json());
    assert_nothing_was_made(&server).await;
}

async fn nesting_is_bounded(store: TestStore) {
    let server = store.serve().await;
    let prompt = text(
        &server
            .owner()
            .create("prompts", json!({"name": "p", "content": "{{ a }}", "arguments": [{"name": "a"}]}))
            .await["id"],
    );
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let deep = open.repeat(1_000_000) + "1" + &close.repeat(1_000_000);
        let render = format!("{{\"arguments\": {{\"a\": {deep}}}}}");
        for (line, body) in [
            ("POST /notes".to_owned(), deep.clone()),
            ("POST /notes".to_owned(), format!("{{\"title\": {deep}}}")),
            ("POST /notes".to_owned(), format!("{{\"unknown\": {deep}}}")),
            (format!("POST /prompts/{prompt}/render"), render),
        ] {
            let answer = server.raw_body(&line, body.as_bytes()).await;
            assert_eq!(answer.status(), 422, "{line}: {}", answer.text);
        }
    }
    server.owner().get("/health").await.expect(200, json!({}));
}

async fn a_hundred_thousand_tags_are_refused_in_a_small_answer(store: TestStore) {
    let server = store.serve().await;
    let owner = server.owner();
    let many: Vec<String> = (0..100_000).map(|number| format!("t{number}")).collect();
    let refused = json!({"errors": [{"field": "tags", "message": "…100000 tags; the limit is 100…"}]});
    owner.check("POST /notes", json!({"title": "x", "tags": many}), 422, refused).await;
    let wrong = vec!["not a tag"; 100_000];
    owner.check("POST /notes", json!({"title": "x", "tags": wrong}), 422, json!({"error": "validation_failed"})).await;
    // Many that are alike are counted too, before any is looked at.
    let same = vec!["same"; 100_000];
    let refused = json!({"errors": [{"field": "tags", "message": "…100000 tags; the limit is 100…"}]});
    owner.check("POST /notes", json!({"title": "x", "tags": same}), 422, refused).await;
    owner
        .check("POST /notes", json!({"title": "x", "tags": vec!["same"; 1_000]}), 201, json!({"tags": ["same"]}))
        .await;
    let note = text(&owner.get("/notes").await.json()["items"][0]["id"]);
    for list in ["add_tags", "remove_tags"] {
        assert_eq!(
            owner.refused_fields(&format!("PATCH /notes/{note}"), json!({list: wrong})).await.len(),
            1,
            "{list}"
        );
    }
    let refused = json!({"errors": [{"field": "add_tags", "message": "…5001 tags; the limit is 100…"}]});
    owner.check(&format!("PATCH /notes/{note}"), json!({"add_tags": many[..5_000]}), 422, refused).await;
}

/// The client holds every error to its limit.
async fn errors_stay_small_whatever_was_sent(store: TestStore) {
    let server = store.serve().await;
    let owner = server.owner();
    let long = "x".repeat(1_000_000);
    let spaced = "x ".repeat(500_000);
    let prompt = text(&owner.create("prompts", json!({"name": "p", "content": "x"})).await["id"]);
    let unknown: serde_json::Map<String, Value> =
        (0..50_000).map(|number| (format!("argument{number}"), json!(1))).collect();
    let variables: String = (0..20_000).map(|number| format!("{{{{ variable{number} }}}}")).collect();
    for (line, body, status) in [
        ("POST /notes".to_owned(), json!({&long: 1}), 422),
        ("POST /notes".to_owned(), json!({"title": long}), 422),
        ("POST /notes".to_owned(), json!({"title": "x", "tags": long}), 422),
        ("POST /notes".to_owned(), json!({"title": "x", "tags": [spaced]}), 422),
        ("POST /notes".to_owned(), json!({"title": "x", "type": long}), 422),
        ("POST /bookmarks".to_owned(), json!({"url": long}), 422),
        ("POST /prompts".to_owned(), json!({"name": long, "content": "x"}), 422),
        ("POST /prompts".to_owned(), json!({"name": "y", "content": "x", "arguments": [{&long: 1}]}), 422),
        ("POST /prompts".to_owned(), json!({"name": "y", "content": format!("{{{{ {long} }}}}")}), 400),
        ("POST /prompts".to_owned(), json!({"name": "y", "content": format!("{{{{ 1|{long} }}}}")}), 400),
        ("POST /prompts".to_owned(), json!({"name": "y", "content": variables}), 400),
        (format!("POST /prompts/{prompt}/render"), json!({"arguments": unknown}), 400),
        (format!("POST /prompts/{prompt}/render"), json!({"arguments": {&long: 1}}), 400),
        ("POST /tokens".to_owned(), json!({"name": long}), 422),
        ("POST /tokens".to_owned(), json!({"name": "x", "scopes": vec!["x"; 50_000]}), 422),
        ("POST /tokens".to_owned(), json!({"name": "x", "expires_at": long}), 422),
        ("POST /users".to_owned(), json!({"name": long}), 422),
    ] {
        owner.send(&line, Some(&body)).await.expect(status, json!({}));
    }
    let query = "tags=a%20b&".repeat(2_000);
    for path in
        [format!("/notes?{query}"), format!("/notes/{}", "x".repeat(20_000)), format!("/{}", "x".repeat(20_000))]
    {
        assert!(owner.get(&path).await.status >= 400);
    }
}
