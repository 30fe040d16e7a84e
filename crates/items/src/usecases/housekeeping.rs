//! What is thrown away by itself: old trash, old history, old events, old work, old answers.

use jiff::SignedDuration;

use crate::{Action, Error, Item, Record, Retention, Source};

use super::once::MEMORY;
use super::{Interline, now, unless_stale};

/// How many items of the trash are looked up at a time.
const TRASH_STEP: usize = 100;

/// How long it is remembered what became of work that followed from changes.
const WORK: SignedDuration = SignedDuration::from_hours(24 * 7);

/// How long things are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Upkeep {
    /// How long an item stays in the trash; `None` is for ever.
    pub trash: Option<SignedDuration>,
    /// How long a version stays in the history of its item; `None` is for ever. The newest always stays.
    pub history: Option<SignedDuration>,
    /// How long events are kept for those who listen again; `None` is for ever.
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

/// What was thrown away.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UpkeepReport {
    /// Items from the trash.
    pub items: u64,
    /// Records of histories.
    pub records: u64,
    /// Events.
    pub events: u64,
    /// What is remembered of work that followed from changes.
    pub work: u64,
    /// Answers to requests that are not sent again any more.
    pub answers: u64,
}

impl Interline {
    /// Throws away what is older than it has to be, in short transactions.
    pub async fn keep_house(&self, rules: Upkeep) -> Result<UpkeepReport, Error> {
        Ok(UpkeepReport {
            items: self.empty_trash(rules).await?,
            records: self.forget_history(rules).await?,
            events: match rules.events {
                Some(age) => self.store.forget_events(now() - age).await?,
                None => 0,
            },
            work: self.store.forget_work(now() - WORK).await?,
            answers: self.store.forget_idempotency_records(now() - MEMORY).await?,
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
                purged += u64::from(self.throw_away(item).await?);
            }
            emptied += purged;
            // Whoever else is at it, or brings items back, has the rest.
            if items.len() < TRASH_STEP || purged == 0 {
                return Ok(emptied);
            }
        }
    }

    /// Removes an item that is still as it was found; whether it was.
    async fn throw_away(&self, item: &Item) -> Result<bool, Error> {
        let owner = self.owner().await?;
        let record = Record {
            action: Action::Delete,
            changed_fields: Vec::new(),
            at: now(),
            source: Source::Cli,
            user: owner.id,
            token: None,
        };
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
