//! The history of files of code, and bringing back versions and deleted files.

use crate::{Error, ExpectedVersion, Item, ItemRef, Scope, UniqueField};

use super::super::{Caller, Interline};
use super::scope::{FileRef, by_id};

impl Interline {
    /// The file to show the history of: the one to read at a path, or where there is none the one that was deleted there
    /// last.
    pub async fn file_or_deleted(&self, caller: &Caller, file: &FileRef) -> Result<ItemRef, Error> {
        caller.require(Scope::Read)?;
        match self.file_to_read(caller, file).await {
            Err(missing @ Error::Missing { .. }) => {
                let (path, kind) = (UniqueField::Path(self.parse_path(file)?), file.scope.kind.kind());
                let spaces = self.readable_spaces(caller, &file.scope).await?;
                let deleted = self.find_deleted(caller, &spaces, kind, &path).await?;
                deleted.map(|id| by_id(file, id)).ok_or(missing)
            }
            found => found,
        }
    }

    /// Makes a file what it was in a version, as a new version. Without a version, takes the file that was deleted last at
    /// this path from the trash; where a file is there, it stays as it is.
    pub async fn restore_file(&self, caller: &Caller, file: &FileRef, version: Option<u64>) -> Result<Item, Error> {
        caller.require(Scope::Read)?;
        match (self.file_to_change(caller, file).await, version) {
            (Ok(present), Some(number)) => {
                Ok(self.restore_version(caller, &present, number, ExpectedVersion::Any).await?.item)
            }
            (Ok(present), None) => self.restore(caller, &present, ExpectedVersion::Any).await,
            (Err(missing @ Error::Missing { .. }), version) => {
                match (self.deleted_file(caller, file).await?, version) {
                    (Some(deleted), None) => self.restore(caller, &deleted, ExpectedVersion::Any).await,
                    (Some(_), Some(_)) => {
                        Err(file.missing("it is in the trash: restore it without `version` first, then the version"))
                    }
                    (None, _) => Err(missing),
                }
            }
            (Err(error), _) => Err(error),
        }
    }

    /// The file that was deleted last at a path, in the space that writes go to.
    async fn deleted_file(&self, caller: &Caller, file: &FileRef) -> Result<Option<ItemRef>, Error> {
        let (path, kind) = (UniqueField::Path(self.parse_path(file)?), file.scope.kind.kind());
        let space = self.write_space(caller, &file.scope).await?;
        let deleted = self.find_deleted(caller, &[space], kind, &path).await?;
        Ok(deleted.filter(|_| caller.kinds().contains(&kind)).map(|id| by_id(file, id)))
    }
}
