//! How every write commits: one batch in one transaction, planned again on the newest state when the item changed
//! meanwhile, together with the idempotency record of its request.
//!
//! Every use case that writes items works the same way. It reads the item, plans an [`ItemWrite`] for the state that it
//! read, and hands the batch to [`Store::commit`](crate::Store::commit). A batch for an older state is refused as stale;
//! then the use case reads again, up to [`MAX_ROUNDS`] times. No lock is held between reading and
//! committing.

mod new_version;

use std::sync::Arc;

use jiff::Timestamp;

use crate::{Batch, Error, IdempotencyRecord, Item, ItemWrite, MergedFrom, Store, StoreError, spawn_in_request};

use super::proposals::KeptProposal;
use super::{Caller, EditResult, Interline, now};

pub(super) use new_version::{changed_field_names, changed_fields, line_counts, new_version};

/// How often a write is planned again when its item changed meanwhile. A round is lost only to a write that succeeded, so
/// this many writes of one item can be under way at once and none is refused.
pub(super) const MAX_ROUNDS: usize = 1_000;

/// From how many bytes on a batch is long: a storage writes it for many milliseconds.
const LONG_WRITE_BYTES: usize = 256 * 1024;

/// The result of a write, from which the answer to its request is made.
#[derive(Clone, Copy, Debug)]
pub enum WriteOutcome<'a> {
    /// An item was made.
    Created(&'a Item),
    /// An item was changed.
    Changed(&'a Item),
    /// An item was changed by a merge of these versions.
    Merged(&'a Item, MergedFrom),
    /// A content was edited.
    Edited(&'a EditResult),
    /// An item was removed, into the trash or for good.
    Removed(&'a Item),
    /// So many items have another tag.
    Retagged(usize),
}

impl WriteOutcome<'_> {
    /// The item, of a write of one.
    pub fn item(&self) -> Option<&Item> {
        match self {
            WriteOutcome::Created(item)
            | WriteOutcome::Changed(item)
            | WriteOutcome::Merged(item, _)
            | WriteOutcome::Removed(item) => Some(item),
            WriteOutcome::Edited(edited) => Some(&edited.after.item),
            WriteOutcome::Retagged(_) => None,
        }
    }
}

impl Caller {
    /// The batch that commits a write: its changes, and the idempotency record if the request has a key.
    pub(super) fn batch(&self, writes: Vec<ItemWrite>, outcome: &WriteOutcome<'_>, at: Timestamp) -> Batch {
        Batch { writes, idempotency: self.idempotency_record(outcome, at), ..Batch::default() }
    }

    /// The idempotency record of the caller's request with this outcome; `None` if the request has no key.
    pub(super) fn idempotency_record(&self, outcome: &WriteOutcome<'_>, at: Timestamp) -> Option<IdempotencyRecord> {
        self.idempotent_write().map(|write| write.record(self.user(), outcome, at))
    }
}

impl Interline {
    /// Commits a batch of the caller, or keeps it as a proposal if the caller only proposes; `None` if an item changed meanwhile,
    /// so that the write takes another round. A long batch waits for its turn among those of other users.
    pub(super) async fn commit(&self, caller: &Caller, batch: Batch) -> Result<Option<()>, Error> {
        let (Some(proposer), Some(trace)) = (caller.proposer(), caller.proposal_trace()) else {
            return self.commit_batch(caller, batch).await;
        };
        let Some(KeptProposal { batch, shown }) = self.propose(caller, proposer, batch).await? else { return Ok(None) };
        let committed = self.commit_batch(caller, batch).await?;
        if committed.is_some() {
            trace.note_proposed(shown);
        }
        Ok(committed)
    }

    async fn commit_batch(&self, caller: &Caller, batch: Batch) -> Result<Option<()>, Error> {
        if batch.bytes() < LONG_WRITE_BYTES {
            return unless_stale(self.store.commit(batch).await);
        }
        unless_stale(self.write_long(caller, |store| async move { store.commit(batch).await }).await?)
    }

    /// Carries out a long write of the caller, when it is its turn among those of other users.
    pub(super) async fn write_long<T, F>(
        &self,
        caller: &Caller,
        write: impl FnOnce(Arc<dyn Store>) -> F + Send + 'static,
    ) -> Result<T, Error>
    where
        T: Send + 'static,
        F: Future<Output = T> + Send,
    {
        let permit = self.long_write_permit(caller).await?;
        let store = Arc::clone(&self.store);
        // In a task of its own: the storage commits it also when the caller has gone, and the place is taken until then.
        let writing = spawn_in_request(async move {
            let _permit = permit;
            write(store).await
        });
        writing.await.map_err(|error| Error::Unknown(error.to_string()))
    }

    /// Commits the idempotency record of a write that changed nothing, so that a repetition changes nothing either.
    pub(super) async fn commit_no_change(&self, caller: &Caller, outcome: &WriteOutcome<'_>) -> Result<(), Error> {
        let pending = outcome.item().and_then(|item| item.proposal.as_deref()).filter(|own| own.pending.is_some());
        if let (Some(trace), Some(pending)) = (caller.proposal_trace(), pending) {
            trace.note_proposed(pending.clone());
        }
        match caller.idempotency_record(outcome, now()) {
            None => Ok(()),
            idempotency => Ok(self.store.commit(Batch { idempotency, ..Batch::default() }).await?),
        }
    }
}

/// The result of a commit; `None` if an item changed meanwhile, so that the write takes another round.
pub(super) fn unless_stale<T>(committed: Result<T, StoreError>) -> Result<Option<T>, Error> {
    match committed {
        Ok(done) => Ok(Some(done)),
        Err(StoreError::Stale(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// The error of a write that lost [`MAX_ROUNDS`] rounds.
pub(super) fn lost_every_round() -> Error {
    Error::Unavailable("the item changed under every attempt".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Action, Attribution, Client, ContentWrite, EventKind, Fields, ItemId, Kind, Record, Source, SpaceId, Stamp,
        UserId,
    };

    /// A change of a tag.
    fn retagged() -> ItemWrite {
        let (at, before) = (now(), Stamp { version: 1, revision: 0 });
        let after = Item {
            id: ItemId::generate(),
            kind: Kind::Note,
            space: SpaceId::generate(),
            fields: Fields::default(),
            content: None,
            functions: None,
            stamp: Stamp { version: 2, revision: 0 },
            created_at: at,
            updated_at: at,
            last_used_at: None,
            archived_at: None,
            deleted_at: None,
            proposal: None,
        };
        let (action, changed_fields, source) = (Action::Update, vec!["tags"], Source::Rest);
        let record = Record {
            action,
            changed_fields,
            at,
            source,
            user: UserId::generate(),
            token: None,
            attribution: Attribution::by_person(Client::from_stored("test".to_owned(), None)),
            undoes: None,
            lines: None,
            import: None,
            merged_base: None,
            accepted: None,
        };
        ItemWrite { before: Some(before), after, content: ContentWrite::Keep, record }
    }

    #[test]
    fn a_restore_is_of_a_version_or_from_the_trash_by_its_stamps() {
        let mut of_version = retagged();
        of_version.record.action = Action::Restore;
        assert!(of_version.makes_version());
        assert_eq!(EventKind::from_write(&of_version), EventKind::Updated);
        assert!(!of_version.asks_for_enrichment(), "nothing that a model reads has changed");
        of_version.record.changed_fields.push("content");
        assert!(of_version.asks_for_enrichment());

        let mut from_trash = retagged();
        from_trash.record.action = Action::Restore;
        from_trash.record.changed_fields = Vec::new();
        from_trash.after.stamp = Stamp { version: 1, revision: 1 };
        assert!(!from_trash.makes_version());
        assert_eq!(EventKind::from_write(&from_trash), EventKind::Restored);
        assert!(from_trash.asks_for_enrichment());
    }

    #[test]
    fn many_rows_are_a_long_write_and_few_are_not() {
        let batch = |rows| (0..rows).map(|_| retagged()).collect::<Batch>();
        assert!(batch(10).bytes() < LONG_WRITE_BYTES);
        assert!(batch(300).bytes() >= LONG_WRITE_BYTES);
    }
}
