//! Steps back through the history of an item: what each version did to its content, newest first. Blame is made of them.

use std::sync::Arc;

use async_trait::async_trait;
use interline_edit::Edit;

use crate::{HistoryRecord, ItemId, StoreError};

/// Where steps back through a history begin, or go on: a version, and the content that it has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UndoStart {
    /// The version that is the first to be taken back.
    pub version: u64,
    /// Its content.
    pub content: Option<Arc<str>>,
}

/// How much a page of steps has at the most. The first version is taken back however long its step is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UndoLimits {
    /// How many versions are taken back.
    pub versions: usize,
    /// How many bytes the steps have together, as an estimate; the last may exceed it.
    pub bytes: usize,
}

/// Some steps, newest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UndoPage {
    /// The steps. A version that left the content as it was has none.
    pub steps: Vec<UndoStep>,
    /// What comes after them.
    pub rest: UndoRest,
}

/// What comes after some steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UndoRest {
    /// Older versions: steps go on here.
    More(UndoStart),
    /// Nothing: this is the oldest version whose content is known. The item was made with it, those before it were forgotten, or
    /// the content before it was lost to damage.
    End {
        /// The version.
        oldest: u64,
    },
}

/// What takes one version back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UndoStep {
    /// The version.
    pub version: u64,
    /// The content before it.
    pub before: ContentBefore,
}

/// The content before a version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ContentBefore {
    /// It is what this edit makes of the content of the version.
    Edited(Edit),
    /// It is this text.
    Text(Arc<str>),
    /// There was none.
    Absent,
}

/// From which older version a version has brought lines back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextSource {
    /// The version that did: a restore, or an undo of a change set.
    pub version: u64,
    /// The older version.
    pub source: u64,
    /// How much of it.
    pub extent: SourceExtent,
}

/// How much of an older content a version has brought back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceExtent {
    /// All of it: both have the same content. The older version is the oldest that has it.
    Whole,
    /// Some lines. The older version is the one before the first of the change set that was undone.
    Some,
}

/// The part of a [`Store`](crate::Store) that goes back through a history. The promises of the methods are those of a
/// [`Store`](crate::Store).
#[async_trait]
pub trait UndoStore: Send + Sync {
    /// The next steps back through a history. To go through all of it takes time by its length: each page begins with the content
    /// that the one before has led to. [`StoreError::Corrupt`] if a content is not what was written.
    ///
    /// Without records of that version and older ones, which were forgotten or purged, it is the end.
    async fn undo_steps(&self, item: ItemId, start: UndoStart, limits: UndoLimits) -> Result<UndoPage, StoreError>;

    /// Which versions up to `newest` have changed the content by bringing older lines back, and from where, as far as records
    /// that are kept tell; in no certain order.
    async fn text_sources(&self, item: ItemId, newest: u64) -> Result<Vec<TextSource>, StoreError>;

    /// The records that made these versions, those that were forgotten left out; in no certain order.
    async fn version_records(&self, item: ItemId, versions: &[u64]) -> Result<Vec<HistoryRecord>, StoreError>;
}
