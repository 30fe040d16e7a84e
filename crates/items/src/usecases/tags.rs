//! Tags over all items of a caller.

use crate::fields::{Tag, Tags};
use crate::{Action, ContentWrite, Error, Item, ItemWrite, Kind, Scope, Stamp};

use super::{Caller, Interline, MAX_ROUNDS, is_stale, now};

impl Interline {
    /// The tags of the caller's items that are not deleted, with the number of items that have each.
    pub async fn tags(&self, caller: &Caller) -> Result<Vec<(Tag, u64)>, Error> {
        caller.needs(Scope::Read)?;
        let tags = self.store.tags(&caller.spaces()).await?;
        if caller.kinds().len() == Kind::ALL.len() {
            return Ok(tags);
        }
        // The storage counts over all kinds, and some of them do not exist for this caller.
        let mut seen = Vec::new();
        for (tag, _) in tags {
            let items = self.store.tagged(&caller.spaces(), &tag).await?;
            match items.iter().filter(|item| caller.sees(item)).count() {
                0 => {}
                count => seen.push((tag, count as u64)),
            }
        }
        Ok(seen)
    }

    /// Gives every item that has a tag another one instead, all at once; how many items were changed.
    pub async fn rename_tag(&self, caller: &Caller, from: &Tag, to: &Tag) -> Result<usize, Error> {
        self.replace_tag(caller, from, Some(to)).await
    }

    /// Takes a tag off every item, all at once; how many items were changed.
    pub async fn delete_tag(&self, caller: &Caller, tag: &Tag) -> Result<usize, Error> {
        self.replace_tag(caller, tag, None).await
    }

    async fn replace_tag(&self, caller: &Caller, from: &Tag, to: Option<&Tag>) -> Result<usize, Error> {
        caller.needs_change()?;
        for _ in 0..MAX_ROUNDS {
            let items = self.store.tagged(&caller.spaces(), from).await?;
            let writable = |item: &Item| caller.sees(item) && caller.may_write(item).is_ok();
            let items: Vec<Item> = items.into_iter().filter(writable).collect();
            if items.is_empty() {
                return Err(Error::NotFound { kind: None, wanted: format!("with the tag {}", from.as_str()) });
            }
            if to == Some(from) {
                return Ok(0);
            }
            let writes: Vec<ItemWrite> = items.iter().map(|item| retagged(caller, item, from, to)).collect();
            match self.store.commit(writes).await {
                Ok(()) => return Ok(items.len()),
                Err(error) if is_stale(&error) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(Error::Unavailable("the items changed under every attempt".to_owned()))
    }
}

/// The write that puts one tag in the place of another, once.
fn retagged(caller: &Caller, before: &Item, from: &Tag, to: Option<&Tag>) -> ItemWrite {
    let mut tags: Vec<String> = Vec::new();
    for tag in before.fields.tags.as_slice() {
        let tag = if tag == from { to } else { Some(tag) };
        if let Some(tag) = tag
            && !tags.iter().any(|known| known == tag.as_str())
        {
            tags.push(tag.as_str().to_owned());
        }
    }
    let at = now();
    let mut after = before.clone();
    after.fields.tags = Tags::from_stored(tags);
    after.stamp = Stamp { version: before.stamp.version + 1, ..before.stamp };
    after.updated_at = at;
    ItemWrite {
        before: Some(before.stamp),
        after,
        content: ContentWrite::Keep,
        record: caller.record(Action::Update, vec!["tags"], at),
    }
}
