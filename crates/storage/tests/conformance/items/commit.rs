//! `commit`: all changes of a batch or none, each on the state that it was planned for.

use interline_items::{Batch, ItemId, Kind, Stamp, Store, StoreError};

use crate::fixtures::authors::author;
use crate::fixtures::changes::outcome;
use crate::fixtures::samples::{Sample, at, bookmark, description, note, prompt};
use crate::fixtures::test_store::TestStore;

on_both!(
    a_created_item_reads_back_as_it_was_written,
    every_field_of_every_kind_comes_back,
    a_change_moves_the_item_to_its_new_state,
    a_change_may_keep_the_content,
    nothing_to_commit_is_no_change,
    an_item_that_is_not_there_is_no_item,
    a_change_of_an_older_version_is_stale,
    a_change_of_an_older_revision_is_stale,
    a_change_of_an_item_that_is_not_there_is_stale,
    making_an_item_that_exists_is_stale,
    one_stale_change_of_several_changes_nothing,
    changes_of_one_item_in_one_commit_follow_each_other,
    a_commit_is_seen_by_other_processes,
    a_change_that_makes_an_item_another_one_is_refused,
);

async fn a_created_item_reads_back_as_it_was_written(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let made = ada.create(&*test.store, note(&ada.space, "Plan").with_content("one\ntwo\n")).await;
    assert_eq!(test.store.item(made.item.id).await.unwrap(), Some(made.item.clone()));
    assert_eq!(test.store.snapshot(made.item.id).await.unwrap(), Some(made));
}

async fn every_field_of_every_kind_comes_back(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let samples = [note(&ada.space, "n"), bookmark(&ada.space, "https://a.example/"), prompt(&ada.space, "p")];
    for mut sample in samples {
        sample = sample.with_tags(&["b", "a/b", "ä"]);
        sample.item.fields.description = Some(description("What it is.\n\"Quoted\" \\ 'so'"));
        sample.item.last_used_at = Some(at(-1));
        sample.item.archived_at = Some(at(5));
        sample.item.deleted_at = Some(at(6));
        let made = ada.create(&*test.store, sample).await;
        assert_eq!(test.store.snapshot(made.item.id).await.unwrap(), Some(made));
    }
}

async fn a_change_moves_the_item_to_its_new_state(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let first = ada.create(&*test.store, note(&ada.space, "Plan").with_content("one two")).await;
    let second = ada.change(&*test.store, &first, ada.editing(&first, 4..7, "three")).await.unwrap();
    assert_eq!(second.content.as_deref(), Some("one three"));
    assert_eq!(test.store.snapshot(first.item.id).await.unwrap(), Some(second.clone()));

    let third = ada.change(&*test.store, &second, ada.rewriting(&second, None)).await.unwrap();
    assert_eq!(test.store.snapshot(first.item.id).await.unwrap(), Some(third));
}

async fn a_change_may_keep_the_content(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let old = ada.create(&*test.store, note(&ada.space, "Plan").with_content("text")).await;
    let new = ada.change(&*test.store, &old, ada.retitling(&old, "Other plan")).await.unwrap();
    assert_eq!(test.store.snapshot(old.item.id).await.unwrap(), Some(new));
}

async fn nothing_to_commit_is_no_change(test: TestStore) {
    test.store.commit(Batch::default()).await.unwrap();
}

async fn an_item_that_is_not_there_is_no_item(test: TestStore) {
    assert_eq!(test.store.item(ItemId::generate()).await.unwrap(), None);
    assert_eq!(test.store.snapshot(ItemId::generate()).await.unwrap(), None);
}

async fn a_change_of_an_older_version_is_stale(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let first = ada.create(&*test.store, note(&ada.space, "Plan").with_content("one")).await;
    let second = ada.change(&*test.store, &first, ada.rewriting(&first, Some("two"))).await.unwrap();

    let late = ada.change(&*test.store, &first, ada.rewriting(&first, Some("three"))).await;
    assert!(matches!(late, Err(StoreError::Stale(id)) if id == first.item.id), "{late:?}");
    assert_eq!(test.store.snapshot(first.item.id).await.unwrap(), Some(second));
}

