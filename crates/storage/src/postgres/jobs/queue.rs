//! Jobs: claiming and ending them.

use deadpool_postgres::Client;
use interline_items::{ClaimJobs, Job, JobEnd, JobKey, JobKind, JobMetrics};
use jiff::Timestamp;
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;
use uuid::Uuid;

use super::super::failure::Failure;
use super::super::rows::{count, maybe_time, stored, time};

const ENRICH_UNTIL: &str = "
    INSERT INTO tasks_done (task, until) VALUES ($1, $2)
    ON CONFLICT (task) DO UPDATE SET until = greatest(tasks_done.until, excluded.until)";

/// What others are claiming is left to them.
const CLAIM: &str = "
    UPDATE jobs SET claim = $1, due_at = $2
    FROM (
        SELECT subject FROM jobs WHERE task = $3 AND failed_at IS NULL AND due_at <= $4
        ORDER BY due_at LIMIT $5
        FOR UPDATE SKIP LOCKED
    ) AS due
    WHERE jobs.task = $3 AND jobs.subject = due.subject
    RETURNING jobs.subject, jobs.wanted, jobs.failures, jobs.since";

const NEXT: &str = "SELECT min(due_at) AS due_at FROM jobs WHERE task = $1 AND failed_at IS NULL";

/// Where it was asked for again meanwhile, it is to be done again.
const DONE: &str = "
    WITH done AS (
        DELETE FROM jobs WHERE task = $1 AND subject = $2 AND claim = $3 AND wanted = $4 RETURNING 1
    ), again AS (
        UPDATE jobs SET claim = NULL, since = $5, due_at = $5, failures = 0, failure = NULL
        WHERE task = $1 AND subject = $2 AND claim = $3 AND NOT EXISTS (SELECT FROM done)
        RETURNING 1
    )
    SELECT 1 FROM done UNION ALL SELECT 1 FROM again";

const LATER: &str = "
    UPDATE jobs SET claim = NULL, due_at = CASE wanted WHEN $4 THEN $5::bigint ELSE $6::bigint END, failures = 0, failure = NULL
    WHERE task = $1 AND subject = $2 AND claim = $3
    RETURNING 1";

const FAILED: &str = "
    UPDATE jobs SET claim = NULL, due_at = $4, failures = $5, failure = $6
    WHERE task = $1 AND subject = $2 AND claim = $3
    RETURNING 1";

/// Where it was asked for again meanwhile, it begins anew.
const GIVEN_UP: &str = "
    UPDATE jobs SET
        claim = NULL,
        since = CASE wanted WHEN $4 THEN since ELSE $5::bigint END,
        due_at = $5::bigint,
        failures = CASE wanted WHEN $4 THEN failures ELSE 0 END,
        failure = CASE wanted WHEN $4 THEN $6::text END,
        failed_at = CASE wanted WHEN $4 THEN $5::bigint END
    WHERE task = $1 AND subject = $2 AND claim = $3
    RETURNING 1";

/// By the small indexes: the log is long.
const DELIVERIES: &str = "
    SELECT count(*) AS waiting, min(at) AS oldest,
           (SELECT count(*) FROM deliveries WHERE state = 'given_up') AS given_up
    FROM deliveries WHERE state = 'pending'";

const SUMMARIES: &str = "
    SELECT count(*) FILTER (WHERE failed_at IS NULL) AS waiting, min(since) FILTER (WHERE failed_at IS NULL) AS oldest,
           count(failed_at) AS given_up
    FROM jobs WHERE task = $1";

/// In steps, so that no transaction is long.
const FORGET: [&str; 2] = [
    "DELETE FROM deliveries WHERE number IN (
         SELECT number FROM deliveries WHERE state <> 'pending' AND at < $1 LIMIT 1000
     )",
    "DELETE FROM jobs WHERE (task, subject) IN (
         SELECT task, subject FROM jobs WHERE since < $1 AND (failed_at IS NOT NULL OR task = 'enrich') LIMIT 1000
         FOR UPDATE SKIP LOCKED
     )",
];

