//! `/docs`, `/openapi.json`

use std::io::Read as _;

use flate2::read::GzDecoder;
use serde_json::Value;

use crate::support::client::Answer;
use crate::support::test_store::{TestServer, TestStore};

on_both!(the_page_and_all_it_loads_are_here, the_description_is_that_of_the_code);

/// What a page names in `src` and `href`.
fn loaded(page: &str) -> Vec<String> {
    let named = |attribute: &str| {
        let parts: Vec<String> = page.split(&format!("{attribute}=\"")).skip(1).map(str::to_owned).collect();
        parts.into_iter().filter_map(|part| part.split('"').next().map(str::to_owned)).collect::<Vec<_>>()
    };
    [named("src"), named("href")].concat()
}

/// What a browser makes of an answer.
fn decoded(answer: &Answer) -> String {
    let mut text = String::new();
    match answer.headers.get("content-encoding").map(reqwest::header::HeaderValue::as_bytes) {
        Some(b"gzip") => drop(GzDecoder::new(answer.bytes.as_slice()).read_to_string(&mut text).unwrap()),
        Some(other) => panic!("{other:?}"),
        None => text = String::from_utf8(answer.bytes.clone()).unwrap(),
    }
    text
}

async fn page(server: &TestServer, path: &str) -> Answer {
    server.without_token().get(path).await.expect(200, Value::Null)
}

async fn the_page_and_all_it_loads_are_here(store: TestStore) {
    let server = store.serve().await;
    let answer = page(&server, "/docs/").await;
    let policy = answer.header("content-security-policy");
    assert!(policy.contains("default-src 'none'") && policy.contains("script-src 'self'"), "{policy}");
    assert!(!policy.contains("http:") && !policy.contains("https:") && !policy.contains('*'), "{policy}");
    assert_eq!(answer.header("x-content-type-options"), "nosniff");
    let html = String::from_utf8(answer.bytes).unwrap();
    assert!(html.contains("<title>Interline API</title>"), "{html}");
    // The policy forbids what stands between the tags.
    let inline: Vec<&str> = html.split("<script").skip(1).filter(|part| !part.contains("src=")).collect();
    assert!(inline.is_empty(), "{inline:?}");

    let files = loaded(&html);
    assert!(
        files.iter().any(|file| file.ends_with(".js")) && files.iter().any(|file| file.ends_with(".css")),
        "{html}"
    );
    for file in files.iter().filter(|file| !file.starts_with("data:")) {
        assert!(!file.contains("//"), "{file} is elsewhere");
        let text = decoded(&page(&server, &format!("/docs/{}", file.trim_start_matches("./"))).await);
        assert!(!text.is_empty() && !text.contains("url(http"), "{file}");
        if file.ends_with("page.js") {
            assert!(text.contains("\"/openapi.json\"") && !text.contains("https://"), "{text}");
        }
    }
    let moved = server.without_token().get("/docs").await;
    assert_eq!(moved.status, 200, "a client that follows ends at the page");
}

async fn the_description_is_that_of_the_code(store: TestStore) {
    let server = store.serve().await;
    let answer = page(&server, "/openapi.json").await;
    assert_eq!(answer.header("content-type"), "application/json");
    assert_eq!(&answer.json(), crate::support::openapi_document::document());
}
