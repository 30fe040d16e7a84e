//! `undo_steps`, `text_sources` and `version_records`: going back through a history in pages.

use std::sync::Arc;

use interline_items::{
    ContentBefore, ItemId, Retention, Snapshot, SourceExtent, Store, StoreError, TextSource, UndoLimits, UndoRest,
    UndoStart,
};

use crate::fixtures::authors::{Author, author};
use crate::fixtures::list_oracle::Dice;
use crate::fixtures::samples::{Sample, note};
use crate::fixtures::test_store::TestStore;

on_both!(
    steps_lead_through_every_content_in_pages_of_any_size,
    steps_end_with_the_oldest_version_that_is_kept,
    steps_end_where_a_content_was_lost,
    a_content_that_is_not_as_it_was_written_is_damage,
    a_restore_and_an_undo_know_what_they_brought_back,
    records_of_some_versions_are_found,
);

const ALL: UndoLimits = UndoLimits { versions: 1_000, bytes: 1 << 20 };

fn start(newest: &Snapshot) -> UndoStart {
    UndoStart { version: newest.item.stamp.version, content: newest.content.clone() }
}

/// The contents that the steps lead to, newest first, each with its version; and the oldest version.
async fn contents(store: &dyn Store, newest: &Snapshot, limits: UndoLimits) -> (Vec<(u64, Option<Arc<str>>)>, u64) {
    let mut next = start(newest);
    let mut contents = vec![(next.version, next.content.clone())];
    loop {
        let page = store.undo_steps(newest.item.id, next, limits).await.unwrap();
        assert!(page.steps.len() <= limits.versions);
        for step in page.steps {
            let (_, newer) = contents.last().unwrap();
            let before = match step.before {
                ContentBefore::Edited(edit) => Some(Arc::from(edit.apply(newer.as_deref().unwrap()).unwrap())),
                ContentBefore::Text(text) => Some(text),
                ContentBefore::Absent => None,
            };
            contents.push((step.version - 1, before));
        }
        match page.rest {
            UndoRest::More(start) => {
                assert_eq!(start.content, contents.last().unwrap().1, "version {}", start.version);
                next = start;
            }
            UndoRest::End { oldest } => return (contents, oldest),
        }
    }
}

/// The versions of a note that was edited, rewritten, emptied and renamed; some whole copies are among its records.
async fn eventful(test: &TestStore, author: &Author) -> Vec<Snapshot> {
    let mut dice = Dice::new(5);
    let mut versions = vec![author.create(&*test.store, note(&author.space, "Plan").with_content("0\n")).await];
    for step in 0..60 {
        let state = &versions[versions.len() - 1];
        let length = state.content.as_ref().map(|text| text.len());
        let noise: String = (0..400).map(|_| char::from(b' ' + u8::try_from(dice.below(95)).unwrap())).collect();
        let write = match (step % 10, length) {
            (3, _) => author.retitling(state, &format!("Plan {step}")),
            (4, _) => author.rewriting(state, None),
            (7, _) | (_, None) => author.rewriting(state, Some(&format!("{step}\n{noise}\n"))),
            (8, Some(length)) => author.editing(state, 0..length, &noise),
            (_, Some(length)) => author.editing(state, length..length, "more\n"),
        };
        let archived = author.change(&*test.store, state, write).await.unwrap();
        versions.push(archived);
    }
    versions
}

async fn steps_lead_through_every_content_in_pages_of_any_size(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let versions = eventful(&test, &ada).await;
    let newest = versions.last().unwrap();
    let mut expected: Vec<(u64, Option<Arc<str>>)> = Vec::new();
    for version in &versions {
        let number = version.item.stamp.version;
        match expected.last_mut() {
            // A version that left the content as it was has no step.
            Some(last) if last.1 == version.content => last.0 = number,
            _ => expected.push((number, version.content.clone())),
        }
    }
    expected.reverse();
    for (versions, bytes) in [(1_000, 1 << 20), (1_000, 0), (1_000, 3_000), (7, 1 << 20), (1, 1 << 20)] {
        let (found, oldest) = contents(&*test.store, newest, UndoLimits { versions, bytes }).await;
        assert_eq!((found, oldest), (expected.clone(), 1), "{versions} {bytes}");
    }
    let none = test.store.undo_steps(ItemId::generate(), start(newest), ALL).await.unwrap();
    assert_eq!((none.steps.len(), none.rest), (0, UndoRest::End { oldest: 61 }));
}

