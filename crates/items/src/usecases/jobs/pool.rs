//! The places in which a worker runs the jobs of a kind, shared fairly by users: they take turns, and none has more than its
//! part of the places.

use std::sync::Arc;

use async_trait::async_trait;
use jiff::Timestamp;
use tokio::task::{JoinError, JoinSet};
use uuid::Uuid;

use crate::fair::{FairPermit, FairSemaphore};
use crate::{DueJobs, Error, FindDueJobs, JobKey, JobKind, Store, StoreError, UserId};

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

/// Where due jobs are found.
#[async_trait]
pub(super) trait DueJobSource: Sync {
    async fn due_jobs(&self, find: FindDueJobs) -> Result<Vec<DueJobs>, StoreError>;
}

#[async_trait]
impl DueJobSource for Arc<dyn Store> {
    async fn due_jobs(&self, find: FindDueJobs) -> Result<Vec<DueJobs>, StoreError> {
        (**self).due_jobs(find).await
    }
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
        store: &impl DueJobSource,
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
    async fn users_with_due_jobs(
        &mut self,
        store: &impl DueJobSource,
        now: Timestamp,
    ) -> Result<(Vec<DueJobs>, Reach), Error> {
        let (first, mut from, mut users) = (self.next, self.next, Vec::new());
        let (per_user, mut has_begun_anew) = (self.per_user.min(self.room()), false);
        for _ in 0..MAX_QUERIES {
            let find = FindDueJobs { task: self.task, now, from, users: USERS_AT_A_TIME, per_user };
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

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, HashSet};
    use std::sync::Mutex;

    use super::*;

    /// The due jobs of users, by their numbers; and how often they were asked for.
    struct Jobs {
        due: BTreeMap<u128, Vec<JobKey>>,
        queries: Mutex<usize>,
    }

    #[async_trait]
    impl DueJobSource for Jobs {
        async fn due_jobs(&self, find: FindDueJobs) -> Result<Vec<DueJobs>, StoreError> {
            *self.queries.lock().unwrap() += 1;
            let found = self.due.range(find.from.uuid().as_u128()..).take(find.users);
            Ok(found
                .map(|(user, jobs)| DueJobs {
                    user: UserId::from_uuid(Uuid::from_u128(*user)),
                    jobs: jobs.iter().copied().take(find.per_user).collect(),
                })
                .collect())
        }
    }

    impl Jobs {
        /// Users with so many due jobs each.
        fn from_counts(users: impl IntoIterator<Item = (u128, u128)>) -> Jobs {
            let key = |user: u128, job: u128| JobKey::new(JobKind::Enrich, Uuid::from_u128(user * 1_000 + job));
            let due = users.into_iter().map(|(user, jobs)| (user, (0..jobs).map(|job| key(user, job)).collect()));
            Jobs { due: due.collect(), queries: Mutex::new(0) }
        }

        /// The jobs that a pool takes, as `user * 1_000 + job`; they are run and end at once, and are no longer due.
        async fn run_turn(&mut self, pool: &mut JobPool) -> Vec<u128> {
            let (jobs, _) = pool.take_turn(self, Timestamp::UNIX_EPOCH).await.unwrap();
            let taken: HashSet<JobKey> = jobs.iter().map(|job| job.key).collect();
            self.due.values_mut().for_each(|due| due.retain(|key| !taken.contains(key)));
            jobs.iter().map(|job| job.key.subject().as_u128()).collect()
        }
    }

    #[tokio::test]
    async fn each_user_has_a_first_job_before_one_has_a_second() {
        let mut pool = JobPool::new(JobKind::Deliver, 16);
        let mut jobs = Jobs::from_counts([(1, 3), (2, 1), (3, 0), (4, 2)]);
        assert_eq!(jobs.run_turn(&mut pool).await, [1_000, 2_000, 4_000, 1_001, 4_001, 1_002]);
    }

    #[tokio::test]
    async fn a_user_has_no_more_than_its_part_whether_others_wait_or_not() {
        for (task, per_user, expected) in
            [(JobKind::Deliver, 16, 16), (JobKind::Deliver, 0, 1), (JobKind::Deliver, 99, 32), (JobKind::Enrich, 99, 2)]
        {
            let mut pool = JobPool::new(task, per_user);
            let jobs = Jobs::from_counts([(7, 100)]);
            let (running, reach) = pool.take_turn(&jobs, Timestamp::UNIX_EPOCH).await.unwrap();
            assert_eq!((running.len(), reach), (expected, Reach::All));
            let (more, _) = pool.take_turn(&jobs, Timestamp::UNIX_EPOCH).await.unwrap();
            assert_eq!(more.len(), 0, "as long as they run");
            drop(running);
            assert_eq!(pool.take_turn(&jobs, Timestamp::UNIX_EPOCH).await.unwrap().0.len(), expected);
        }
    }

    #[tokio::test]
    async fn the_next_turn_goes_on_after_the_last_user() {
        let mut pool = JobPool::new(JobKind::Enrich, 2);
        let mut jobs = Jobs::from_counts((1..=6).map(|user| (user, 100)));
        assert_eq!(jobs.run_turn(&mut pool).await, [1_000, 2_000, 3_000, 4_000]);
        assert_eq!(jobs.run_turn(&mut pool).await, [5_000, 6_000, 1_001, 2_001]);
        assert_eq!(jobs.run_turn(&mut pool).await, [3_001, 4_001, 5_001, 6_001]);
    }

    #[tokio::test]
    async fn a_turn_has_bounded_work_and_reaches_everybody_in_the_end() {
        let mut pool = JobPool::new(JobKind::Enrich, 2);
        // Thousands of users whose jobs are not due, and one whose job is.
        let mut jobs = Jobs::from_counts((1..=5_000).map(|user| (user, u128::from(user == 4_999))));
        for turn in 1..=5 {
            let taken = jobs.run_turn(&mut pool).await;
            assert!(*jobs.queries.lock().unwrap() <= turn * MAX_QUERIES);
            assert_eq!(taken, if turn == 5 { vec![4_999_000] } else { vec![] }, "{turn}");
        }
    }
}
