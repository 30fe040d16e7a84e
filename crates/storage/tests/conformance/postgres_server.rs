//! Tests of PostgreSQL alone: lost connections, and servers with other settings.

use std::future::pending;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use interline_items::fair::Checkpoint;
use interline_items::search::{IndexStep, IndexStepResult};
use interline_items::{MemoryBudget, MemoryHolder, Outage, Retention, Store, StoreError};
use interline_storage::{OpenError, PostgresStore};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio_postgres::config::{Config, Host};

use crate::fixtures::authors::author;
use crate::fixtures::samples::{Sample, at, note};
use crate::fixtures::sql;
use crate::fixtures::test_store::{Database, TestStore, on_postgres};
use crate::history::versions::seconds;
use crate::search::consistency;

macro_rules! on_a_server {
    ($($name:ident),* $(,)?) => {
        mod postgres {
            $(#[test] fn $name() { super::on_postgres(super::$name); })*
        }
    };
}

on_a_server!(
    commits_are_synchronous_whatever_the_server_says,
    a_database_that_only_reads_is_unavailable,
    a_transaction_that_was_idle_for_too_long_is_unavailable,
    a_server_that_is_silent_is_unavailable_and_new_connections_are_made,
    a_connection_that_is_silent_to_a_probe_is_not_used_again,
    a_long_migration_elsewhere_is_waited_for,
    a_lost_connection_is_replaced,
    a_commit_that_is_cut_off_before_its_end_is_unavailable_and_changes_nothing,
    a_commit_whose_answer_is_lost_is_acknowledged,
    commits_that_lose_their_answers_together_are_acknowledged_soon,
    a_commit_that_nobody_can_be_asked_about_is_unknown,
    commits_that_wait_for_each_other_leave_connections_to_others,
    what_waited_for_another_that_forgets_leaves_what_is_kept,
    an_item_that_is_being_changed_does_not_keep_the_index_waiting,
    a_search_that_the_server_keeps_waiting_is_out_of_time,
    searches_that_nobody_waits_for_are_cancelled_and_their_connections_used_again,
    tls_that_the_server_does_not_speak_is_not_given_up,
    a_server_that_is_not_there_is_said_so,
);

/// How many connections a store has.
const CONNECTIONS: usize = 16;

fn url(test: &TestStore) -> &str {
    match &test.database {
        Database::Postgres { url } => url,
        Database::Sqlite { .. } => panic!("a server was expected"),
    }
}

/// The name of the database, as the last part of its URL's path.
fn name(test: &TestStore) -> String {
    let config: Config = url(test).parse().unwrap();
    config.get_dbname().unwrap().to_owned()
}

async fn commits_are_synchronous_whatever_the_server_says(test: TestStore) {
    test.execute(&format!("ALTER DATABASE {} SET synchronous_commit = off", name(&test))).await;
    test.execute(
        "CREATE FUNCTION tell() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                 INSERT INTO meta VALUES ('synchronous_commit', current_setting('synchronous_commit'));
                 RETURN NULL;
             END $$;
             CREATE TRIGGER tell AFTER INSERT ON items EXECUTE FUNCTION tell();",
    )
    .await;
    let store = test.database.open().await;
    let ada = author(&*store, "ada").await;
    ada.create(&*store, note(&ada.space, "Plan")).await;
    assert_eq!(test.rows("SELECT value FROM meta").await[0][0].text(), "on");
}

/// As a standby does after a failover, until it is promoted.
async fn a_database_that_only_reads_is_unavailable(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let made = ada.create(&*test.store, note(&ada.space, "Plan")).await;
    test.execute(&format!("ALTER DATABASE {} SET default_transaction_read_only = on", name(&test))).await;
    test.execute(END_OTHERS).await;
    for _ in 0..3 {
        let refused = test.store.commit(ada.creation(&note(&ada.space, "New")).into()).await;
        assert!(matches!(refused, Err(StoreError::Unavailable(_))), "{refused:?}");
    }
    assert_eq!(test.store.item(made.item.id).await.unwrap(), Some(made.item));
    let refused = test.store.commit(ada.creation(&note(&ada.space, "New")).into()).await;
    assert!(matches!(refused, Err(StoreError::Unavailable(_))), "{refused:?}");

    // A connection that was refused is not used again: new ones lead to a server that is written to.
    let reset = format!("ALTER DATABASE {} RESET default_transaction_read_only", name(&test));
    test.execute(&format!("BEGIN READ WRITE; {reset}; COMMIT")).await;
    test.store.commit(ada.creation(&note(&ada.space, "New")).into()).await.unwrap();
}

/// A transaction that was given up because its process hung can be carried out at another time.
async fn a_transaction_that_was_idle_for_too_long_is_unavailable(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    test.execute(
        "CREATE FUNCTION give_up() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                 RAISE EXCEPTION 'idle' USING ERRCODE = 'idle_in_transaction_session_timeout';
             END $$;
             CREATE TRIGGER give_up AFTER INSERT ON items EXECUTE FUNCTION give_up();",
    )
    .await;
    let refused = test.store.commit(ada.creation(&note(&ada.space, "New")).into()).await;
    assert!(matches!(refused, Err(StoreError::Unavailable(_))), "{refused:?}");
}

/// A server that is stopped keeps its connections open and says nothing. It takes the forty seconds that a store waits.
async fn a_server_that_is_silent_is_unavailable_and_new_connections_are_made(test: TestStore) {
    let way = Way::to(url(&test)).await;
    let store = PostgresStore::connect(&way.url).await.unwrap();
    let ada = author(&store, "ada").await;
    let made = ada.create(&store, note(&ada.space, "Plan")).await;
    let (one, two) = tokio::join!(store.users(), store.users());
    one.and(two).unwrap();

    way.is_silent.store(true, Ordering::SeqCst);
    let (read, written) =
        tokio::join!(store.item(made.item.id), store.commit(ada.creation(&note(&ada.space, "New")).into()));
    assert!(matches!(read, Err(StoreError::Unavailable(_))), "{read:?}");
    assert!(matches!(written, Err(StoreError::Unavailable(_))), "{written:?}");
    way.is_silent.store(false, Ordering::SeqCst);
    assert_eq!(store.item(made.item.id).await.unwrap(), Some(made.item));
}

/// The probe of the read alone meets the silence: a commit a moment ago shows that writes work.
async fn a_connection_that_is_silent_to_a_probe_is_not_used_again(test: TestStore) {
    let way = Way::to(url(&test)).await;
    let store = PostgresStore::connect(&way.url).await.unwrap();
    author(&store, "ada").await;
    way.is_silent.store(true, Ordering::SeqCst);
    assert_eq!(store.health().await.reads, Err(Outage::Unreachable));
    way.is_silent.store(false, Ordering::SeqCst);
    let asked = Instant::now();
    assert_eq!(store.users().await.unwrap().len(), 1);
    assert!(asked.elapsed() < Duration::from_secs(20), "{:?}", asked.elapsed());
}

/// A migration may take longer than any other lock is waited for.
async fn a_long_migration_elsewhere_is_waited_for(test: TestStore) {
    let holder = sql::connect(url(&test)).await;
    holder.batch_execute("BEGIN; SELECT pg_advisory_xact_lock(7449362051)").await.unwrap();
    let database = test.database.clone();
    let opening = tokio::spawn(async move { database.try_open().await.map(drop) });
    waiting_for_locks(&test, 1).await;
    holder.batch_execute("SELECT pg_sleep(11); COMMIT").await.unwrap();
    opening.await.unwrap().unwrap();
}

/// Ends every connection to the database but the one that says so.
const END_OTHERS: &str = "
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()";

async fn a_lost_connection_is_replaced(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let mut state = ada.create(&*test.store, note(&ada.space, "Plan").with_content("0")).await;
    for round in 1..=5 {
        test.execute(END_OTHERS).await;
        // The first to notice may be told that the storage is unavailable; soon everything works again.
        let mut tries = 0;
        state = loop {
            let write = ada.rewriting(&state, Some(&round.to_string()));
            match ada.change(&*test.store, &state, write).await {
                Ok(state) => break state,
                Err(StoreError::Unavailable(_)) if tries < 50 => tries += 1,
                Err(other) => panic!("{other}"),
            }
        };
    }
    assert_eq!(test.store.snapshot(state.item.id).await.unwrap(), Some(state));
}

/// The server ends the connection in the middle of the commit.
async fn a_commit_that_is_cut_off_before_its_end_is_unavailable_and_changes_nothing(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let made = ada.create(&*test.store, note(&ada.space, "Plan").with_content("old")).await;
    test.execute(
        "CREATE FUNCTION cut() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                 PERFORM pg_terminate_backend(pg_backend_pid());
                 RETURN NULL;
             END $$;
             CREATE CONSTRAINT TRIGGER cut AFTER INSERT ON events DEFERRABLE INITIALLY DEFERRED
                 FOR EACH ROW EXECUTE FUNCTION cut();",
    )
    .await;
    let refused = test.store.commit(ada.rewriting(&made, Some("new")).into()).await;
    assert!(matches!(refused, Err(StoreError::Unavailable(_))), "{refused:?}");
    assert_eq!(test.store.snapshot(made.item.id).await.unwrap(), Some(made));
}

/// The commit happens, and the connection is lost before the client hears of it: it must not be told that nothing was
/// changed.
async fn a_commit_whose_answer_is_lost_is_acknowledged(test: TestStore) {
    let way = Way::to(url(&test)).await;
    let store = PostgresStore::connect(&way.url).await.unwrap();
    let ada = author(&store, "ada").await;
    let made = ada.create(&store, note(&ada.space, "Plan").with_content("old")).await;

    way.cuts_left.store(1, Ordering::SeqCst);
    let changed = ada.change(&store, &made, ada.rewriting(&made, Some("new"))).await.unwrap();
    assert_eq!(way.cuts_left.load(Ordering::SeqCst), 0, "the answer was lost");
    assert_eq!(test.store.snapshot(made.item.id).await.unwrap(), Some(changed));
}

/// As many as there are connections: nobody is kept from asking by the others that ask.
async fn commits_that_lose_their_answers_together_are_acknowledged_soon(test: TestStore) {
    let way = Way::to(url(&test)).await;
    let store = Arc::new(PostgresStore::connect(&way.url).await.unwrap());
    let mut authors = Vec::new();
    for number in 0..CONNECTIONS {
        authors.push(author(&*test.store, &number.to_string()).await);
    }
    let holder = sql::connect(url(&test)).await;
    holder.batch_execute("BEGIN; SELECT FROM spaces FOR UPDATE").await.unwrap();
    way.cuts_left.store(CONNECTIONS, Ordering::SeqCst);
    let commits: Vec<_> = authors
        .into_iter()
        .map(|author| {
            let (store, write) = (Arc::clone(&store), author.creation(&note(&author.space, "Plan")));
            tokio::spawn(async move { store.commit(write.into()).await })
        })
        .collect();
    waiting_for_locks(&test, CONNECTIONS as i64).await;
    holder.batch_execute("COMMIT").await.unwrap();
    let released = Instant::now();
    for commit in commits {
        commit.await.unwrap().unwrap();
    }
    assert!(released.elapsed() < Duration::from_secs(5), "{:?}", released.elapsed());
    assert_eq!(way.cuts_left.load(Ordering::SeqCst), 0, "all answers were lost");
    assert_eq!(test.count("SELECT count(*) FROM items").await, CONNECTIONS as i64);
}

/// Of one user, whose item and space another process has locked.
async fn commits_that_wait_for_each_other_leave_connections_to_others(test: TestStore) {
    let (ada, bob) = (author(&*test.store, "ada").await, author(&*test.store, "bob").await);
    let plan = ada.create(&*test.store, note(&ada.space, "Plan")).await;
    let store = Arc::new(PostgresStore::connect(url(&test)).await.unwrap());
    let holder = sql::connect(url(&test)).await;
    let (space, item) = (ada.space.id.uuid(), plan.item.id);
    let lock = format!(
        "BEGIN; SELECT FROM spaces WHERE id = '{space}' FOR UPDATE; SELECT FROM items WHERE id = '{}' FOR UPDATE",
        item.uuid()
    );
    holder.batch_execute(&lock).await.unwrap();
    let budget = MemoryBudget::new(1_000_000, || None);
    let mut commits = JoinSet::new();
    for _ in 0..CONNECTIONS {
        let request = budget.request(MemoryHolder::User(ada.user.id));
        let (store, write) = (Arc::clone(&store), ada.creation(&note(&ada.space, "New")));
        let both = async move {
            let on_newest = store.commit_on_newest(item, Box::new(|_| None));
            let (committed, newest) = tokio::join!(store.commit(write.into()), on_newest);
            committed.and(newest.map(drop))
        };
        commits.spawn(async move { request.scope(both).await });
    }
    waiting_for_locks(&test, 4).await;
    let made = bob.create(&*store, note(&bob.space, "Other")).await;
    assert_eq!(store.item(made.item.id).await.unwrap(), Some(made.item));
    holder.batch_execute("COMMIT").await.unwrap();
    for committed in commits.join_all().await {
        committed.unwrap();
    }
}

/// The commit happens, its answer is lost, and there is no way to the server any more.
async fn a_commit_that_nobody_can_be_asked_about_is_unknown(test: TestStore) {
    let way = Way::to(url(&test)).await;
    let store = PostgresStore::connect(&way.url).await.unwrap();
    let ada = author(&store, "ada").await;
    let made = ada.create(&store, note(&ada.space, "Plan").with_content("old")).await;

    way.is_closed.store(true, Ordering::SeqCst);
    way.cuts_left.store(1, Ordering::SeqCst);
    let unknown = ada.change(&store, &made, ada.rewriting(&made, Some("new"))).await;
    assert!(matches!(unknown, Err(StoreError::Unknown(_))), "{unknown:?}");
    assert_eq!(test.store.item(made.item.id).await.unwrap().unwrap().stamp.version, 2);
    let refused = store.commit(ada.creation(&note(&ada.space, "New")).into()).await;
    assert!(matches!(refused, Err(StoreError::Unavailable(_))), "{refused:?}");
}

/// Both have begun before either forgets anything.
async fn what_waited_for_another_that_forgets_leaves_what_is_kept(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    seconds(&test, &ada, 30).await;
    let holder = sql::connect(url(&test)).await;
    holder.batch_execute("BEGIN; SELECT FROM items FOR UPDATE").await.unwrap();
    let keep = Retention { before: None, keep: Some(10) };
    let stores = [test.database.open().await, test.database.open().await];
    let forgetting = stores.map(|store| tokio::spawn(async move { store.forget_versions(keep, None).await }));
    waiting_for_locks(&test, 2).await;
    holder.batch_execute("COMMIT").await.unwrap();
    for one in forgetting {
        one.await.unwrap().unwrap();
    }
    assert_eq!(test.count("SELECT count(*) FROM versions").await, 10);
}

/// Returns when so many connections wait for a lock.
async fn waiting_for_locks(test: &TestStore, connections: i64) {
    while test.count(WAITING_FOR_LOCKS).await < connections {}
}

const WAITING_FOR_LOCKS: &str = "
    SELECT count(*) FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock'";

/// A way to a server that can lose the answers to commits.
struct Way {
    url: String,
    /// How many more answers to a `COMMIT` are lost.
    cuts_left: Arc<AtomicUsize>,
    /// Whether new connections find nobody.
    is_closed: Arc<AtomicBool>,
    /// Whether what the server says on a connection stays away, from then on.
    is_silent: Arc<AtomicBool>,
}

impl Way {
    async fn to(server: &str) -> Way {
        let config: Config = server.parse().unwrap();
        let [Host::Tcp(host)] = config.get_hosts() else { panic!("a server at a TCP address") };
        let address = format!("{host}:{}", config.get_ports().first().unwrap_or(&5432));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = server.replace(&address, &listener.local_addr().unwrap().to_string());
        assert_ne!(url, server, "the address is part of the URL");
        let cuts_left = Arc::new(AtomicUsize::new(0));
        let is_closed = Arc::new(AtomicBool::new(false));
        let is_silent = Arc::new(AtomicBool::new(false));
        let (cuts, closed, silent) = (Arc::clone(&cuts_left), Arc::clone(&is_closed), Arc::clone(&is_silent));
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                if closed.load(Ordering::SeqCst) {
                    continue;
                }
                let server = TcpStream::connect(&address).await.unwrap();
                tokio::spawn(relay(client, server, Arc::clone(&cuts), Arc::clone(&silent)));
            }
        });
        Way { url, cuts_left, is_closed, is_silent }
    }
}

