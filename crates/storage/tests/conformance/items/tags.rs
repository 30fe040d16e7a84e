//! `tags` and `tagged`.

use std::collections::BTreeSet;

use interline_items::fields::Tag;
use interline_items::{Kind, Snapshot, SpaceId, Store, View};

use crate::fixtures::authors::author;
use crate::fixtures::samples::{Sample, bookmark, note, prompt, tags};
use crate::fixtures::test_store::TestStore;

on_both!(
    tags_are_counted_among_items_that_are_not_deleted,
    tags_are_sorted_by_their_bytes,
    tags_are_those_of_the_spaces,
    a_change_of_tags_is_counted,
    tagged_items_are_found_in_every_state,
    tags_of_deleted_items_are_changed_and_counted_when_they_come_back,
    a_tag_is_not_found_in_a_longer_one,
    tags_are_those_of_the_kinds,
    tags_are_those_of_the_views,
);

fn tag(word: &str) -> Tag {
    tags(&[word]).as_slice().first().unwrap().clone()
}

/// What is not deleted.
const NOT_DELETED: [View; 2] = [View::Active, View::Archived];

async fn counts(store: &dyn Store, spaces: &[SpaceId]) -> Vec<(String, u64)> {
    counts_of(store, spaces, &NOT_DELETED).await
}

async fn counts_of(store: &dyn Store, spaces: &[SpaceId], views: &[View]) -> Vec<(String, u64)> {
    let views = views.iter().copied().collect();
    let counted = store.tags(spaces, &BTreeSet::from(Kind::ALL), &views).await.unwrap();
    counted.into_iter().map(|(tag, count)| (tag.as_str().to_owned(), count)).collect()
}

fn expected(counts: &[(&str, u64)]) -> Vec<(String, u64)> {
    counts.iter().map(|&(word, count)| (word.to_owned(), count)).collect()
}

async fn tags_are_counted_among_items_that_are_not_deleted(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    assert_eq!(counts(&*test.store, &[ada.space.id]).await, []);
    ada.create(&*test.store, note(&ada.space, "1").with_tags(&["a", "b"])).await;
    let archived = ada.create(&*test.store, note(&ada.space, "2").with_tags(&["b", "c"])).await;
    ada.change(&*test.store, &archived, ada.archiving(&archived)).await.unwrap();
    let deleted = ada.create(&*test.store, note(&ada.space, "3").with_tags(&["c", "d"])).await;
    let deleted = ada.change(&*test.store, &deleted, ada.deleting(&deleted)).await.unwrap();
    assert_eq!(counts(&*test.store, &[ada.space.id]).await, expected(&[("a", 1), ("b", 2), ("c", 1)]));

    ada.change(&*test.store, &deleted, ada.restoring(&deleted)).await.unwrap();
    assert_eq!(counts(&*test.store, &[ada.space.id]).await, expected(&[("a", 1), ("b", 2), ("c", 2), ("d", 1)]));
}

async fn tags_are_sorted_by_their_bytes(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let mut words = ["é", "z", "a_b", "a-b", "ab", "a/b", "a", "10", "9", "æ", "中", "𐐨"];
    ada.create(&*test.store, note(&ada.space, "1").with_tags(&words)).await;
    words.sort_unstable();
    let listed = counts(&*test.store, &[ada.space.id]).await;
    assert_eq!(listed.iter().map(|(word, _)| word).collect::<Vec<_>>(), words);
}

async fn tags_are_those_of_the_spaces(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let ben = author(&*test.store, "ben").await;
    ada.create(&*test.store, note(&ada.space, "1").with_tags(&["both", "hers"])).await;
    ben.create(&*test.store, note(&ben.space, "1").with_tags(&["both", "his"])).await;
    assert_eq!(counts(&*test.store, &[ada.space.id]).await, expected(&[("both", 1), ("hers", 1)]));
    let of_both = counts(&*test.store, &[ada.space.id, ben.space.id]).await;
    assert_eq!(of_both, expected(&[("both", 2), ("hers", 1), ("his", 1)]));
    assert_eq!(counts(&*test.store, &[]).await, []);
}

async fn a_change_of_tags_is_counted(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let made = ada.create(&*test.store, note(&ada.space, "1").with_tags(&["a", "b"])).await;
    let mut retagging = ada.retitling(&made, "1");
    retagging.after.fields.tags = tags(&["c", "b"]);
    let changed = ada.change(&*test.store, &made, retagging).await.unwrap();
    assert_eq!(counts(&*test.store, &[ada.space.id]).await, expected(&[("b", 1), ("c", 1)]));
    assert_eq!(test.store.item(made.item.id).await.unwrap(), Some(changed.item));
}

