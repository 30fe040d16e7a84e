//! Tests of the writer thread: groups of writes, and what happens to them when the disk fails.

use std::sync::atomic::AtomicBool;

use interline_items::worker_restarts;
use tokio::runtime::Runtime;

use super::*;

fn database() -> WriteConnection {
    database_that_refuses(|| false)
}

/// A database whose commits fail as long as `refuses`.
fn database_that_refuses(refuses: impl FnMut() -> bool + Send + 'static) -> WriteConnection {
    let mut connection = Connection::open_in_memory().unwrap();
    connection.execute_batch("CREATE TABLE notes (text TEXT UNIQUE)").unwrap();
    connection.commit_hook(Some(refuses)).unwrap();
    WriteConnection::new(Path::new(":memory:"), connection, ProcessLock::none())
}

fn unbounded_write<T, W>(work: W) -> (Box<dyn QueuedWrite>, oneshot::Receiver<Result<T, Failure>>)
where
    T: Send + 'static,
    W: FnOnce(&mut CommitGroup<'_>) -> Result<T, Failure> + Send + 'static,
{
    queued_write(QueueBound::new(QUEUE_LIMITS).enter(0).unwrap(), work)
}

fn insert(text: &str) -> (Box<dyn QueuedWrite>, oneshot::Receiver<Result<(), Failure>>) {
    let text = text.to_owned();
    unbounded_write(move |group: &mut CommitGroup<'_>| {
        let connection = group.connection();
        connection.execute("INSERT INTO notes VALUES ('first of two, ' || ?1)", [&text])?;
        connection.execute("INSERT INTO notes VALUES (?1)", [&text])?;
        Ok(())
    })
}

/// Runs writes that wait together, and returns their answers.
fn write(connection: &mut WriteConnection, texts: &[&str]) -> (Vec<Result<(), StoreError>>, Counters) {
    let (writes, answers): (Vec<_>, Vec<_>) = texts.iter().map(|text| insert(text)).unzip();
    let counters = serve_all(connection, writes);
    let results = answers.into_iter().map(|answer| answer.blocking_recv().unwrap().map_err(StoreError::from));
    (results.collect(), counters)
}

/// Without a time limit, however slow the machine is.
const NO_HURRY: Limits = Limits { time: Duration::MAX, ..LIMITS };

fn serve_all(connection: &mut WriteConnection, writes: Vec<Box<dyn QueuedWrite>>) -> Counters {
    serve_within(connection, writes, NO_HURRY)
}

fn serve_within(connection: &mut WriteConnection, writes: Vec<Box<dyn QueuedWrite>>, limits: Limits) -> Counters {
    let (sender, receiver) = channel();
    writes.into_iter().for_each(|write| sender.send(write).unwrap());
    drop(sender);
    let shared = Arc::new(Shared::default());
    run_writer(connection, &receiver, &shared, limits);
    let (files, probe) = (Arc::clone(connection.files()), Arc::new(Semaphore::new(1)));
    let queue = QueueBound::new(QUEUE_LIMITS);
    Writer { writes: None, thread: None, queue, shared, files, probe }.counters()
}

fn rows(connection: &WriteConnection) -> i64 {
    connection.connection().query_row("SELECT count(*) FROM notes", [], |row| row.get(0)).unwrap()
}

#[test]
fn jobs_that_wait_together_share_a_commit() {
    let mut connection = database();
    let (results, counters) = write(&mut connection, &["a", "b", "c"]);
    assert!(results.iter().all(Result::is_ok), "{results:?}");
    assert_eq!(counters, Counters { commits: 1, acknowledged: 3, contents: 0 });
    assert_eq!(rows(&connection), 6);
}

#[test]
fn a_group_ends_when_it_takes_too_long() {
    let mut connection = database();
    let (writes, answers): (Vec<_>, Vec<_>) = ["a", "b", "c"].into_iter().map(insert).unzip();
    let counters = serve_within(&mut connection, writes, Limits { time: Duration::ZERO, ..LIMITS });
    assert_eq!(counters, Counters { commits: 3, acknowledged: 3, contents: 0 });
    answers.into_iter().for_each(|answer| assert!(answer.blocking_recv().unwrap().is_ok()));
    assert_eq!(rows(&connection), 6);
}

