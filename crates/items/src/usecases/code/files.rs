//! Listing, reading, editing and deleting files of code.

use crate::fields::refuse_nul;
use crate::{Error, FilePage, FileQuery, Item, LineEndings, Scope, View};

use super::super::{Caller, EditRequest, EditResult, ExpectedVersion, Interline, LineRange, ReadContent, ReadItem};
use super::scope::{CodeScope, FileRef};

/// How many files one list has.
const MAX_FILES: usize = 1_000;

/// A request for a list of files.
#[derive(Clone, Debug)]
pub struct CodeFiles {
    /// The kind of code, and the app or organization that it belongs to.
    pub scope: CodeScope,
    /// What their paths begin with; one `/` before it is dropped.
    pub path_prefix: Option<String>,
}

impl LineRange {
    /// The lines of a file that are read unless both ends are given: from the first on, 100 more.
    pub fn for_code(start: Option<u64>, end: Option<u64>) -> LineRange {
        const MORE_LINES: u64 = 100;
        let start = start.unwrap_or(1);
        LineRange { start: Some(start), end: Some(end.unwrap_or_else(|| start.saturating_add(MORE_LINES))) }
    }
}

impl Interline {
    /// The first 1,000 files in the order of their paths, and how many there are. Of workflows, those of the organization
    /// and the global ones.
    pub async fn list_files(&self, caller: &Caller, request: &CodeFiles) -> Result<FilePage, Error> {
        caller.require(Scope::Read)?;
        let prefix = request.path_prefix.as_deref().unwrap_or_default();
        refuse_nul("path_prefix", prefix).map_err(|error| Error::ValidationFailed(vec![error]))?;
        let query = FileQuery {
            spaces: self.readable_spaces(caller, &request.scope).await?.into_iter().collect(),
            kind: request.scope.kind,
            path_prefix: prefix.strip_prefix('/').unwrap_or(prefix).to_owned(),
            limit: MAX_FILES,
        };
        let _permit = self.read_permit(caller).await?;
        Ok(self.store.files(&query).await?)
    }

    /// A file with the requested part of its content.
    pub async fn read_file(&self, caller: &Caller, file: &FileRef, content: ReadContent) -> Result<ReadItem, Error> {
        caller.require(Scope::Read)?;
        let item_ref = self.file_to_read(caller, file).await?;
        let read = self.read(caller, &item_ref, content).await?;
        match View::from_item(&read.item) {
            View::Active | View::Archived => Ok(read),
            // It was deleted since it was looked up.
            View::Deleted => Err(file.not_found()),
        }
    }

    /// Edits a file: [`Interline::edit`] of the file that this caller's writes go to. Line endings are matched and kept as
    /// the file has them, whatever the request says.
    pub async fn patch_file(&self, caller: &Caller, file: &FileRef, request: EditRequest) -> Result<EditResult, Error> {
        caller.require(Scope::Read)?;
        let item_ref = self.file_to_change(caller, file).await?;
        self.edit(caller, &item_ref, EditRequest { line_endings: LineEndings::Match, ..request }).await
    }

    /// Puts a file into the trash; its path is free then.
    pub async fn delete_file(&self, caller: &Caller, file: &FileRef, expected: ExpectedVersion) -> Result<Item, Error> {
        caller.require(Scope::Read)?;
        let item_ref = self.file_to_change(caller, file).await?;
        self.delete(caller, &item_ref, expected).await
    }
}
