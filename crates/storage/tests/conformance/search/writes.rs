//! Searches beside writes: a change is found at once, and a removed item is not, while the index catches up.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use interline_items::fields::Tag;
use interline_items::{Action, Filter, ItemId, Snapshot, Store, View};

use super::generate::Chance;
use super::random::{change, expected, sample};
use super::{active, complete, looking_for, sound, step, texts};
use crate::fixtures::authors::{Author, author};
use crate::fixtures::samples::{Sample, at, note, tags};
use crate::fixtures::test_store::{TestStore, on_postgres, on_sqlite};
use crate::items::lists::whole;
use crate::items::races::together;

on_both!(
    a_search_after_each_write_sees_it,
    a_tag_is_found_by_at_once,
    writers_at_once_find_what_they_wrote_while_the_index_follows,
    a_search_is_of_one_moment,
);

const MOST_ITEMS: usize = 25;

#[test]
#[ignore = "ten thousand writes take minutes"]
fn a_search_after_each_of_many_writes_sees_it_in_sqlite() {
    on_sqlite(|test| searches_after_writes(test, 10_000));
}

#[test]
#[ignore = "ten thousand writes take minutes"]
fn a_search_after_each_of_many_writes_sees_it_in_postgres() {
    on_postgres(|test| searches_after_writes(test, 10_000));
}

async fn a_search_after_each_write_sees_it(test: TestStore) {
    searches_after_writes(test, 300).await;
}

/// After each of so many writes by chance a search finds what the oracle finds.
async fn searches_after_writes(test: TestStore, writes: usize) {
    let store = &*test.store;
    let ada = author(store, "ada").await;
    let mut chance = Chance::new(5);
    let mut items: Vec<Snapshot> = Vec::new();
    for number in 0..writes {
        let written = write(&mut chance, &ada, store, &mut items, number).await;
        if chance.below(3) == 0 {
            step(store).await;
        }
        let filter = if chance.below(2) == 0 { whole(&ada.space) } else { active(whole(&ada.space)) };
        // Mostly something that the item has that was written.
        let query = chance.query(&[texts(&written)]);
        let Some(expected) = expected(&items, &query, &filter) else { continue };
        let page = store.search(&looking_for(&query, filter)).await.unwrap();
        let found: Vec<ItemId> = page.items.iter().map(|found| found.snapshot.item.id).collect();
        let ids: Vec<ItemId> = expected.into_iter().map(|(_, id)| id).collect();
        assert_eq!(found, ids, "write {number}: {query:?}");
        assert!(page.items.iter().all(|found| items.contains(&found.snapshot)), "write {number}: {query:?}");
        if number % 100 == 0 {
            sound(store).await;
        }
    }
    complete(store).await;
    sound(store).await;
}

/// Writes something; what it was about.
async fn write(
    chance: &mut Chance,
    ada: &Author,
    store: &dyn Store,
    items: &mut Vec<Snapshot>,
    number: usize,
) -> Snapshot {
    let what = chance.below(6);
    if items.is_empty() || (what == 0 && items.len() < MOST_ITEMS) {
        let made = ada.create(store, sample(chance, &ada.space, number)).await;
        items.push(made.clone());
        return made;
    }
    let index = chance.below(items.len());
    if what == 1 {
        let gone = items.swap_remove(index);
        store.purge(gone.item.id, gone.item.stamp, ada.record(Action::Delete, at(9)), None).await.unwrap();
        return gone;
    }
    let before = items[index].clone();
    change(chance, ada, store, &mut items[index]).await;
    // What it had is looked for as well.
    if what == 2 { before } else { items[index].clone() }
}

