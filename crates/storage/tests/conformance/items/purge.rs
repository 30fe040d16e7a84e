//! `purge`: an item is removed with its content, history and search entries.

use interline_items::{Action, Kind, Snapshot, Stamp, Store, StoreError};

use crate::fixtures::authors::{Author, author};
use crate::fixtures::samples::{Sample, at, note, prompt};
use crate::fixtures::test_store::TestStore;
use crate::items::lists::VIEWS;

on_both!(
    a_purged_item_is_gone_with_its_content_and_history,
    an_item_is_purged_whatever_its_state,
    an_event_tells_that_an_item_was_purged,
    purging_an_older_state_is_stale,
    purging_what_is_not_there_is_stale,
    a_purged_item_frees_its_name,
    a_purged_item_takes_its_tags_along,
    the_trash_tells_what_is_in_it_the_longest,
);

async fn purge(store: &dyn Store, author: &Author, old: &Snapshot) -> Result<(), StoreError> {
    store.purge(old.item.id, old.item.stamp, author.record(Action::Delete, at(99)), None).await
}

async fn a_purged_item_is_gone_with_its_content_and_history(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let kept = ada.create(&*test.store, note(&ada.space, "Kept").with_content("kept")).await;
    let made = ada.create(&*test.store, note(&ada.space, "Gone").with_content("one")).await;
    let made = ada.change(&*test.store, &made, ada.rewriting(&made, Some("two"))).await.unwrap();
    purge(&*test.store, &ada, &made).await.unwrap();

    assert_eq!(test.store.item(made.item.id).await.unwrap(), None);
    assert_eq!(test.store.snapshot(made.item.id).await.unwrap(), None);
    assert_eq!(test.store.snapshot(kept.item.id).await.unwrap(), Some(kept));
    assert_eq!(test.count("SELECT count(*) FROM contents").await, 1);
    assert_eq!(test.count("SELECT count(*) FROM versions").await, 1);
}

async fn an_item_is_purged_whatever_its_state(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let active = ada.create(&*test.store, note(&ada.space, "Gone")).await;
    let archived = ada.create(&*test.store, note(&ada.space, "Gone")).await;
    let archived = ada.change(&*test.store, &archived, ada.archiving(&archived)).await.unwrap();
    let deleted = ada.change(&*test.store, &archived, ada.deleting(&archived)).await.unwrap();
    for state in [active, deleted] {
        purge(&*test.store, &ada, &state).await.unwrap();
        assert_eq!(test.store.item(state.item.id).await.unwrap(), None);
    }
}

async fn an_event_tells_that_an_item_was_purged(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let made = ada.create(&*test.store, note(&ada.space, "Gone")).await;
    purge(&*test.store, &ada, &made).await.unwrap();
    let events = test.rows("SELECT number, event, item, at FROM events ORDER BY number").await;
    let [_, purged] = &events[..] else { panic!("{events:?}") };
    assert_eq!(purged[0].integer(), 2);
    assert_eq!(purged[1].text(), "purged");
    assert_eq!(purged[2].uuid(), made.item.id.uuid());
    assert_eq!(purged[3].integer(), at(99).as_microsecond());
}

async fn purging_an_older_state_is_stale(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let first = ada.create(&*test.store, note(&ada.space, "Plan").with_content("one")).await;
    let second = ada.change(&*test.store, &first, ada.rewriting(&first, Some("two"))).await.unwrap();
    let late = purge(&*test.store, &ada, &first).await;
    assert!(matches!(late, Err(StoreError::Stale(id)) if id == first.item.id), "{late:?}");
    assert_eq!(test.store.snapshot(first.item.id).await.unwrap(), Some(second));
    assert_eq!(test.count("SELECT count(*) FROM events").await, 2);
}

async fn purging_what_is_not_there_is_stale(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let mut nowhere = note(&ada.space, "Nowhere");
    for stamp in [Stamp { version: 1, revision: 0 }, Stamp { version: 0, revision: 0 }] {
        nowhere.item.stamp = stamp;
        let lost = purge(&*test.store, &ada, &nowhere).await;
        assert!(matches!(lost, Err(StoreError::Stale(id)) if id == nowhere.item.id), "{lost:?}");
    }
    assert_eq!(test.count("SELECT count(*) FROM events").await, 0);
}

async fn a_purged_item_frees_its_name(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let first = ada.create(&*test.store, prompt(&ada.space, "review")).await;
    purge(&*test.store, &ada, &first).await.unwrap();
    ada.create(&*test.store, prompt(&ada.space, "review")).await;
}

async fn a_purged_item_takes_its_tags_along(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let made = ada.create(&*test.store, note(&ada.space, "Gone").with_tags(&["work"])).await;
    purge(&*test.store, &ada, &made).await.unwrap();
    assert_eq!(test.store.tags(&[ada.space.id], &Kind::ALL.into(), &VIEWS.into()).await.unwrap(), []);
}

async fn the_trash_tells_what_is_in_it_the_longest(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    ada.create(&*test.store, note(&ada.space, "Kept")).await;
    let mut deleted = Vec::new();
    for minute in [30, 10, 20] {
        let made = ada.create(&*test.store, note(&ada.space, "Gone")).await;
        let mut write = ada.deleting(&made);
        write.after.deleted_at = Some(at(minute));
        deleted.push((minute, ada.change(&*test.store, &made, write).await.unwrap().item));
    }
    deleted.sort_by_key(|(minute, _)| *minute);
    let items: Vec<_> = deleted.into_iter().map(|(_, item)| item).collect();
    let trash = async |before, limit| test.store.trash(at(before), limit).await.unwrap();
    assert_eq!(trash(30, 10).await, items[..2]);
    assert_eq!(trash(31, 10).await, items);
    assert_eq!(trash(31, 1).await, items[..1]);
    assert_eq!(trash(10, 10).await, []);
}
