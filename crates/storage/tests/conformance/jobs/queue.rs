//! The job queue: claims, leases and ends of jobs; the results of enrichment.

use interline_items::fields::Tag;
use interline_items::{
    ClaimJobs, DueJobs, Enrichment, EnrichmentState, FindDueJobs, ItemId, Job, JobEnd, JobKey, JobKind, JobMetrics,
    Snapshot, Store, UserId,
};
use jiff::Timestamp;
use uuid::Uuid;

use crate::fixtures::authors::{Author, author};
use crate::fixtures::samples::{Sample, at, bookmark, note, prompt};
use crate::fixtures::test_store::TestStore;

on_both!(
    a_change_asks_for_enrichment_only_while_somebody_does_it,
    only_what_a_model_reads_asks_for_enrichment,
    a_claim_lasts_until_its_lease_ends,
    claims_are_of_one_sort_and_no_more_than_wanted,
    of_two_who_claim_one_has_it,
    users_are_found_in_the_order_of_their_ids_each_with_its_longest_due_jobs,
    a_users_many_jobs_do_not_make_others_hard_to_find,
    a_job_that_is_done_is_gone,
    a_job_that_is_asked_for_meanwhile_is_done_again,
    a_job_that_failed_is_due_later,
    a_job_that_waits_does_not_wait_with_what_is_new,
    a_job_that_was_given_up_begins_anew_when_it_is_asked_for,
    what_a_model_said_is_kept_unless_it_is_about_an_older_version,
    what_a_model_said_goes_with_its_item,
    old_jobs_of_enriching_are_forgotten,
);

/// Longer than any test.
const YEARS: i64 = 1_000_000_000;

async fn enriching(test: &TestStore) -> Author {
    test.store.enrich_until(at(YEARS)).await.unwrap();
    author(&*test.store, "ada").await
}

/// The jobs of enriching that are due by then, of each user so many at the most.
async fn due(store: &dyn Store, seconds: i64, per_user: usize) -> Vec<DueJobs> {
    let (task, from) = (JobKind::Enrich, UserId::from_uuid(Uuid::nil()));
    store.due_jobs(FindDueJobs { task, now: at(seconds), from, users: 100, per_user }).await.unwrap()
}

/// Claims due jobs, of each user so many at the most.
async fn claim_some(store: &dyn Store, seconds: i64, per_user: usize) -> Vec<Job> {
    let due = due(store, seconds, per_user).await;
    let subjects = due.iter().flat_map(|found| &found.jobs).map(|key| key.subject()).collect();
    claim_these(store, seconds, subjects).await
}

async fn claim_these(store: &dyn Store, seconds: i64, subjects: Vec<Uuid>) -> Vec<Job> {
    let claim = ClaimJobs { task: JobKind::Enrich, subjects, now: at(seconds), leased_until: at(seconds + 60) };
    store.claim_jobs(claim).await.unwrap()
}

async fn claim(store: &dyn Store, seconds: i64) -> Vec<Job> {
    claim_some(store, seconds, 10).await
}

/// The one job that there is.
async fn the_job(store: &dyn Store, seconds: i64) -> Job {
    let jobs = claim(store, seconds).await;
    assert_eq!(jobs.len(), 1, "{jobs:?}");
    jobs[0].clone()
}

async fn next(store: &dyn Store) -> Option<Timestamp> {
    store.next_job(JobKind::Enrich, Timestamp::MIN).await.unwrap()
}

/// A note, and the time of its change: that of the job's.
async fn noted(store: &dyn Store, author: &Author, seconds: i64) -> Snapshot {
    author.create(store, note(&author.space, "Plan").made_at(at(seconds))).await
}

fn said(version: u64, summary: &str) -> Enrichment {
    Enrichment {
        version,
        summary: summary.to_owned(),
        tags: vec![Tag::from_stored("rust".to_owned()), Tag::from_stored("a/b".to_owned())],
        model: "small".to_owned(),
        at: at(3),
    }
}

async fn a_change_asks_for_enrichment_only_while_somebody_does_it(test: TestStore) {
    let store = &*test.store;
    let ada = author(store, "ada").await;
    noted(store, &ada, 1).await;
    assert_eq!(next(store).await, None);
    store.enrich_until(at(5)).await.unwrap();
    // It is never shortened.
    store.enrich_until(at(2)).await.unwrap();
    let made = noted(store, &ada, 4).await;
    noted(store, &ada, 5).await;
    assert_eq!(next(store).await, Some(at(4) + JobKind::Enrich.delay()));
    let job = the_job(store, YEARS).await;
    assert_eq!((job.key, job.enqueued, job.failures, job.since), (JobKey::Enrich(made.item.id), 1, 0, at(4)));
}

