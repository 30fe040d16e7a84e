//! The writer thread, the only one that writes to the file. Jobs that wait together share a transaction (group commit),
//! and so its sync.

use std::panic::{self, AssertUnwindSafe};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use interline_items::{Outage, StoreError, count_worker_restart};
use rusqlite::Connection;
use tokio::sync::{Semaphore, oneshot, watch};

use crate::OpenError;
use crate::sqlite::connection;
use crate::sqlite::database_files::DatabaseFiles;
use crate::sqlite::failure::{Failure, answer_for, outage_of};
use crate::sqlite::migrate;
use crate::sqlite::write::group_commit::CommitGroup;
use crate::sqlite::write::process_lock::ProcessLock;
use crate::sqlite::write::queue_bound::{QUEUE_LIMITS, QueueBound, QueuePlace};
use crate::sqlite::write::write_connection::{CommitFailure, PROBE, WriteConnection, execute};
use crate::write_state::WriteState;

/// The limits of a group of writes that share a transaction: the first write waits for the last, and so do the other
/// processes. The write that exceeds a limit is the last one of its group.
#[derive(Clone, Copy)]
struct Limits {
    writes: usize,
    /// Since the first write began.
    time: Duration,
    /// Of the contents that are still to be written to the table.
    bytes: usize,
}

const LIMITS: Limits = Limits { writes: 256, time: Duration::from_millis(30), bytes: 8 * 1024 * 1024 };

/// How long the writer thread waits between two probes of a disk that has failed, when there is no write.
const RECOVERY_INTERVAL: Duration = Duration::from_millis(200);

/// How long a probe write is waited for, in the queue and at the disk.
const PROBE_TIME: Duration = Duration::from_secs(2);

/// Counters of the writer thread since the store was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counters {
    /// Transactions that were committed; each is one sync of the log.
    pub commits: u64,
    /// Writes that were acknowledged.
    pub acknowledged: u64,
    /// Contents that were written: one for each item of a transaction, however many writes have changed it.
    pub contents: u64,
}

#[derive(Default)]
struct SharedCounters {
    commits: AtomicU64,
    acknowledged: AtomicU64,
    contents: AtomicU64,
}

impl SharedCounters {
    fn add(&self, written: Counters) {
        self.commits.fetch_add(written.commits, Ordering::Relaxed);
        self.acknowledged.fetch_add(written.acknowledged, Ordering::Relaxed);
        self.contents.fetch_add(written.contents, Ordering::Relaxed);
    }
}

/// The handle of the writer thread. Dropping it waits until every write that was sent is done.
pub(crate) struct Writer {
    // `None` only while it is dropped: the thread ends when no sender is left.
    writes: Option<Sender<Box<dyn QueuedWrite>>>,
    thread: Option<JoinHandle<()>>,
    queue: QueueBound,
    shared: Arc<Shared>,
    files: Arc<DatabaseFiles>,
    /// One probe write is queued at the most.
    probe: Arc<Semaphore>,
}

/// What the thread tells the rest of the process.
#[derive(Default)]
struct Shared {
    counters: SharedCounters,
    state: WriteState,
    committed: watch::Sender<()>,
}

impl Writer {
    /// Opens the file, migrates it to the newest schema, and starts the thread.
    pub(crate) fn start(path: &Path) -> Result<Writer, OpenError> {
        let mut connection = connection::writer(path).map_err(|error| OpenError::Failed(error.to_string()))?;
        let mode: rusqlite::Result<String> = connection.pragma_query_value(None, "journal_mode", |row| row.get(0));
        if mode.as_deref() != Ok("wal") {
            return Err(OpenError::Failed(format!("{}: no write-ahead log can be kept there", path.display())));
        }
        migrate::migrate(&mut connection)?;
        Writer::on(WriteConnection::new(path, connection, ProcessLock::for_database(path)))
    }

