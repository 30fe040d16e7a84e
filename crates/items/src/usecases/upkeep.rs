//! Upkeep: removes old trash, history, events, jobs, idempotency records and decided proposals.

use jiff::{SignedDuration, Timestamp};

use crate::{Action, Error, Item, Retention, Source};

use super::commit::unless_stale;
use super::idempotency::IDEMPOTENCY_RETENTION;
use super::{Interline, now};

/// How many items of the trash are looked up at a time.
const TRASH_STEP: usize = 100;

/// How long finished deliveries and jobs are kept.
const JOB_RETENTION: SignedDuration = SignedDuration::from_hours(24 * 7);

/// How long the name of a change set is kept that no change belongs to: a client may still use it.
const CHANGE_SET_NAME_RETENTION: SignedDuration = SignedDuration::from_hours(48);

/// How long it is known that an item which was purged had been changed by a set.
const PURGED_ITEM_RETENTION: SignedDuration = SignedDuration::from_hours(24 * 90);

/// How long things are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Upkeep {
    /// How long an item or app stays in the trash; `None` is for ever.
    pub trash: Option<SignedDuration>,
    /// How long a version stays in the history of its item; `None` is for ever. The newest always stays.
    pub history: Option<SignedDuration>,
    /// How long events are kept for listeners that come back; `None` is for ever.
    pub events: Option<SignedDuration>,
    /// How many records the history of an item has at the most; `None` is as many as there are.
    pub history_records: Option<u64>,
}

impl Default for Upkeep {
    fn default() -> Upkeep {
        let days = |days: i64| Some(SignedDuration::from_hours(days * 24));
        Upkeep { trash: days(30), history: None, events: days(7), history_records: None }
    }
}

/// How much one run of the upkeep removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UpkeepReport {
    /// Items from the trash.
    pub items: u64,
    /// Apps from the trash, with their files.
    pub apps: u64,
    /// Records of histories.
    pub records: u64,
    /// Events.
    pub events: u64,
    /// Finished deliveries and jobs.
    pub jobs: u64,
    /// Idempotency records.
    pub idempotency_records: u64,
    /// Names of change sets that no change belongs to.
    pub change_set_names: u64,
    /// Purged items that change sets were known to have changed.
    pub purged_items: u64,
    /// Decided proposals.
    pub proposals: u64,
}

impl Interline {
    /// Removes what is older than `rules` keep it, in short transactions.
    pub async fn run_upkeep(&self, rules: Upkeep) -> Result<UpkeepReport, Error> {
        // One that fails keeps none of the others from running.
        let items = self.empty_trash(rules).await;
        let apps = self.purge_apps(rules).await;
        let records = self.forget_history(rules).await;
        let events = match rules.events {
            Some(age) => self.store.forget_events(now() - age).await,
            None => Ok(0),
        };
        let jobs = self.store.forget_jobs(now() - JOB_RETENTION).await;
        let change_set_names = self.store.forget_change_set_names(now() - CHANGE_SET_NAME_RETENTION).await;
        let purged_items = self.store.forget_purged_items(now() - PURGED_ITEM_RETENTION).await;
        let proposals = self.expire_proposals().await;
        let idempotency_records = self.store.forget_idempotency_records(now() - IDEMPOTENCY_RETENTION).await;
        Ok(UpkeepReport {
            items: items?,
            apps: apps?,
            records: records?,
            events: events?,
            jobs: jobs?,
            idempotency_records: idempotency_records?,
            change_set_names: change_set_names?,
            purged_items: purged_items?,
            proposals: proposals?,
        })
    }

    async fn empty_trash(&self, rules: Upkeep) -> Result<u64, Error> {
        let Some(age) = rules.trash else { return Ok(0) };
        let before = now() - age;
        let mut emptied = 0;
        loop {
            let items = self.store.trash(before, TRASH_STEP).await?;
            let mut purged = 0;
            for item in &items {
                purged += u64::from(self.purge_from_trash(item).await?);
            }
            emptied += purged;
            // Another process that empties the trash, or a user who restores items, takes care of the rest.
            if items.len() < TRASH_STEP || purged == 0 {
                return Ok(emptied);
            }
        }
    }

    async fn purge_apps(&self, rules: Upkeep) -> Result<u64, Error> {
        // What is left of an app that was being removed goes in any case.
        let before = rules.trash.map_or(Timestamp::MIN, |age| now() - age);
        let mut purged = 0;
        for app in self.store.apps_to_purge(before).await? {
            purged += u64::from(self.store.purge_app(app, before).await?);
        }
        Ok(purged)
    }

    /// Removes an item that is still in the state in which it was read; whether it was.
    async fn purge_from_trash(&self, item: &Item) -> Result<bool, Error> {
        let owner = self.trusted(self.owner().await?.id, Source::Cli).await?;
        let record = owner.record(Action::Delete, Vec::new(), now(), item);
        Ok(unless_stale(self.store.purge(item.id, item.stamp, record, None).await)?.is_some())
    }

    async fn forget_history(&self, rules: Upkeep) -> Result<u64, Error> {
        if rules.history.is_none() && rules.history_records.is_none() {
            return Ok(0);
        }
        let retention = Retention { before: rules.history.map(|age| now() - age), keep: rules.history_records };
        let (mut forgotten, mut after) = (0, None);
        loop {
            let step = self.store.forget_versions(retention, after).await?;
            forgotten += step.records;
            match step.last {
                Some(last) => after = Some(last),
                None => return Ok(forgotten),
            }
        }
    }
}