async fn only_what_a_model_reads_asks_for_enrichment(test: TestStore) {
    let store = &*test.store;
    let ada = enriching(&test).await;
    ada.create(store, prompt(&ada.space, "hello")).await;
    assert_eq!(next(store).await, None);
    let mark = ada.create(store, bookmark(&ada.space, "https://example.com/")).await;
    let job = the_job(store, YEARS).await;
    assert_eq!(job.key, JobKey::Enrich(mark.item.id));
    assert!(store.end_job(&job, JobEnd::Done, at(YEARS)).await.unwrap());
    ada.change(store, &mark, ada.archiving(&mark)).await.unwrap();
    assert_eq!(next(store).await, None);
}

async fn a_claim_lasts_until_its_lease_ends(test: TestStore) {
    let store = &*test.store;
    let ada = enriching(&test).await;
    noted(store, &ada, 0).await;
    assert_eq!(claim(store, 1).await, [], "it is not due yet");
    let first = the_job(store, 10).await;
    assert_eq!(claim(store, 69).await, []);
    assert_eq!(next(store).await, Some(at(70)));
    let second = the_job(store, 70).await;
    assert_ne!(first.claim, second.claim);
    // Who has lost it cannot end it.
    for end in [
        JobEnd::Done,
        JobEnd::Later(at(71)),
        JobEnd::Failed { due_at: at(71), failure: "late".to_owned(), failures: 9 },
        JobEnd::GivenUp("late".to_owned()),
    ] {
        assert!(!store.end_job(&first, end, at(71)).await.unwrap());
    }
    assert!(store.end_job(&second, JobEnd::Done, at(72)).await.unwrap());
    assert_eq!(next(store).await, None);
}

async fn claims_are_of_one_sort_and_no_more_than_wanted(test: TestStore) {
    let store = &*test.store;
    let ada = enriching(&test).await;
    let mut made: Vec<ItemId> = Vec::new();
    for seconds in [3, 1, 2] {
        made.push(noted(store, &ada, seconds).await.item.id);
    }
    let subjects: Vec<Uuid> = made.iter().map(|item| item.uuid()).collect();
    let deliver = ClaimJobs { task: JobKind::Deliver, subjects, now: at(100), leased_until: at(160) };
    assert_eq!(store.claim_jobs(deliver).await.unwrap(), []);
    let two = claim_some(store, 100, 2).await;
    let mut works: Vec<JobKey> = two.iter().map(|job| job.key).collect();
    works.sort_by_key(|work| work.subject());
    assert_eq!(works, [JobKey::Enrich(made[1]), JobKey::Enrich(made[2])], "the longest due first");
    assert_eq!(the_job(store, 100).await.key, JobKey::Enrich(made[0]));
}

async fn of_two_who_claim_one_has_it(test: TestStore) {
    let store = &*test.store;
    let ada = enriching(&test).await;
    for _ in 0..20 {
        noted(store, &ada, 1).await;
    }
    let claims = (0..8).map(|_| {
        let store = test.store.clone();
        tokio::spawn(async move { claim_some(&*store, 100, 3).await })
    });
    let mut claimed = Vec::new();
    for claim in claims.collect::<Vec<_>>() {
        claimed.extend(claim.await.unwrap().into_iter().map(|job| job.key.subject()));
    }
    claimed.extend(claim_some(store, 100, 20).await.into_iter().map(|job| job.key.subject()));
    let count = claimed.len();
    claimed.sort_unstable();
    claimed.dedup();
    assert_eq!((count, claimed.len()), (20, 20));
}

