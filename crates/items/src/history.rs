//! Histories of items: what was done, by whom, and what an item was then.

use std::sync::Arc;

use jiff::Timestamp;

use crate::{Action, Fields, ItemId, Source, Stamp, TokenId, UserId};

/// Which records of a history are read, newest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HistoryQuery {
    /// How many newer ones are left out.
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

/// What history tells about one change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryRecord {
    /// The item's state after it.
    pub stamp: Stamp,
    /// The version that it made; `None` for archiving, deleting and their way back.
    pub version: Option<u64>,
    /// What was done.
    pub action: Action,
    /// Names of the fields that changed, in the order of the wire.
    pub changed_fields: Vec<String>,
    /// When.
    pub at: Timestamp,
    /// Through which door.
    pub source: Source,
    /// Whose change it is.
    pub user: NamedId<UserId>,
    /// The token that was used, if one was.
    pub token: Option<NamedId<TokenId>>,
    /// How long the content was after it; `None` without one.
    pub content: Option<ContentSize>,
}

/// Somebody or something in a history, who may be gone since.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedId<Id> {
    /// Its identifier.
    pub id: Id,
    /// What it is or was called; `None` if this store never knew it.
    pub name: Option<String>,
}

/// How long a content is.
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
    /// Whether its content has the size that its record tells: if not, it is not what was written.
    pub fn fits_its_record(&self) -> bool {
        let size = self.content.as_ref().map(|text| (text.chars().count() as u64, text.len() as u64));
        size == self.record.content.map(|size| (size.characters, size.bytes))
    }
}

/// Which records are forgotten: those of which one of these is true. The newest version and what came after it stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retention {
    /// They, and all before them, are older than this.
    pub before: Option<Timestamp>,
    /// Their item has this many newer ones; at least 1.
    pub keep: Option<u64>,
}

/// What a step of forgetting did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ForgottenVersions {
    /// How many records went.
    pub records: u64,
    /// The last item that was looked at; `None` if there are no more.
    pub last: Option<ItemId>,
}
