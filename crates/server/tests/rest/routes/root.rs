//! `/`: the way on for who knows the address alone.

use serde_json::json;

use crate::support::test_store::TestStore;

on_both!(a_browser_is_led_to_the_docs_and_a_program_is_told_where_everything_is);

async fn a_browser_is_led_to_the_docs_and_a_program_is_told_where_everything_is(store: TestStore) {
    let server = store.serve().await;
    let accept = "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8\r\n";
    let page = server.raw(server.head("GET /", accept).as_bytes()).await;
    assert_eq!(page.status(), 307, "{}", page.text);
    let head = page.text.to_ascii_lowercase();
    assert!(head.contains("\r\nlocation: /docs/\r\n") && head.contains("\r\nvary: accept\r\n"), "{head}");

    let answer = server.without_token().get("/").await;
    assert_eq!((answer.header("content-type"), answer.header("vary")), ("application/json", "accept"));
    let servers = ["/mcp/content", "/mcp/prompts", "/mcp/code"];
    let expected =
        json!({"name": "Interline", "docs": "/docs", "openapi": "/openapi.json", "health": "/health", "mcp": servers});
    answer.expect(200, expected);
}
