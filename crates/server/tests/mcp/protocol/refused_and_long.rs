//! Messages that are refused before a tool is called, and messages that are long.

use std::num::NonZeroU32;

use interline_items::fair::pool_places;
use interline_server::{RateLimits, Settings};
use serde_json::json;

use crate::agent::Agent;
use crate::support::test_store::{Database, TestStore, on_sqlite};

#[test]
fn what_is_refused_counts_against_the_rate_limit() {
    on_sqlite(async |store: TestStore| {
        let few = NonZeroU32::new(4).unwrap();
        let rate_limits = Some(RateLimits { reads_per_minute: few, writes_per_minute: few });
        let server = store.serve_with(Settings { rate_limits, max_body_bytes: 100_000, ..Settings::default() }).await;
        let agent = Agent::new(server.address, "content", Some(&server.store.secret));
        let too_long = format!("{{}}{}", " ".repeat(150_000));
        for (body, status) in [("[]", 400), ("{", 400), (&too_long, 413), ("3", 400), ("[]", 429), (&too_long, 429)] {
            let answer = agent.post(body, &[]).await;
            assert_eq!(answer.status, status, "{body:.20}: {}", answer.text);
            assert_eq!(answer.headers["ratelimit-limit"], "4", "{body:.20}");
        }
        assert!(agent.request("tools/list", json!({})).await.is_ok(), "reads count apart");
    });
}

/// The places for work on long bodies are few, and those of one user are fewer.
#[test]
fn a_call_that_waits_holds_no_place_for_long_bodies() {
    on_sqlite(async |store: TestStore| {
        let server = store.serve().await;
        let Database::Sqlite { file } = &server.store.database else { panic!("it is on SQLite") };
        let writer = rusqlite::Connection::open(file).unwrap();
        writer.execute_batch("BEGIN IMMEDIATE").unwrap();
        let call = || {
            let agent = Agent::new(server.address, "content", Some(&server.store.secret));
            let arguments = json!({"title": "waits", "content": "x".repeat(100_000)});
            let params = json!({"name": "create_note", "arguments": arguments});
            tokio::spawn(async move { agent.request("tools/call", params).await })
        };
        // One more than there are places, and no more: SQLite does not let a writer wait for long.
        let calls: Vec<_> = (0..=pool_places()).map(|_| call()).collect();
        let owner = server.owner();
        for _ in 0..=pool_places() {
            owner.check("POST /notes", json!({"titel": "x".repeat(100_000)}), 422, json!({})).await;
        }
        assert!(calls.iter().all(|call| !call.is_finished()), "a body waited for the calls");
        writer.execute_batch("ROLLBACK").unwrap();
        for call in calls {
            // Whether it could still be written is SQLite's affair.
            call.await.unwrap().unwrap();
        }
    });
}
