//! Finding change sets: the list, the inbox of what is not reviewed, and one set with its net diffs.

use crate::memory_budget::take_for_work;
use crate::usecases::{Caller, Interline, ItemRef};
use crate::{
    ChangeSetFilter, ChangeSetId, ChangeSetQuery, ChangeSetRef, ChangeSetSummary, ChangedItem, Error, HistoryQuery,
    HistoryRecord, ItemId, Scope,
};

use super::net_change::ItemChange;

/// How many items of a set the list of sets shows.
const LISTED_ITEMS: usize = 20;
/// How many items of a set are read with their diffs.
const DETAILED_ITEMS: usize = 100;
/// More than a set has: it closes at a thousand.
pub(super) const ALL_ITEMS: usize = 10_000;
/// How many sets are looked at for one page of those in a state.
const MAX_SCANNED: usize = 2_000;
/// How many unreviewed sets are counted.
const MAX_COUNTED: usize = 10_000;
/// How many records of an item's history are read to find those of a set.
const MAX_RECORDS: usize = 20_000;

/// A request for change sets, newest first.
#[derive(Clone, Debug)]
pub struct FindChangeSets {
    /// Which of them.
    pub filter: ChangeSetFilter,
    /// After which set in that order; `None` begins with the newest.
    pub after: Option<ChangeSetRef>,
    /// How many at the most.
    pub limit: usize,
}

/// A page of change sets.
#[derive(Clone, Debug)]
pub struct ChangeSetPage {
    /// The sets, newest first.
    pub sets: Vec<ChangeSetSummary>,
    /// After which set to go on; `None` if there are no more.
    pub next: Option<ChangeSetRef>,
}

/// A change set with what it did to its items.
#[derive(Clone, Debug)]
pub struct ChangeSetDetails {
    /// The set, without its items.
    pub summary: ChangeSetSummary,
    /// What it did to each of its first items.
    pub changes: Vec<ItemChange>,
}

impl Interline {
    /// Change sets that have something visible for the caller.
    pub async fn change_sets(&self, caller: &Caller, find: FindChangeSets) -> Result<ChangeSetPage, Error> {
        caller.require(Scope::Read)?;
        let FindChangeSets { filter, mut after, limit } = find;
        if !(1..=100).contains(&limit) {
            return Err(Error::InvalidParameters("limit must be from 1 to 100"));
        }
        let _permit = self.read_permit(caller).await?;
        let (mut sets, mut scanned) = (Vec::new(), 0);
        loop {
            let query = ChangeSetQuery { spaces: caller.spaces(), filter: filter.clone(), after, limit };
            let found = self.store.change_sets(&query).await?;
            let summaries = self.store.change_set_summaries(&found, caller.visible(), LISTED_ITEMS).await?;
            let fits = |summary: &ChangeSetSummary| filter.state.is_none_or(|state| summary.state == state);
            for summary in summaries.into_iter().rev().filter(fits) {
                after = Some(summary.set);
                sets.push(summary);
                if sets.len() == limit {
                    return Ok(ChangeSetPage { sets, next: after });
                }
            }
            after = found.last().copied().or(after);
            scanned += found.len();
            if found.len() < limit {
                return Ok(ChangeSetPage { sets, next: None });
            }
            if scanned >= MAX_SCANNED {
                return Ok(ChangeSetPage { sets, next: after });
            }
        }
    }

    /// A change set with its net diffs, of its first items or of one item.
    pub async fn change_set(
        &self,
        caller: &Caller,
        id: ChangeSetId,
        item: Option<ItemId>,
    ) -> Result<ChangeSetDetails, Error> {
        caller.require(Scope::Read)?;
        let mut summary = self.visible_change_set(caller, id).await?;
        let items = std::mem::take(&mut summary.items);
        let mut changes = Vec::new();
        let wanted = items.into_iter().filter(|changed| item.is_none_or(|item| changed.id == item));
        let mut bytes = 0;
        for changed in wanted.take(DETAILED_ITEMS) {
            let change = self.item_change(caller, summary.set, changed).await?;
            // All of them are in memory together.
            bytes += change.bytes();
            take_for_work(bytes)?;
            changes.push(change);
        }
        Ok(ChangeSetDetails { summary, changes })
    }

    /// How many change sets are not reviewed, of those that the caller sees; some thousands at the most.
    pub async fn unreviewed_change_sets(&self, caller: &Caller) -> Result<u64, Error> {
        if !caller.has(Scope::Read) {
            return Ok(0);
        }
        Ok(self.store.unreviewed_change_sets(&caller.spaces(), MAX_COUNTED).await?)
    }

    /// A change set with all its items, if it has something visible for the caller.
    pub(super) async fn visible_change_set(&self, caller: &Caller, id: ChangeSetId) -> Result<ChangeSetSummary, Error> {
        let missing = || Error::Missing {
            what: "change set",
            requested: id.to_string(),
            hint: "GET /changes lists those that there are",
        };
        let sets = self.change_set_refs(id).await?;
        let _permit = self.read_permit(caller).await?;
        for set in sets {
            if let Some(summary) = self.store.change_set(set, caller.visible(), ALL_ITEMS).await? {
                return Ok(summary);
            }
        }
        Err(missing())
    }

    /// The sets that an identifier can mean: one that a client has named by it, and one that the store has made. There are both
    /// only if a client has named its set by the identifier of a set that it knows of, but does not see.
    pub(super) async fn change_set_refs(&self, id: ChangeSetId) -> Result<Vec<ChangeSetRef>, Error> {
        let named = self.store.named_change_set(id).await?.map(|named| named.set);
        Ok(ChangeSetRef::from_generated(id).into_iter().chain(named).collect())
    }

    /// The records of an item since the first one of a set, oldest first. `None` if there are too many.
    pub(super) async fn records_since(
        &self,
        caller: &Caller,
        set: ChangeSetRef,
        changed: &ChangedItem,
    ) -> Result<Option<Vec<HistoryRecord>>, Error> {
        let _permit = self.read_permit(caller).await?;
        let (mut records, limit) = (Vec::new(), 1_000);
        let before = changed.from_version.unwrap_or(0);
        while records.len() < MAX_RECORDS {
            let query = HistoryQuery { offset: records.len() as u64, limit };
            let page = self.store.versions(changed.id, query).await?;
            let is_last = page.records.len() < limit;
            let older = page.records.last().is_some_and(|record| record.stamp.version < before);
            records.extend(page.records);
            if is_last || older {
                let last = records.iter().rposition(|record| record.attribution.change_set == set);
                records.truncate(last.map_or(0, |last| last + 1));
                records.reverse();
                return Ok(Some(records));
            }
        }
        Ok(None)
    }

    /// What a change set did to an item.
    async fn item_change(&self, caller: &Caller, set: ChangeSetRef, changed: ChangedItem) -> Result<ItemChange, Error> {
        let item = self.visible_item(&caller.seeing_stored(), &ItemRef::Id(changed.id, None)).await?;
        let records = self.records_since(caller, set, &changed).await?;
        let Some(records) = records else { return Ok(ItemChange::without_text(changed, &[], set)) };
        let mut change = ItemChange::without_text(changed, &records, set);
        match self.net_text(caller, &item, &records, set).await {
            Ok(Some(parts)) => change = self.with_parts(caller, change, parts).await?,
            Ok(None) => {}
            // The diff is lost with the versions; what is known of the set stays.
            Err(Error::VersionNotFound { .. } | Error::CorruptContent { .. }) => {}
            Err(error) => return Err(error),
        }
        Ok(change)
    }
}
