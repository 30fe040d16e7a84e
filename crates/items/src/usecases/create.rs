//! Making items.

use crate::{Action, ContentInfo, ContentWrite, Error, Item, ItemId, ItemWrite, Kind, Scope, Snapshot, Stamp};

use super::input::{ItemDraft, parse_draft};
use super::{Caller, Interline, now};

impl Interline {
    /// Makes an item in the caller's own space.
    pub async fn create(&self, caller: &Caller, kind: Kind, draft: ItemDraft) -> Result<Snapshot, Error> {
        caller.needs(Scope::Write)?;
        if !caller.kinds().contains(&kind) {
            return Err(Error::Forbidden { needs: Scope::Write });
        }
        let (fields, content) = parse_draft(kind, draft, &self.limits)?;
        let at = now();
        let item = Item {
            id: ItemId::generate(),
            kind,
            space: caller.own_space()?,
            fields,
            content: content.as_deref().map(ContentInfo::of),
            stamp: Stamp { version: 1, revision: 0 },
            created_at: at,
            updated_at: at,
            last_used_at: None,
            archived_at: None,
            deleted_at: None,
        };
        let write = ItemWrite {
            before: None,
            record: caller.record(Action::Create, super::update::changed_fields(None, &item), at),
            content: ContentWrite::Set { old: None, new: content.clone() },
            after: item.clone(),
        };
        self.store.commit(write.into()).await?;
        Ok(Snapshot { item, content })
    }
}