#[test]
fn a_group_ends_when_its_contents_are_too_long() {
    // Contents of 6 bytes in all, of which the second write takes 3 back, and the fourth replaces 3.
    let put = |number, text: &'static str, outcome: fn() -> Result<(), Failure>| {
        unbounded_write(move |group: &mut CommitGroup<'_>| {
            group.connection().execute("INSERT INTO notes VALUES (?1)", [text])?;
            group.put_content(number, Some(text.into()));
            outcome()
        })
        .0
    };
    let fails = || Err(unavailable("no").into());
    let writes = || {
        vec![
            put(1, "one", || Ok(())),
            put(2, "two", fails),
            put(3, "six", || Ok(())),
            put(1, "ten", || Ok(())),
            put(4, "end", || Ok(())),
        ]
    };
    let done_within = |bytes| {
        let connection = database();
        let mut group = CommitGroup::new(connection.connection());
        write_each(&mut group, &mut writes(), Limits { bytes, ..NO_HURRY }).unwrap()
    };
    assert_eq!(done_within(3), (1, 1));
    assert_eq!(done_within(6), (3, 2));
    assert_eq!(done_within(7), (5, 4));
}

#[test]
fn a_job_that_fails_is_undone_alone() {
    let mut connection = database();
    connection.connection().execute("INSERT INTO notes VALUES ('b')", []).unwrap();
    let (results, counters) = write(&mut connection, &["a", "b", "c"]);
    assert!(matches!(results[..], [Ok(()), Err(StoreError::Failed(_)), Ok(())]), "{results:?}");
    assert_eq!(counters, Counters { commits: 1, acknowledged: 2, contents: 0 });
    assert_eq!(rows(&connection), 5);
}

#[test]
fn a_group_that_changes_nothing_needs_no_commit() {
    let mut connection = database();
    connection.connection().execute("INSERT INTO notes VALUES ('a')", []).unwrap();
    for texts in [&["a"][..], &["a", "a"]] {
        let (results, counters) = write(&mut connection, texts);
        assert!(results.iter().all(Result::is_err), "{results:?}");
        assert_eq!(counters, Counters { commits: 0, acknowledged: 0, contents: 0 });
    }
    assert_eq!(rows(&connection), 1);
}

#[test]
fn no_job_is_acknowledged_when_the_commit_fails() {
    let refuses = Arc::new(AtomicBool::new(true));
    let asked = Arc::clone(&refuses);
    let mut connection = database_that_refuses(move || asked.load(Ordering::SeqCst));
    for texts in [&["a"][..], &["a", "b"]] {
        let (results, counters) = write(&mut connection, texts);
        assert!(results.iter().all(|result| matches!(result, Err(StoreError::Unavailable(_)))), "{results:?}");
        assert_eq!(counters, Counters { commits: 0, acknowledged: 0, contents: 0 });
    }
    assert_eq!(rows(&connection), 0);
    refuses.store(false, Ordering::SeqCst);
    assert!(write(&mut connection, &["a"]).0[0].is_ok());
}

#[test]
fn a_full_disk_is_unavailable_until_there_is_room() {
    let mut connection = database();
    let long = "long".repeat(100_000);
    connection.connection().pragma_update(None, "max_page_count", 20).unwrap();
    for texts in [&[long.as_str()][..], &["a", &long, "b"]] {
        let (results, _) = write(&mut connection, texts);
        let refused = results.iter().filter(|result| matches!(result, Err(StoreError::Unavailable(_)))).count();
        assert!(refused > 0, "{results:?}");
        assert_eq!(rows(&connection), 2 * (results.len() - refused) as i64);
        connection.connection().execute("DELETE FROM notes", []).unwrap();
    }
    connection.connection().pragma_update(None, "max_page_count", 2000).unwrap();
    assert!(write(&mut connection, &[&long]).0[0].is_ok());
}

#[test]
fn a_job_runs_though_its_caller_has_gone() {
    let mut connection = database();
    let (unheard, answer) = insert("a");
    drop(answer);
    assert_eq!(serve_all(&mut connection, vec![unheard]), Counters { commits: 1, acknowledged: 1, contents: 0 });
    assert_eq!(rows(&connection), 2);
}

const FAILED_SYNC: i32 = rusqlite::ffi::SQLITE_IOERR_FSYNC;

/// A store's file with the table of these tests, and a connection whose commits with these numbers (0 is the first) end
/// like a failed sync: undone by SQLite, or in the file after all.
fn on_a_disk(
    directory: &Path,
    failing: std::ops::Range<usize>,
    reaches_the_file: fn(usize) -> bool,
) -> WriteConnection {
    let path = directory.join("interline.db");
    let mut connection = connection::writer(&path).unwrap();
    migrate::migrate(&mut connection).unwrap();
    connection.execute_batch("CREATE TABLE notes (text TEXT UNIQUE)").unwrap();
    let mut turn = 0;
    WriteConnection::new(&path, connection, ProcessLock::for_database(&path)).with_commit(move |connection| {
        turn += 1;
        if failing.contains(&(turn - 1)) {
            if reaches_the_file(turn - 1) {
                execute(connection, "COMMIT").unwrap();
            }
            return Err(rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(FAILED_SYNC), None));
        }
        execute(connection, "COMMIT")
    })
}

