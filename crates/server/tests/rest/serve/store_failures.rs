//! Stores that cannot write, and stores that are broken.

use serde_json::{Value, json};

use crate::support::client::{Answer, Client, text};
use crate::support::test_store::{Database, TestStore};

on_both!(
    what_was_done_is_a_success_even_if_it_cannot_be_shown,
    a_storage_that_cannot_write_is_unavailable_and_applies_nothing,
    a_broken_storage_reports_an_id_and_nothing_else
);

/// Ends every connection to the database but the one that says so.
const END_OTHERS: &str = "
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()";

fn assert_found_in_the_log(failed: &Answer) {
    assert_eq!(failed.json()["request_id"], failed.header("x-request-id"));
}

/// Sends a request until the storage answers: the first to meet a connection that was ended may be told to come again.
async fn patiently(client: &Client, line: &str, body: Option<&Value>) -> Answer {
    let mut answer = client.send_to_broken(line, &[], body).await;
    for _ in 0..20 {
        if answer.status != 503 {
            break;
        }
        answer = client.send_to_broken(line, &[], body).await;
    }
    answer
}

async fn a_storage_that_cannot_write_is_unavailable_and_applies_nothing(store: TestStore) {
    let server = store.serve().await;
    let owner = server.owner();
    owner.note("before", None).await;
    let unavailable = json!({
        "error": "unavailable", "message": "the store cannot do this now", "suggestion": "nothing was applied; try again later",
    });
    let body = json!({"title": "x"});
    match &server.store.database {
        Database::Sqlite { file } => {
            let other = rusqlite::Connection::open(file).unwrap();
            other.execute_batch("BEGIN IMMEDIATE").unwrap();
            let failed = owner.send_to_broken("POST /notes", &[], Some(&body)).await.expect(503, unavailable);
            assert_found_in_the_log(&failed);
            owner.get("/notes").await.expect(200, json!({"total": 1}));
            other.execute_batch("ROLLBACK").unwrap();
        }
        Database::Postgres { url } => {
            let name = url.rsplit('/').next().unwrap().split('?').next().unwrap();
            server.store.execute(&format!("ALTER DATABASE {name} SET default_transaction_read_only = on")).await;
            server.store.execute(END_OTHERS).await;
            let failed = owner.send_to_broken("POST /notes", &[], Some(&body)).await.expect(503, unavailable);
            assert_found_in_the_log(&failed);
            patiently(&owner, "GET /notes", None).await.expect(200, json!({"total": 1}));
            let writable =
                format!("BEGIN READ WRITE; ALTER DATABASE {name} RESET default_transaction_read_only; COMMIT");
            server.store.execute(&writable).await;
            server.store.execute(END_OTHERS).await;
        }
    }
    patiently(&owner, "POST /notes", Some(&body)).await.expect(201, json!({}));
    owner.get("/notes").await.expect(200, json!({"total": 2}));
}

async fn a_broken_storage_reports_an_id_and_nothing_else(store: TestStore) {
    let server = store.serve().await;
    let owner = server.owner();
    owner.note("before", Some("content")).await;
    server.store.execute("ALTER TABLE items RENAME TO gone").await;
    for (line, body) in [("GET /notes", None), ("POST /notes", Some(json!({"title": "x"})))] {
        let failed = owner.send_to_broken(line, &[], body.as_ref()).await;
        let failed =
            failed.expect(500, json!({"error": "internal", "message": "something went wrong inside the server"}));
        assert_found_in_the_log(&failed);
        let shown = String::from_utf8_lossy(&failed.bytes).into_owned();
        for secret in ["items", "gone", "table", "relation", "SQL", "no such", &server.store.secret] {
            assert!(!shown.contains(secret), "{secret} in {shown}");
        }
    }
    server.store.execute("ALTER TABLE gone RENAME TO items").await;
    owner.get("/notes").await.expect(200, json!({"total": 1}));
}

async fn what_was_done_is_a_success_even_if_it_cannot_be_shown(store: TestStore) {
    let server = store.serve().await;
    let owner = server.owner();
    let path = format!("/notes/{}", text(&owner.note("x", Some("y")).await["id"]));
    server.store.execute("ALTER TABLE contents RENAME TO gone").await;
    owner.send_to_broken(&format!("GET {path}"), &[], None).await.expect(500, json!({}));
    let shown = json!({"title": "x", "content": null, "content_preview": "y"});
    for verb in ["archive", "unarchive", "track-usage", "restore"] {
        let answer = owner.send_to_broken(&format!("POST {path}/{verb}"), &[], None).await;
        answer.expect(200, shown.clone());
    }
    server.store.execute("ALTER TABLE gone RENAME TO contents").await;
}
