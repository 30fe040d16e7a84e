//! Damaged items: what is said about them, and how a whole new content repairs one.

use std::sync::Arc;

use crate::usecases::{Caller, ExpectedVersion, Interline, ItemRef};
use crate::{ContentWrite, Corruption, DamageCount, Error, Item, ItemId, Snapshot, StoreError};

/// How many whole versions an error names.
const MAX_NAMED_VERSIONS: usize = 10;

/// An item before its content is replaced as a whole.
pub(in crate::usecases) enum Before {
    /// It is as it was written.
    Whole(Snapshot),
    /// Its content is damaged: whatever replaces it cannot be built on it.
    Damaged(Item),
}

impl Before {
    /// The item.
    pub(in crate::usecases) fn item(&self) -> &Item {
        match self {
            Before::Whole(snapshot) => &snapshot.item,
            Before::Damaged(item) => item,
        }
    }

    /// The item with its content, unless that is damaged.
    pub(in crate::usecases) fn into_snapshot(self) -> Snapshot {
        match self {
            Before::Whole(snapshot) => snapshot,
            Before::Damaged(item) => Snapshot { item, content: None },
        }
    }

    /// Its content, if it has one that is not damaged.
    pub(in crate::usecases) fn content(&self) -> Option<&Arc<str>> {
        match self {
            Before::Whole(snapshot) => snapshot.content.as_ref(),
            Before::Damaged(_) => None,
        }
    }

    /// The change to another content.
    pub(in crate::usecases) fn content_write(&self, new: &Option<Arc<str>>) -> ContentWrite {
        match self {
            Before::Whole(snapshot) => ContentWrite::between(&snapshot.content, new),
            Before::Damaged(_) => ContentWrite::Repair { new: new.clone() },
        }
    }
}

impl Interline {
    /// How much damage the storage has met since it was opened.
    pub fn damage(&self) -> DamageCount {
        self.store.damage()
    }

    /// How many items are known to be damaged, and not repaired since. Cheap.
    pub fn corrupt_items(&self) -> u64 {
        self.damage().items
    }

    /// The error of a read of an item; if the item is damaged, it names the versions that are whole. To find them, versions are
    /// rebuilt: that is a long read, and the caller of this holds no permit of one.
    pub(in crate::usecases) async fn explain_damage(&self, caller: &Caller, id: ItemId, error: StoreError) -> Error {
        match error {
            StoreError::Corrupt(Corruption { detail, .. }) => {
                let _permit = match self.read_permit(caller).await {
                    Ok(permit) => permit,
                    Err(overloaded) => return overloaded,
                };
                let versions = self.store.whole_versions(id, MAX_NAMED_VERSIONS).await.unwrap_or_default();
                Error::CorruptContent { item: Some(id), versions, detail }
            }
            error => error.into(),
        }
    }

    /// The item whose content is to be replaced as a whole, damaged or not; the conditions are those of
    /// [`Interline::writable`].
    pub(in crate::usecases) async fn replaceable(
        &self,
        caller: &Caller,
        item_ref: &ItemRef,
        expected: ExpectedVersion,
    ) -> Result<Before, Error> {
        match self.writable(caller, item_ref, expected).await {
            Ok(snapshot) => Ok(Before::Whole(snapshot)),
            Err(Error::CorruptContent { .. }) => {
                let item = self.visible_item(caller, item_ref).await?;
                let item = Interline::require_writable(caller, item_ref, Some(Snapshot { item, content: None }))?.item;
                self.check_expected(caller, expected, &item).await?;
                Ok(Before::Damaged(item))
            }
            Err(error) => Err(error),
        }
    }
}
