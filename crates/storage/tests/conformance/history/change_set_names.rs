//! `name_change_set`, `named_change_set`, `forget_change_set_names`; `purged_items`, `forget_purged_items`: what is known of sets
//! beside their records.

use std::collections::BTreeSet;

use interline_items::{Action, ChangeSetId, ChangeSetRef, Kind, NamedChangeSet, Visibility};

use super::change_sets::{by_agent, everything, made_in, set};
use crate::fixtures::authors::{Author, author};
use crate::fixtures::samples::at;
use crate::fixtures::test_store::TestStore;

on_both!(
    a_name_is_given_once,
    names_without_records_are_forgotten,
    purged_items_of_a_set_are_known_until_they_are_forgotten,
);

fn named(author: &Author, minute: i64) -> NamedChangeSet {
    let id = ChangeSetId::from_uuid(uuid::Uuid::now_v7());
    let set = ChangeSetRef { begun_at: at(minute), id };
    NamedChangeSet { set, user: author.user.id, token: Some(author.token.token.id) }
}

async fn a_name_is_given_once(test: TestStore) {
    let store = &*test.store;
    let (ada, bob) = (author(store, "ada").await, author(store, "bob").await);
    let first = named(&ada, 1);
    assert_eq!(store.named_change_set(first.set.id).await.unwrap(), None);
    assert_eq!(store.name_change_set(&first).await.unwrap(), first);
    let later = ChangeSetRef { begun_at: at(2), ..first.set };
    let second = NamedChangeSet { set: later, user: bob.user.id, token: None };
    assert_eq!(store.name_change_set(&second).await.unwrap(), first);
    assert_eq!(store.named_change_set(first.set.id).await.unwrap(), Some(first));
}

async fn names_without_records_are_forgotten(test: TestStore) {
    let store = &*test.store;
    let ada = author(store, "ada").await;
    let (used, unused, new) = (named(&ada, 1), named(&ada, 1), named(&ada, 5));
    for name in [&used, &unused, &new] {
        store.name_change_set(name).await.unwrap();
    }
    let item = made_in(store, &ada, used.set).await;
    assert_eq!(store.forget_change_set_names(at(5)).await.unwrap(), 1);
    assert_eq!(store.named_change_set(unused.set.id).await.unwrap(), None);
    for name in [&used, &new] {
        assert_eq!(store.named_change_set(name.set.id).await.unwrap().as_ref(), Some(name));
    }
    store.purge(item.item.id, item.item.stamp, ada.record(Action::Delete, at(9)), None).await.unwrap();
    assert_eq!(store.forget_change_set_names(at(5)).await.unwrap(), 1);
    assert_eq!(store.named_change_set(used.set.id).await.unwrap(), None);
}

async fn purged_items_of_a_set_are_known_until_they_are_forgotten(test: TestStore) {
    let store = &*test.store;
    let (ada, bob) = (author(store, "ada").await, author(store, "bob").await);
    let (first, second) = (set(1), set(2));
    let item = made_in(store, &ada, first).await;
    let item = ada.change(store, &item, by_agent(ada.retitling(&item, "Next"), second)).await.unwrap();
    let other = made_in(store, &ada, first).await;
    assert_eq!(store.purged_items(first, &everything(&ada)).await.unwrap(), []);
    for (item, minute) in [(&item, 10), (&other, 20)] {
        store.purge(item.item.id, item.item.stamp, ada.record(Action::Delete, at(minute)), None).await.unwrap();
    }
    let mut both = vec![item.item.id, other.item.id];
    both.sort();
    assert_eq!(store.purged_items(first, &everything(&ada)).await.unwrap(), both);
    assert_eq!(store.purged_items(second, &everything(&ada)).await.unwrap(), [item.item.id]);
    assert_eq!(store.purged_items(first, &everything(&bob)).await.unwrap(), []);
    let prompts = Visibility::new(BTreeSet::from([ada.space.id]), BTreeSet::from([Kind::Prompt]));
    assert_eq!(store.purged_items(first, &prompts).await.unwrap(), []);
    assert_eq!(store.forget_purged_items(at(20)).await.unwrap(), 2);
    assert_eq!(store.purged_items(first, &everything(&ada)).await.unwrap(), [other.item.id]);
}
