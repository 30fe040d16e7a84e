//! Times of changes when the server's clock was turned back.

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use crate::routes::webhooks::with_worker;
use crate::support::client::{Client, text};
use crate::support::http_endpoint::{EndpointReply, HttpEndpoint};
use crate::support::test_store::TestStore;

on_both!(updated_at_never_goes_backwards, events_of_an_item_from_the_future_are_delivered_now,);

fn time(item: &Value, field: &str) -> Timestamp {
    text(&item[field]).parse().unwrap()
}

/// A note whose last change was an hour from now, as after a clock that went ahead and was set right.
async fn note_from_the_future(store: &TestStore, client: &Client) -> String {
    let note = client.create("notes", json!({"title": "Plan", "content": "one", "tags": ["a"]})).await;
    let ahead = time(&note, "updated_at") + SignedDuration::from_hours(1);
    store.execute(&format!("UPDATE items SET updated_at = {}", ahead.as_microsecond())).await;
    text(&note["id"])
}

async fn updated_at_never_goes_backwards(store: TestStore) {
    let first = store.serve().await;
    let id = note_from_the_future(&first.store, &first.owner()).await;
    // A server that has not read the note before.
    let server = first.store.opened_again().await.serve().await;
    let owner = server.owner();
    let note = format!("/notes/{id}");
    let mut last = time(&owner.get(&note).await.json(), "updated_at");
    assert!(last > Timestamp::now() + SignedDuration::from_mins(30), "{last}");
    for (line, body) in [
        (format!("PATCH {note}"), json!({"title": "Other"})),
        (format!("PATCH {note}/str-replace"), json!({"old_str": "one", "new_str": "two"})),
        ("PATCH /tags/a".to_owned(), json!({"new_name": "b"})),
        (format!("POST {note}/archive"), json!({})),
        (format!("PATCH {note}"), json!({"title": "Third"})),
    ] {
        owner.check(&line, body, 200, json!({})).await;
        let now = owner.get(&note).await.json();
        let updated_at = time(&now, "updated_at");
        // Archiving makes no version.
        assert!(updated_at > last || line.ends_with("archive"), "{line}: {updated_at} {last}");
        assert!(updated_at >= last, "{line}: {updated_at} {last}");
        last = updated_at;
    }
    // Many at a time: some of them are planned on the newest content, inside the writer.
    let edits = (0..16).map(|number| {
        let (owner, line) = (owner.afresh(), format!("PATCH {note}/str-replace"));
        tokio::spawn(async move {
            let body = json!({"old_str": "two", "new_str": format!("two\n{number}")});
            owner.check(&line, body, 200, json!({})).await
        })
    });
    for edit in edits.collect::<Vec<_>>() {
        edit.await.unwrap();
    }
    assert!(time(&owner.get(&note).await.json(), "updated_at") > last);
    let history = owner.get(&format!("{note}/history")).await.json();
    let times: Vec<Timestamp> =
        history["items"].as_array().unwrap().iter().map(|record| time(record, "created_at")).collect();
    let newest_first = times.windows(2).filter(|pair| pair[0] > pair[1]).count();
    assert_eq!((times.len(), newest_first), (22, 21), "{times:?}");
}

async fn events_of_an_item_from_the_future_are_delivered_now(store: TestStore) {
    let first = store.serve().await;
    let id = note_from_the_future(&first.store, &first.owner()).await;
    let server = first.store.opened_again().await.serve_with(with_worker(None)).await;
    let mut endpoint = HttpEndpoint::answering([EndpointReply::Status(200)]).await;
    server.owner().post("/webhooks", json!({"url": endpoint.url("/")})).await.expect(201, json!({}));
    server.owner().patch(&format!("/notes/{id}"), json!({"title": "Now"})).await.expect(200, json!({}));
    assert_eq!(endpoint.next().await.json()["id"], json!(id));
}
