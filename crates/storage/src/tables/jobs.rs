//! The tables `jobs` and `tasks_done`: the job queue, where jobs are claimed with a lease and ended.
//!
//! Jobs are enqueued in the transaction of the change that they follow from, by each storage.

use interline_items::{ClaimJobs, DueJobs, FindDueJobs, Job, JobEnd, JobKey, JobKind, JobMetrics, StoreError, UserId};
use jiff::Timestamp;
use uuid::Uuid;

use crate::codec::json;
use crate::sql::{RowReader, Sql, Statement, query_only, statement, values};

const ENRICH_UNTIL: Statement = statement!(
    "INSERT INTO tasks_done (task, until) VALUES (?1, ?2)
     ON CONFLICT (task) DO UPDATE SET until = excluded.until WHERE tasks_done.until < excluded.until"
);

/// The next users that have jobs, from one on: each is a search in the index, so that none of a user's other jobs are read.
macro_rules! with_users {
    () => {
        "WITH RECURSIVE users_in_turn (\"user\", place) AS (
             SELECT (
                 SELECT \"user\" FROM jobs WHERE task = ?1 AND failed_at IS NULL AND \"user\" >= ?2
                 ORDER BY \"user\" LIMIT 1
             ), 1
             UNION ALL
             SELECT (
                 SELECT jobs.\"user\" FROM jobs
                 WHERE jobs.task = ?1 AND jobs.failed_at IS NULL AND jobs.\"user\" > users_in_turn.\"user\"
                 ORDER BY jobs.\"user\" LIMIT 1
             ), place + 1
             FROM users_in_turn WHERE users_in_turn.\"user\" IS NOT NULL AND place < CAST(?3 AS bigint)
         ) "
    };
}

/// The longest due jobs of those users; a row without a subject for a user that has none.
const DUE: Statement = statement!(
    sqlite: concat!(
        with_users!(),
        "SELECT users_in_turn.user, jobs.subject
         FROM users_in_turn LEFT JOIN jobs ON jobs.task = ?1 AND jobs.subject IN (
             SELECT due.subject FROM jobs AS due
             WHERE due.task = ?1 AND due.failed_at IS NULL AND due.user = users_in_turn.user AND due.due_at <= ?4
             ORDER BY due.due_at LIMIT ?5
         )
         WHERE users_in_turn.user IS NOT NULL
         ORDER BY users_in_turn.user, jobs.due_at, jobs.subject"
    ),
    postgres: concat!(
        with_users!(),
        "SELECT users_in_turn.\"user\", due.subject
         FROM users_in_turn LEFT JOIN LATERAL (
             SELECT subject, due_at FROM jobs
             WHERE task = ?1 AND failed_at IS NULL AND jobs.\"user\" = users_in_turn.\"user\" AND due_at <= ?4
             ORDER BY due_at LIMIT ?5
         ) AS due ON true
         WHERE users_in_turn.\"user\" IS NOT NULL
         ORDER BY users_in_turn.\"user\", due.due_at, due.subject"
    ),
);

/// In PostgreSQL, jobs that another process is claiming are left to it. There the rows are locked in a subquery of `FROM`,
/// which is executed once; as an operand of `IN` it may be executed again, and then finds other rows.
const CLAIM: Statement = statement!(
    sqlite: "
        UPDATE jobs SET claim = ?1, due_at = ?2
        WHERE task = ?3 AND subject IN (SELECT unhex(value) FROM json_each(?5)) AND failed_at IS NULL AND due_at <= ?4
        RETURNING subject, wanted, failures, since",
    postgres: "
        UPDATE jobs SET claim = ?1, due_at = ?2
        FROM (
            SELECT subject FROM jobs
            WHERE task = ?3 AND failed_at IS NULL AND due_at <= ?4
              AND subject IN (SELECT CAST(value AS uuid) FROM json_array_elements_text(CAST(CAST(?5 AS text) AS json)))
            FOR UPDATE SKIP LOCKED
        ) AS due
        WHERE jobs.task = ?3 AND jobs.subject = due.subject
        RETURNING jobs.subject, jobs.wanted, jobs.failures, jobs.since",
);

