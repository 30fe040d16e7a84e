//! Rate limits, per user, for reads and writes.

use std::num::NonZeroU32;

use interline_server::{RateLimits, Settings};
use serde_json::json;

use crate::support::client::Answer;
use crate::support::test_store::TestStore;

on_both!(reads_and_writes_are_limited_per_user, the_default_limits_are_reported, without_limits_no_limit_is_reported);

fn limits(reads: u32, writes: u32) -> Settings {
    let limits = RateLimits {
        reads_per_minute: NonZeroU32::new(reads).unwrap(),
        writes_per_minute: NonZeroU32::new(writes).unwrap(),
    };
    Settings { rate_limits: Some(limits), ..Settings::default() }
}

fn assert_reported(answer: &Answer, limit: &str, remaining: &str) {
    assert_eq!(
        (answer.header("ratelimit-limit"), answer.header("ratelimit-remaining")),
        (limit, remaining),
        "{}",
        answer.line
    );
    let reset: u64 = answer.header("ratelimit-reset").parse().unwrap();
    assert!((1..=60).contains(&reset), "{reset}");
}

async fn reads_and_writes_are_limited_per_user(store: TestStore) {
    let server = store.serve_with(limits(3, 3)).await;
    let owner = server.owner();
    // Both of its tokens count as one user; a write of each kind of answer counts.
    let (ada, _) = owner.new_user("ada").await;
    let (second, _) = owner.new_token(json!({"name": "second"})).await;
    let last = second.post("/notes", json!({})).await;
    assert_reported(&last, "3", "0");
    last.expect(422, json!({}));
    let refused = owner.post("/notes", json!({"title": "x"})).await;
    assert_reported(&refused, "3", "0");
    let wait: u64 = refused.header("retry-after").parse().unwrap();
    assert!((1..=20).contains(&wait), "{wait}");
    refused.expect(
        429,
        json!({"error": "rate_limited", "message": "……", "suggestion": format!("wait {wait} s, then try again")}),
    );

    for remaining in ["2", "1", "0"] {
        let answer = owner.get("/notes").await.expect(200, json!({"total": 0}));
        assert_reported(&answer, "3", remaining);
    }
    owner.send("HEAD /notes", None).await.expect(429, serde_json::Value::Null);
    second.get("/nothing/here").await.expect(404, json!({}));
    second.get("/tags").await.expect(429, json!({"error": "rate_limited"}));

    assert_reported(&ada.get("/notes").await.expect(200, json!({})), "3", "2");
    // Those who watch over the server are not users.
    for _ in 0..10 {
        owner.get("/health").await.expect(200, json!({}));
    }
}

async fn the_default_limits_are_reported(store: TestStore) {
    let server = store.serve_with(Settings::default()).await;
    assert_reported(&server.owner().get("/notes").await, "6000", "5999");
    assert_reported(&server.owner().post("/notes", json!({"title": "x"})).await, "1200", "1199");
    assert_eq!(server.without_token().get("/notes").await.expect(401, json!({})).header("ratelimit-limit"), "");
}

async fn without_limits_no_limit_is_reported(store: TestStore) {
    let answer = store.serve().await.owner().get("/notes").await.expect(200, json!({}));
    for header in ["ratelimit-limit", "ratelimit-remaining", "ratelimit-reset", "retry-after"] {
        assert_eq!(answer.header(header), "");
    }
}
