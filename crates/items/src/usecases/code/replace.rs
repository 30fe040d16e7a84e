//! Writing whole files of code: making a file, or replacing its content.

use crate::{Error, ItemRef, Refusal, Scope, Snapshot, SpaceId, SpaceOwner, UniqueField};

use super::super::commit::{MAX_ROUNDS, lost_every_round};
use super::super::items::MergeBase;
use super::super::{
    Caller, ExpectedVersion, FieldChange, Interline, ItemChanges, ItemDraft, OnStale, Updated, WriteOutcome,
};
use super::scope::FileRef;

/// A request to write a whole file.
#[derive(Clone, Debug)]
pub struct ReplaceFile {
    /// The file.
    pub file: FileRef,
    /// Its whole content.
    pub content: String,
    /// The version that the caller expects to replace; a file that does not exist has none.
    pub expected: ExpectedVersion,
    /// What becomes of the content where the file is at another version.
    pub on_stale: Option<OnStale>,
}

/// The file that was written, and whether it is new.
#[derive(Clone, Debug)]
pub enum ReplacedFile {
    /// There was no file at its path.
    Created(Snapshot),
    /// There was one; its content is replaced or merged, or was the same already.
    Updated(Updated),
}

impl ReplacedFile {
    /// The file as it is now.
    pub fn file(&self) -> &Snapshot {
        match self {
            ReplacedFile::Created(file) => file,
            ReplacedFile::Updated(updated) => &updated.after,
        }
    }
}

impl Interline {
    /// Makes a file, or replaces the content of the file at its path. Of two requests that make the same file at once, one
    /// makes it and the other replaces its content. A file in the trash stays there.
    pub async fn replace_file(&self, caller: &Caller, request: ReplaceFile) -> Result<ReplacedFile, Error> {
        caller.require_change()?;
        let ReplaceFile { file, content, expected, on_stale } = request;
        let changes = ItemChanges { content: FieldChange::Set(content.clone()), ..ItemChanges::default() };
        // Also where there is no file, and nothing to merge with.
        MergeBase::from_request(expected, on_stale, &changes)?;
        let kind = file.scope.kind.kind();
        caller.require_kind(kind)?;
        let path = self.parse_path(&file)?;
        let space = self.write_space(caller, &file.scope).await?;
        require_code_write(caller, space)?;
        for _ in 0..MAX_ROUNDS {
            let found = self.find_unique(caller, &[space], kind, &UniqueField::Path(path.clone())).await?;
            let done = match (found, expected) {
                (Some(id), _) => {
                    let file = ItemRef::Id(id, Some(kind));
                    let updated = self.update_or_merge(caller, &file, expected, on_stale, changes.clone());
                    updated.await.map(ReplacedFile::Updated)
                }
                (None, ExpectedVersion::Exactly(..) | ExpectedVersion::Existing) => return Err(file.not_found()),
                (None, ExpectedVersion::Any) => {
                    // A file in another spelling stays in the way, unlike one that another request has just made.
                    self.refuse_second_spelling(space, kind, None, Some(&path)).await?;
                    let draft = ItemDraft {
                        path: Some(path.as_str().to_owned()),
                        content: Some(content.clone()),
                        ..ItemDraft::default()
                    };
                    self.make_file(caller, space, &file, draft).await.map(ReplacedFile::Created)
                }
            };
            match done {
                // Another request was faster: it deleted, moved or made the file.
                Err(Error::NotFound { .. } | Error::Duplicate { .. }) => {}
                done => return done,
            }
        }
        Err(lost_every_round())
    }

    async fn make_file(
        &self,
        caller: &Caller,
        space: SpaceId,
        file: &FileRef,
        draft: ItemDraft,
    ) -> Result<Snapshot, Error> {
        let (write, made) = self.plan_create(caller, space, file.scope.kind.kind(), draft).await?;
        let at = write.record.at;
        let batch = caller.batch(vec![write], &WriteOutcome::Created(&made.item), at);
        self.commit(caller, batch).await?.ok_or_else(lost_every_round)?;
        Ok(made)
    }
}

/// Refused unless a caller may write in a space. In the global space the error says that only admins may.
pub(super) fn require_code_write(caller: &Caller, space: SpaceId) -> Result<(), Error> {
    caller.require(Scope::Write)?;
    match (caller.require_write_in(space), caller.owner_of(space)) {
        (Err(Error::Forbidden(Refusal::Role)), Some(SpaceOwner::Global)) => Err(Error::Forbidden(Refusal::NotAdmin)),
        (result, _) => result,
    }
}
