//! Jobs: claiming and ending them.

use interline_items::{ClaimJobs, Job, JobEnd, JobKey, JobKind, JobMetrics};
use jiff::Timestamp;
use rusqlite::{Connection, params};
use uuid::Uuid;

use super::super::failure::Failure;
use super::super::rows::Columns;

const ENRICH_UNTIL: &str = "
    INSERT INTO tasks_done (task, until) VALUES (?1, ?2)
    ON CONFLICT (task) DO UPDATE SET until = max(until, excluded.until)";

const CLAIM: &str = "
    UPDATE jobs SET claim = ?1, due_at = ?2
    WHERE task = ?3 AND subject IN (
        SELECT subject FROM jobs WHERE task = ?3 AND failed_at IS NULL AND due_at <= ?4 ORDER BY due_at LIMIT ?5
    )
    RETURNING subject, wanted, failures, since";

const NEXT: &str = "SELECT min(due_at) FROM jobs WHERE task = ?1 AND failed_at IS NULL";

const DONE: &str = "DELETE FROM jobs WHERE task = ?1 AND subject = ?2 AND claim = ?3 AND wanted = ?4";

const AGAIN: &str = "
    UPDATE jobs SET claim = NULL, since = ?4, due_at = ?4, failures = 0, failure = NULL
    WHERE task = ?1 AND subject = ?2 AND claim = ?3";

const LATER: &str = "
    UPDATE jobs SET claim = NULL, due_at = CASE wanted WHEN ?4 THEN ?5 ELSE ?6 END, failures = 0, failure = NULL
    WHERE task = ?1 AND subject = ?2 AND claim = ?3";

const FAILED: &str = "
    UPDATE jobs SET claim = NULL, due_at = ?4, failures = ?5, failure = ?6
    WHERE task = ?1 AND subject = ?2 AND claim = ?3";

const GIVEN_UP: &str = "
    UPDATE jobs SET claim = NULL, failed_at = ?5, failure = ?6
    WHERE task = ?1 AND subject = ?2 AND claim = ?3 AND wanted = ?4";

/// By the small indexes: the log is long.
const DELIVERIES: &str = "
    SELECT count(*), min(at),
           (SELECT count(*) FROM deliveries WHERE state = 'given_up')
    FROM deliveries WHERE state = 'pending'";

const SUMMARIES: &str = "
    SELECT count(*) FILTER (WHERE failed_at IS NULL), min(since) FILTER (WHERE failed_at IS NULL), count(failed_at)
    FROM jobs WHERE task = ?1";

/// In steps, so that the writer is not held up by many of them.
const FORGET: [&str; 2] = [
    "DELETE FROM deliveries WHERE number IN (
         SELECT number FROM deliveries WHERE state <> 'pending' AND at < ?1 LIMIT 1000
     )",
    "DELETE FROM jobs WHERE (task, subject) IN (
         SELECT task, subject FROM jobs WHERE since < ?1 AND (failed_at IS NOT NULL OR task = 'enrich') LIMIT 1000
     )",
];

/// Lets changes leave jobs of enriching until a time.
pub(super) fn enrich_until(connection: &Connection, time: Timestamp) -> Result<(), Failure> {
    connection.prepare_cached(ENRICH_UNTIL)?.execute(params![JobKind::Enrich.name(), time.as_microsecond()])?;
    Ok(())
}

/// Claims jobs that are due.
pub(super) fn claim(connection: &Connection, wanted: ClaimJobs) -> Result<Vec<Job>, Failure> {
    let claim = Uuid::now_v7();
    let mut statement = connection.prepare_cached(CLAIM)?;
    let claimed = statement.query_and_then(
        params![
            claim.into_bytes(),
            wanted.leased_until.as_microsecond(),
            wanted.task.name(),
            wanted.now.as_microsecond(),
            i64::try_from(wanted.limit).unwrap_or(i64::MAX),
        ],
        |row| {
            let mut columns = Columns::of(row);
            Ok(Job {
                key: JobKey::new(wanted.task, columns.uuid()?),
                claim,
                enqueued: columns.count()?,
                failures: columns.next()?,
                since: columns.time()?,
            })
        },
    )?;
    claimed.collect()
}

/// When the next job is due.
pub(super) fn next(connection: &Connection, task: JobKind) -> Result<Option<Timestamp>, Failure> {
    connection.prepare_cached(NEXT)?.query_row([task.name()], |row| Ok(Columns::of(row).optional_time()))?
}

/// Ends a job, if it is still that claim's.
pub(super) fn end(connection: &Connection, job: &Job, end: &JobEnd, now: Timestamp) -> Result<bool, Failure> {
    let (task, subject, claim) = (job.key.task().name(), job.key.subject().into_bytes(), job.claim.into_bytes());
    let (wanted, now) = (job.enqueued.cast_signed(), now.as_microsecond());
    let run = |sql, values: &[&dyn rusqlite::ToSql]| {
        let mut all: Vec<&dyn rusqlite::ToSql> = vec![&task, &subject, &claim];
        all.extend_from_slice(values);
        Ok::<_, Failure>(connection.prepare_cached(sql)?.execute(all.as_slice())? > 0)
    };
    match end {
        // Where it was asked for again meanwhile, it is to be done again.
        JobEnd::Done => Ok(run(DONE, &[&wanted])? || run(AGAIN, &[&now])?),
        JobEnd::Later(due_at) => run(LATER, &[&wanted, &due_at.as_microsecond(), &now]),
        JobEnd::Failed { due_at, failure, failures } => run(FAILED, &[&due_at.as_microsecond(), failures, failure]),
        JobEnd::GivenUp(failure) => Ok(run(GIVEN_UP, &[&wanted, &now, failure])? || run(AGAIN, &[&now])?),
    }
}

/// How much there is to do.
pub(super) fn figures(connection: &Connection) -> Result<Vec<JobMetrics>, Failure> {
    let figures = |task, row: &rusqlite::Row<'_>| {
        let mut columns = Columns::of(row);
        let (waiting, oldest, given_up) = (columns.count()?, columns.optional_time()?, columns.count()?);
        Ok::<_, Failure>(JobMetrics { task, waiting, oldest, given_up })
    };
    let deliveries =
        connection.prepare_cached(DELIVERIES)?.query_row([], |row| Ok(figures(JobKind::Deliver, row)))??;
    let summaries = connection
        .prepare_cached(SUMMARIES)?
        .query_row([JobKind::Enrich.name()], |row| Ok(figures(JobKind::Enrich, row)))??;
    Ok(vec![deliveries, summaries])
}

/// Forgets some work that is too old; how many, 0 if there is no more.
pub(super) fn forget(connection: &Connection, before: Timestamp) -> Result<u64, Failure> {
    let mut forgotten = 0;
    for sql in FORGET {
        forgotten += connection.prepare_cached(sql)?.execute([before.as_microsecond()])? as u64;
    }
    Ok(forgotten)
}