/// Passes bytes on in both directions, until a commit's answer is lost.
async fn relay(
    mut client: TcpStream,
    mut server: TcpStream,
    cuts_left: Arc<AtomicUsize>,
    is_silent: Arc<AtomicBool>,
) -> io::Result<()> {
    let (mut sent, mut answered) = (vec![0; 1 << 16], vec![0; 1 << 16]);
    let mut cut = false;
    loop {
        tokio::select! {
            length = client.read(&mut sent) => {
                let length = length?;
                if length == 0 {
                    return Ok(());
                }
                if sent[..length].windows(6).any(|bytes| bytes == b"COMMIT") {
                    cut = cuts_left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_ok();
                }
                server.write_all(&sent[..length]).await?;
            }
            length = server.read(&mut answered) => {
                let length = length?;
                // Both ends are closed here: the answer has come this far, so the commit has happened.
                if cut || length == 0 {
                    return Ok(());
                }
                if is_silent.load(Ordering::SeqCst) {
                    pending::<()>().await;
                }
                client.write_all(&answered[..length]).await?;
            }
        }
    }
}

async fn an_item_that_is_being_changed_does_not_keep_the_index_waiting(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let changing = ada.create(&*test.store, note(&ada.space, "Plan")).await;
    ada.create(&*test.store, note(&ada.space, "Other")).await;
    let other = sql::connect(url(&test)).await;
    let lock = format!("BEGIN; SELECT FROM stale_items WHERE item = '{}' FOR UPDATE", changing.item.id.uuid());
    other.batch_execute(&lock).await.unwrap();
    let step = IndexStep { unchanged_since: at(1) };
    assert_eq!(test.store.index(step).await.unwrap(), IndexStepResult::Added { items: 2, stale: 0 });
    assert_eq!(test.count("SELECT count(*) FROM stale_items").await, 1);
    other.batch_execute("COMMIT").await.unwrap();
    assert_eq!(test.store.index(step).await.unwrap(), IndexStepResult::Added { items: 1, stale: 0 });
    assert_eq!(test.store.check().await.unwrap().total_problems, 0);
}