    /// Starts the thread on a connection.
    fn on(mut connection: WriteConnection) -> Result<Writer, OpenError> {
        let files = Arc::clone(connection.files());
        let (sender, receiver) = channel();
        let shared = Arc::new(Shared::default());
        let told = Arc::clone(&shared);
        let thread = std::thread::Builder::new()
            .name("sqlite-writer".to_owned())
            .spawn(move || run_supervised(&mut connection, &receiver, &told, LIMITS))
            .map_err(|error| OpenError::Failed(error.to_string()))?;
        let (queue, probe) = (QueueBound::new(QUEUE_LIMITS), Arc::new(Semaphore::new(1)));
        Ok(Writer { writes: Some(sender), thread: Some(thread), queue, shared, files, probe })
    }

    /// Runs `work`, which holds about `bytes` bytes, in a transaction on the writer thread, and returns when the transaction
    /// is on disk. If `work` fails, or if the queue is full, it has changed nothing.
    ///
    /// The write is sent before the future is first polled, and runs even if the future is dropped.
    pub(crate) fn run_in_group<T, W>(
        &self,
        bytes: usize,
        work: W,
    ) -> impl Future<Output = Result<T, Failure>> + use<T, W>
    where
        T: Send + 'static,
        W: FnOnce(&mut CommitGroup<'_>) -> Result<T, Failure> + Send + 'static,
    {
        let sent = self.queue.enter(bytes).map(|place| {
            let (write, answer) = queued_write(place, work);
            let is_queued = self.writes.as_ref().is_some_and(|writes| writes.send(write).is_ok());
            (is_queued, answer)
        });
        async move {
            let (is_queued, answer) = sent?;
            let lost = || match is_queued {
                // The thread panicked after it took the write, perhaps after its commit.
                true => StoreError::Unknown("the writer failed in the middle of a write".to_owned()),
                false => unavailable("the writer has stopped"),
            };
            answer.await.unwrap_or_else(|_| Err(lost().into()))
        }
    }

    /// The same, for work that does not touch contents.
    pub(crate) fn run<T, W>(&self, work: W) -> impl Future<Output = Result<T, Failure>> + use<T, W>
    where
        T: Send + 'static,
        W: FnOnce(&Connection) -> Result<T, Failure> + Send + 'static,
    {
        self.run_in_group(0, |group| work(group.connection()))
    }

    /// Whether writes work: what the last ones show, or else a small write that nobody sees.
    pub(crate) async fn health(&self) -> Result<(), Outage> {
        if self.thread.as_ref().is_none_or(JoinHandle::is_finished) {
            return Err(Outage::WriterStopped);
        }
        if let Err(error) = self.files.check() {
            return Err(outage_of(&error).unwrap_or(Outage::Failed));
        }
        if let Some(recent) = self.shared.state.recent() {
            return recent;
        }
        // The probe before has not had its turn yet.
        let Ok(permit) = Arc::clone(&self.probe).try_acquire_owned() else { return Err(Outage::Locked) };
        let writing = self.run(move |connection| {
            let _permit = permit;
            Ok(execute(connection, PROBE)?)
        });
        match tokio::time::timeout(PROBE_TIME, writing).await {
            Ok(Ok(())) => Ok(()),
            // A group that fails is refused as a whole, and remembered with its reason.
            Ok(Err(failure)) => self.shared.state.recent().unwrap_or(Err(Outage::from(&failure))),
            Err(_) => Err(Outage::Locked),
        }
    }

    /// The files that the thread has open.
    pub(crate) fn files(&self) -> &Arc<DatabaseFiles> {
        &self.files
    }

    /// The channel that is notified after each commit.
    pub(crate) fn committed(&self) -> &watch::Sender<()> {
        &self.shared.committed
    }

    /// What the thread has done so far.
    pub(crate) fn counters(&self) -> Counters {
        Counters {
            commits: self.shared.counters.commits.load(Ordering::Relaxed),
            acknowledged: self.shared.counters.acknowledged.load(Ordering::Relaxed),
            contents: self.shared.counters.contents.load(Ordering::Relaxed),
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.writes = None;
        if let Some(thread) = self.thread.take() {
            // A panic there was reported there.
            let _ = thread.join();
        }
    }
}

/// A queued write, and the channel to the caller that waits for it.
trait QueuedWrite: Send {
    /// Runs the write, and keeps its result.
    fn run(&mut self, group: &mut CommitGroup<'_>) -> JobOutcome;
    /// What its failure says about other writes, if it does.
    fn outage(&self) -> Option<Outage>;
    /// Sends the result to the caller.
    fn answer(self: Box<Self>);
    /// Tells the caller that nothing was changed, because the transaction of the group failed.
    fn refuse(self: Box<Self>, why: StoreError);
}

/// Whether the changes of a write are kept.
#[derive(Clone, Copy, PartialEq, Eq)]
enum JobOutcome {
    Keep,
    Undo,
}

/// A write, and the channel that receives its result.
fn queued_write<T, W>(place: QueuePlace, work: W) -> (Box<dyn QueuedWrite>, oneshot::Receiver<Result<T, Failure>>)
where
    T: Send + 'static,
    W: FnOnce(&mut CommitGroup<'_>) -> Result<T, Failure> + Send + 'static,
{
    let (reply, answer) = oneshot::channel();
    (Box::new(WriteTask { work: Some(work), result: None, reply, _place: place }), answer)
}

struct WriteTask<T, W> {
    work: Option<W>,
    result: Option<Result<T, Failure>>,
    reply: oneshot::Sender<Result<T, Failure>>,
    _place: QueuePlace,
}

impl<T, W> QueuedWrite for WriteTask<T, W>
where
    T: Send,
    W: FnOnce(&mut CommitGroup<'_>) -> Result<T, Failure> + Send,
{
    fn run(&mut self, group: &mut CommitGroup<'_>) -> JobOutcome {
        // A bug in one write must not end all writing: its savepoint is rolled back like that of any failure.
        let mut caught = |work: W| panic::catch_unwind(AssertUnwindSafe(|| work(group)));
        let panicked = |_| Err(StoreError::Failed("a write panicked".to_owned()).into());
        self.result = self.work.take().map(|work| caught(work).unwrap_or_else(panicked));
        if matches!(self.result, Some(Ok(_))) { JobOutcome::Keep } else { JobOutcome::Undo }
    }

    fn outage(&self) -> Option<Outage> {
        match &self.result {
            Some(Err(Failure::Sqlite(error))) => outage_of(error),
            _ => None,
        }
    }

    // A caller that no longer waits needs no answer.
    fn answer(self: Box<Self>) {
        let WriteTask { result, reply, .. } = *self;
        let _ = result.map(|result| reply.send(result));
    }

    fn refuse(self: Box<Self>, why: StoreError) {
        let _ = self.reply.send(Err(why.into()));
    }
}

/// Runs the writer until the queue is closed, and again where it panics: the writes that it had taken are answered as
/// unknown, and those that are queued go on.
fn run_supervised(
    connection: &mut WriteConnection,
    writes: &Receiver<Box<dyn QueuedWrite>>,
    shared: &Shared,
    limits: Limits,
) {
    while panic::catch_unwind(AssertUnwindSafe(|| run_writer(connection, writes, shared, limits))).is_err() {
        connection.roll_back();
        count_worker_restart("sqlite-writer");
    }
}

/// Takes writes from the queue and commits them in groups, until the queue is closed.
fn run_writer(
    connection: &mut WriteConnection,
    writes: &Receiver<Box<dyn QueuedWrite>>,
    shared: &Shared,
    limits: Limits,
) {
    // Jobs that did not fit into the group before, oldest first.
    let mut deferred = Vec::new();
    loop {
        let mut group = std::mem::take(&mut deferred);
        if group.is_empty() {
            let Some(first) = next_write(connection, writes, &shared.state) else { break };
            group.push(first);
        }
        let begun = connection.begin();
        // After the process lock is acquired: writes that arrived meanwhile join the group, and no process has smaller
        // groups than others.
        group.extend(writes.try_iter().take(limits.writes.saturating_sub(group.len())));
        match begun.map_err(CommitFailure::from).and_then(|()| write_group(connection, &mut group, limits)) {
            Ok((done, written)) => {
                deferred = group.split_off(done);
                shared.counters.add(written);
                if written.commits > 0 {
                    shared.state.committed();
                    shared.committed.send_replace(());
                }
                group.iter().filter_map(|write| write.outage()).for_each(|outage| shared.state.failed(outage));
            }
            Err(failure) => {
                connection.roll_back();
                shared.state.failed(outage_of_group(&failure));
                group.drain(..).for_each(|write| write.refuse(answer_for_group(&failure)));
            }
        }
        group.into_iter().for_each(QueuedWrite::answer);
    }
    // The next process that opens the file finds it without a log to read.
    let _ = connection.connection().query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
}

/// Waits for a write; `None` when there will be no more. Meanwhile a suspect connection tries to recover.
fn next_write(
    connection: &mut WriteConnection,
    writes: &Receiver<Box<dyn QueuedWrite>>,
    state: &WriteState,
) -> Option<Box<dyn QueuedWrite>> {
    while connection.is_suspect() {
        match writes.recv_timeout(RECOVERY_INTERVAL) {
            Ok(write) => return Some(write),
            Err(RecvTimeoutError::Timeout) => connection.try_to_recover(),
            Err(RecvTimeoutError::Disconnected) => return None,
        }
        if !connection.is_suspect() {
            state.committed();
        }
    }
    writes.recv().ok()
}

/// Runs writes in the transaction that has begun, and commits; a write that fails is undone alone. Returns how many writes ran
/// and what was written; the other writes do not fit into this transaction. On an error nothing has changed.
fn write_group(
    connection: &mut WriteConnection,
    writes: &mut [Box<dyn QueuedWrite>],
    limits: Limits,
) -> Result<(usize, Counters), CommitFailure> {
    let changes_before = connection.connection().total_changes();
    let mut group = CommitGroup::new(connection.connection());
    let (done, acknowledged) = match writes {
        // For a single write the transaction is savepoint enough.
        [only] => (1, u64::from(only.run(&mut group) == JobOutcome::Keep)),
        several => write_each(&mut group, several, limits)?,
    };
    let mut contents = 0;
    if acknowledged > 0 {
        group.write_contents()?;
        contents = group.contents_written();
    }
    // A transaction that changes nothing needs no sync.
    if acknowledged > 0 && connection.connection().total_changes() > changes_before {
        connection.commit()?;
        return Ok((done, Counters { commits: 1, acknowledged, contents }));
    }
    connection.roll_back();
    Ok((done, Counters { commits: 0, acknowledged, contents: 0 }))
}

/// Runs writes up to the limits. Returns how many ran, and how many of them are kept.
fn write_each(
    group: &mut CommitGroup<'_>,
    writes: &mut [Box<dyn QueuedWrite>],
    limits: Limits,
) -> Result<(usize, u64), rusqlite::Error> {
    let start = Instant::now();
    let (mut done, mut kept) = (0, 0);
    for write in writes {
        group.begin_write();
        execute(group.connection(), "SAVEPOINT job")?;
        match write.run(group) {
            JobOutcome::Keep => kept += 1,
            JobOutcome::Undo => {
                // Fails if SQLite has rolled everything back (as it does on a full disk): then the whole group fails.
                execute(group.connection(), "ROLLBACK TO job")?;
                group.undo_write();
            }
        }
        execute(group.connection(), "RELEASE job")?;
        done += 1;
        if group.pending_bytes() >= limits.bytes || start.elapsed() >= limits.time {
            break;
        }
    }
    Ok((done, kept))
}

/// The error for every caller of a group whose transaction failed. They may try again.
fn answer_for_group(failure: &CommitFailure) -> StoreError {
    match failure {
        CommitFailure::NotCommitted(error) => match answer_for(error) {
            StoreError::Failed(why) => unavailable(&why),
            answer => answer,
        },
        CommitFailure::FilesMoved => StoreError::Unknown("the database files were moved during a commit".to_owned()),
    }
}

/// What the failure of a group says about other writes.
fn outage_of_group(failure: &CommitFailure) -> Outage {
    match failure {
        CommitFailure::NotCommitted(error) => outage_of(error).unwrap_or(Outage::Failed),
        CommitFailure::FilesMoved => Outage::FilesMoved,
    }
}

fn unavailable(why: &str) -> StoreError {
    StoreError::Unavailable(why.to_owned())
}

#[cfg(test)]
#[path = "writer_tests.rs"]
mod tests;
