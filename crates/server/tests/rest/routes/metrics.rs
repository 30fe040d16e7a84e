//! `/metrics`

use serde_json::{Value, json};

use crate::support::client::text;
use crate::support::test_store::TestStore;

on_both!(requests_are_counted_by_route_and_nothing_else_is_shown);

async fn requests_are_counted_by_route_and_nothing_else_is_shown(store: TestStore) {
    let server = store.serve().await;
    let owner = server.owner();
    let id = text(&owner.create("notes", json!({"title": "Secret title", "tags": ["secret-tag"]})).await["id"]);
    owner.get(&format!("/notes/{id}")).await.expect(200, json!({}));
    owner.get("/tags").await.expect(200, json!({}));
    owner.check("PATCH /tags/secret-tag", json!({"new_name": "other-tag"}), 200, json!({})).await;
    owner.get("/some/where/else").await.expect(404, json!({}));
    owner.send("FROB /notes", None).await.expect(405, json!({}));
    server.without_token().get("/notes").await.expect(401, json!({}));

    let answer = server.without_token().get("/metrics").await.expect(200, Value::Null);
    assert!(answer.header("content-type").starts_with("text/plain"), "{}", answer.header("content-type"));
    let metrics = String::from_utf8(answer.bytes).unwrap();
    for line in [
        r#"interline_http_requests_total{method="POST",route="/notes",status="201"} 1"#,
        r#"interline_http_requests_total{method="GET",route="/notes/{id}",status="200"} 1"#,
        r#"interline_http_requests_total{method="PATCH",route="/tags/{name}",status="200"} 1"#,
        r#"interline_http_requests_total{method="GET",route="none",status="404"} 1"#,
        r#"interline_http_requests_total{method="other","#,
        r#"interline_http_requests_total{method="GET",route="/notes",status="401"} 1"#,
        "# HELP interline_http_requests_total",
        "interline_http_request_seconds_bucket",
        "interline_memory_budget_bytes ",
        "interline_memory_budget_used_bytes 0",
    ] {
        assert!(metrics.contains(line), "{line}\nin\n{metrics}");
    }
    for secret in [&*id, &*server.store.secret, "il_", "secret", "Secret", "where", "FROB"] {
        assert!(!metrics.contains(secret), "{secret}\nin\n{metrics}");
    }
}
