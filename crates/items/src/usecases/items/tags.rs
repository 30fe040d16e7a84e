//! Listing, renaming and deleting a tag over all items of a caller.

use std::collections::BTreeSet;

use crate::fields::{Tag, Tags};
use crate::{Action, ContentWrite, Error, Item, ItemWrite, Kind, Scope, Stamp, View};

use crate::usecases::commit::{MAX_ROUNDS, lost_every_round};
use crate::usecases::{Caller, Interline, WriteOutcome, now, time_after};

/// Which items the tags are counted over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TagCountFilter {
    /// The kinds; those that do not exist for the caller are left out.
    pub kinds: BTreeSet<Kind>,
    /// The views.
    pub views: BTreeSet<View>,
}

impl Default for TagCountFilter {
    /// All items that are not deleted.
    fn default() -> TagCountFilter {
        TagCountFilter { kinds: Kind::ALL.into(), views: [View::Active, View::Archived].into() }
    }
}

impl Interline {
    /// The tags of the caller's items that pass the filter, with the number of those that have each.
    pub async fn tags(&self, caller: &Caller, filter: &TagCountFilter) -> Result<Vec<(Tag, u64)>, Error> {
        caller.require(Scope::Read)?;
        let kinds = filter.kinds.intersection(caller.kinds()).copied().collect();
        let _permit = self.read_permit(caller).await?;
        Ok(self.store.tags(&caller.spaces_of(&kinds), &kinds, &filter.views).await?)
    }

    /// Gives every item that has a tag, those in the trash too, another one instead, in one transaction; how many items were
    /// changed.
    pub async fn rename_tag(&self, caller: &Caller, from: &Tag, to: &Tag) -> Result<usize, Error> {
        self.replace_tag(caller, from, Some(to)).await
    }

    /// Takes a tag off every item, those in the trash too, in one transaction; how many items were changed.
    pub async fn delete_tag(&self, caller: &Caller, tag: &Tag) -> Result<usize, Error> {
        self.replace_tag(caller, tag, None).await
    }

    async fn tagged(&self, caller: &Caller, tag: &Tag) -> Result<Vec<Item>, Error> {
        let _permit = self.read_permit(caller).await?;
        Ok(self.store.tagged(&caller.spaces_of(caller.kinds()), caller.kinds(), tag).await?)
    }

    async fn replace_tag(&self, caller: &Caller, from: &Tag, to: Option<&Tag>) -> Result<usize, Error> {
        caller.require_apply()?;
        caller.require_change()?;
        for _ in 0..MAX_ROUNDS {
            let items = self.tagged(caller, from).await?;
            let items: Vec<Item> = items.into_iter().filter(|item| caller.require_write(item).is_ok()).collect();
            if items.is_empty() {
                return Err(Error::TagNotFound(from.as_str().to_owned()));
            }
            if to == Some(from) {
                return Ok(0);
            }
            let writes = items.iter().map(|item| retagged(caller, item, from, to)).collect();
            let batch = caller.batch(writes, &WriteOutcome::Retagged(items.len()), now());
            if let Some(()) = self.commit(caller, batch).await? {
                return Ok(items.len());
            }
        }
        Err(lost_every_round())
    }
}

/// The write that replaces one tag of an item by another, or removes it; no tag is there twice afterwards.
fn retagged(caller: &Caller, before: &Item, from: &Tag, to: Option<&Tag>) -> ItemWrite {
    let mut tags: Vec<String> = Vec::new();
    for tag in before.fields.tags.as_slice() {
        let tag = if tag == from { to } else { Some(tag) };
        if let Some(tag) = tag
            && !tags.iter().any(|other| other == tag.as_str())
        {
            tags.push(tag.as_str().to_owned());
        }
    }
    let at = time_after(before);
    let mut after = before.clone();
    after.fields.tags = Tags::from_stored(tags);
    after.stamp = Stamp { version: before.stamp.version + 1, ..before.stamp };
    after.updated_at = at;
    let record = caller.record(Action::Update, vec!["tags"], at, &after);
    ItemWrite { before: Some(before.stamp), after, content: ContentWrite::Keep, record }
}
