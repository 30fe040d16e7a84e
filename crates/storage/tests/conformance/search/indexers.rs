//! Indexers: the index becomes complete, however often a step is interrupted and whichever process works on it too.

use std::sync::Arc;

use interline_items::search::{IndexStep, IndexStepResult};
use interline_items::{ItemId, Snapshot, Store};

use super::generate::Chance;
use super::random::{change, expected, sample};
use super::{complete, looking_for, sound, step, texts};
use crate::fixtures::authors::{Author, author};
use crate::fixtures::samples::{Sample, at, note};
use crate::fixtures::test_store::TestStore;
use crate::items::lists::whole;

on_both!(
    steps_tell_what_they_did_and_what_is_left,
    items_that_changed_lately_are_left_for_later,
    another_process_stays_away_for_a_while,
    another_process_goes_on_at_once_after_a_release,
    two_at_once_do_no_harm,
    an_index_that_was_left_in_the_middle_is_completed,
);

async fn steps_tell_what_they_did_and_what_is_left(test: TestStore) {
    let store = &*test.store;
    let ada = author(store, "ada").await;
    assert_eq!(step(store).await, IndexStepResult::Nothing { stale: 0 });
    let item = ada.create(store, note(&ada.space, "Plan").with_content("one")).await;
    ada.create(store, note(&ada.space, "Plan").with_content("two")).await;
    assert_eq!(step(store).await, IndexStepResult::Added { items: 2, stale: 0 });
    assert_eq!(step(store).await, IndexStepResult::Nothing { stale: 0 });
    ada.change(store, &item, ada.rewriting(&item, Some("three"))).await.unwrap();
    assert_eq!(step(store).await, IndexStepResult::Added { items: 1, stale: 0 });
    complete(store).await;
    assert_eq!(store.check().await.unwrap().stale, 0);
}

async fn items_that_changed_lately_are_left_for_later(test: TestStore) {
    let store = &*test.store;
    let ada = author(store, "ada").await;
    ada.create(store, note(&ada.space, "early").made_at(at(0))).await;
    ada.create(store, note(&ada.space, "late").made_at(at(100))).await;
    let until = |seconds: i64| IndexStep { unchanged_since: at(seconds) };
    assert_eq!(store.index(until(50)).await.unwrap(), IndexStepResult::Added { items: 1, stale: 1 });
    assert_eq!(store.index(until(50)).await.unwrap(), IndexStepResult::Nothing { stale: 1 });
    assert_eq!(store.check().await.unwrap().stale, 1);
    assert_eq!(store.index(until(100)).await.unwrap(), IndexStepResult::Added { items: 1, stale: 0 });
}

async fn another_process_stays_away_for_a_while(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let other = test.database.open().await;
    ada.create(&*test.store, note(&ada.space, "one")).await;
    assert_eq!(step(&*test.store).await, IndexStepResult::Added { items: 1, stale: 0 });
    ada.create(&*test.store, note(&ada.space, "two")).await;
    assert_eq!(step(&*other).await, IndexStepResult::Elsewhere);
    time_passes(&test).await;
    assert_eq!(step(&*other).await, IndexStepResult::Added { items: 1, stale: 0 });
    sound(&*other).await;
}

async fn another_process_goes_on_at_once_after_a_release(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let other = test.database.open().await;
    ada.create(&*test.store, note(&ada.space, "one")).await;
    assert_eq!(step(&*test.store).await, IndexStepResult::Added { items: 1, stale: 0 });
    ada.create(&*test.store, note(&ada.space, "two")).await;
    assert_eq!(test.store.stale_items().await.unwrap(), 1);
    other.release_index().await.unwrap();
    assert_eq!(step(&*other).await, IndexStepResult::Elsewhere, "the lease of another is not given up");
    test.store.release_index().await.unwrap();
    assert_eq!(step(&*other).await, IndexStepResult::Added { items: 1, stale: 0 });
    assert_eq!(test.store.stale_items().await.unwrap(), 0);
}

/// As if nobody had been at the index for long.
async fn time_passes(test: &TestStore) {
    test.execute("DELETE FROM meta WHERE key = 'indexer'").await;
}

async fn two_at_once_do_no_harm(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let other = test.database.open().await;
    let mut chance = Chance::new(7);
    let mut items = Vec::new();
    for round in 0..25 {
        items.push(ada.create(&*test.store, sample(&mut chance, &ada.space, round)).await);
        for _ in 0..2 {
            let changed = chance.below(items.len());
            change(&mut chance, &ada, &*test.store, &mut items[changed]).await;
        }
        time_passes(&test).await;
        tokio::join!(step(&*test.store), step(&*other), step(&*test.store), step(&*other));
        finds_what_is_there(&*other, &ada, &items, &mut chance).await;
        sound(&*other).await;
    }
    time_passes(&test).await;
    complete(&*test.store).await;
    sound(&*test.store).await;
}

async fn finds_what_is_there(store: &dyn Store, ada: &Author, items: &[Snapshot], chance: &mut Chance) {
    for _ in 0..5 {
        let corpus: Vec<_> = items.iter().map(texts).collect();
        let (query, filter) = (chance.query(&corpus), whole(&ada.space));
        let Some(expected) = expected(items, &query, &filter) else { continue };
        let page = store.search(&looking_for(&query, filter)).await.unwrap();
        let found: Vec<ItemId> = page.items.iter().map(|found| found.snapshot.item.id).collect();
        assert_eq!(found, expected.into_iter().map(|(_, id)| id).collect::<Vec<_>>(), "{query:?}");
    }
}

/// Steps are given up on the way, and the process with them.
async fn an_index_that_was_left_in_the_middle_is_completed(test: TestStore) {
    let TestStore { mut store, database } = test;
    let ada = author(&*store, "ada").await;
    let mut chance = Chance::new(11);
    let mut items = Vec::new();
    for round in 0..30 {
        for number in 0..2 {
            items.push(ada.create(&*store, sample(&mut chance, &ada.space, 2 * round + number)).await);
        }
        let changed = chance.below(items.len());
        change(&mut chance, &ada, &*store, &mut items[changed]).await;
        step(&*store).await;
        let turns = chance.below(6);
        tokio::select! {
            biased;
            _ = step(&*store) => {}
            () = so_many_turns(turns) => {}
        }
        finds_what_is_there(&*store, &ada, &items, &mut chance).await;
        if round % 5 == 4 {
            drop(store);
            store = database.open().await;
            time_passes(&TestStore { store: Arc::clone(&store), database: database.clone() }).await;
            finds_what_is_there(&*store, &ada, &items, &mut chance).await;
        }
    }
    complete(&*store).await;
    finds_what_is_there(&*store, &ada, &items, &mut chance).await;
    let report = store.check().await.unwrap();
    assert_eq!((report.items, report.stale, report.total_problems), (60, 0, 0), "{:?}", report.problems);
}

/// Comes to its end after others had so many turns.
async fn so_many_turns(turns: usize) {
    for _ in 0..turns {
        tokio::task::yield_now().await;
    }
}