async fn a_search_that_the_server_keeps_waiting_is_out_of_time(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let other = sql::connect(url(&test)).await;
    other.batch_execute("BEGIN; LOCK TABLE stale_items").await.unwrap();
    let mut query = consistency::query(&ada.space, "plan");
    query.checkpoint = Checkpoint::until(Instant::now() + Duration::from_millis(200));
    let late = test.store.search(&query).await;
    assert!(matches!(late, Err(StoreError::OutOfTime)), "{late:?}");
}

/// The search waits for a lock when it is abandoned, again and again.
async fn searches_that_nobody_waits_for_are_cancelled_and_their_connections_used_again(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let other = sql::connect(url(&test)).await;
    other.batch_execute("BEGIN; LOCK TABLE stale_items").await.unwrap();
    let mut opened = Vec::new();
    for _ in 0..40 {
        let (store, query) = (Arc::clone(&test.store), consistency::query(&ada.space, "plan"));
        let searching = tokio::spawn(async move { store.search(&query).await });
        waiting_for_locks(&test, 1).await;
        opened.push(test.count(LAST_OPENED).await);
        searching.abort();
        while test.count(WAITING_FOR_LOCKS).await > 0 {}
    }
    opened.dedup();
    // A search may begin before the connection of the one before is free again.
    assert!(opened.len() < 10, "connections were opened one after the other: {opened:?}");
    other.batch_execute("COMMIT").await.unwrap();
    // The cancellation hits nothing that comes after it.
    for _ in 0..20 {
        test.store.search(&consistency::query(&ada.space, "plan")).await.unwrap();
    }
}

/// When the newest connection of a store was opened.
const LAST_OPENED: &str = "
    SELECT (extract(epoch FROM max(backend_start)) * 1000000)::bigint FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = 'interline'";

async fn tls_that_the_server_does_not_speak_is_not_given_up(test: TestStore) {
    let separator = if url(&test).contains('?') { "&" } else { "?" };
    for mode in ["require", "verify-full"] {
        let url = format!("{}{separator}sslmode={mode}", url(&test));
        let Err(refused) = PostgresStore::connect(&url).await else { panic!("connected without TLS") };
        assert!(matches!(&refused, OpenError::Postgres { message, .. } if message.contains("TLS")), "{refused}");
    }
}

async fn a_server_that_is_not_there_is_said_so(_: TestStore) {
    for url in ["postgres://127.0.0.1:1/nothing", "postgres://%", "not a url"] {
        let Err(refused) = PostgresStore::connect(url).await else { panic!("connected to {url}") };
        assert!(matches!(refused, OpenError::Postgres { .. }), "{refused}");
    }
}
