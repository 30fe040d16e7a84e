//! Making new items.

use crate::fields::CodePath;
use crate::{Action, ContentWrite, Error, Item, ItemId, ItemWrite, Kind, Scope, Snapshot, SpaceId, Stamp, UniqueField};

use crate::usecases::commit::lost_every_round;
use crate::usecases::commit::{changed_fields, line_counts};
use crate::usecases::{Caller, Interline, WriteOutcome, now};

use super::drafts::{ItemDraft, parse_draft};

impl Interline {
    /// Makes an item in the caller's own space. It takes the scope `write` alone: the answer shows nothing but what the caller gave.
    pub async fn create(&self, caller: &Caller, kind: Kind, draft: ItemDraft) -> Result<Snapshot, Error> {
        caller.require(Scope::Write)?;
        caller.require_kind(kind)?;
        let space = caller.own_space_for(kind)?;
        let (write, created) = self.plan_create(caller, space, kind, draft).await?;
        let at = write.record.at;
        let batch = caller.batch(vec![write], &WriteOutcome::Created(&created.item), at);
        self.commit(caller, batch).await?.ok_or_else(lost_every_round)?;
        Ok(created)
    }

    /// Plans the write that makes an item in a space; the write, and the item with its content.
    pub(in crate::usecases) async fn plan_create(
        &self,
        caller: &Caller,
        space: SpaceId,
        kind: Kind,
        draft: ItemDraft,
    ) -> Result<(ItemWrite, Snapshot), Error> {
        let (fields, content) = parse_draft(kind, draft, &self.limits)?;
        self.refuse_second_spelling(space, kind, None, fields.path.as_ref()).await?;
        let checked = self.check_content(caller, kind, &fields, content.clone()).await?;
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
            proposal: caller.proposal_after(None),
        };
        checked.apply_to(&mut item);
        let written = ContentWrite::Set { old: None, new: content.clone() };
        let mut record = caller.record(Action::Create, changed_fields(None, &item), at, &item);
        record.lines = line_counts(&written);
        let write = ItemWrite { before: None, record, content: written, after: item.clone() };
        Ok((write, Snapshot { item, content }))
    }

    /// Refuses a path that another file has in its decomposed spelling: it was stored when a path could have either.
    pub(in crate::usecases) async fn refuse_second_spelling(
        &self,
        space: SpaceId,
        kind: Kind,
        item: Option<ItemId>,
        path: Option<&CodePath>,
    ) -> Result<(), Error> {
        let Some(decomposed) = path.and_then(CodePath::decomposed) else { return Ok(()) };
        let found = self.store.find_by_path(&[space], kind, &decomposed).await?;
        let Some(other) = found.filter(|found| Some(*found) != item) else { return Ok(()) };
        match self.store.item(other).await? {
            Some(existing) => {
                Err(Error::Duplicate { field: UniqueField::Path(decomposed), existing: Box::new(existing) })
            }
            None => Ok(()),
        }
    }
}