async fn steps_end_with_the_oldest_version_that_is_kept(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let versions = eventful(&test, &ada).await;
    let keep = Retention { before: None, keep: Some(12) };
    test.store.forget_versions(keep, None).await.unwrap();
    let (found, oldest) = contents(&*test.store, versions.last().unwrap(), ALL).await;
    assert_eq!((oldest, &found.last().unwrap().1), (50, &versions[49].content));
}

async fn steps_end_where_a_content_was_lost(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let first = ada.create(&*test.store, note(&ada.space, "Plan").with_content("one")).await;
    let second = ada.change(&*test.store, &first, ada.editing(&first, 0..3, "two")).await.unwrap();
    test.execute("UPDATE contents SET text = 'damaged'").await;
    let third = ada.change(&*test.store, &second, ada.repairing(&second, "three")).await.unwrap();
    let fourth = ada.change(&*test.store, &third, ada.editing(&third, 0..0, "4")).await.unwrap();
    let (found, oldest) = contents(&*test.store, &fourth, ALL).await;
    assert_eq!((found.len(), oldest), (2, 3));
}

async fn a_content_that_is_not_as_it_was_written_is_damage(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let first = ada.create(&*test.store, note(&ada.space, "Plan").with_content("one")).await;
    let second = ada.change(&*test.store, &first, ada.editing(&first, 0..3, "two")).await.unwrap();
    let another = UndoStart { version: 2, content: Some(Arc::from("tw")) };
    let failed = test.store.undo_steps(second.item.id, another, ALL).await;
    let Err(StoreError::Corrupt(corruption)) = failed else { panic!("{failed:?}") };
    assert_eq!((corruption.item, corruption.version), (Some(first.item.id), Some(1)));
}

async fn a_restore_and_an_undo_know_what_they_brought_back(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let first = ada.create(&*test.store, note(&ada.space, "Plan").with_content("a\nb\n")).await;
    let change = ada.rewriting(&first, Some("a\nB\n"));
    let set = change.record.attribution.change_set.id;
    let second = ada.change(&*test.store, &first, change).await.unwrap();
    let third = ada.change(&*test.store, &second, ada.editing(&second, 0..0, "0\n")).await.unwrap();
    let mut undo = ada.rewriting(&third, Some("0\na\nb\n"));
    undo.record.undoes = Some(set);
    let fourth = ada.change(&*test.store, &third, undo).await.unwrap();
    let fifth = ada.change(&*test.store, &fourth, ada.restoring_version(&fourth, &second)).await.unwrap();
    // What brings fields back leaves the lines as they are.
    let mut renamed = ada.retitling(&fifth, "Plan 2");
    renamed.record.undoes = Some(set);
    let sixth = ada.change(&*test.store, &fifth, renamed).await.unwrap();
    let seventh = ada.change(&*test.store, &sixth, ada.restoring_version(&sixth, &first)).await.unwrap();

    let source = |version, source, extent| TextSource { version, source, extent };
    let mut found = test.store.text_sources(seventh.item.id, 7).await.unwrap();
    found.sort_unstable_by_key(|source| source.version);
    let (whole, some) = (SourceExtent::Whole, SourceExtent::Some);
    assert_eq!(found, [source(4, 1, some), source(5, 2, whole), source(7, 1, whole)]);
    assert_eq!(test.store.text_sources(seventh.item.id, 4).await.unwrap(), [source(4, 1, some)]);
    assert_eq!(test.store.text_sources(seventh.item.id, 3).await.unwrap(), []);
    let keep = Retention { before: None, keep: Some(4) };
    test.store.forget_versions(keep, None).await.unwrap();
    assert_eq!(test.store.text_sources(seventh.item.id, 7).await.unwrap(), [], "the sources are forgotten");
}

async fn records_of_some_versions_are_found(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let versions = eventful(&test, &ada).await;
    let item = versions[0].item.id;
    let mut found = test.store.version_records(item, &[60, 3, 17, 62, u64::MAX]).await.unwrap();
    found.sort_unstable_by_key(|record| record.version);
    let numbers: Vec<_> = found.iter().map(|record| record.version).collect();
    assert_eq!(numbers, [Some(3), Some(17), Some(60)]);
    let version = test.store.version(item, 17).await.unwrap().unwrap();
    assert_eq!(found[1], version.record);
    assert_eq!(test.store.version_records(ItemId::generate(), &[1]).await.unwrap(), []);
}
