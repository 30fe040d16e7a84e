//! Attempts with tokens that are not valid, from one address.

use interline_server::Settings;
use serde_json::json;

use crate::support::test_store::TestStore;

on_both!(
    an_address_that_guesses_is_slowed_and_valid_tokens_keep_working,
    requests_without_a_token_are_not_counted,
    no_token_and_a_wrong_token_are_told_apart,
);

/// As many failures as an address may have in a minute.
const ALLOWED: usize = 30;

async fn an_address_that_guesses_is_slowed_and_valid_tokens_keep_working(store: TestStore) {
    let server = store.serve_with(Settings::default()).await;
    let ada = server.owner().new_user("ada").await.0;
    for number in 0..ALLOWED {
        server.with_token(&format!("il_{number}")).get("/notes").await.expect(401, json!({"error": "unauthorized"}));
    }
    for number in 0..3 {
        let refused = server.with_token(&format!("il_more_{number}")).get("/notes").await;
        let wait: u64 = refused.header("retry-after").parse().unwrap();
        assert!((1..=60).contains(&wait), "{wait}");
        refused.expect(429, json!({"error": "rate_limited"}));
    }
    let mcp =
        server.with_token("il_mcp").post("/mcp/content", json!({"jsonrpc": "2.0", "id": 1, "method": "ping"})).await;
    assert_eq!(mcp.status, 429);
    // From the same address: a token that was used before, and one that this server sees for the first time.
    server.owner().get("/notes").await.expect(200, json!({}));
    ada.get("/notes").await.expect(200, json!({}));
    // And one that is younger than what the server knows of all tokens.
    server.with_token("il_last").get("/notes").await.expect(429, json!({}));
    let (young, _) = server.owner().new_token(json!({"name": "young"})).await;
    young.get("/notes").await.expect(200, json!({}));
    // A token that is removed is one of those that do not exist.
    let (short, id) = server.owner().new_token(json!({"name": "short"})).await;
    server.owner().delete(&format!("/tokens/{id}")).await;
    let removed = short.get("/notes").await;
    assert!([401, 429].contains(&removed.status), "{}", removed.status);
}

async fn requests_without_a_token_are_not_counted(store: TestStore) {
    let server = store.serve_with(Settings::default()).await;
    for _ in 0..ALLOWED + 5 {
        server.without_token().get("/notes").await.expect(401, json!({"error": "unauthorized"}));
    }
    server.with_token("il_wrong").get("/notes").await.expect(401, json!({"error": "unauthorized"}));
}

async fn no_token_and_a_wrong_token_are_told_apart(store: TestStore) {
    let server = store.serve().await;
    let (nobody, ping) = (server.without_token(), json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}));
    let sends = "send the header `Authorization: Bearer il_…`; `interline token add` makes a token";
    let no_token = json!({"error": "unauthorized", "message": "no token was given", "suggestion": sends});
    let not_bearer = "no token was given: `Authorization` is not `Bearer` and a token";
    let not_bearer = json!({"error": "unauthorized", "message": not_bearer, "suggestion": sends});
    let checks = "check the token in `Authorization: Bearer`, or make a new one with `interline token add`";
    let invalid = "the token is not valid: it is mistyped, removed or expired";
    let invalid = json!({"error": "unauthorized", "message": invalid, "suggestion": checks});
    for line in ["GET /notes", "POST /mcp/content", "POST /mcp/prompts", "POST /mcp/code"] {
        let body = line.starts_with("POST").then_some(&ping);
        let answer = nobody.send(line, body).await;
        assert_eq!(answer.header("www-authenticate"), "Bearer", "{line}");
        answer.expect(401, no_token.clone());
        for other in ["il_x", "Basic YTpi", "Bearer", "Bearer ", "Token il_x"] {
            let answer = nobody.send_with(line, &[("authorization", other)], body).await;
            assert_eq!(answer.header("www-authenticate"), "Bearer", "{line} {other}");
            answer.expect(401, not_bearer.clone());
        }
        let answer = server.with_token("il_wrong").send(line, body).await;
        assert_eq!(answer.header("www-authenticate"), "Bearer error=\"invalid_token\"", "{line}");
        answer.expect(401, invalid.clone());
    }
}
