//! Read your writes: after the response to a write, every connection reads what was written.

use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::support::client::{Client, text};
use crate::support::test_store::TestStore;

on_both!(
    what_was_written_is_read,
    /// All of them: `tests/with-postgres cargo nextest run -p interline-server --run-ignored only ten_thousand`
    #[ignore = "it takes minutes in an unoptimised build"]
    ten_thousand_writes_are_read,
);

/// Writers at the same time.
const WRITERS: usize = 8;

async fn what_was_written_is_read(store: TestStore) {
    assert_fresh(store, 1_000).await;
}

async fn ten_thousand_writes_are_read(store: TestStore) {
    assert_fresh(store, 10_000).await;
}

#[expect(clippy::print_stdout, reason = "the figure is what the test is for")]
async fn assert_fresh(store: TestStore, pairs: usize) {
    let owner = store.serve().await.owner();
    let mut writers = JoinSet::new();
    for writer in 0..WRITERS {
        let client = owner.afresh();
        writers.spawn(async move { stale_reads(&client, writer, pairs / WRITERS).await });
    }
    let stale: usize = writers.join_all().await.into_iter().sum();
    println!("{pairs} pairs of a write and a read, {stale} stale");
    assert_eq!(stale, 0);
}

/// Writes and reads in turns, every second read over a new connection; how many reads did not see the write before them.
async fn stale_reads(client: &Client, writer: usize, pairs: usize) -> usize {
    let path = format!("/notes/{}", text(&client.note(&format!("writer {writer}"), None).await["id"]));
    let mut stale = 0;
    for pair in 0..pairs {
        let content = format!("{writer}.{pair}");
        let written = client.patch(&path, json!({"content": content})).await.expect(200, json!({"content": content}));
        let reader = if pair % 2 == 0 { client.clone() } else { client.afresh() };
        let read = reader.get(&path).await.expect(200, json!({}));
        stale += usize::from(read.json() != written.json() || read.header("etag") != written.header("etag"));
        if pair % 50 == 0 {
            let listed = reader.get("/notes?include_content=true").await.json();
            let same = |item: &&Value| item["id"] == written.json()["id"];
            stale += usize::from(listed["items"].as_array().unwrap().iter().find(same) != Some(&written.json()));
        }
    }
    stale
}
