//! Histories: listing an item's changes, reading, comparing and restoring its versions.

use std::sync::Arc;

use interline_edit::{UnifiedDiff, diff, diff_memory, diff_within};

use crate::memory_budget::{WORK_FACTOR, take_for_work, take_in_all_for_work};
use crate::{Action, Error, Fields, HistoryPage, HistoryQuery, Item, Scope, Snapshot, Stamp, Version};

use crate::usecases::commit::{MAX_ROUNDS, changed_field_names, lost_every_round};
use crate::usecases::{Caller, ExpectedVersion, Interline, ItemRef, ReadContent, ReadItem};

use super::content_check::BIG_BYTES;
use super::drafts::StateChanges;
use super::update::Step;

/// The difference between two versions of an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VersionDiff {
    /// The older version; 0 is before the item was made.
    pub from: u64,
    /// The newer version.
    pub to: u64,
    /// The diff of the contents; no content counts as an empty one.
    pub diff: UnifiedDiff,
    /// Names of the fields in which the versions differ, in the order of the wire.
    pub changed_fields: Vec<&'static str>,
}

impl Interline {
    /// The history of an item, newest change first, in whatever state the item is.
    pub async fn history(
        &self,
        caller: &Caller,
        item_ref: &ItemRef,
        query: HistoryQuery,
    ) -> Result<HistoryPage, Error> {
        caller.require(Scope::Read)?;
        let item = self.visible_item(&caller.seeing_stored(), item_ref).await?;
        check_query(query)?;
        let _permit = self.read_permit(caller).await?;
        Ok(self.store.versions(item.id, query).await?)
    }

    /// An item as it was in a version, with the requested part of its content. What is no part of a version (its last use,
    /// whether it was archived) is left out, and so are the functions of a workflow.
    pub async fn read_version(
        &self,
        caller: &Caller,
        item_ref: &ItemRef,
        number: u64,
        content: ReadContent,
    ) -> Result<ReadItem, Error> {
        caller.require(Scope::Read)?;
        let current = self.visible_item(&caller.seeing_stored(), item_ref).await?;
        let Version { record, fields, content: text } = self.version(caller, &current, number).await?;
        let item = Item {
            fields,
            content: self.content_info(caller, text.clone()).await?,
            functions: None,
            stamp: record.stamp,
            updated_at: record.at,
            last_used_at: None,
            archived_at: None,
            deleted_at: None,
            proposal: None,
            ..current
        };
        ReadItem::from_snapshot(Snapshot { item, content: text }, content)
    }

    /// The difference between a version of an item and an older one; the one before it unless `from` is given.
    pub async fn compare_versions(
        &self,
        caller: &Caller,
        item_ref: &ItemRef,
        to: u64,
        from: Option<u64>,
    ) -> Result<VersionDiff, Error> {
        caller.require(Scope::Read)?;
        let item = self.visible_item(&caller.seeing_stored(), item_ref).await?;
        let after = self.version(caller, &item, to).await?;
        let from = from.unwrap_or(to - 1);
        let (fields, content) = match from {
            0 => (Fields::default(), None),
            number => {
                let before = self.version(caller, &item, number).await?;
                (before.fields, before.content)
            }
        };
        let mut changed_fields = changed_field_names(&fields, &after.fields);
        if content != after.content {
            changed_fields.push("content");
        }
        let diff = self.diff_contents(caller, content, after.content, diff).await?;
        Ok(VersionDiff { from, to, diff, changed_fields })
    }

    /// Gives an item the fields and the content of an old version, as a new version that the history calls a restore; writes
    /// nothing if it has them already.
    /// An item whose content is damaged is repaired by it.
    pub async fn restore_version(
        &self,
        caller: &Caller,
        item_ref: &ItemRef,
        number: u64,
        expected: ExpectedVersion,
    ) -> Result<Snapshot, Error> {
        let caller = &caller.with_own_change_set();
        for _ in 0..MAX_ROUNDS {
            let before = self.replaceable(caller, item_ref, expected).await?;
            let Version { fields, content, .. } = self.version(caller, before.item(), number).await?;
            let mut item = before.item().clone();
            self.check_content(caller, item.kind, &fields, content.clone()).await?.apply_to(&mut item);
            item.fields = fields;
            let after = Snapshot { item, content };
            let step = Step::between(before, after, StateChanges::default());
            if let Some(saved) = self.save(caller, Action::Restore, step).await? {
                return Ok(saved.after);
            }
        }
        Err(lost_every_round())
    }

    /// The diff from the content of an old version to that of the item's version, in at most so many bytes, if both are
    /// still kept.
    pub(in crate::usecases) async fn diff_since(
        &self,
        caller: &Caller,
        item: &Item,
        number: u64,
        max_bytes: usize,
    ) -> Option<UnifiedDiff> {
        let Stamp { version, .. } = item.stamp;
        if number >= version {
            return None;
        }
        let before = self.version(caller, item, number).await.ok()?;
        let after = self.version(caller, item, version).await.ok()?;
        let diff = move |before: &str, after: &str| diff_within(before, after, max_bytes);
        self.diff_contents(caller, before.content, after.content, diff).await.ok()
    }

    /// An item as it was in a version.
    pub(in crate::usecases) async fn version(
        &self,
        caller: &Caller,
        item: &Item,
        number: u64,
    ) -> Result<Version, Error> {
        let permit = self.read_permit(caller).await?;
        // Storages are asked only for versions that the item has had.
        let version = match number {
            number if (1..=item.stamp.version).contains(&number) => self.store.version(item.id, number).await,
            _ => Ok(None),
        };
        let version = match version {
            Ok(version) => version,
            Err(error) => {
                drop(permit);
                return Err(self.explain_damage(caller, item.id, error).await);
            }
        };
        let (kind, id, current) = (item.kind, item.id, item.stamp.version);
        let version = version.ok_or(Error::VersionNotFound { kind, id, version: number, current })?;
        take_for_work(version.content.as_ref().map_or(0, |content| content.len()))?;
        Ok(version)
    }

    /// The diff of two contents: computed here if they are short, on a thread of its own otherwise.
    async fn diff_contents(
        &self,
        caller: &Caller,
        before: Option<Arc<str>>,
        after: Option<Arc<str>>,
        diff: impl FnOnce(&str, &str) -> UnifiedDiff + Send + 'static,
    ) -> Result<UnifiedDiff, Error> {
        let (before, after) = (before.unwrap_or_default(), after.unwrap_or_default());
        let texts = (before.len() + after.len()).saturating_mul(WORK_FACTOR);
        take_in_all_for_work(texts.saturating_add(diff_memory(&before, &after)))?;
        if before.len() + after.len() <= BIG_BYTES {
            return Ok(diff(&before, &after));
        }
        Ok(self.threads.run(caller.work_for(), move |_| diff(&before, &after)).await?)
    }
}

fn check_query(query: HistoryQuery) -> Result<(), Error> {
    if !(1..=100).contains(&query.limit) {
        return Err(Error::InvalidParameters("limit must be from 1 to 100"));
    }
    if query.offset > 1_000_000_000 {
        return Err(Error::InvalidParameters("offset must be at most 1,000,000,000"));
    }
    Ok(())
}