async fn users_are_found_in_the_order_of_their_ids_each_with_its_longest_due_jobs(test: TestStore) {
    let store = &*test.store;
    test.store.enrich_until(at(YEARS)).await.unwrap();
    let mut users = Vec::new();
    for name in ["ada", "ben", "cleo"] {
        users.push(author(store, name).await);
    }
    users.sort_by_key(|author| author.user.id);
    let mut expected = Vec::new();
    for (index, author) in users.iter().enumerate() {
        let later = noted(store, author, 20).await.item.id;
        let first = noted(store, author, 10 - i64::try_from(index).unwrap()).await.item.id;
        noted(store, author, 1_000).await;
        expected.push(DueJobs { user: author.user.id, jobs: vec![JobKey::Enrich(first), JobKey::Enrich(later)] });
    }
    assert_eq!(due(store, 100, 10).await, expected);
    // So many users, so many jobs of each, and from a user on.
    let find = FindDueJobs { task: JobKind::Enrich, now: at(100), from: users[1].user.id, users: 1, per_user: 1 };
    let found = store.due_jobs(find).await.unwrap();
    assert_eq!(found, [DueJobs { user: users[1].user.id, jobs: expected[1].jobs[..1].to_vec() }]);
    // A user whose jobs are not due is found without any.
    let found: Vec<usize> = due(store, 15, 10).await.iter().map(|found| found.jobs.len()).collect();
    assert_eq!(found, [1, 1, 1]);
    let found: Vec<usize> = due(store, 1, 10).await.iter().map(|found| found.jobs.len()).collect();
    assert_eq!(found, [0, 0, 0]);
    assert_eq!(store.due_jobs(FindDueJobs { task: JobKind::Deliver, ..find }).await.unwrap(), []);
    assert_eq!(store.next_job(JobKind::Enrich, at(100)).await.unwrap(), Some(at(1_000) + JobKind::Enrich.delay()));
}

async fn a_users_many_jobs_do_not_make_others_hard_to_find(test: TestStore) {
    let store = &*test.store;
    let ada = enriching(&test).await;
    for _ in 0..200 {
        noted(store, &ada, 1).await;
    }
    let ben = author(store, "ben").await;
    let last = noted(store, &ben, 50).await.item.id;
    let found = due(store, 100, 2).await;
    let of_ben = found.iter().find(|found| found.user == ben.user.id).unwrap();
    assert_eq!(of_ben.jobs, [JobKey::Enrich(last)]);
    assert_eq!(found.iter().map(|found| found.jobs.len()).sum::<usize>(), 3);
}

async fn a_job_that_is_done_is_gone(test: TestStore) {
    let store = &*test.store;
    let ada = enriching(&test).await;
    let made = noted(store, &ada, 1).await;
    let state = store.enrichment(made.item.id).await.unwrap();
    assert_eq!(state, EnrichmentState { is_pending: true, ..EnrichmentState::default() });
    let job = the_job(store, 10).await;
    assert!(store.end_job(&job, JobEnd::Done, at(11)).await.unwrap());
    assert!(!store.end_job(&job, JobEnd::Done, at(11)).await.unwrap());
    assert_eq!(store.enrichment(made.item.id).await.unwrap(), EnrichmentState::default());
}

async fn a_job_that_is_asked_for_meanwhile_is_done_again(test: TestStore) {
    let store = &*test.store;
    let ada = enriching(&test).await;
    let mut made = noted(store, &ada, 1).await;
    for (title, end) in [("a", JobEnd::Done), ("b", JobEnd::Later(at(5_000))), ("c", JobEnd::GivenUp("no".to_owned()))]
    {
        let job = the_job(store, 1_000).await;
        let write = ada.retitling(&made, title);
        let after = Snapshot { item: write.after.clone(), ..made.clone() };
        ada.change(store, &made, write).await.unwrap();
        made = after;
        // One at a time: whoever has it goes on first.
        assert_eq!(claim(store, 1_001).await, []);
        assert!(store.end_job(&job, end, at(900)).await.unwrap());
        assert_eq!(next(store).await, Some(at(900)));
    }
    let job = the_job(store, 1_000).await;
    assert_eq!((job.enqueued, job.failures), (4, 0), "each time that it was asked for");
}

async fn a_job_that_failed_is_due_later(test: TestStore) {
    let store = &*test.store;
    let ada = enriching(&test).await;
    let made = noted(store, &ada, 1).await;
    let job = the_job(store, 10).await;
    let failed = JobEnd::Failed { due_at: at(100), failure: "busy".to_owned(), failures: 3 };
    assert!(store.end_job(&job, failed, at(11)).await.unwrap());
    assert_eq!(next(store).await, Some(at(100)));
    let state = store.enrichment(made.item.id).await.unwrap();
    assert_eq!((state.is_pending, state.failure.as_deref()), (true, Some("busy")));
    // That it is asked for does not make it due earlier.
    ada.change(store, &made, ada.retitling(&made, "New")).await.unwrap();
    assert_eq!(next(store).await, Some(at(100)));
    let again = the_job(store, 100).await;
    assert_eq!((again.failures, again.since), (3, at(1)));
    assert!(store.end_job(&again, JobEnd::Later(at(200)), at(101)).await.unwrap());
    assert_eq!(the_job(store, 200).await.failures, 0);
}