fn acknowledgements(outcomes: &[Result<(), StoreError>]) -> Vec<bool> {
    outcomes
        .iter()
        .for_each(|outcome| assert!(matches!(outcome, Ok(()) | Err(StoreError::Unavailable(_))), "{outcome:?}"));
    outcomes.iter().map(Result::is_ok).collect()
}

#[test]
fn after_a_failed_sync_nothing_is_acknowledged_until_one_succeeds() {
    let directory = tempfile::tempdir().unwrap();
    // The second commit fails, and so do the first two probes.
    let mut connection = on_a_disk(directory.path(), 1..4, |_| false);
    let mut acknowledged = Vec::new();
    for text in ["a", "b", "c", "d", "e", "f"] {
        acknowledged.extend(acknowledgements(&write(&mut connection, &[text]).0));
    }
    assert_eq!(acknowledged, [true, false, false, false, true, true]);
    let kept: Vec<String> = connection
        .connection()
        .prepare("SELECT text FROM notes WHERE text NOT LIKE 'first%' ORDER BY text")
        .unwrap()
        .query_map([], |row| row.get(0))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    assert_eq!(kept, ["a", "e", "f"]);
}

#[test]
fn after_a_failed_sync_a_group_is_refused_as_a_whole() {
    let directory = tempfile::tempdir().unwrap();
    let mut connection = on_a_disk(directory.path(), 0..1, |_| false);
    assert_eq!(acknowledgements(&write(&mut connection, &["a", "b"]).0), [false, false]);
    assert_eq!(acknowledgements(&write(&mut connection, &["c", "d"]).0), [true, true]);
    assert_eq!(rows(&connection), 4);
}

#[test]
fn a_refused_commit_is_written_over_though_no_job_comes() {
    let directory = tempfile::tempdir().unwrap();
    // The first commit fails, and so does the first probe.
    let mut connection = on_a_disk(directory.path(), 0..2, |_| false);
    let path = directory.path().join("interline.db");
    let (sender, receiver) = channel();
    let (refused, answer) = insert("a");
    let writing = std::thread::spawn(move || {
        run_writer(&mut connection, &receiver, &Shared::default(), NO_HURRY);
        connection
    });
    sender.send(refused).unwrap();
    assert!(answer.blocking_recv().unwrap().is_err());
    let reader = connection::reader(&path).unwrap();
    let probes = || reader.query_row("SELECT count(*) FROM meta WHERE key = 'probes'", [], |row| row.get::<_, i64>(0));
    let start = Instant::now();
    while probes().unwrap() == 0 {
        assert!(start.elapsed() < Duration::from_secs(30), "no probe came");
        std::thread::yield_now();
    }
    drop(sender);
    assert!(!writing.join().unwrap().is_suspect());
}

/// SQLite reported an error, and the frames are in the file all the same: the refused commit is the truth, and writing
/// goes on from there.
#[test]
fn a_refused_commit_that_reached_the_file_is_the_truth() {
    let directory = tempfile::tempdir().unwrap();
    let mut connection = on_a_disk(directory.path(), 0..2, |turn| turn == 0);
    assert_eq!(acknowledgements(&write(&mut connection, &["a"]).0), [false]);
    assert_eq!(acknowledgements(&write(&mut connection, &["b"]).0), [false]);
    let (again, _) = write(&mut connection, &["a"]);
    assert!(matches!(again[..], [Err(StoreError::Failed(_))]), "{again:?}");
    assert_eq!(acknowledgements(&write(&mut connection, &["b"]).0), [true]);
    assert_eq!(rows(&connection), 4);
}

#[tokio::test]
async fn a_write_beyond_the_bound_of_the_queue_is_refused() {
    let (sender, receiver) = channel();
    let limits = crate::sqlite::write::queue_bound::QueueLimits { writes: 2, bytes: 100, small: 0 };
    let (queue, probe) = (QueueBound::new(limits), Arc::new(Semaphore::new(1)));
    let files = Arc::new(DatabaseFiles::for_database(Path::new(":memory:")));
    let writer = Writer { writes: Some(sender), thread: None, queue, shared: Arc::default(), files, probe };
    let waiting = [90, 10].map(|bytes| writer.run_in_group(bytes, |_| Ok(())));
    for bytes in [0, 1] {
        let refused = writer.run_in_group(bytes, |_| Ok(())).await.map_err(StoreError::from);
        assert!(matches!(refused, Err(StoreError::Overloaded(_))), "{refused:?}");
    }
    drop(receiver);
    for stopped in waiting {
        assert!(matches!(stopped.await.map_err(StoreError::from), Err(StoreError::Unknown(_))));
    }
    let stopped = writer.run_in_group(100, |_| Ok(())).await.map_err(StoreError::from);
    assert!(matches!(stopped, Err(StoreError::Unavailable(_))), "both places are free again: {stopped:?}");
}

