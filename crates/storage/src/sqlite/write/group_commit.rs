//! Group commit: the transaction that several queued writes share, and the contents that they write once at its end.

use std::collections::HashMap;
use std::sync::Arc;

use interline_items::{ItemId, Snapshot};
use rusqlite::Connection;

use crate::integrity::{Damage, check_content};
use crate::sqlite::failure::Failure;
use crate::sqlite::items::item_rows;
use crate::sqlite::items::lookup;

/// A content, or none.
type Content = Option<Arc<str>>;

/// The connection of a transaction, and the contents that its writes have changed: the content of an item is written once,
/// at the end, however many writes have changed it.
pub(crate) struct CommitGroup<'c> {
    connection: &'c Connection,
    /// Contents that are not in the table yet, by the number of their item.
    contents: HashMap<i64, Content>,
    /// The entries of `contents` before the current write changed them, oldest change first.
    undo_log: Vec<(i64, Option<Content>)>,
    /// The sum of the lengths of `contents`.
    pending_bytes: usize,
    contents_written: u64,
}

impl<'c> CommitGroup<'c> {
    /// A group without writes, on a connection that is in a transaction.
    pub(crate) fn new(connection: &'c Connection) -> CommitGroup<'c> {
        CommitGroup {
            connection,
            contents: HashMap::new(),
            undo_log: Vec::new(),
            pending_bytes: 0,
            contents_written: 0,
        }
    }

    /// The connection, for everything but contents.
    pub(crate) fn connection(&self) -> &'c Connection {
        self.connection
    }

    /// How many contents were written to the table.
    pub(crate) fn contents_written(&self) -> u64 {
        self.contents_written
    }

    /// How many bytes of content are to be written to the table yet.
    pub(crate) fn pending_bytes(&self) -> usize {
        self.pending_bytes
    }

    /// Begins a write, which [`CommitGroup::undo_write`] can undo.
    pub(crate) fn begin_write(&mut self) {
        self.undo_log.clear();
    }

    /// Undoes what the write has changed in the pending contents; the savepoint undoes the rest.
    pub(crate) fn undo_write(&mut self) {
        while let Some((number, content)) = self.undo_log.pop() {
            self.replace(number, content);
        }
    }

    /// An item with its content, as the earlier writes of the group have left it.
    pub(crate) fn snapshot(&self, id: ItemId) -> Result<Option<Snapshot>, Failure> {
        let Some((number, item)) = lookup::numbered_item(self.connection, id)? else { return Ok(None) };
        let content = match self.contents.get(&number) {
            Some(content) => content.clone(),
            None => {
                let content = lookup::content(self.connection, number).map_err(|failure| failure.of_item(id))?;
                check_content(&item, content.as_deref())?;
                content
            }
        };
        Ok(Some(Snapshot { item, content }))
    }

    /// The content of an item, damaged or not; `None` if it cannot be read as text.
    pub(crate) fn readable_content(&self, number: i64) -> Result<Content, Failure> {
        match self.contents.get(&number) {
            Some(content) => Ok(content.clone()),
            None => match lookup::content(self.connection, number).map_err(Failure::into_corruption) {
                Ok(content) => Ok(content),
                Err(Ok(_)) => Ok(None),
                Err(Err(failure)) => Err(failure),
            },
        }
    }

    /// Sets the content of an item, or removes it.
    pub(crate) fn put_content(&mut self, number: i64, content: Content) {
        let before = self.replace(number, Some(content));
        self.undo_log.push((number, before));
    }

    /// Drops the pending content of an item: it was written to the table, or the item was removed.
    pub(crate) fn drop_content(&mut self, number: i64) {
        if let Some(before) = self.replace(number, None) {
            self.undo_log.push((number, Some(before)));
        }
    }

    /// Replaces the pending entry of an item, and returns the one before.
    fn replace(&mut self, number: i64, content: Option<Content>) -> Option<Content> {
        self.pending_bytes += length(content.as_ref());
        let before = match content {
            Some(content) => self.contents.insert(number, content),
            None => self.contents.remove(&number),
        };
        self.pending_bytes -= length(before.as_ref());
        before
    }

    /// Writes the pending contents to the table.
    pub(crate) fn write_contents(&mut self) -> rusqlite::Result<()> {
        while let Some((&number, content)) = self.contents.iter().next() {
            item_rows::put_text(self.connection, number, content.as_deref())?;
            self.contents_written += 1;
            self.drop_content(number);
        }
        Ok(())
    }
}

fn length(content: Option<&Content>) -> usize {
    content.and_then(Option::as_ref).map_or(0, |text| text.len())
}