async fn a_job_that_waits_does_not_wait_with_what_is_new(test: TestStore) {
    let store = &*test.store;
    let ada = enriching(&test).await;
    let made = noted(store, &ada, 1).await;
    let job = the_job(store, 10).await;
    let far = at(YEARS);
    assert!(store.end_job(&job, JobEnd::Later(far), at(11)).await.unwrap());
    assert_eq!(next(store).await, Some(far));
    let write = ada.retitling(&made, "New");
    let due = write.record.at + JobKind::Enrich.delay();
    ada.change(store, &made, write).await.unwrap();
    assert_eq!(next(store).await, Some(due));
}

async fn a_job_that_was_given_up_begins_anew_when_it_is_asked_for(test: TestStore) {
    let store = &*test.store;
    let ada = enriching(&test).await;
    let made = noted(store, &ada, 1).await;
    let job = the_job(store, 10).await;
    store
        .end_job(&job, JobEnd::Failed { due_at: at(20), failure: "busy".to_owned(), failures: 1 }, at(11))
        .await
        .unwrap();
    let job = the_job(store, 20).await;
    assert!(store.end_job(&job, JobEnd::GivenUp("never".to_owned()), at(21)).await.unwrap());
    assert_eq!(next(store).await, None);
    let state = store.enrichment(made.item.id).await.unwrap();
    assert_eq!((state.is_pending, state.failure.as_deref()), (false, Some("never")));
    let figures = store.job_metrics().await.unwrap();
    let enrich = JobMetrics { task: JobKind::Enrich, waiting: 0, oldest: None, given_up: 1 };
    assert!(figures.contains(&enrich), "{figures:?}");
    let write = ada.retitling(&made, "New");
    let changed_at = write.record.at;
    ada.change(store, &made, write).await.unwrap();
    assert_eq!(next(store).await, Some(changed_at + JobKind::Enrich.delay()));
    let job = the_job(store, YEARS).await;
    assert_eq!((job.failures, job.since), (0, changed_at));
}

async fn what_a_model_said_is_kept_unless_it_is_about_an_older_version(test: TestStore) {
    let store = &*test.store;
    let ada = author(store, "ada").await;
    let made = noted(store, &ada, 1).await;
    let kept = async || store.enrichment(made.item.id).await.unwrap().enrichment;
    for (version, summary) in [(2, "two"), (2, "two again"), (3, "three")] {
        store.put_enrichment(made.item.id, &said(version, summary)).await.unwrap();
        assert_eq!(kept().await, Some(said(version, summary)));
    }
    store.put_enrichment(made.item.id, &said(1, "one")).await.unwrap();
    assert_eq!(kept().await, Some(said(3, "three")));
    store.remove_enrichment(made.item.id).await.unwrap();
    assert_eq!(kept().await, None);
    let gone = ItemId::generate();
    store.put_enrichment(gone, &said(1, "one")).await.unwrap();
    store.remove_enrichment(gone).await.unwrap();
    assert_eq!(store.enrichment(gone).await.unwrap(), EnrichmentState::default());
}

async fn what_a_model_said_goes_with_its_item(test: TestStore) {
    let store = &*test.store;
    let ada = author(store, "ada").await;
    let made = noted(store, &ada, 1).await;
    store.put_enrichment(made.item.id, &said(1, "one")).await.unwrap();
    let record = ada.retitling(&made, "x").record;
    store.purge(made.item.id, made.item.stamp, record, None).await.unwrap();
    assert_eq!(store.enrichment(made.item.id).await.unwrap(), EnrichmentState::default());
    assert_eq!(test.count("SELECT count(*) FROM enrichments").await, 0);
}

async fn old_jobs_of_enriching_are_forgotten(test: TestStore) {
    let store = &*test.store;
    let ada = enriching(&test).await;
    noted(store, &ada, 1).await;
    let young = noted(store, &ada, 5).await;
    assert_eq!(store.forget_jobs(at(5)).await.unwrap(), 1);
    assert_eq!(store.forget_jobs(at(5)).await.unwrap(), 0);
    assert_eq!(the_job(store, YEARS).await.key, JobKey::Enrich(young.item.id));
}