/// Inserts a row through a running writer.
async fn insert_through(writer: &Writer, text: &str) -> Result<(), StoreError> {
    let text = text.to_owned();
    let inserted = writer.run(move |connection| {
        connection.execute("INSERT INTO notes VALUES (?1)", [text])?;
        Ok(())
    });
    inserted.await.map_err(StoreError::from)
}

#[test]
fn a_failed_sync_is_shown_until_one_succeeds() {
    let directory = tempfile::tempdir().unwrap();
    let writer = Writer::on(on_a_disk(directory.path(), 0..3, |_| false)).unwrap();
    Runtime::new().unwrap().block_on(async {
        assert!(insert_through(&writer, "a").await.is_err());
        assert_eq!(writer.health().await, Err(Outage::SyncFailed));
        let start = Instant::now();
        while writer.health().await.is_err() {
            assert!(start.elapsed() < Duration::from_secs(30), "it does not recover");
            tokio::task::yield_now().await;
        }
        assert!(insert_through(&writer, "b").await.is_ok());
    });
}

#[test]
fn a_full_disk_is_shown_until_there_is_room() {
    let directory = tempfile::tempdir().unwrap();
    let writer = Writer::on(on_a_disk(directory.path(), 0..0, |_| false)).unwrap();
    let limit_pages = |pages: i64| {
        let limited = writer.run(move |connection| Ok(connection.pragma_update(None, "max_page_count", pages)?));
        async move { limited.await.map_err(StoreError::from) }
    };
    Runtime::new().unwrap().block_on(async {
        assert_eq!(writer.health().await, Ok(()), "a probe finds that writes work");
        limit_pages(1).await.unwrap();
        assert!(insert_through(&writer, &"long".repeat(100_000)).await.is_err());
        assert_eq!(writer.health().await, Err(Outage::DiskFull));
        limit_pages(100_000).await.unwrap();
        insert_through(&writer, "a").await.unwrap();
        assert_eq!(writer.health().await, Ok(()));
    });
}

#[test]
fn a_probe_is_left_out_where_a_write_was_committed_a_moment_ago() {
    let directory = tempfile::tempdir().unwrap();
    let writer = Writer::on(on_a_disk(directory.path(), 0..0, |_| false)).unwrap();
    Runtime::new().unwrap().block_on(async {
        insert_through(&writer, "a").await.unwrap();
        let commits = writer.counters().commits;
        for _ in 0..100 {
            assert_eq!(writer.health().await, Ok(()));
        }
        assert!(writer.counters().commits <= commits + 1, "at most one probe in a second");
    });
}

#[test]
fn a_writer_that_panics_goes_on_and_its_write_is_unknown() {
    let directory = tempfile::tempdir().unwrap();
    let mut turn = 0;
    let connection = on_a_disk(directory.path(), 0..0, |_| false).with_commit(move |connection| {
        turn += 1;
        assert_ne!(turn, 1, "injected");
        execute(connection, "COMMIT")
    });
    let restarts = || worker_restarts().get("sqlite-writer").copied().unwrap_or(0);
    let before = restarts();
    let writer = Writer::on(connection).unwrap();
    Runtime::new().unwrap().block_on(async {
        let lost = insert_through(&writer, "a").await;
        assert!(matches!(lost, Err(StoreError::Unknown(_))), "{lost:?}");
        insert_through(&writer, "b").await.unwrap();
        assert_eq!(writer.health().await, Ok(()));
    });
    assert!(restarts() > before);
}

/// What the files do while a write is committed.
fn moved_at_commit(directory: &Path, at: fn(&Path)) -> (Writer, std::path::PathBuf) {
    let path = directory.join("interline.db");
    let moved = path.clone();
    let connection = on_a_disk(directory, 0..0, |_| false).with_commit(move |connection| {
        at(&moved);
        execute(connection, "COMMIT")
    });
    (Writer::on(connection).unwrap(), path)
}

#[test]
fn a_file_that_is_moved_during_the_commit_is_noticed_before_the_answer() {
    let directory = tempfile::tempdir().unwrap();
    let (writer, path) = moved_at_commit(directory.path(), |path| {
        let _ = std::fs::rename(path, path.with_extension("aside"));
    });
    Runtime::new().unwrap().block_on(async {
        let unknown = insert_through(&writer, "a").await;
        assert!(matches!(unknown, Err(StoreError::Unknown(_))), "{unknown:?}");
        let refused = insert_through(&writer, "b").await;
        assert!(matches!(refused, Err(StoreError::Unavailable(_))), "{refused:?}");
        assert_eq!(writer.health().await, Err(Outage::FilesMoved));
    });
    std::fs::rename(path.with_extension("aside"), path).unwrap();
}
