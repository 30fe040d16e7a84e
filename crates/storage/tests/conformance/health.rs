//! `health`, and database files that are removed or replaced while they are open.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use interline_items::{Outage, Store, StoreError, StoreHealth};

use crate::fixtures::authors::{Author, author};
use crate::fixtures::samples::note;
use crate::fixtures::sql;
use crate::fixtures::test_store::{Database, TestStore, on_postgres, on_sqlite};

on_both!(a_store_that_works_is_healthy, a_probe_changes_nothing_that_anyone_sees);

/// Longer than a store takes to notice anything.
const PATIENCE: Duration = Duration::from_secs(30);

const HEALTHY: StoreHealth = StoreHealth { reads: Ok(()), writes: Ok(()) };

async fn a_store_that_works_is_healthy(test: TestStore) {
    assert_eq!(test.store.health().await, HEALTHY);
    let ada = author(&*test.store, "ada").await;
    ada.create(&*test.store, note(&ada.space, "Plan")).await;
    assert_eq!(test.store.health().await, HEALTHY);
}

async fn a_probe_changes_nothing_that_anyone_sees(test: TestStore) {
    let events = "SELECT count(*) FROM events";
    let before = test.count(events).await;
    for _ in 0..3 {
        assert_eq!(test.store.health().await, HEALTHY);
    }
    assert_eq!(test.count(events).await, before);
    assert_eq!(test.store.check().await.unwrap().total_problems, 0);
}

/// Waits until the store says this.
async fn until_healthy(store: &dyn Store, expected: StoreHealth) {
    let start = Instant::now();
    loop {
        let health = store.health().await;
        if health == expected {
            return;
        }
        assert!(start.elapsed() < PATIENCE, "{health:?} instead of {expected:?}");
        tokio::task::yield_now().await;
    }
}