async fn a_tag_is_found_by_at_once(test: TestStore) {
    let store = &*test.store;
    let ada = author(store, "ada").await;
    let mut item = ada.create(store, note(&ada.space, "Plan").with_content("a plan")).await;
    for round in 0..12 {
        let tag = format!("round{round}");
        let mut write = ada.retitling(&item, "Plan");
        write.after.fields.tags = tags(&[tag.as_str()]);
        write.record.changed_fields = vec!["tags"];
        item = ada.change(store, &item, write).await.unwrap();
        for (tag, count) in [(tag.clone(), 1), (format!("round{}", round + 1), 0)] {
            let filter = Filter { tags: vec![Tag::from_stored(tag)], ..whole(&ada.space) };
            assert_eq!(store.search(&looking_for("plan", filter)).await.unwrap().total, count, "round {round}");
        }
        step(store).await;
    }
}

async fn writers_at_once_find_what_they_wrote_while_the_index_follows(test: TestStore) {
    let ada = Arc::new(author(&*test.store, "ada").await);
    let other = test.database.open().await;
    let are_done = Arc::new(AtomicBool::new(false));
    let indexing = {
        let (store, are_done) = (Arc::clone(&test.store), Arc::clone(&are_done));
        tokio::spawn(async move {
            while !are_done.load(Ordering::Relaxed) {
                step(&*store).await;
                tokio::task::yield_now().await;
            }
        })
    };
    let writers = (0..4).map(|writer| {
        let store = Arc::clone(if writer % 2 == 0 { &test.store } else { &other });
        let ada = Arc::clone(&ada);
        async move { rewrite_and_search(&*store, &ada, writer).await }
    });
    together(writers).await;
    are_done.store(true, Ordering::Relaxed);
    indexing.await.unwrap();
    complete(&*test.store).await;
    sound(&*test.store).await;
}

/// Rewrites an item again and again, and looks for what it says and no longer says.
async fn rewrite_and_search(store: &dyn Store, ada: &Author, writer: usize) {
    let count = async |query: &str| {
        let page = store.search(&looking_for(query, active(whole(&ada.space)))).await.unwrap();
        page.items.into_iter().map(|found| found.snapshot.item.id).collect::<Vec<_>>()
    };
    let word = |round: usize| format!("w{writer}r{round:04}");
    let mut item = ada.create(store, note(&ada.space, "Log").with_content(&word(0))).await;
    for round in 1..=40 {
        item = ada.change(store, &item, ada.rewriting(&item, Some(&word(round)))).await.unwrap();
        assert_eq!(count(&word(round)).await, [item.item.id], "what was written is found");
        assert_eq!(count(&word(round - 1)).await, [], "what was overwritten is not");
        assert_eq!(count(&format!("\"{} \"", &word(round)[1..])).await, [item.item.id], "a part of it is found");
    }
    item = ada.change(store, &item, ada.deleting(&item)).await.unwrap();
    assert_eq!(count(&word(40)).await, []);
    item = ada.change(store, &item, ada.restoring(&item)).await.unwrap();
    assert_eq!(count(&word(40)).await, [item.item.id]);
    store.purge(item.item.id, item.item.stamp, ada.record(Action::Delete, at(9)), None).await.unwrap();
    assert_eq!(count(&word(40)).await, []);
}

/// Its page and its total fit each other while items come in pairs and the index follows.
async fn a_search_is_of_one_moment(test: TestStore) {
    let ada = Arc::new(author(&*test.store, "ada").await);
    let (store, writer) = (Arc::clone(&test.store), Arc::clone(&ada));
    let writing = tokio::spawn(async move {
        for _ in 0..40 {
            let pair = [note(&writer.space, "one of a pair"), note(&writer.space, "the other of a pair")];
            store.commit(pair.iter().map(|sample| writer.creation(sample)).collect()).await.unwrap();
            step(&*store).await;
        }
    });
    let filter = Filter { views: [View::Active].into(), ..whole(&ada.space) };
    while !writing.is_finished() {
        let page = test.store.search(&looking_for("pair", filter.clone())).await.unwrap();
        assert_eq!(page.total, page.items.len() as u64);
        assert_eq!(page.total % 2, 0, "half of a commit was seen");
    }
    writing.await.unwrap();
    assert_eq!(test.store.search(&looking_for("pair", filter)).await.unwrap().total, 80);
}
