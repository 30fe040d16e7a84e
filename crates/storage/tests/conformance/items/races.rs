//! Races of writers: in one process, and as several processes on one database.

use std::sync::Arc;
use std::time::Duration;

use interline_items::{Action, ItemId, Store, StoreError};
use tokio::task::JoinSet;

use crate::fixtures::authors::{Author, author};
use crate::fixtures::samples::{Sample, at, bookmark, note, prompt};
use crate::fixtures::test_store::TestStore;

on_both!(
    of_writers_on_one_state_exactly_one_wins,
    writers_on_one_item_lose_no_change,
    of_creators_of_one_url_exactly_one_wins,
    of_creators_of_one_item_exactly_one_wins,
    of_a_restorer_and_a_creator_of_one_name_exactly_one_wins,
    of_a_writer_and_a_purger_exactly_one_wins,
    commits_of_the_same_items_in_other_orders_do_not_block_each_other,
    a_list_is_of_one_moment,
    a_write_is_carried_out_when_its_caller_goes_away,
);

const WRITERS: usize = 16;

/// A store for each writer: every other one goes through a process of its own.
async fn stores(test: &TestStore) -> Vec<Arc<dyn Store>> {
    let other = test.database.open().await;
    (0..WRITERS).map(|writer| Arc::clone(if writer % 2 == 0 { &test.store } else { &other })).collect()
}

/// Runs all at once, and gives what they gave.
pub(crate) async fn together<T: Send + 'static>(
    work: impl IntoIterator<Item = impl Future<Output = T> + Send + 'static>,
) -> Vec<T> {
    let mut running: JoinSet<T> = work.into_iter().collect();
    let mut done = Vec::new();
    while let Some(one) = running.join_next().await {
        done.push(one.unwrap());
    }
    done
}

async fn of_writers_on_one_state_exactly_one_wins(test: TestStore) {
    let ada = Arc::new(author(&*test.store, "ada").await);
    let mut state = ada.create(&*test.store, note(&ada.space, "Plan").with_content("0")).await;
    let stores = stores(&test).await;
    for round in 0..10 {
        let work = stores.iter().enumerate().map(|(writer, store)| {
            let (store, ada, state) = (Arc::clone(store), Arc::clone(&ada), state.clone());
            async move {
                let write = ada.rewriting(&state, Some(&format!("{round} {writer}")));
                ada.change(&*store, &state, write).await
            }
        });
        let (won, lost): (Vec<_>, Vec<_>) = together(work).await.into_iter().partition(Result::is_ok);
        assert!(lost.iter().all(|lost| matches!(lost, Err(StoreError::Stale(id)) if *id == state.item.id)), "{lost:?}");
        let [Ok(winner)] = &won[..] else { panic!("{} of one state won", won.len()) };
        assert_eq!(test.store.snapshot(state.item.id).await.unwrap().as_ref(), Some(winner));
        state = winner.clone();
    }
    assert_eq!(test.count("SELECT count(*) FROM versions").await, 11);
    assert_eq!(test.count("SELECT count(*) FROM events").await, 11);
}

async fn writers_on_one_item_lose_no_change(test: TestStore) {
    let ada = Arc::new(author(&*test.store, "ada").await);
    let made = ada.create(&*test.store, note(&ada.space, "Log").with_content("")).await;
    let each = 5;
    let work = stores(&test).await.into_iter().enumerate().map(|(writer, store)| {
        let (ada, id) = (Arc::clone(&ada), made.item.id);
        async move {
            for line in 0..each {
                append(&*store, &ada, id, &format!("{writer}.{line}\n")).await;
            }
        }
    });
    together(work).await;
    let end = test.store.snapshot(made.item.id).await.unwrap().unwrap();
    assert_eq!(end.item.stamp.version, 1 + (WRITERS * each) as u64);
    let mut lines: Vec<&str> = end.content.as_deref().unwrap().split_terminator('\n').collect();
    lines.sort_unstable();
    let mut expected: Vec<String> =
        (0..WRITERS).flat_map(|writer| (0..each).map(move |line| format!("{writer}.{line}"))).collect();
    expected.sort_unstable();
    assert_eq!(lines, expected);
}

/// Adds a line at the end, on whatever state the item is in by then.
async fn append(store: &dyn Store, author: &Author, id: ItemId, line: &str) {
    loop {
        let state = store.snapshot(id).await.unwrap().unwrap();
        let end = state.content.as_ref().unwrap().len();
        match author.change(store, &state, author.editing(&state, end..end, line)).await {
            Ok(_) => return,
            Err(StoreError::Stale(_)) => {}
            Err(other) => panic!("{other}"),
        }
    }
}

async fn of_creators_of_one_url_exactly_one_wins(test: TestStore) {
    let ada = Arc::new(author(&*test.store, "ada").await);
    let stores = stores(&test).await;
    for round in 0..5 {
        let work = stores.iter().map(|store| {
            let (store, ada) = (Arc::clone(store), Arc::clone(&ada));
            async move {
                let sample = bookmark(&ada.space, &format!("https://example.org/{round}"));
                store.commit(ada.creation(&sample).into()).await.map(|()| sample.item)
            }
        });
        let (won, lost): (Vec<_>, Vec<_>) = together(work).await.into_iter().partition(Result::is_ok);
        let [Ok(winner)] = &won[..] else { panic!("{} have the url", won.len()) };
        for lost in lost {
            assert!(matches!(&lost, Err(StoreError::Duplicate { existing, .. }) if **existing == *winner), "{lost:?}");
        }
    }
}

