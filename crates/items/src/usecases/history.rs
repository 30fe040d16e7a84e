//! Histories: what happened to an item, what it was, and the way back to it.

use std::sync::Arc;

use interline_edit::{UnifiedDiff, diff, diff_within};

use crate::{Error, Fields, HistoryPage, HistoryQuery, Item, Scope, Snapshot, Stamp, Version};

use super::examine::BIG_BYTES;
use super::update::changed_names;
use super::{Caller, ExpectedVersion, Interline, ItemRef, MAX_ROUNDS, ReadContent, ReadItem, lost_every_round};

/// What leads from one version of an item to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VersionDiff {
    /// The version that it leads from; 0 is before the item was made.
    pub from: u64,
    /// The version that it leads to.
    pub to: u64,
    /// The change of the content; no content counts as an empty one.
    pub diff: UnifiedDiff,
    /// Names of the fields in which the versions differ, in the order of the wire.
    pub changed_fields: Vec<&'static str>,
}

impl Interline {
    /// What happened to an item, newest first, in whatever state it is.
    pub async fn history(&self, caller: &Caller, which: &ItemRef, query: HistoryQuery) -> Result<HistoryPage, Error> {
        caller.needs(Scope::Read)?;
        let item = self.find(caller, which).await?;
        check_query(query)?;
        Ok(self.store.versions(item.id, query).await?)
    }

    /// An item as it was in a version, with what is asked for of its content. What is no part of a version, like its
    /// use and whether it was archived, is left out, and so is what is known of the code that it is now.
    pub async fn read_version(
        &self,
        caller: &Caller,
        which: &ItemRef,
        number: u64,
        content: ReadContent,
    ) -> Result<ReadItem, Error> {
        caller.needs(Scope::Read)?;
        let current = self.find(caller, which).await?;
        let Version { record, fields, content: text } = self.version(&current, number).await?;
        let item = Item {
            fields,
            content: self.measured(text.clone()).await?,
            functions: None,
            stamp: record.stamp,
            updated_at: record.at,
            last_used_at: None,
            archived_at: None,
            deleted_at: None,
            ..current
        };
        ReadItem::of(Snapshot { item, content: text }, content)
    }

    /// What leads to a version of an item from another; from the one before it, unless it is told.
    pub async fn compare_versions(
        &self,
        caller: &Caller,
        which: &ItemRef,
        to: u64,
        from: Option<u64>,
    ) -> Result<VersionDiff, Error> {
        caller.needs(Scope::Read)?;
        let item = self.find(caller, which).await?;
        let after = self.version(&item, to).await?;
        let from = from.unwrap_or(to - 1);
        let (fields, content) = match from {
            0 => (Fields::default(), None),
            number => {
                let before = self.version(&item, number).await?;
                (before.fields, before.content)
            }
        };
        let mut changed_fields = changed_names(&fields, &after.fields);
        if content != after.content {
            changed_fields.push("content");
        }
        let diff = self.compared(content, after.content, diff).await?;
        Ok(VersionDiff { from, to, diff, changed_fields })
    }

    /// Makes an item what it was in a version: that is a new version, or nothing if it is so already.
    pub async fn restore_version(
        &self,
        caller: &Caller,
        which: &ItemRef,
        number: u64,
        expected: ExpectedVersion,
    ) -> Result<Snapshot, Error> {
        for _ in 0..MAX_ROUNDS {
            let before = self.writable(caller, which, expected).await?;
            let Version { fields, content, .. } = self.version(&before.item, number).await?;
            let mut item = before.item.clone();
            self.examined(item.kind, &fields, content.clone()).await?.put_into(&mut item);
            item.fields = fields;
            if let Some(saved) = self.save(caller, before, Snapshot { item, content }, None).await? {
                return Ok(saved);
            }
        }
        Err(lost_every_round())
    }

    /// What leads from the content of a version to that of a state of the item, if both are still there, in at most so
    /// many bytes.
    pub(super) async fn diff_since(&self, item: &Item, number: u64, max_bytes: usize) -> Option<UnifiedDiff> {
        let Stamp { version, .. } = item.stamp;
        if number >= version {
            return None;
        }
        let before = self.store.version(item.id, number).await.ok()??;
        let after = self.store.version(item.id, version).await.ok()??;
        let diff = move |before: &str, after: &str| diff_within(before, after, max_bytes);
        self.compared(before.content, after.content, diff).await.ok()
    }

    async fn version(&self, item: &Item, number: u64) -> Result<Version, Error> {
        // A number that no version has yet means nothing to a storage.
        let version = match number {
            number if (1..=item.stamp.version).contains(&number) => self.store.version(item.id, number).await?,
            _ => None,
        };
        let (kind, id, current) = (item.kind, item.id, item.stamp.version);
        version.ok_or(Error::VersionNotFound { kind, id, version: number, current })
    }

    /// The diff of two contents: made here if they are short, on a thread of its own otherwise.
    async fn compared(
        &self,
        before: Option<Arc<str>>,
        after: Option<Arc<str>>,
        diff: impl FnOnce(&str, &str) -> UnifiedDiff + Send + 'static,
    ) -> Result<UnifiedDiff, Error> {
        let (before, after) = (before.unwrap_or_default(), after.unwrap_or_default());
        if before.len() + after.len() <= BIG_BYTES {
            return Ok(diff(&before, &after));
        }
        Ok(self.threads.run(move |_| diff(&before, &after)).await?)
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
