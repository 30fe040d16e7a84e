//! Writing whole files.

use crate::{Error, ItemRef, Refusal, Scope, Snapshot, SpaceId, SpaceOwner};

use super::super::{
    Caller, ExpectedVersion, FieldChange, Interline, ItemChanges, ItemDraft, MAX_ROUNDS, WriteOutcome, lost_every_round,
};
use super::scope::FileRef;

/// A file as it is to be.
#[derive(Clone, Debug)]
pub struct ReplaceFile {
    /// The file.
    pub file: FileRef,
    /// Its whole content.
    pub content: String,
    /// The version that is to be replaced; a file that is not there has none.
    pub expected: ExpectedVersion,
}

/// What became of a file.
#[derive(Clone, Debug)]
pub enum Replaced {
    /// There was none at its path.
    Created(Snapshot),
    /// It has another content, or the same.
    FieldChange(Snapshot),
}

impl Replaced {
    /// The file as it is now.
    pub fn file(&self) -> &Snapshot {
        match self {
            Replaced::Created(file) | Replaced::FieldChange(file) => file,
        }
    }
}

impl Interline {
    /// Makes a file, or gives the one at its path another content. Of two that make the same file at once, one makes it
    /// and the other changes it. What is in the trash stays there.
    pub async fn replace_file(&self, caller: &Caller, wanted: ReplaceFile) -> Result<Replaced, Error> {
        caller.needs_change()?;
        let ReplaceFile { file, content, expected } = wanted;
        let kind = file.scope.kind.kind();
        caller.needs_kind(kind)?;
        let path = self.path_of(&file)?;
        let space = self.written_space(caller, &file.scope).await?;
        may_write(caller, space)?;
        for _ in 0..MAX_ROUNDS {
            let done = match (self.store.find_by_path(&[space], kind, &path).await?, expected) {
                (Some(id), _) => {
                    let changes = ItemChanges { content: FieldChange::Set(content.clone()), ..ItemChanges::default() };
                    self.update(caller, &ItemRef::Id(id, Some(kind)), expected, changes)
                        .await
                        .map(Replaced::FieldChange)
                }
                (None, ExpectedVersion::Exactly(..) | ExpectedVersion::Existing) => return Err(file.not_found()),
                (None, ExpectedVersion::Any) => {
                    let draft = ItemDraft {
                        path: Some(path.as_str().to_owned()),
                        content: Some(content.clone()),
                        ..ItemDraft::default()
                    };
                    self.make_file(caller, space, &file, draft).await.map(Replaced::Created)
                }
            };
            match done {
                // Another was faster: it deleted, moved or made the file.
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
        let (write, made) = self.drafted(caller, space, file.scope.kind.kind(), draft).await?;
        let at = write.record.at;
        self.store.commit(caller.batch(vec![write], &WriteOutcome::Created(&made.item), at)).await?;
        Ok(made)
    }
}

/// Whether a caller may write in a space; who may not write what is everybody's is told who may.
pub(super) fn may_write(caller: &Caller, space: SpaceId) -> Result<(), Error> {
    caller.needs(Scope::Write)?;
    match (caller.may_write_in(space), caller.owner_of(space)) {
        (Err(Error::Forbidden(Refusal::Role)), Some(SpaceOwner::Global)) => Err(Error::Forbidden(Refusal::NotAdmin)),
        (outcome, _) => outcome,
    }
}
