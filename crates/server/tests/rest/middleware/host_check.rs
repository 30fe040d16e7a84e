//! The host and origin check, and CORS.

use interline_server::Settings;
use serde_json::{Value, json};

use crate::support::test_store::{TestStore, unlimited};

on_both!(
    foreign_names_are_refused,
    targets_of_foreign_hosts_are_refused,
    foreign_pages_are_refused,
    configured_pages_may_call,
    a_page_is_compared_in_lower_case,
    without_configuration_there_is_no_cors
);

const PAGE: &str = "https://app.example.org";

fn with_page() -> Settings {
    Settings {
        allowed_origins: vec![PAGE.to_owned()],
        allowed_hosts: vec!["notes.example.org".to_owned()],
        ..unlimited()
    }
}

async fn foreign_names_are_refused(store: TestStore) {
    let server = store.serve_with(with_page()).await;
    let (port, secret) = (server.address.port(), &server.store.secret);
    for (host, status) in [
        (format!("Host: 127.0.0.1:{port}\r\n"), 200),
        (format!("Host: localhost:{port}\r\n"), 200),
        (format!("Host: LOCALHOST:{port}\r\n"), 200),
        (format!("Host: [::1]:{port}\r\n"), 200),
        ("Host: notes.example.org\r\n".to_owned(), 200),
        ("Host: evil.example.org\r\n".to_owned(), 403),
        (format!("Host: 127.0.0.1.evil.example:{port}\r\n"), 403),
        ("Host: evil.com#.localhost\r\n".to_owned(), 403),
        ("Host: evil.com/.localhost\r\n".to_owned(), 403),
        ("Host: evil.com?.localhost\r\n".to_owned(), 403),
        ("Host: evil.com@app.localhost\r\n".to_owned(), 403),
        ("Host: evil.com .localhost\r\n".to_owned(), 403),
        ("Host: evil.com\u{e9}.localhost\r\n".to_owned(), 403),
        (format!("Host: localhost:{port}#\r\n"), 403),
        ("Host: \r\n".to_owned(), 403),
        (format!("Host: localhost:{port}\r\nHost: evil.example.org\r\n"), 403),
        (String::new(), 403),
    ] {
        for path in ["/notes", "/health", "/metrics", "/openapi.json", "/nothing"] {
            let request =
                format!("GET {path} HTTP/1.1\r\n{host}Authorization: Bearer {secret}\r\nConnection: close\r\n\r\n");
            let answer = server.raw(request.as_bytes()).await;
            let expected = if status == 200 && path == "/nothing" { 404 } else { status };
            // What HTTP itself forbids may be refused before anything else.
            let refused_by_http = status == 403 && answer.status() == 400;
            assert!(answer.status() == expected || refused_by_http, "{path} {host}: {}", answer.text);
            if answer.status() == 403 {
                let expected = json!({"error": "forbidden", "suggestion": "…--allowed-host…"});
                crate::support::json_assertion::assert_within(&host, &expected, &answer.json());
            }
        }
    }
}

async fn targets_of_foreign_hosts_are_refused(store: TestStore) {
    let server = store.serve_with(with_page()).await;
    let (address, secret) = (server.address, &server.store.secret);
    for (target, status) in [
        (format!("http://{address}/notes"), 200),
        (format!("http://{address}/notes/"), 200),
        ("http://evil.example.org/notes".to_owned(), 403),
        ("http://evil.example.org/notes/".to_owned(), 403),
        ("http://notes.example.org/notes".to_owned(), 403),
        (format!("http://user@{address}/notes"), 403),
    ] {
        let head = format!("GET {target} HTTP/1.1\r\nHost: {address}\r\n");
        let request = format!("{head}Authorization: Bearer {secret}\r\nConnection: close\r\n\r\n");
        let answer = server.raw(request.as_bytes()).await;
        assert_eq!(answer.status(), status, "{target}: {}", answer.text);
    }
}

async fn foreign_pages_are_refused(store: TestStore) {
    let server = store.serve_with(with_page()).await;
    let owner = server.owner();
    let own = format!("http://{}", server.address);
    for (origin, welcome) in [
        (&*own, true),
        (PAGE, true),
        ("https://evil.example.org", false),
        ("null", false),
        ("http://127.0.0.1:1", false),
        ("http://localhost", false),
        ("https://app.example.org.evil.example", false),
        ("", false),
    ] {
        for (line, body) in [("GET /notes", None), ("POST /notes", Some(json!({"title": "x"}))), ("GET /health", None)]
        {
            let answer = owner.send_with(line, &[("origin", origin)], body.as_ref()).await;
            assert_eq!(answer.status < 300, welcome, "{line} {origin}: {}", answer.status);
            if !welcome {
                answer.expect(403, json!({"error": "forbidden", "suggestion": "…--allowed-origin…"}));
            }
        }
    }
    owner.get("/notes").await.expect(200, json!({"total": 2}));
}

async fn configured_pages_may_call(store: TestStore) {
    let server = store.serve_with(with_page()).await;
    let asks = [
        ("origin", PAGE),
        ("access-control-request-method", "PATCH"),
        ("access-control-request-headers", "authorization,content-type,if-match"),
    ];
    let allowed = server.without_token().send_with("OPTIONS /notes", &asks, None).await;
    assert_eq!(allowed.status, 200);
    assert_eq!(allowed.header("access-control-allow-origin"), PAGE);
    assert!(allowed.header("access-control-allow-methods").contains("PATCH"));
    let headers = allowed.header("access-control-allow-headers").to_ascii_lowercase();
    assert!(headers.contains("authorization") && headers.contains("if-match"), "{headers}");

    let answer =
        server.owner().send_with("GET /notes", &[("origin", PAGE)], None).await.expect(200, json!({"total": 0}));
    assert_eq!(answer.header("access-control-allow-origin"), PAGE);
    assert_eq!(answer.header("access-control-allow-credentials"), "");
    assert!(answer.header("access-control-expose-headers").to_ascii_lowercase().contains("etag"));
    assert!(answer.header("vary").to_ascii_lowercase().contains("origin"), "{}", answer.header("vary"));

    let refused =
        server.without_token().send_with("GET /notes", &[("origin", PAGE)], None).await.expect(401, json!({}));
    assert_eq!(refused.header("access-control-allow-origin"), PAGE, "a page must be able to read why");
    let foreign = [("origin", "https://evil.example.org"), ("access-control-request-method", "PATCH")];
    let foreign = server.without_token().send_with("OPTIONS /notes", &foreign, None).await.expect(403, Value::Null);
    assert_eq!(foreign.header("access-control-allow-origin"), "");
}

async fn a_page_is_compared_in_lower_case(store: TestStore) {
    let server = store
        .serve_with(Settings { allowed_origins: vec!["HTTPS://App.example.org/".to_owned()], ..unlimited() })
        .await;
    for origin in [PAGE, "https://APP.example.org"] {
        let answer = server.owner().send_with("GET /notes", &[("origin", origin)], None).await.expect(200, json!({}));
        assert_eq!(answer.header("access-control-allow-origin"), origin);
        let exposed = answer.header("access-control-expose-headers");
        assert!(exposed.contains("idempotency-replayed"), "{exposed}");
    }
}

async fn without_configuration_there_is_no_cors(store: TestStore) {
    let server = store.serve().await;
    let own = format!("http://{}", server.address);
    let answer = server.owner().send_with("GET /notes", &[("origin", &own)], None).await.expect(200, json!({}));
    assert_eq!(answer.header("access-control-allow-origin"), "");
    server.owner().send_with("GET /notes", &[("origin", PAGE)], None).await.expect(403, json!({}));
}
