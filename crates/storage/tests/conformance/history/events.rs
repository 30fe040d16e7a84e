//! Events: one for each change, numbered in its space in the order of commits.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use interline_items::Action;

use crate::fixtures::authors::{Author, author};
use crate::fixtures::samples::{Sample, bookmark, note};
use crate::fixtures::test_store::TestStore;

on_both!(
    an_event_tells_what_was_done,
    every_action_has_its_event,
    events_are_numbered_in_their_space_without_gaps,
    events_of_one_commit_are_in_the_order_of_its_changes,
    a_refused_commit_takes_no_number,
    a_reader_never_sees_a_gap_that_is_filled_later,
    every_change_leaves_a_stale_mark,
);

async fn an_event_tells_what_was_done(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let made = ada.create(&*test.store, bookmark(&ada.space, "https://example.org/")).await;
    let write = ada.rewriting(&made, Some("text"));
    let time = write.record.at;
    ada.change(&*test.store, &made, write).await.unwrap();

    let query = "SELECT space, number, event, item, kind, version, changed_fields, source, at FROM events";
    let events = test.rows(&format!("{query} ORDER BY number")).await;
    let [_, event] = &events[..] else { panic!("{events:?}") };
    assert_eq!(event[0].uuid(), ada.space.id.uuid());
    assert_eq!(event[1].integer(), 2);
    assert_eq!(event[2].text(), "updated");
    assert_eq!(event[3].uuid(), made.item.id.uuid());
    assert_eq!(event[4].text(), "bookmark");
    assert_eq!(event[5].integer(), 2);
    assert_eq!(event[6].text(), "[\"content\"]");
    assert_eq!(event[7].text(), "rest");
    assert_eq!(event[8].integer(), time.as_microsecond());
}

async fn every_action_has_its_event(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let mut state = ada.create(&*test.store, note(&ada.space, "Plan")).await;
    let first = state.clone();
    for action in [Action::Update, Action::Archive, Action::Delete, Action::Restore, Action::Unarchive] {
        let write = match action {
            Action::Update | Action::Undo => ada.retitling(&state, "New plan"),
            Action::Archive => ada.archiving(&state),
            Action::Delete => ada.deleting(&state),
            Action::Restore => ada.restoring(&state),
            Action::Unarchive | Action::Create => ada.unarchiving(&state),
        };
        state = ada.change(&*test.store, &state, write).await.unwrap();
    }
    // That it becomes as it was in an older version is a change like others.
    let write = ada.restoring_version(&state, &first);
    state = ada.change(&*test.store, &state, write).await.unwrap();
    test.store
        .purge(state.item.id, state.item.stamp, ada.record(Action::Delete, state.item.updated_at), None)
        .await
        .unwrap();
    let events = test.rows("SELECT event FROM events ORDER BY number").await;
    let expected = ["created", "updated", "archived", "deleted", "restored", "unarchived", "updated", "purged"];
    assert_eq!(events.iter().map(|row| row[0].text()).collect::<Vec<_>>(), expected);
}

/// The numbers of a space's events, sorted.
async fn numbers(test: &TestStore, author: &Author) -> Vec<i64> {
    let space = test.literal(author.space.id.uuid());
    let rows = test.rows(&format!("SELECT number FROM events WHERE space = {space} ORDER BY number")).await;
    rows.iter().map(|row| row[0].integer()).collect()
}

async fn events_are_numbered_in_their_space_without_gaps(test: TestStore) {
    let (ada, ben) = (author(&*test.store, "ada").await, author(&*test.store, "ben").await);
    for count in 0..5 {
        ada.create(&*test.store, note(&ada.space, "Hers")).await;
        if count % 2 == 0 {
            ben.create(&*test.store, note(&ben.space, "His")).await;
        }
    }
    assert_eq!(numbers(&test, &ada).await, [1, 2, 3, 4, 5]);
    assert_eq!(numbers(&test, &ben).await, [1, 2, 3]);
}

async fn events_of_one_commit_are_in_the_order_of_its_changes(test: TestStore) {
    let (ada, ben) = (author(&*test.store, "ada").await, author(&*test.store, "ben").await);
    let samples = [
        note(&ben.space, "1"),
        note(&ada.space, "2"),
        note(&ben.space, "3"),
        note(&ada.space, "4"),
        note(&ada.space, "5"),
    ];
    // Not in the order of ids.
    let order = [2, 4, 0, 3, 1];
    test.store.commit(order.iter().map(|&index| ada.creation(&samples[index])).collect()).await.unwrap();
    for (author, expected) in [(&ada, vec![4, 3, 1]), (&ben, vec![2, 0])] {
        let space = test.literal(author.space.id.uuid());
        let events = test.rows(&format!("SELECT item FROM events WHERE space = {space} ORDER BY number")).await;
        let expected: Vec<_> = expected.iter().map(|&index: &usize| samples[index].item.id.uuid()).collect();
        assert_eq!(events.iter().map(|row| row[0].uuid()).collect::<Vec<_>>(), expected);
    }
}

async fn a_refused_commit_takes_no_number(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let made = ada.create(&*test.store, note(&ada.space, "Plan")).await;
    for _ in 0..3 {
        test.store
            .commit([ada.creation(&note(&ada.space, "New")), ada.creation(&made)].into_iter().collect())
            .await
            .unwrap_err();
    }
    ada.create(&*test.store, note(&ada.space, "Next")).await;
    assert_eq!(numbers(&test, &ada).await, [1, 2]);
}

/// Numbers are in the order of commits: who has read up to a number has not missed a smaller one.
async fn a_reader_never_sees_a_gap_that_is_filled_later(test: TestStore) {
    let ada = Arc::new(author(&*test.store, "ada").await);
    let (writers, each) = (8, 15);
    let busy = Arc::new(AtomicUsize::new(writers));
    for _ in 0..writers {
        let (store, ada, busy) = (test.database.open().await, Arc::clone(&ada), Arc::clone(&busy));
        tokio::spawn(async move {
            for _ in 0..each {
                ada.create(&*store, note(&ada.space, "New").with_content("text")).await;
            }
            busy.fetch_sub(1, Ordering::SeqCst);
        });
    }
    while busy.load(Ordering::SeqCst) > 0 {
        let seen = numbers(&test, &ada).await;
        assert_eq!(seen, (1..=seen.len() as i64).collect::<Vec<_>>());
    }
    assert_eq!(numbers(&test, &ada).await.len(), writers * each);
}

async fn every_change_leaves_a_stale_mark(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let marks = async || test.rows("SELECT item, mark FROM stale_items ORDER BY item").await;
    assert_eq!(marks().await, Vec::<Vec<_>>::new());
    let made = ada.create(&*test.store, note(&ada.space, "Plan").with_content("text")).await;
    let first = marks().await;
    assert_eq!(first.len(), 1);

    let archived = ada.change(&*test.store, &made, ada.archiving(&made)).await.unwrap();
    let second = marks().await;
    assert_eq!(second.len(), 1);
    assert_ne!(first, second, "another change leaves another mark");

    // As the indexer does when it is done.
    test.execute("DELETE FROM stale_items").await;
    test.store
        .purge(made.item.id, archived.item.stamp, ada.record(Action::Delete, made.item.updated_at), None)
        .await
        .unwrap();
    let last = marks().await;
    assert_eq!(last.len(), 1, "a purged item is to be forgotten by the index");
    assert_eq!(last[0][0], first[0][0]);
}
