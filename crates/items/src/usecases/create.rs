//! Making items.

use crate::{Action, ContentWrite, Error, Item, ItemId, ItemWrite, Kind, Refusal, Scope, Snapshot, Stamp};

use super::input::{ItemDraft, parse_draft};
use super::{Caller, Interline, Outcome, now};

impl Interline {
    /// Makes an item in the caller's own space. It takes the scope `write` alone: the answer tells what was given.
    pub async fn create(&self, caller: &Caller, kind: Kind, draft: ItemDraft) -> Result<Snapshot, Error> {
        caller.needs(Scope::Write)?;
        if !caller.kinds().contains(&kind) {
            return Err(Error::Forbidden(Refusal::Kind(kind)));
        }
        let space = caller.own_space()?;
        let (fields, content) = parse_draft(kind, draft, &self.limits)?;
        let info = self.examined(kind, &fields, content.clone()).await?;
        let at = now();
        let item = Item {
            id: ItemId::generate(),
            kind,
            space,
            fields,
            content: info,
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
        self.store.commit(caller.batch(vec![write], &Outcome::Created(&item), at)).await?;
        Ok(Snapshot { item, content })
    }
}
