//! What is stored and is not what was written is never returned as text, and does not take other items with it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use interline_items::{
    Contents, HashCheck, Kind, ListQuery, Snapshot, Sort, SortBy, SortOrder, Store, StoreError, Visibility,
};

use crate::fixtures::authors::{Author, author};
use crate::fixtures::samples::{Sample, note};
use crate::fixtures::test_store::TestStore;
use crate::items::lists::{everything, whole};
use crate::search::looking_for;

on_both!(
    a_content_that_was_changed_is_damaged,
    a_check_is_remembered_for_reads_alone,
    a_row_that_cannot_be_read_is_left_out_of_pages,
    a_damaged_version_is_not_returned,
    versions_without_a_hash_are_checked_by_their_size,
    a_repair_makes_an_item_whole_and_keeps_its_history,
    a_text_that_cannot_be_read_is_lost_at_a_repair,
);

fn is_damage<T>(result: &Result<T, StoreError>, of: &Snapshot) -> bool {
    matches!(result, Err(StoreError::Corrupt(corruption)) if corruption.item == Some(of.item.id))
}

fn own(author: &Author) -> Visibility {
    Visibility::new([author.space.id].into(), Kind::ALL.into())
}

async fn list(store: &dyn Store, author: &Author, contents: Contents) -> Vec<Snapshot> {
    let sort = Sort { by: SortBy::CreatedAt, order: SortOrder::Ascending };
    let query = ListQuery { sort, ..everything(&author.space, contents) };
    store.list(&query).await.unwrap().items
}

/// Two notes, of which the first has three versions.
async fn two(store: &dyn Store) -> (Author, Vec<Snapshot>) {
    let ada = author(store, "ada").await;
    let plan = ada.create(store, note(&ada.space, "Plan").with_content("alpha beta gamma\n")).await;
    let plan = ada.change(store, &plan, ada.editing(&plan, 0..5, "ALPHA")).await.unwrap();
    let plan = ada.change(store, &plan, ada.editing(&plan, 6..10, "BETA")).await.unwrap();
    let other = ada.create(store, note(&ada.space, "Other").with_content("alpha too\n")).await;
    (ada, vec![plan, other])
}

async fn a_content_that_was_changed_is_damaged(test: TestStore) {
    let store = &*test.store;
    let (ada, items) = two(store).await;
    let (plan, other) = (&items[0], &items[1]);
    test.execute("UPDATE contents SET text = replace(text, 'ALPHA', 'alpha')").await;
    let id = plan.item.id;
    assert!(is_damage(&store.snapshot(id).await, plan));
    for check in [HashCheck::Always, HashCheck::Remembered] {
        assert!(is_damage(&store.visible_snapshot(id, &own(&ada), check).await, plan));
        assert!(is_damage(&store.visible_point_read(id, &own(&ada), check).await, plan));
    }
    let planned = Arc::new(AtomicBool::new(false));
    let plans = Arc::clone(&planned);
    let on_newest = store.commit_on_newest(
        id,
        Box::new(move |_| {
            plans.store(true, Ordering::Relaxed);
            None
        }),
    );
    assert!(is_damage(&on_newest.await, plan) && !planned.load(Ordering::Relaxed), "nothing is built on it");
    assert_eq!(store.item(id).await.unwrap(), Some(plan.item.clone()), "its fields are whole");

    let listed = list(store, &ada, Contents::Read).await;
    assert_eq!(listed[0], Snapshot { item: plan.item.clone(), content: None });
    assert_eq!(listed[1], *other);
    assert_eq!(list(store, &ada, Contents::Omit).await.len(), 2);
    let found = store.search(&looking_for("alpha", whole(&ada.space))).await.unwrap();
    assert!(found.items.iter().any(|hit| hit.snapshot.item.id == other.item.id));
    for hit in found.items.iter().filter(|hit| hit.snapshot.item.id == id) {
        assert_eq!((&hit.snapshot.content, &hit.snippet), (&None, &None), "no part of it is shown");
    }
    let damage = store.damage();
    assert!(damage.reads >= 4 && damage.items == 1, "{damage:?}");
}

async fn a_check_is_remembered_for_reads_alone(test: TestStore) {
    let store = &*test.store;
    let (ada, items) = two(store).await;
    let plan = &items[0];
    let read = async |store: &dyn Store, check| store.visible_snapshot(plan.item.id, &own(&ada), check).await;
    assert_eq!(read(store, HashCheck::Remembered).await.unwrap().as_ref(), Some(plan));
    test.execute("UPDATE contents SET text = replace(text, 'gamma', 'delta')").await;
    assert!(read(store, HashCheck::Remembered).await.is_ok(), "within the hour it is not hashed again");
    assert!(is_damage(&read(store, HashCheck::Always).await, plan));
    let other_process = test.database.open().await;
    assert!(is_damage(&read(&*other_process, HashCheck::Remembered).await, plan));
}