async fn of_creators_of_one_item_exactly_one_wins(test: TestStore) {
    let ada = Arc::new(author(&*test.store, "ada").await);
    let sample = note(&ada.space, "Plan").with_content("text");
    let work = stores(&test).await.into_iter().map(|store| {
        let write = ada.creation(&sample);
        async move { store.commit(write.into()).await }
    });
    let (won, lost): (Vec<_>, Vec<_>) = together(work).await.into_iter().partition(Result::is_ok);
    assert_eq!(won.len(), 1);
    assert!(lost.iter().all(|lost| matches!(lost, Err(StoreError::Stale(id)) if *id == sample.item.id)), "{lost:?}");
}

async fn of_a_restorer_and_a_creator_of_one_name_exactly_one_wins(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let other = test.database.open().await;
    for round in 0..10 {
        let name = format!("review-{round}");
        let old = ada.create(&*test.store, prompt(&ada.space, &name)).await;
        let old = ada.change(&*test.store, &old, ada.deleting(&old)).await.unwrap();
        let new = prompt(&ada.space, &name);
        let (restored, created) =
            tokio::join!(test.store.commit(ada.restoring(&old).into()), other.commit(ada.creation(&new).into()));
        let (lost, holder) = match (restored, created) {
            (Ok(()), Err(lost)) => (lost, old.item.id),
            (Err(lost), Ok(())) => (lost, new.item.id),
            both => panic!("{both:?}"),
        };
        assert!(matches!(&lost, StoreError::Duplicate { existing, .. } if existing.id == holder), "{lost:?}");
    }
}

async fn of_a_writer_and_a_purger_exactly_one_wins(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let other = test.database.open().await;
    for _ in 0..10 {
        let state = ada.create(&*test.store, note(&ada.space, "Plan").with_content("text")).await;
        let (written, purged) = tokio::join!(
            test.store.commit(ada.rewriting(&state, Some("new")).into()),
            other.purge(state.item.id, state.item.stamp, ada.record(Action::Delete, at(9)), None)
        );
        let there = test.store.item(state.item.id).await.unwrap().is_some();
        match (written, purged) {
            (Ok(()), Err(StoreError::Stale(_))) => assert!(there),
            (Err(StoreError::Stale(_)), Ok(())) => assert!(!there),
            both => panic!("{both:?}"),
        }
    }
}

async fn commits_of_the_same_items_in_other_orders_do_not_block_each_other(test: TestStore) {
    let (ada, ben) = (Arc::new(author(&*test.store, "ada").await), author(&*test.store, "ben").await);
    let mut samples = Vec::new();
    for space in [&ada.space, &ben.space, &ada.space, &ben.space] {
        samples.push(ada.create(&*test.store, note(space, "0").with_content("0")).await);
    }
    let work = stores(&test).await.into_iter().enumerate().map(|(writer, store)| {
        let (ada, mut ids) = (Arc::clone(&ada), samples.iter().map(|sample| sample.item.id).collect::<Vec<_>>());
        ids.rotate_left(writer % 4);
        if writer % 3 == 0 {
            ids.reverse();
        }
        async move {
            loop {
                let mut writes = Vec::new();
                for id in &ids {
                    let state = store.snapshot(*id).await.unwrap().unwrap();
                    writes.push(ada.rewriting(&state, Some(&writer.to_string())));
                }
                match store.commit(writes.into_iter().collect()).await {
                    Ok(()) => return,
                    Err(StoreError::Stale(_)) => {}
                    Err(other) => panic!("{other}"),
                }
            }
        }
    });
    together(work).await;
    let mut ends = Vec::new();
    for sample in samples {
        let end = test.store.snapshot(sample.item.id).await.unwrap().unwrap();
        assert_eq!(end.item.stamp.version, 1 + WRITERS as u64);
        ends.push(end.content);
    }
    assert!(ends.iter().all(|end| *end == ends[0]), "the last commit wrote all of them: {ends:?}");
}

/// Its page and its total fit each other while items come.
async fn a_list_is_of_one_moment(test: TestStore) {
    let ada = Arc::new(author(&*test.store, "ada").await);
    let (store, writer) = (Arc::clone(&test.store), Arc::clone(&ada));
    let writing = tokio::spawn(async move {
        for _ in 0..60 {
            let pair = [note(&writer.space, "a"), note(&writer.space, "b")];
            store.commit(pair.iter().map(|sample| writer.creation(sample)).collect()).await.unwrap();
        }
    });
    let query = crate::items::lists::everything(&ada.space, interline_items::Contents::Omit);
    while !writing.is_finished() {
        let page = test.store.list(&query).await.unwrap();
        assert_eq!(page.total, page.items.len() as u64);
        assert_eq!(page.total % 2, 0, "half of a commit was seen");
    }
    writing.await.unwrap();
}

async fn a_write_is_carried_out_when_its_caller_goes_away(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let state = ada.create(&*test.store, note(&ada.space, "Plan").with_content("old")).await;
    let writing = ada.change(&*test.store, &state, ada.rewriting(&state, Some("new")));
    tokio::select! {
        biased;
        _ = writing => {}
        // The write began, and its caller goes.
        () = std::future::ready(()) => {}
    }
    let arrived = async {
        while test.store.snapshot(state.item.id).await.unwrap().unwrap().content.as_deref() != Some("new") {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), arrived).await.expect("the write is carried out");
}
