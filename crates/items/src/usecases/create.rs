//! Making items.

use crate::{Action, ContentWrite, Error, Item, ItemId, ItemWrite, Kind, Scope, Snapshot, SpaceId, Stamp};

use super::input::{ItemDraft, parse_draft};
use super::{Caller, Interline, WriteOutcome, now};

impl Interline {
    /// Makes an item in the caller's own space. It takes the scope `write` alone: the answer tells what was given.
    pub async fn create(&self, caller: &Caller, kind: Kind, draft: ItemDraft) -> Result<Snapshot, Error> {
        caller.needs(Scope::Write)?;
        caller.needs_kind(kind)?;
        let space = caller.own_space_for(kind)?;
        let (write, created) = self.drafted(caller, space, kind, draft).await?;
        let at = write.record.at;
        self.store.commit(caller.batch(vec![write], &WriteOutcome::Created(&created.item), at)).await?;
        Ok(created)
    }

    /// The write that makes an item in a space, and the item.
    pub(super) async fn drafted(
        &self,
        caller: &Caller,
        space: SpaceId,
        kind: Kind,
        draft: ItemDraft,
    ) -> Result<(ItemWrite, Snapshot), Error> {
        let (fields, content) = parse_draft(kind, draft, &self.limits)?;
        let examined = self.examined(kind, &fields, content.clone()).await?;
        let at = now();
        let mut item = Item {
            id: ItemId::generate(),
            kind,
            space,
            fields,
            content: None,
            functions: None,
            stamp: Stamp { version: 1, revision: 0 },
            created_at: at,
            updated_at: at,
            last_used_at: None,
            archived_at: None,
            deleted_at: None,
        };
        examined.put_into(&mut item);
        let write = ItemWrite {
            before: None,
            record: caller.record(Action::Create, super::update::changed_fields(None, &item), at),
            content: ContentWrite::Set { old: None, new: content.clone() },
            after: item.clone(),
        };
        Ok((write, Snapshot { item, content }))
    }
}