async fn a_row_that_cannot_be_read_is_left_out_of_pages(test: TestStore) {
    let store = &*test.store;
    let (ada, items) = two(store).await;
    let (plan, other) = (&items[0], &items[1]);
    test.execute("UPDATE items SET tags = '[1' WHERE title = 'Plan'").await;
    assert!(is_damage(&store.item(plan.item.id).await, plan));
    assert!(is_damage(&store.visible_item(plan.item.id, &own(&ada)).await, plan));
    assert!(is_damage(&store.visible_snapshot(plan.item.id, &own(&ada), HashCheck::Always).await, plan));
    assert!(is_damage(&store.visible_point_read(plan.item.id, &own(&ada), HashCheck::Always).await, plan));
    for contents in [Contents::Omit, Contents::Read] {
        let listed = list(store, &ada, contents).await;
        assert_eq!(listed.iter().map(|listed| listed.item.id).collect::<Vec<_>>(), [other.item.id]);
    }
    let found = store.search(&looking_for("alpha", whole(&ada.space))).await.unwrap();
    assert_eq!(found.items.iter().map(|hit| hit.snapshot.item.id).collect::<Vec<_>>(), [other.item.id]);
}

async fn a_damaged_version_is_not_returned(test: TestStore) {
    let store = &*test.store;
    let (_, items) = two(store).await;
    let plan = &items[0];
    let id = plan.item.id;
    assert_eq!(store.whole_versions(id, 10).await.unwrap(), [3, 2, 1]);
    assert_eq!(store.whole_versions(id, 2).await.unwrap().len(), 2);
    // The edit that leads from version 2 to version 1 puts another text back.
    test.execute("UPDATE versions SET undo = (SELECT undo FROM versions WHERE version = 3) WHERE version = 2").await;
    assert!(is_damage(&store.version(id, 1).await, plan));
    assert_eq!(store.version(id, 2).await.unwrap().unwrap().content.as_deref(), Some("ALPHA beta gamma\n"));
    assert_eq!(store.whole_versions(id, 10).await.unwrap(), [3, 2]);
    test.execute("UPDATE contents SET text = replace(text, 'gamma', 'delta')").await;
    for version in 1..=3 {
        assert!(is_damage(&store.version(id, version).await, plan), "{version}");
    }
    assert_eq!(store.whole_versions(id, 10).await.unwrap(), [0; 0]);
    assert_eq!(store.version(id, 4).await.unwrap(), None);
}

async fn versions_without_a_hash_are_checked_by_their_size(test: TestStore) {
    let store = &*test.store;
    let (_, items) = two(store).await;
    let id = items[0].item.id;
    test.execute("UPDATE versions SET content_hash = NULL").await;
    assert_eq!(store.whole_versions(id, 10).await.unwrap(), [3, 2, 1]);
    test.execute("UPDATE contents SET text = replace(text, 'gamma', 'delta ')").await;
    assert!(is_damage(&store.version(id, 2).await, &items[0]));
}

async fn a_repair_makes_an_item_whole_and_keeps_its_history(test: TestStore) {
    let store = &*test.store;
    let (ada, items) = two(store).await;
    let plan = &items[0];
    let id = plan.item.id;
    // In the passage that version 3 brought: the versions before it are rebuilt without it.
    test.execute("UPDATE contents SET text = replace(text, 'BETA', 'beta')").await;
    // As an older program has left it.
    test.execute("UPDATE versions SET content_hash = NULL WHERE version = 3").await;
    assert!(is_damage(&store.snapshot(id).await, plan));
    let repaired = ada.change(store, plan, ada.repairing(plan, "ALPHA beta gamma\n")).await.unwrap();
    assert_eq!(store.snapshot(id).await.unwrap(), Some(repaired));
    assert_eq!(store.damage().items, 0, "it is not damaged any more");
    assert_eq!(store.whole_versions(id, 10).await.unwrap(), [4, 2, 1]);
    assert!(is_damage(&store.version(id, 3).await, plan), "what was damaged is not returned later");
    assert_eq!(store.version(id, 1).await.unwrap().unwrap().content.as_deref(), Some("alpha beta gamma\n"));
}

async fn a_text_that_cannot_be_read_is_lost_at_a_repair(test: TestStore) {
    let store = &*test.store;
    let (ada, items) = two(store).await;
    let plan = &items[0];
    let id = plan.item.id;
    test.execute("DELETE FROM contents WHERE text LIKE 'ALPHA%'").await;
    assert!(is_damage(&store.snapshot(id).await, plan));
    let repaired = ada.change(store, plan, ada.repairing(plan, "anew\n")).await.unwrap();
    assert_eq!(store.snapshot(id).await.unwrap(), Some(repaired.clone()));
    assert_eq!(store.whole_versions(id, 10).await.unwrap(), [4]);
    for version in 1..=3 {
        assert!(is_damage(&store.version(id, version).await, plan), "{version}");
    }
    let edited = ada.change(store, &repaired, ada.editing(&repaired, 0..4, "more")).await.unwrap();
    assert_eq!(store.version(id, 4).await.unwrap().unwrap().content.as_deref(), Some("anew\n"));
    assert_eq!(store.snapshot(id).await.unwrap(), Some(edited));
}