macro_rules! on_one {
    ($module:ident, $run:path: $($name:ident),* $(,)?) => {
        mod $module {
            $(#[test] fn $name() { $run(super::$name); })*
        }
    };
}

on_one!(
    files, super::on_sqlite:
    a_removed_file_is_noticed_before_the_next_acknowledgement,
    a_removed_directory_is_noticed,
    a_replaced_file_is_noticed,
    a_removed_log_is_noticed,
    a_file_that_comes_back_is_served_again,
    nothing_is_acknowledged_after_a_removal_with_writes_in_flight,
    a_write_lock_held_elsewhere_is_shown,
);

fn file(test: &TestStore) -> &Path {
    match &test.database {
        Database::Sqlite { file } => file,
        Database::Postgres { .. } => panic!("a test of files"),
    }
}

fn beside(file: &Path, ending: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// Writes are refused, and so are reads as soon as that is known.
async fn refuses_everything(store: &dyn Store, ada: &Author) {
    for _ in 0..3 {
        let refused = store.commit(ada.creation(&note(&ada.space, "lost")).into()).await;
        assert!(matches!(refused, Err(StoreError::Unavailable(_))), "{refused:?}");
        let unread = store.users().await;
        assert!(matches!(unread, Err(StoreError::Unavailable(_))), "{unread:?}");
    }
    assert_eq!(store.health().await, StoreHealth::failing(Outage::FilesMoved));
}

async fn a_removed_file_is_noticed_before_the_next_acknowledgement(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    std::fs::remove_file(file(&test)).unwrap();
    refuses_everything(&*test.store, &ada).await;
    assert!(!file(&test).exists(), "nothing was made in its place");
}

async fn a_removed_directory_is_noticed(test: TestStore) {
    let directory = file(&test).with_file_name("inside");
    std::fs::create_dir(&directory).unwrap();
    let database = Database::Sqlite { file: directory.join("interline.db") };
    let store = database.open().await;
    let ada = author(&*store, "ada").await;
    std::fs::remove_dir_all(&directory).unwrap();
    refuses_everything(&*store, &ada).await;
}

async fn a_replaced_file_is_noticed(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let copy = beside(file(&test), ".copy");
    std::fs::copy(file(&test), &copy).unwrap();
    std::fs::rename(&copy, file(&test)).unwrap();
    refuses_everything(&*test.store, &ada).await;
}

async fn a_removed_log_is_noticed(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    std::fs::remove_file(beside(file(&test), "-wal")).unwrap();
    refuses_everything(&*test.store, &ada).await;
}

async fn a_file_that_comes_back_is_served_again(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let made = ada.create(&*test.store, note(&ada.space, "kept")).await;
    let aside = beside(file(&test), ".aside");
    std::fs::rename(file(&test), &aside).unwrap();
    refuses_everything(&*test.store, &ada).await;
    std::fs::rename(&aside, file(&test)).unwrap();
    let after = ada.create(&*test.store, note(&ada.space, "after")).await;
    until_healthy(&*test.store, HEALTHY).await;
    for kept in [made, after] {
        assert_eq!(test.store.item(kept.item.id).await.unwrap(), Some(kept.item));
    }
    assert_eq!(test.count("SELECT count(*) FROM items").await, 2);
    assert_eq!(test.store.check().await.unwrap().total_problems, 0);
}

async fn nothing_is_acknowledged_after_a_removal_with_writes_in_flight(test: TestStore) {
    let ada = Arc::new(author(&*test.store, "ada").await);
    let is_removed = Arc::new(AtomicBool::new(false));
    let writers: Vec<_> = (0..8)
        .map(|_| {
            let (store, ada, is_removed) = (Arc::clone(&test.store), Arc::clone(&ada), Arc::clone(&is_removed));
            tokio::spawn(async move {
                let mut refused = 0;
                while refused < 5 {
                    let began_after = is_removed.load(Ordering::SeqCst);
                    let written = store.commit(ada.creation(&note(&ada.space, "x")).into()).await;
                    assert!(!began_after || written.is_err(), "acknowledged after the removal");
                    refused += usize::from(written.is_err());
                }
            })
        })
        .collect();
    let commits = "SELECT count(*) FROM items";
    while test.count(commits).await < 20 {}
    std::fs::remove_file(file(&test)).unwrap();
    is_removed.store(true, Ordering::SeqCst);
    for writer in writers {
        writer.await.unwrap();
    }
}

async fn a_write_lock_held_elsewhere_is_shown(test: TestStore) {
    let other = rusqlite::Connection::open(file(&test)).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    until_healthy(&*test.store, StoreHealth { reads: Ok(()), writes: Err(Outage::Locked) }).await;
    other.execute_batch("ROLLBACK").unwrap();
    until_healthy(&*test.store, HEALTHY).await;
}

on_one!(
    server, super::on_postgres:
    a_database_that_only_reads_is_shown,
    locked_tables_are_shown,
    a_server_that_is_gone_is_shown,
);

fn url(test: &TestStore) -> &str {
    match &test.database {
        Database::Postgres { url } => url,
        Database::Sqlite { .. } => panic!("a test of a server"),
    }
}

/// Ends every connection to the database but the one that says so.
const END_OTHERS: &str = "
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()";

async fn a_database_that_only_reads_is_shown(test: TestStore) {
    let name = url(&test).rsplit('/').next().unwrap().split('?').next().unwrap().to_owned();
    test.execute(&format!("ALTER DATABASE {name} SET default_transaction_read_only = on")).await;
    test.execute(END_OTHERS).await;
    until_healthy(&*test.store, StoreHealth { reads: Ok(()), writes: Err(Outage::ReadOnly) }).await;
    test.execute(&format!("BEGIN READ WRITE; ALTER DATABASE {name} RESET default_transaction_read_only; COMMIT")).await;
    until_healthy(&*test.store, HEALTHY).await;
}

async fn locked_tables_are_shown(test: TestStore) {
    let holder = sql::connect(url(&test)).await;
    holder.batch_execute("BEGIN; LOCK TABLE items IN SHARE MODE").await.unwrap();
    until_healthy(&*test.store, StoreHealth { reads: Ok(()), writes: Err(Outage::Locked) }).await;
    holder.batch_execute("LOCK TABLE items").await.unwrap();
    until_healthy(&*test.store, StoreHealth::failing(Outage::Locked)).await;
    holder.batch_execute("COMMIT").await.unwrap();
    until_healthy(&*test.store, HEALTHY).await;
}

async fn a_server_that_is_gone_is_shown(test: TestStore) {
    let name = url(&test).rsplit('/').next().unwrap().split('?').next().unwrap().to_owned();
    let (away, server) = (format!("{name}_away"), sql::test_server());
    // A database that is renamed takes no connections by its name.
    test.execute(END_OTHERS).await;
    let renamed = async |from: &str, to: &str| {
        let end = format!("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{from}'");
        sql::on_server(&server, &end).await;
        sql::on_server(&server, &format!("ALTER DATABASE {from} RENAME TO {to}")).await;
    };
    renamed(&name, &away).await;
    let health = test.store.health().await;
    assert!(health.reads.is_err() && health.writes.is_err(), "{health:?}");
    renamed(&away, &name).await;
    until_healthy(&*test.store, HEALTHY).await;
}
