//! `commit_on_newest`: a change that is planned on the newest state, with no other change in between.

use std::future::ready;
use std::sync::Arc;
use std::sync::mpsc;

use interline_items::{Batch, IdempotencyRecord, Item, ItemId, PlanOnNewest, Snapshot, Store, StoreError};
use interline_storage::SqliteStore;

use crate::fixtures::authors::{Author, author};
use crate::fixtures::list_oracle::Dice;
use crate::fixtures::samples::{Sample, at, bookmark, note};
use crate::fixtures::test_store::{Database, TestStore, on_sqlite};
use crate::items::races::together;

on_both!(
    what_is_made_of_the_newest_state_is_committed,
    nothing_to_do_changes_nothing,
    an_item_that_is_not_there_can_be_made,
    a_refusal_is_told_and_changes_nothing,
    writers_on_one_item_all_succeed_at_once,
    whole_copies_are_made_on_the_way,
    a_panic_harms_nobody_else,
);

/// Adds text at the end.
fn appending(author: &Arc<Author>, text: &str) -> PlanOnNewest {
    let (author, text) = (Arc::clone(author), text.to_owned());
    Box::new(move |newest| newest.map(|state| append(&author, &state, &text)))
}

fn append(author: &Author, state: &Snapshot, text: &str) -> Batch {
    let end = state.content.as_ref().map_or(0, |content| content.len());
    author.editing(state, end..end, text).into()
}

async fn start(test: &TestStore, text: &str) -> (Arc<Author>, ItemId) {
    let ada = author(&*test.store, "ada").await;
    let made = ada.create(&*test.store, note(&ada.space, "Log").with_content(text)).await;
    (Arc::new(ada), made.item.id)
}

async fn state(test: &TestStore, id: ItemId) -> (Item, String) {
    let Snapshot { item, content } = test.store.snapshot(id).await.unwrap().unwrap();
    (item, content.as_deref().unwrap().to_owned())
}

async fn what_is_made_of_the_newest_state_is_committed(test: TestStore) {
    let (ada, id) = start(&test, "a").await;
    for text in ["b", "c"] {
        assert!(test.store.commit_on_newest(id, appending(&ada, text)).await.unwrap());
    }
    let (item, content) = state(&test, id).await;
    assert_eq!((item.stamp.version, content.as_str()), (3, "abc"));
    assert_eq!(test.store.version(id, 2).await.unwrap().unwrap().content.as_deref(), Some("ab"));
    assert_eq!(test.count("SELECT count(*) FROM events").await, 3);
}

async fn nothing_to_do_changes_nothing(test: TestStore) {
    let (_, id) = start(&test, "a").await;
    for id in [id, ItemId::generate()] {
        assert!(!test.store.commit_on_newest(id, Box::new(|_| None)).await.unwrap());
        assert!(test.store.commit_on_newest(id, Box::new(|_| Some(Batch::default()))).await.unwrap());
    }
    assert_eq!(state(&test, id).await.0.stamp.version, 1);
    assert_eq!(test.count("SELECT count(*) FROM events").await, 1);
}

async fn an_item_that_is_not_there_can_be_made(test: TestStore) {
    let (ada, _) = start(&test, "").await;
    let new = note(&ada.space, "New").with_content("text");
    let make = || {
        let (creation, ada) = (ada.creation(&new), Arc::clone(&ada));
        let prepare = move |newest: Option<Snapshot>| match newest {
            None => Some(creation.clone().into()),
            Some(state) => Some(append(&ada, &state, " again")),
        };
        test.store.commit_on_newest(new.item.id, Box::new(prepare))
    };
    assert!(make().await.unwrap());
    assert_eq!(state(&test, new.item.id).await.1, "text");
    assert!(make().await.unwrap());
    assert_eq!(state(&test, new.item.id).await.1, "text again");
}

/// A change that is refused after its content was made: the address is taken.
fn refused(author: &Arc<Author>) -> PlanOnNewest {
    let author = Arc::clone(author);
    Box::new(move |newest| {
        let mut batch = append(&author, &newest?, "refused");
        batch.writes.push(author.creation(&bookmark(&author.space, "https://example.org/")));
        Some(batch)
    })
}

async fn a_refusal_is_told_and_changes_nothing(test: TestStore) {
    let (ada, id) = start(&test, "a").await;
    ada.create(&*test.store, bookmark(&ada.space, "https://example.org/")).await;
    let outcome = test.store.commit_on_newest(id, refused(&ada)).await;
    assert!(matches!(outcome, Err(StoreError::Duplicate { .. })), "{outcome:?}");

    let key = IdempotencyRecord {
        user: ada.user.id,
        key: "k".to_owned(),
        request: [1; 32],
        answer: String::new(),
        at: at(1),
    };
    for taken in [false, true] {
        let (ada, key) = (Arc::clone(&ada), key.clone());
        let prepare = move |newest: Option<Snapshot>| {
            newest.map(|state| Batch { idempotency: Some(key.clone()), ..append(&ada, &state, "b") })
        };
        let outcome = test.store.commit_on_newest(id, Box::new(prepare)).await;
        assert_eq!(matches!(outcome, Err(StoreError::KeyTaken)), taken, "{outcome:?}");
    }
    assert_eq!(state(&test, id).await.1, "ab");
}

