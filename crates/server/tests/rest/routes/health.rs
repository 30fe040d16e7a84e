//! `/health`, `/health/live` and `/health/ready`

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio_postgres::NoTls;

use crate::support::client::Client;
use crate::support::test_store::{Database, TestStore};

on_both!(
    a_server_that_works_says_so_to_anyone,
    writes_that_do_not_work_are_shown_with_the_reason,
    many_who_ask_cause_one_write_in_a_second,
    every_request_has_an_id_of_its_own,
);

/// Longer than a server takes to notice anything.
const PATIENCE: Duration = Duration::from_secs(30);

async fn a_server_that_works_says_so_to_anyone(store: TestStore) {
    let server = store.serve().await;
    let version = env!("CARGO_PKG_VERSION");
    let healthy = json!({"status": "ok", "database": "ok", "reads": "ok", "writes": "ok", "version": version});
    for client in [server.without_token(), server.owner(), server.with_token("il_wrong")] {
        for path in ["/health", "/health/", "/health/ready"] {
            client.get(path).await.expect(200, healthy.clone());
        }
        client.get("/health/live").await.expect(200, json!({"status": "ok", "version": version}));
    }
}

/// Waits until `/health` says this of reads and writes.
async fn until_shown(client: &Client, expected: Value) {
    let start = Instant::now();
    loop {
        let shown = client.get("/health").await.expect(200, json!({})).json();
        if json!({"reads": shown["reads"], "writes": shown["writes"]}) == expected {
            return;
        }
        assert!(start.elapsed() < PATIENCE, "{shown} instead of {expected}");
    }
}

async fn writes_that_do_not_work_are_shown_with_the_reason(store: TestStore) {
    let server = store.serve().await;
    let anyone = server.without_token();
    let locked = json!({"reads": "ok", "writes": "locked"});
    match &server.store.database {
        Database::Sqlite { file } => {
            let other = rusqlite::Connection::open(file).unwrap();
            other.execute_batch("BEGIN IMMEDIATE").unwrap();
            until_shown(&anyone, locked).await;
            refused(&anyone).await;
            other.execute_batch("ROLLBACK").unwrap();
        }
        Database::Postgres { url } => {
            let (other, connection) = tokio_postgres::connect(url, NoTls).await.unwrap();
            let connection = tokio::spawn(connection);
            other.batch_execute("BEGIN; LOCK TABLE items IN SHARE MODE").await.unwrap();
            until_shown(&anyone, locked).await;
            refused(&anyone).await;
            other.batch_execute("ROLLBACK").await.unwrap();
            drop(other);
            connection.await.unwrap().unwrap();
        }
    }
    until_shown(&anyone, json!({"reads": "ok", "writes": "ok"})).await;
    anyone.get("/health/ready").await.expect(200, json!({"status": "ok"}));
}

async fn refused(anyone: &Client) {
    let degraded = json!({"error": "unavailable", "status": "degraded", "reads": "ok", "writes": "locked"});
    anyone.send_to_broken("GET /health/ready", &[], None).await.expect(503, degraded);
    anyone.get("/health").await.expect(200, json!({"status": "degraded"}));
    anyone.get("/health/live").await.expect(200, json!({"status": "ok"}));
}

async fn many_who_ask_cause_one_write_in_a_second(store: TestStore) {
    let server = store.serve().await;
    let (start, before) = (Instant::now(), probes(&server.store).await);
    for _ in 0..200 {
        server.without_token().get("/health").await.expect(200, json!({"status": "ok"}));
    }
    let seconds = i64::try_from(start.elapsed().as_secs()).unwrap();
    let writes = probes(&server.store).await - before;
    assert!(writes <= seconds + 2, "{writes} writes in {seconds} s");
}

/// How many probe writes there were.
async fn probes(store: &TestStore) -> i64 {
    match &store.database {
        Database::Sqlite { file } => {
            let query = "SELECT coalesce(max(CAST(value AS INTEGER)), 0) FROM meta WHERE key = 'probes'";
            rusqlite::Connection::open(file).unwrap().query_row(query, [], |row| row.get(0)).unwrap()
        }
        Database::Postgres { url } => {
            let (client, connection) = tokio_postgres::connect(url, NoTls).await.unwrap();
            tokio::spawn(connection);
            let query = "SELECT coalesce(max(value::bigint), 0) FROM meta WHERE key = 'probes'";
            client.query_one(query, &[]).await.unwrap().get(0)
        }
    }
}

async fn every_request_has_an_id_of_its_own(store: TestStore) {
    let owner = store.serve().await.owner();
    let mut ids = std::collections::BTreeSet::new();
    for path in ["/health", "/notes", "/nothing", "/notes?limit=0", "/notes/x"] {
        assert!(ids.insert(owner.get(path).await.header("x-request-id").to_owned()), "{path}");
    }
    let given = owner.send_with("GET /health", &[("x-request-id", "mine")], None).await;
    assert_ne!(given.header("x-request-id"), "mine", "an id is this server's, so that its log can be trusted");
}