const NEXT: Statement =
    statement!("SELECT min(due_at) FROM jobs WHERE task = ?1 AND failed_at IS NULL AND due_at > ?2");

const DONE: Statement = statement!("DELETE FROM jobs WHERE task = ?1 AND subject = ?2 AND claim = ?3 AND wanted = ?4");

const AGAIN: Statement = statement!(
    "UPDATE jobs SET claim = NULL, since = ?4, due_at = ?4, failures = 0, failure = NULL
     WHERE task = ?1 AND subject = ?2 AND claim = ?3"
);

const LATER: Statement = statement!(
    "UPDATE jobs SET
         claim = NULL, due_at = CASE wanted WHEN ?4 THEN CAST(?5 AS bigint) ELSE CAST(?6 AS bigint) END,
         failures = 0, failure = NULL
     WHERE task = ?1 AND subject = ?2 AND claim = ?3"
);

const FAILED: Statement = statement!(
    "UPDATE jobs SET claim = NULL, due_at = ?4, failures = ?5, failure = ?6
     WHERE task = ?1 AND subject = ?2 AND claim = ?3"
);

const GIVEN_UP: Statement = statement!(
    "UPDATE jobs SET claim = NULL, failed_at = ?5, failure = ?6
     WHERE task = ?1 AND subject = ?2 AND claim = ?3 AND wanted = ?4"
);

/// By the small indexes: the log is long.
const DELIVER_METRICS: Statement = statement!(
    "SELECT count(*), min(at), (SELECT count(*) FROM deliveries WHERE state = 'given_up')
     FROM deliveries WHERE state = 'pending'"
);

const ENRICH_METRICS: Statement = statement!(
    "SELECT count(*) FILTER (WHERE failed_at IS NULL), min(since) FILTER (WHERE failed_at IS NULL), count(failed_at)
     FROM jobs WHERE task = ?1"
);

const FORGET_DELIVERIES: Statement = statement!(
    "DELETE FROM deliveries WHERE number IN (
         SELECT number FROM deliveries WHERE state <> 'pending' AND at < ?1 LIMIT 1000
     )"
);

macro_rules! forget_jobs {
    ($lock:literal) => {
        concat!(
            "DELETE FROM jobs WHERE (task, subject) IN (
                 SELECT task, subject FROM jobs
                 WHERE since < ?1 AND (failed_at IS NOT NULL OR task = 'enrich') LIMIT 1000 ",
            $lock,
            ")"
        )
    };
}

const FORGET_JOBS: Statement = statement!(sqlite: forget_jobs!(""), postgres: forget_jobs!("FOR UPDATE SKIP LOCKED"));

/// Lets changes enqueue jobs of enriching until a time.
pub(crate) async fn enrich_until<S: Sql>(sql: &S, time: Timestamp) -> Result<(), S::Failure> {
    sql.execute(ENRICH_UNTIL, values![JobKind::Enrich.name(), time]).await?;
    Ok(())
}

/// Users that have jobs, each with those that are due.
pub(crate) async fn due<S: Sql>(sql: &S, request: FindDueJobs) -> Result<Vec<DueJobs>, S::Failure> {
    let FindDueJobs { task, now, from, users, per_user } = request;
    let job = |row: &mut RowReader<'_>| Ok((row.get()?, row.optional()?));
    let rows: Vec<(UserId, Option<Uuid>)> =
        sql.query(DUE, values![task.name(), from, users, now, per_user], job).await?;
    let mut found: Vec<DueJobs> = Vec::new();
    for (user, subject) in rows {
        let key = subject.map(|subject| JobKey::new(task, subject));
        match found.last_mut() {
            Some(last) if last.user == user => last.jobs.extend(key),
            _ => found.push(DueJobs { user, jobs: key.into_iter().collect() }),
        }
    }
    Ok(found)
}