async fn tagged_items_are_found_in_every_state(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let ben = author(&*test.store, "ben").await;
    let active = ada.create(&*test.store, note(&ada.space, "1").with_tags(&["a", "b"])).await;
    let archived = ada.create(&*test.store, note(&ada.space, "2").with_tags(&["b"])).await;
    let archived = ada.change(&*test.store, &archived, ada.archiving(&archived)).await.unwrap();
    let deleted = ada.create(&*test.store, note(&ada.space, "3").with_tags(&["b"])).await;
    let deleted = ada.change(&*test.store, &deleted, ada.deleting(&deleted)).await.unwrap();
    let his = ben.create(&*test.store, note(&ben.space, "4").with_tags(&["b"])).await;

    let tagged = async |spaces: &[SpaceId], word| {
        let mut items = test.store.tagged(spaces, &BTreeSet::from(Kind::ALL), &tag(word)).await.unwrap();
        items.sort_by_key(|item| item.id);
        items
    };
    let items = |samples: &[&Snapshot]| samples.iter().map(|sample| sample.item.clone()).collect::<Vec<_>>();
    assert_eq!(tagged(&[ada.space.id], "b").await, items(&[&active, &archived, &deleted]));
    assert_eq!(tagged(&[ada.space.id, ben.space.id], "b").await, items(&[&active, &archived, &deleted, &his]));
    assert_eq!(tagged(&[ada.space.id], "a").await, items(&[&active]));
    assert_eq!(tagged(&[ada.space.id], "c").await, []);
    assert_eq!(tagged(&[], "b").await, []);
}

async fn tags_of_deleted_items_are_changed_and_counted_when_they_come_back(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let made = ada.create(&*test.store, note(&ada.space, "1").with_tags(&["a"])).await;
    let deleted = ada.change(&*test.store, &made, ada.deleting(&made)).await.unwrap();
    let mut retagging = ada.retitling(&deleted, "1");
    retagging.after.fields.tags = tags(&["b"]);
    let retagged = ada.change(&*test.store, &deleted, retagging).await.unwrap();
    assert_eq!(counts(&*test.store, &[ada.space.id]).await, []);
    let found = test.store.tagged(&[ada.space.id], &BTreeSet::from(Kind::ALL), &tag("b")).await.unwrap();
    assert_eq!(found, std::slice::from_ref(&retagged.item));
    ada.change(&*test.store, &retagged, ada.restoring(&retagged)).await.unwrap();
    assert_eq!(counts(&*test.store, &[ada.space.id]).await, expected(&[("b", 1)]));
}

async fn a_tag_is_not_found_in_a_longer_one(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    ada.create(&*test.store, note(&ada.space, "1").with_tags(&["rust/async", "art"])).await;
    for word in ["rust", "async", "r", "ar"] {
        assert_eq!(test.store.tagged(&[ada.space.id], &BTreeSet::from(Kind::ALL), &tag(word)).await.unwrap(), []);
    }
}

async fn tags_are_those_of_the_kinds(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let note = ada.create(&*test.store, note(&ada.space, "1").with_tags(&["all", "note"])).await;
    let site = ada.create(&*test.store, bookmark(&ada.space, "https://e.org/").with_tags(&["all"])).await;
    ada.create(&*test.store, prompt(&ada.space, "p").with_tags(&["all", "prompt"])).await;
    for (kinds, counted) in [
        (&[Kind::Note][..], &[("all", 1), ("note", 1)][..]),
        (&[Kind::Note, Kind::Bookmark], &[("all", 2), ("note", 1)]),
        (&[], &[]),
    ] {
        let counts =
            test.store.tags(&[ada.space.id], &kinds.iter().copied().collect(), &NOT_DELETED.into()).await.unwrap();
        let counts: Vec<_> = counts.into_iter().map(|(tag, count)| (tag.as_str().to_owned(), count)).collect();
        assert_eq!(counts, expected(counted), "{kinds:?}");
    }
    let kinds = BTreeSet::from([Kind::Note, Kind::Bookmark]);
    let mut tagged = test.store.tagged(&[ada.space.id], &kinds, &tag("all")).await.unwrap();
    tagged.sort_by_key(|item| item.id);
    assert_eq!(tagged, [note.item, site.item]);
    assert_eq!(test.store.tagged(&[ada.space.id], &kinds, &tag("prompt")).await.unwrap(), []);
}

async fn tags_are_those_of_the_views(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    ada.create(&*test.store, note(&ada.space, "1").with_tags(&["a", "b"])).await;
    let archived = ada.create(&*test.store, note(&ada.space, "2").with_tags(&["b", "c"])).await;
    let archived = ada.change(&*test.store, &archived, ada.archiving(&archived)).await.unwrap();
    let deleted = ada.create(&*test.store, bookmark(&ada.space, "https://e.org/").with_tags(&["b", "d"])).await;
    ada.change(&*test.store, &deleted, ada.deleting(&deleted)).await.unwrap();
    for (views, counted) in [
        (&[View::Active][..], &[("a", 1), ("b", 1)][..]),
        (&[View::Archived], &[("b", 1), ("c", 1)]),
        (&[View::Deleted], &[("b", 1), ("d", 1)]),
        (&[View::Active, View::Deleted], &[("a", 1), ("b", 2), ("d", 1)]),
        (&[View::Active, View::Archived, View::Deleted], &[("a", 1), ("b", 3), ("c", 1), ("d", 1)]),
        (&[], &[]),
    ] {
        assert_eq!(counts_of(&*test.store, &[ada.space.id], views).await, expected(counted), "{views:?}");
    }
    // An archived item that is deleted counts as deleted, and as archived when it comes back.
    let deleted = ada.change(&*test.store, &archived, ada.deleting(&archived)).await.unwrap();
    assert_eq!(counts_of(&*test.store, &[ada.space.id], &[View::Archived]).await, []);
    ada.change(&*test.store, &deleted, ada.restoring(&deleted)).await.unwrap();
    assert_eq!(counts_of(&*test.store, &[ada.space.id], &[View::Archived]).await, expected(&[("b", 1), ("c", 1)]));
}