async fn writers_on_one_item_all_succeed_at_once(test: TestStore) {
    let (ada, id) = start(&test, "").await;
    let other = test.database.open().await;
    let work = (0..40).map(|number| {
        let (store, ada) = (Arc::clone(if number % 2 == 0 { &test.store } else { &other }), Arc::clone(&ada));
        async move { store.commit_on_newest(id, appending(&ada, &format!("{number}\n"))).await.unwrap() }
    });
    assert!(together(work).await.into_iter().all(|done| done));
    let (item, content) = state(&test, id).await;
    assert_eq!(item.stamp.version, 41);
    let mut lines: Vec<usize> = content.split_terminator('\n').map(|line| line.parse().unwrap()).collect();
    lines.sort_unstable();
    assert!(lines.into_iter().eq(0..40));
}

async fn whole_copies_are_made_on_the_way(test: TestStore) {
    let (ada, id) = start(&test, "").await;
    let mut dice = Dice::new(3);
    let mut contents = vec![String::new()];
    for _ in 0..40 {
        let noise: String = (0..400).map(|_| char::from(b' ' + u8::try_from(dice.below(95)).unwrap())).collect();
        let (ada, new) = (Arc::clone(&ada), noise.clone());
        let prepare = move |newest: Option<Snapshot>| newest.map(|state| ada.rewriting(&state, Some(&new)).into());
        test.store.commit_on_newest(id, Box::new(prepare)).await.unwrap();
        contents.push(noise);
    }
    assert!(test.count("SELECT count(*) FROM versions WHERE undo_kind = 5").await > 0);
    for (version, content) in (1..).zip(&contents) {
        let read = test.store.version(id, version).await.unwrap().unwrap();
        assert_eq!(read.content.as_deref(), Some(&content[..]), "version {version}");
    }
}

async fn a_panic_harms_nobody_else(test: TestStore) {
    let (ada, id) = start(&test, "a").await;
    let outcome = test.store.commit_on_newest(id, Box::new(|_| panic!("a bug"))).await;
    assert!(matches!(outcome, Err(StoreError::Failed(_))), "{outcome:?}");
    assert!(test.store.commit_on_newest(id, appending(&ada, "b")).await.unwrap());
    assert_eq!(state(&test, id).await.1, "ab");
}

#[test]
fn edits_of_one_item_in_one_group_write_its_content_once() {
    on_sqlite(content_is_written_once);
}

async fn content_is_written_once(test: TestStore) {
    let (ada, id) = start(&test, "0\n").await;
    let other = ada.create(&*test.store, bookmark(&ada.space, "https://example.org/").with_content("")).await.item.id;
    let Database::Sqlite { file } = &test.database else { panic!("a file was expected") };
    let store = SqliteStore::open(file).unwrap();

    // The writer is held up until all others are queued: they are its next group.
    let (release, held) = mpsc::channel::<()>();
    let hold = Box::new(move |_| held.recv().map_or(None, |()| None));
    let mut queued = vec![Box::pin(store.commit_on_newest(id, hold))];
    for number in 1..=20 {
        queued.push(match number {
            7 => Box::pin(store.commit_on_newest(id, refused(&ada))),
            13 => Box::pin(store.commit_on_newest(id, Box::new(|_| panic!("a bug")))),
            15 => Box::pin(store.commit_on_newest(other, appending(&ada, "beside"))),
            _ => Box::pin(store.commit_on_newest(id, appending(&ada, &format!("{number}\n")))),
        });
    }
    for waiting in &mut queued {
        tokio::select! {
            biased;
            early = waiting => panic!("{early:?}"),
            () = ready(()) => {}
        }
    }
    let before = store.counters();
    release.send(()).unwrap();
    let mut refusals = 0;
    for waiting in queued {
        refusals += usize::from(waiting.await.is_err());
    }
    assert_eq!(refusals, 2);
    let after = store.counters();
    assert_eq!(after.acknowledged - before.acknowledged, 19);
    // One group, or a few on a machine so slow that one takes too long.
    let (groups, contents) = (after.commits - before.commits, after.contents - before.contents);
    assert!((1..=6).contains(&groups) && contents <= 2 * groups, "{contents} contents in {groups} groups");
    let (item, content) = state(&test, id).await;
    let kept = || (0..=20).filter(|number| ![7, 13, 15].contains(number));
    assert_eq!(content, kept().map(|number| format!("{number}\n")).collect::<String>());
    assert_eq!(item.stamp.version, kept().count() as u64);
    assert_eq!(state(&test, other).await.1, "beside");
    for version in 1..=item.stamp.version {
        let expected: String =
            kept().take(usize::try_from(version).unwrap()).map(|number| format!("{number}\n")).collect();
        assert_eq!(test.store.version(id, version).await.unwrap().unwrap().content.as_deref(), Some(&expected[..]));
    }
}
