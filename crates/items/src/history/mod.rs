//! Histories of items: records of changes, versions, and how old ones are forgotten; steps back through them (`undo_steps`).

mod undo_steps;

use std::sync::Arc;

use jiff::Timestamp;

use crate::{
    AcceptedProposal, Action, Attribution, ChangeSetId, Fields, ItemId, LineCounts, ReviewState, Source, Stamp,
    TokenId, UserId,
};

pub use undo_steps::{
    ContentBefore, SourceExtent, TextSource, UndoLimits, UndoPage, UndoRest, UndoStart, UndoStep, UndoStore,
};

/// A request for records of a history, newest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HistoryQuery {
    /// How many newer ones are skipped.
    pub offset: u64,
    /// How many at the most.
    pub limit: usize,
}

/// A part of a history.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HistoryPage {
    /// The records, newest first.
    pub records: Vec<HistoryRecord>,
    /// How many there are in all.
    pub total: u64,
}

/// The record of one change in a history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryRecord {
    /// The item's stamp after it.
    pub stamp: Stamp,
    /// The version that it made; `None` for archiving, unarchiving, deleting and the way back from the trash.
    pub version: Option<u64>,
    /// The action.
    pub action: Action,
    /// Names of the fields that changed, in the order of the wire.
    pub changed_fields: Vec<String>,
    /// When.
    pub at: Timestamp,
    /// The door that it came through.
    pub source: Source,
    /// The user who made it.
    pub user: NamedId<UserId>,
    /// The token that was used, if one was.
    pub token: Option<NamedId<TokenId>>,
    /// The client that made it, why, and the change set that it belongs to.
    pub attribution: Attribution,
    /// What a person has decided about it.
    pub review: ReviewState,
    /// The change set that it takes back, if it does.
    pub undoes: Option<ChangeSetId>,
    /// How many lines of the content it added and removed, where that is known.
    pub lines: Option<LineCounts>,
    /// Who made it where it was imported from; `None` where it was made here.
    pub imported_from: Option<ImportedFrom>,
    /// The size of the content after it; `None` without one.
    pub content: Option<ContentSize>,
    /// The versions that it merged, if it is a merge.
    pub merged_from: Option<MergedFrom>,
    /// The proposal that it applied, and who accepted that.
    pub accepted: Option<AcceptedProposal>,
}

/// The versions that a merge was made of, beside what was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MergedFrom {
    /// The version for which the change was made.
    pub base: u64,
    /// The version on which it was committed.
    pub theirs: u64,
}

impl MergedFrom {
    /// The merge that made a version: it is committed on the one before.
    pub fn in_version(version: u64, base: u64) -> MergedFrom {
        MergedFrom { base, theirs: version.saturating_sub(1) }
    }
}

/// The names of the user and the token of a change that was imported with its history, as the source has them. The user who
/// imported it answers for it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImportedFrom {
    /// The user.
    pub user: Option<String>,
    /// The token.
    pub token: Option<String>,
}

/// A user or token in a history, which may have been removed since.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedId<Id> {
    /// Its identifier.
    pub id: Id,
    /// Its name, also after it was removed; `None` if this store never had it.
    pub name: Option<String>,
}

/// The size of a content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContentSize {
    /// In characters.
    pub characters: u64,
    /// In bytes.
    pub bytes: u64,
}

/// An item as it was after a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version {
    /// The change that made it.
    pub record: HistoryRecord,
    /// The fields.
    pub fields: Fields,
    /// The content.
    pub content: Option<Arc<str>>,
}

impl Version {
    /// Whether its content has the size that its record says: if not, it was not rebuilt as it was written.
    pub fn fits_its_record(&self) -> bool {
        let size = self.content.as_ref().map(|text| (text.chars().count() as u64, text.len() as u64));
        size == self.record.content.map(|size| (size.characters, size.bytes))
    }
}

/// Which records are forgotten: those for which one of these conditions is true. The newest version and the records after
/// it stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retention {
    /// The record, and all before it, are older than this.
    pub before: Option<Timestamp>,
    /// Its item has this many newer records; at least 1.
    pub keep: Option<u64>,
}

/// The result of one step of forgetting old versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ForgottenVersions {
    /// How many records were removed.
    pub records: u64,
    /// The last item of this step; `None` if there are no more.
    pub last: Option<ItemId>,
}