/// Claims jobs that are due, each until its lease ends.
pub(crate) async fn claim<S: Sql>(sql: &S, request: &ClaimJobs) -> Result<Vec<Job>, S::Failure> {
    let ClaimJobs { task, subjects, now, leased_until } = request;
    let (task, claim) = (*task, Uuid::now_v7());
    let subjects: Vec<String> = subjects.iter().map(|subject| subject.simple().to_string()).collect();
    let subjects = json::encode_strings(subjects.iter().map(String::as_str));
    let job = |row: &mut RowReader<'_>| {
        let key = JobKey::new(task, row.get()?);
        Ok(Job { key, claim, enqueued: row.get()?, failures: row.get()?, since: row.get()? })
    };
    sql.query(CLAIM, values![claim, *leased_until, task.name(), *now, subjects], job).await
}

/// When the next job is due, of those that are due after a time.
pub(crate) async fn next<S: Sql>(sql: &S, task: JobKind, after: Timestamp) -> Result<Option<Timestamp>, S::Failure> {
    query_only(sql, NEXT, values![task.name(), after], due_at_from_row).await
}

/// Ends a job, if its claim still holds it; whether it did.
///
/// A job that was enqueued again since it was claimed is to be done again. That takes a second statement, which needs no
/// common transaction with the first: nobody else ends a job that is claimed, and if this process ends in between, the job
/// is done again when its lease has ended.
pub(crate) async fn end<S: Sql>(sql: &S, job: &Job, end: &JobEnd, now: Timestamp) -> Result<bool, S::Failure> {
    let (task, subject, claim) = (job.key.task().name(), job.key.subject(), job.claim);
    let mut ended = match end {
        JobEnd::Done => sql.execute(DONE, values![task, subject, claim, job.enqueued]).await?,
        JobEnd::Later(due_at) => sql.execute(LATER, values![task, subject, claim, job.enqueued, *due_at, now]).await?,
        JobEnd::Failed { due_at, failure, failures } => {
            sql.execute(FAILED, values![task, subject, claim, *due_at, *failures, failure]).await?
        }
        JobEnd::GivenUp(failure) => {
            sql.execute(GIVEN_UP, values![task, subject, claim, job.enqueued, now, failure]).await?
        }
    };
    if ended == 0 && matches!(end, JobEnd::Done | JobEnd::GivenUp(_)) {
        ended = sql.execute(AGAIN, values![task, subject, claim, now]).await?;
    }
    Ok(ended > 0)
}

/// How many jobs of each kind wait and were given up.
pub(crate) async fn metrics<S: Sql>(sql: &S) -> Result<Vec<JobMetrics>, S::Failure> {
    let deliver = |row: &mut RowReader<'_>| metrics_from_row(JobKind::Deliver, row);
    let enrich = |row: &mut RowReader<'_>| metrics_from_row(JobKind::Enrich, row);
    Ok(vec![
        query_only(sql, DELIVER_METRICS, values![], deliver).await?,
        query_only(sql, ENRICH_METRICS, values![JobKind::Enrich.name()], enrich).await?,
    ])
}

/// Forgets some deliveries and jobs that are too old; how many, 0 if there are no more. Some, so that neither SQLite's
/// writer is held up by many of them nor a transaction of PostgreSQL is long.
pub(crate) async fn forget<S: Sql>(sql: &S, before: Timestamp) -> Result<u64, S::Failure> {
    let deliveries = sql.execute(FORGET_DELIVERIES, values![before]).await?;
    Ok(deliveries + sql.execute(FORGET_JOBS, values![before]).await?)
}

fn due_at_from_row(row: &mut RowReader<'_>) -> Result<Option<Timestamp>, StoreError> {
    row.optional()
}

fn metrics_from_row(task: JobKind, row: &mut RowReader<'_>) -> Result<JobMetrics, StoreError> {
    Ok(JobMetrics { task, waiting: row.get()?, oldest: row.optional()?, given_up: row.get()? })
}
