//! Opening stores: on new databases, old ones, newer ones, and several at once.

use interline_storage::OpenError;
use tokio::task::JoinSet;

use crate::fixtures::authors::author;
use crate::fixtures::samples::note;
use crate::fixtures::test_store::{Database, TestStore};

on_both!(
    processes_that_open_a_new_database_together_all_get_it,
    an_open_database_can_be_opened_again,
    a_newer_database_is_refused_and_left_alone,
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
        Database::Sqlite { .. } => ("PRAGMA user_version = 999", "PRAGMA user_version = 7"),
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