async fn a_change_of_an_older_revision_is_stale(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let active = ada.create(&*test.store, note(&ada.space, "Plan")).await;
    let archived = ada.change(&*test.store, &active, ada.archiving(&active)).await.unwrap();

    let late = ada.change(&*test.store, &active, ada.retitling(&active, "Late")).await;
    assert!(matches!(late, Err(StoreError::Stale(id)) if id == active.item.id), "{late:?}");
    assert_eq!(test.store.item(active.item.id).await.unwrap(), Some(archived.item));
}

async fn a_change_of_an_item_that_is_not_there_is_stale(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let nowhere = note(&ada.space, "Nowhere");
    let lost = ada.change(&*test.store, &nowhere, ada.retitling(&nowhere, "Lost")).await;
    assert!(matches!(lost, Err(StoreError::Stale(id)) if id == nowhere.item.id), "{lost:?}");
    assert_eq!(test.store.item(nowhere.item.id).await.unwrap(), None);
}

async fn making_an_item_that_exists_is_stale(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let made = ada.create(&*test.store, note(&ada.space, "Plan")).await;
    let again = test.store.commit(ada.creation(&made).into()).await;
    assert!(matches!(again, Err(StoreError::Stale(id)) if id == made.item.id), "{again:?}");
}

async fn one_stale_change_of_several_changes_nothing(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let kept = ada.create(&*test.store, note(&ada.space, "Kept").with_content("kept")).await;
    let moved = ada.create(&*test.store, note(&ada.space, "Moved")).await;
    let new = note(&ada.space, "New");

    let mut stale = ada.retitling(&moved, "Stale");
    stale.before = Some(Stamp { version: 7, revision: 0 });
    let writes = vec![ada.creation(&new), ada.editing(&kept, 0..0, "not "), stale, ada.retitling(&moved, "Fine")];
    let events = test.count("SELECT count(*) FROM events").await;
    let versions = test.count("SELECT count(*) FROM versions").await;
    let refused = test.store.commit(writes.into_iter().collect()).await;

    assert!(matches!(refused, Err(StoreError::Stale(id)) if id == moved.item.id), "{refused:?}");
    assert_eq!(test.store.item(new.item.id).await.unwrap(), None);
    for old in [kept, moved] {
        assert_eq!(test.store.snapshot(old.item.id).await.unwrap(), Some(old));
    }
    assert_eq!(test.count("SELECT count(*) FROM events").await, events);
    assert_eq!(test.count("SELECT count(*) FROM versions").await, versions);
}

async fn changes_of_one_item_in_one_commit_follow_each_other(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let first = note(&ada.space, "Plan").with_content("a");
    let edit = ada.editing(&first, 1..1, "b");
    let second = outcome(&first, &edit);
    let rewrite = ada.rewriting(&second, Some("c"));
    let third = outcome(&second, &rewrite);

    test.store.commit([ada.creation(&first), edit, rewrite].into_iter().collect()).await.unwrap();
    assert_eq!(test.store.snapshot(first.item.id).await.unwrap(), Some(third));
    let recorded = test.rows("SELECT version FROM versions ORDER BY version").await;
    assert_eq!(recorded.iter().map(|row| row[0].integer()).collect::<Vec<_>>(), [1, 2, 3]);
}

async fn a_commit_is_seen_by_other_processes(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let other: std::sync::Arc<dyn Store> = test.database.open().await;
    let made = ada.create(&*test.store, note(&ada.space, "Plan").with_content("here")).await;
    assert_eq!(other.snapshot(made.item.id).await.unwrap(), Some(made.clone()));

    let changed = ada.change(&*other, &made, ada.rewriting(&made, Some("there"))).await.unwrap();
    assert_eq!(test.store.snapshot(made.item.id).await.unwrap(), Some(changed));
}

async fn a_change_that_makes_an_item_another_one_is_refused(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let ben = author(&*test.store, "ben").await;
    let made = ada.create(&*test.store, note(&ada.space, "Plan").with_content("text")).await;
    let mut moved = ada.retitling(&made, "Moved");
    moved.after.space = ben.space.id;
    let mut turned = ada.retitling(&made, "Turned");
    turned.after.kind = Kind::Bookmark;
    let mut older = ada.retitling(&made, "Older");
    older.after.created_at = at(-1);
    for write in [moved, turned, older] {
        let refused = test.store.commit(write.into()).await;
        assert!(matches!(refused, Err(StoreError::Failed(_))), "{refused:?}");
    }
    assert_eq!(test.store.snapshot(made.item.id).await.unwrap(), Some(made));
    assert_eq!(test.count("SELECT count(*) FROM events").await, 1);
}
