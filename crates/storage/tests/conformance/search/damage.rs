//! `check` finds damage in contents, versions and the index, and nothing in a sound store.

use interline_items::{Action, CheckProblem, CheckReport, ItemId, Snapshot, Store};

use super::{complete, sound, step};
use crate::fixtures::authors::{Author, author};
use crate::fixtures::samples::{Sample, at, bookmark, note, prompt};
use crate::fixtures::test_store::TestStore;

on_both!(
    a_sound_store_has_no_problems,
    a_lost_block_is_found,
    a_lost_vocabulary_is_found,
    a_content_that_was_changed_is_found,
    a_title_that_was_changed_is_found,
    a_mark_that_was_lost_is_found,
    an_item_that_is_gone_but_indexed_is_found,
    a_version_that_cannot_be_rebuilt_is_found,
    only_so_many_problems_are_listed,
);

/// Three items, of which one has two versions, all indexed.
async fn three(store: &dyn Store) -> (Author, Vec<Snapshot>) {
    let ada = author(store, "ada").await;
    let plan = ada.create(store, note(&ada.space, "Plan").with_content("alpha beta\n")).await;
    let plan = ada.change(store, &plan, ada.editing(&plan, 0..5, "gamma")).await.unwrap();
    let page = ada.create(store, bookmark(&ada.space, "https://example.org/a")).await;
    let hello = ada.create(store, prompt(&ada.space, "hello")).await;
    complete(store).await;
    sound(store).await;
    (ada, vec![plan, page, hello])
}

async fn problems(store: &dyn Store) -> Vec<CheckProblem> {
    let CheckReport { problems, total_problems, .. } = store.check().await.unwrap();
    assert_eq!(total_problems, problems.len() as u64);
    problems
}

fn is_index_of(problems: &[CheckProblem], id: ItemId) -> bool {
    problems.contains(&CheckProblem::Index(id))
}

async fn a_sound_store_has_no_problems(test: TestStore) {
    let store = &*test.store;
    assert_eq!(store.check().await.unwrap(), CheckReport::default());
    let (ada, items) = three(store).await;
    let expected = CheckReport { items: 3, versions: 4, ..CheckReport::default() };
    assert_eq!(store.check().await.unwrap(), expected);
    let plan = ada.change(store, &items[0], ada.deleting(&items[0])).await.unwrap();
    ada.change(store, &plan, ada.restoring(&plan)).await.unwrap();
    ada.change(store, &items[1], ada.rewriting(&items[1], Some("new"))).await.unwrap();
    let report = store.check().await.unwrap();
    assert_eq!((report.items, report.versions, report.problems), (3, 5, Vec::new()));
    assert!((1..=2).contains(&report.stale), "{}", report.stale);
}

async fn a_lost_block_is_found(test: TestStore) {
    let (_, items) = three(&*test.store).await;
    test.execute("DELETE FROM search_blocks").await;
    let problems = problems(&*test.store).await;
    assert!(items.iter().all(|item| is_index_of(&problems, item.item.id)), "{problems:?}");
}

async fn a_lost_vocabulary_is_found(test: TestStore) {
    three(&*test.store).await;
    // It comes after all other blocks.
    test.execute(
        "DELETE FROM search_blocks WHERE first IN (SELECT first FROM search_blocks ORDER BY first DESC LIMIT 1)",
    )
    .await;
    let problems = problems(&*test.store).await;
    assert!(matches!(&problems[..], [CheckProblem::Damage(what)] if what.contains("vocabulary")), "{problems:?}");
}

async fn a_content_that_was_changed_is_found(test: TestStore) {
    let (_, items) = three(&*test.store).await;
    test.execute("UPDATE contents SET text = replace(text, 'gamma', 'delta')").await;
    let (problems, id) = (problems(&*test.store).await, items[0].item.id);
    assert!(problems.contains(&CheckProblem::Content(id)), "{problems:?}");
    assert!(is_index_of(&problems, id), "{problems:?}");
    assert!(!is_index_of(&problems, items[1].item.id) && !is_index_of(&problems, items[2].item.id), "{problems:?}");
}

async fn a_title_that_was_changed_is_found(test: TestStore) {
    let (_, items) = three(&*test.store).await;
    test.execute("UPDATE items SET title = 'Plans' WHERE title = 'Plan'").await;
    assert_eq!(problems(&*test.store).await, [CheckProblem::Index(items[0].item.id)]);
}

async fn a_mark_that_was_lost_is_found(test: TestStore) {
    let (ada, items) = three(&*test.store).await;
    let new = ada.create(&*test.store, note(&ada.space, "New")).await;
    ada.change(&*test.store, &items[0], ada.retitling(&items[0], "Other")).await.unwrap();
    test.execute("DELETE FROM stale_items").await;
    assert_eq!(problems(&*test.store).await, [CheckProblem::Index(items[0].item.id), CheckProblem::Index(new.item.id)]);
}

async fn an_item_that_is_gone_but_indexed_is_found(test: TestStore) {
    let store = &*test.store;
    let (ada, items) = three(store).await;
    let gone = &items[1].item;
    store.purge(gone.id, gone.stamp, ada.record(Action::Delete, at(9)), None).await.unwrap();
    assert_eq!(problems(store).await, [], "what is gone is stale in the index until a step");
    test.execute("DELETE FROM stale_items").await;
    let problems = problems(store).await;
    assert!(matches!(&problems[..], [CheckProblem::Damage(_)]), "{problems:?}");
}

async fn a_version_that_cannot_be_rebuilt_is_found(test: TestStore) {
    let (_, items) = three(&*test.store).await;
    let id = items[0].item.id;
    test.execute("UPDATE versions SET content_bytes = content_bytes + 1 WHERE version = 2").await;
    assert_eq!(problems(&*test.store).await, [CheckProblem::Version { id, version: 2 }]);
    // Something that undoes nothing.
    test.execute(
        "UPDATE versions SET undo = (SELECT data FROM search_blocks ORDER BY first LIMIT 1) WHERE version = 2",
    )
    .await;
    let problems = problems(&*test.store).await;
    assert!(problems.contains(&CheckProblem::Version { id, version: 1 }), "{problems:?}");
}

async fn only_so_many_problems_are_listed(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let notes: Vec<Snapshot> = (0..130).map(|number| note(&ada.space, &format!("Note {number}"))).collect();
    test.store.commit(notes.iter().map(|note| ada.creation(note)).collect()).await.unwrap();
    complete(&*test.store).await;
    test.execute("UPDATE items SET title = 'Other'").await;
    let report = test.store.check().await.unwrap();
    assert_eq!((report.problems.len(), report.total_problems), (100, 130));
    step(&*test.store).await;
}
