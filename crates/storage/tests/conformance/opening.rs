//! Opening stores: on new databases, old ones, newer ones, and several at once.

use std::collections::BTreeSet;

use interline_items::{
    ChangeSetRef, CodeKind, Contents, HistoryQuery, ListQuery, ReviewState, Snapshot, Sort, SortBy, SortOrder, Store,
};
use interline_storage::OpenError;
use tokio::task::JoinSet;

use crate::fixtures::authors::author;
use crate::fixtures::list_oracle::sorted;
use crate::fixtures::samples::{bookmark, file, note, prompt};
use crate::fixtures::test_store::{Database, TestStore};
use crate::items::lists::everything;

on_both!(
    processes_that_open_a_new_database_together_all_get_it,
    an_open_database_can_be_opened_again,
    a_newer_database_is_refused_and_left_alone,
    items_of_an_older_program_are_sorted_by_what_they_are_called,
);

async fn processes_that_open_a_new_database_together_all_get_it(test: TestStore) {
    let TestStore { store, database } = test;
    drop(store);
    let database = database.emptied().await;
    let mut opening: JoinSet<_> = (0..8)
        .map(|_| {
            let database = database.clone();
            async move { database.open().await }
        })
        .collect();
    let mut stores = Vec::new();
    while let Some(store) = opening.join_next().await {
        stores.push(store.unwrap());
    }
    let ada = author(&*stores[0], "ada").await;
    for store in stores {
        assert_eq!(store.users().await.unwrap(), std::slice::from_ref(&ada.user));
    }
}

async fn an_open_database_can_be_opened_again(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let made = ada.create(&*test.store, note(&ada.space, "Plan")).await;
    for _ in 0..3 {
        let again = test.database.open().await;
        assert_eq!(again.item(made.item.id).await.unwrap(), Some(made.item.clone()));
    }
}

async fn a_newer_database_is_refused_and_left_alone(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let (newer, as_it_was) = match test.database {
        Database::Sqlite { .. } => ("PRAGMA user_version = 999", "PRAGMA user_version = 13"),
        Database::Postgres { .. } => (
            "INSERT INTO migrations (name) VALUES ('9999_from_the_future')",
            "DELETE FROM migrations WHERE name = '9999_from_the_future'",
        ),
    };
    test.execute(newer).await;
    let Err(refused) = test.database.try_open().await else { panic!("a newer database was opened") };
    assert!(matches!(refused, OpenError::Newer(_)), "{refused:?}");
    assert!(refused.to_string().contains("newer version"), "{refused}");

    test.execute(as_it_was).await;
    assert_eq!(test.database.open().await.users().await.unwrap(), [ada.user]);
}

async fn items_of_an_older_program_are_sorted_by_what_they_are_called(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let mut all = Vec::new();
    for sample in [
        note(&ada.space, "httpx"),
        bookmark(&ada.space, "https://e.org/Z"),
        bookmark(&ada.space, "https://e.org/a"),
        prompt(&ada.space, "lib"),
        file(&ada.space, CodeKind::Module, "Lib/Äther.py", "x = 1\n"),
    ] {
        all.push(ada.create(&*test.store, sample).await);
    }
    // It sorted by titles alone.
    test.execute("UPDATE items SET title_key = NULL WHERE title IS NULL").await;
    let as_it_was = match test.database {
        Database::Sqlite { .. } => {
            "DROP INDEX items_by_archival; DROP INDEX items_in_trash; DROP INDEX items_in_partition;
             DROP INDEX apps_by_slug; DROP INDEX apps_of_slug; DROP INDEX apps_by_deletion;
             DROP INDEX app_version_files_by_hash; ALTER TABLE apps DROP COLUMN deleted_at;
             ALTER TABLE apps DROP COLUMN is_purging; ALTER TABLE versions DROP COLUMN merged_base;
             DROP TABLE proposals; ALTER TABLE tokens DROP COLUMN writes; ALTER TABLE versions DROP COLUMN accepted;
             DROP TABLE changed_items; DROP TABLE change_set_names; DROP TABLE purged_changes;
             ALTER TABLE tokens DROP COLUMN author; ALTER TABLE versions DROP COLUMN change_set;
             ALTER TABLE versions DROP COLUMN client_name; ALTER TABLE versions DROP COLUMN client_version;
             ALTER TABLE versions DROP COLUMN reason; ALTER TABLE versions DROP COLUMN author;
             ALTER TABLE versions DROP COLUMN undoes;
             ALTER TABLE versions DROP COLUMN lines_added; ALTER TABLE versions DROP COLUMN lines_removed;
             ALTER TABLE events DROP COLUMN user; ALTER TABLE events DROP COLUMN token; ALTER TABLE events DROP COLUMN client_name;
             ALTER TABLE events DROP COLUMN client_version; ALTER TABLE events DROP COLUMN reason;
             ALTER TABLE events DROP COLUMN change_set;
             ALTER TABLE deliveries DROP COLUMN user; ALTER TABLE deliveries DROP COLUMN token; ALTER TABLE deliveries DROP COLUMN client_name;
             ALTER TABLE deliveries DROP COLUMN client_version; ALTER TABLE deliveries DROP COLUMN reason;
             ALTER TABLE deliveries DROP COLUMN change_set;
             DROP TABLE import_sources; DROP INDEX items_in_space; ALTER TABLE items DROP COLUMN front_matter;
             ALTER TABLE versions DROP COLUMN imported_from;
             CREATE UNIQUE INDEX apps_by_slug ON apps (slug, coalesce(organization, X''));
             PRAGMA user_version = 6"
        }
        Database::Postgres { .. } => "DELETE FROM migrations WHERE name = '0007_sort_keys'",
    };
    test.execute(as_it_was).await;
    let store = test.database.open().await;
    let sort = Sort { by: SortBy::Title, order: SortOrder::Ascending };
    let query = ListQuery { sort, ..everything(&ada.space, Contents::Omit) };
    assert_eq!(store.list(&query).await.unwrap().items, sorted(&all, &query));
    if let Database::Sqlite { .. } = test.database {
        old_changes_are_a_set_each_and_reviewed(&*store, &all).await;
    }
}

/// Of a store from before there were change sets.
async fn old_changes_are_a_set_each_and_reviewed(store: &dyn Store, all: &[Snapshot]) {
    let mut sets = BTreeSet::new();
    for old in all {
        let page = store.versions(old.item.id, HistoryQuery { offset: 0, limit: 10 }).await.unwrap();
        let [record] = page.records.as_slice() else { panic!("{page:?}") };
        assert_eq!((record.review, record.attribution.client.name()), (ReviewState::Kept, "unknown"));
        let set = record.attribution.change_set;
        assert_eq!(ChangeSetRef::from_generated(set.id), Some(set), "its identifier tells when it was begun");
        sets.insert(set);
    }
    assert_eq!(sets.len(), all.len());
}
