//! The places in which a worker runs the jobs of a kind, shared fairly by users: they take turns, and none has more than its
//! part of the places.

use jiff::Timestamp;
use tokio::task::{JoinError, JoinSet};
use uuid::Uuid;

use crate::fair::{FairPermit, FairSemaphore};
use crate::{DueJobs, Error, FindDueJobs, JobKey, JobKind, Store, UserId};

/// How many users are looked at with one query.
const USERS_AT_A_TIME: usize = 64;
/// How many queries a worker makes to find due jobs. Where there are more users with jobs, it goes on from there the next time.
const MAX_QUERIES: usize = 16;

/// The running jobs of a kind, and whose turn is next.
pub(super) struct JobPool {
    task: JobKind,
    places: FairSemaphore<UserId>,
    per_user: usize,
    /// The user from whom on the next turn goes, in the order of ids: after the last one who was given a place.
    next: UserId,
    running: JoinSet<Result<(), Error>>,
}

/// A due job and the place that it would run in.
pub(super) struct JobWithPlace {
    pub(super) key: JobKey,
    pub(super) place: FairPermit<UserId>,
}

/// How far a worker has looked for due jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// At all users, or at as many as there are places for.
    All,
    /// At some users: the worker goes on soon.
    Part,
}

impl JobPool {
    /// A pool of which a user has at most `per_user` places, and never more than half.
    pub(super) fn new(task: JobKind, per_user: usize) -> JobPool {
        let places = task.places();
        let per_user = per_user.clamp(1, (places / 2).max(1));
        JobPool {
            task,
            places: FairSemaphore::new(places, per_user),
            per_user,
            next: UserId::from_uuid(Uuid::nil()),
            running: JoinSet::new(),
        }
    }

    /// How many more jobs can be started.
    pub(super) fn room(&self) -> usize {
        self.task.places().saturating_sub(self.running.len())
    }

    /// Runs a job in its place until it ends.
    pub(super) fn spawn(
        &mut self,
        place: FairPermit<UserId>,
        job: impl Future<Output = Result<(), Error>> + Send + 'static,
    ) {
        self.running.spawn(async move {
            let _place = place;
            job.await
        });
    }

    /// The result of a job that has ended, if there is one.
    pub(super) fn try_reap(&mut self) -> Option<Result<(), Error>> {
        self.running.try_join_next().map(job_result)
    }

    /// The result of the next job that ends; waits for ever while none runs.
    pub(super) async fn reap(&mut self) -> Result<(), Error> {
        match self.running.join_next().await {
            Some(ended) => job_result(ended),
            None => std::future::pending().await,
        }
    }

    /// Due jobs for the places that are free: one of each user in turn, then a second one, and so on.
    pub(super) async fn take_turn(
        &mut self,
        store: &dyn Store,
        now: Timestamp,
    ) -> Result<(Vec<JobWithPlace>, Reach), Error> {
        let (users, reach) = self.users_with_due_jobs(store, now).await?;
        let (mut jobs, room) = (Vec::new(), self.room());
        for round in 0..self.per_user {
            for DueJobs { user, jobs: due } in &users {
                if jobs.len() == room {
                    return Ok((jobs, Reach::All));
                }
                let Some(&key) = due.get(round) else { continue };
                let Some(place) = self.places.try_acquire(*user) else { continue };
                self.next = after(*user);
                jobs.push(JobWithPlace { key, place });
            }
        }
        Ok((jobs, reach))
    }

    /// Users who have due jobs and can have a place, in the order of their turns; and whether these are all.
    async fn users_with_due_jobs(&mut self, store: &dyn Store, now: Timestamp) -> Result<(Vec<DueJobs>, Reach), Error> {
        let (first, mut from, mut users) = (self.next, self.next, Vec::new());
        let mut has_begun_anew = false;
        for _ in 0..MAX_QUERIES {
            let find = FindDueJobs { task: self.task, now, from, users: USERS_AT_A_TIME, per_user: self.per_user };
            let page = store.due_jobs(find).await?;
            let last = page.last().map(|found| found.user).filter(|_| page.len() == USERS_AT_A_TIME);
            let can_have = |found: &DueJobs| {
                let is_new = !has_begun_anew || found.user < first;
                is_new && !found.jobs.is_empty() && self.places.held_by(found.user) < self.per_user
            };
            users.extend(page.into_iter().filter(can_have));
            match last {
                None if has_begun_anew => return Ok((users, Reach::All)),
                None => (has_begun_anew, from) = (true, UserId::from_uuid(Uuid::nil())),
                Some(last) if has_begun_anew && last >= first => return Ok((users, Reach::All)),
                Some(last) => from = after(last),
            }
            if users.len() >= self.room() {
                return Ok((users, Reach::All));
            }
        }
        self.next = from;
        Ok((users, Reach::Part))
    }
}

/// The lowest id after a user's; after the highest, the lowest of all.
fn after(user: UserId) -> UserId {
    UserId::from_uuid(Uuid::from_u128(user.uuid().as_u128().wrapping_add(1)))
}

/// The result of the task that ran a job.
fn job_result(ended: Result<Result<(), Error>, JoinError>) -> Result<(), Error> {
    match ended {
        Ok(done) => done,
        Err(gone) => Err(Error::Internal(gone.to_string())),
    }
}