/// Lets changes leave jobs of enriching until a time.
pub(super) async fn enrich_until(client: &Client, time: Timestamp) -> Result<(), Failure> {
    client.execute(ENRICH_UNTIL, &[&JobKind::Enrich.name(), &time.as_microsecond()]).await?;
    Ok(())
}

/// Claims jobs that are due.
pub(super) async fn claim(client: &Client, wanted: ClaimJobs) -> Result<Vec<Job>, Failure> {
    let claim = Uuid::now_v7();
    let (leased_until, now) = (wanted.leased_until.as_microsecond(), wanted.now.as_microsecond());
    let limit = i64::try_from(wanted.limit).unwrap_or(i64::MAX);
    let statement = client.prepare_cached(CLAIM).await?;
    let claimed = client.query(&statement, &[&claim, &leased_until, &wanted.task.name(), &now, &limit]).await?;
    let job = |row: &Row| {
        Ok(Job {
            key: JobKey::new(wanted.task, row.try_get("subject")?),
            claim,
            enqueued: count(row, "wanted")?,
            failures: u32::try_from(count(row, "failures")?).unwrap_or(u32::MAX),
            since: time(row, "since")?,
        })
    };
    claimed.iter().map(job).collect()
}

/// When the next job is due.
pub(super) async fn next(client: &Client, task: JobKind) -> Result<Option<Timestamp>, Failure> {
    let statement = client.prepare_cached(NEXT).await?;
    maybe_time(&client.query_one(&statement, &[&task.name()]).await?, "due_at")
}

/// Ends a job, if it is still that claim's.
pub(super) async fn end(client: &Client, job: &Job, end: &JobEnd, now: Timestamp) -> Result<bool, Failure> {
    let (task, subject, claim) = (job.key.task().name(), job.key.subject(), job.claim);
    let (wanted, now) = (stored(job.enqueued)?, now.as_microsecond());
    let run = async |sql, values: &[&(dyn ToSql + Sync)]| {
        let statement = client.prepare_cached(sql).await?;
        let mut all: Vec<&(dyn ToSql + Sync)> = vec![&task, &subject, &claim];
        all.extend_from_slice(values);
        Ok(!client.query(&statement, &all).await?.is_empty())
    };
    match end {
        JobEnd::Done => run(DONE, &[&wanted, &now]).await,
        JobEnd::Later(due_at) => run(LATER, &[&wanted, &due_at.as_microsecond(), &now]).await,
        JobEnd::Failed { due_at, failure, failures } => {
            run(FAILED, &[&due_at.as_microsecond(), &i64::from(*failures), failure]).await
        }
        JobEnd::GivenUp(failure) => run(GIVEN_UP, &[&wanted, &now, failure]).await,
    }
}

/// How much there is to do.
pub(super) async fn figures(client: &Client) -> Result<Vec<JobMetrics>, Failure> {
    let figures = |task, row: &Row| {
        let (waiting, oldest) = (count(row, "waiting")?, maybe_time(row, "oldest")?);
        Ok::<_, Failure>(JobMetrics { task, waiting, oldest, given_up: count(row, "given_up")? })
    };
    let deliveries = figures(JobKind::Deliver, &client.query_one(DELIVERIES, &[]).await?)?;
    let summaries = figures(JobKind::Enrich, &client.query_one(SUMMARIES, &[&JobKind::Enrich.name()]).await?)?;
    Ok(vec![deliveries, summaries])
}

/// Forgets some work that is too old; how many, 0 if there is no more.
pub(super) async fn forget(client: &Client, before: Timestamp) -> Result<u64, Failure> {
    let mut forgotten = 0;
    for sql in FORGET {
        forgotten += client.execute(sql, &[&before.as_microsecond()]).await?;
    }
    Ok(forgotten)
}
