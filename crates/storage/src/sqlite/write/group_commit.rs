//! What the jobs of one transaction share.

use std::collections::HashMap;
use std::sync::Arc;

use interline_items::{ItemId, Snapshot};
use rusqlite::Connection;

use crate::sqlite::failure::Failure;
use crate::sqlite::items::item_rows;
use crate::sqlite::items::lookup;

/// A content, or none.
type Content = Option<Arc<str>>;

/// The connection of a transaction, and the contents that its jobs have made: each is written once, at the end, however
/// many jobs have changed it.
pub(crate) struct CommitGroup<'c> {
    connection: &'c Connection,
    /// Contents that the table does not have yet, by the number of their item.
    contents: HashMap<i64, Content>,
    /// What `contents` had in places that the job under way has changed, oldest first.
    before: Vec<(i64, Option<Content>)>,
    /// How long `contents` are together.
    pending_bytes: usize,
    written: u64,
}

impl<'c> CommitGroup<'c> {
    /// Nothing is done yet.
    pub(crate) fn new(connection: &'c Connection) -> CommitGroup<'c> {
        CommitGroup { connection, contents: HashMap::new(), before: Vec::new(), pending_bytes: 0, written: 0 }
    }

    /// For everything but contents.
    pub(crate) fn connection(&self) -> &'c Connection {
        self.connection
    }

    /// How many contents were written to the table.
    pub(crate) fn contents_written(&self) -> u64 {
        self.written
    }

    /// How many bytes of content are to be written to the table yet.
    pub(crate) fn pending_bytes(&self) -> usize {
        self.pending_bytes
    }

    /// From here on it can be undone.
    pub(crate) fn begin_job(&mut self) {
        self.before.clear();
    }

    /// Takes back what the job has changed here; the savepoint takes back the rest.
    pub(crate) fn undo_job(&mut self) {
        while let Some((number, content)) = self.before.pop() {
            self.replace(number, content);
        }
    }

    /// An item with its content, as the jobs before have left it.
    pub(crate) fn snapshot(&self, id: ItemId) -> Result<Option<Snapshot>, Failure> {
        let Some((number, item)) = lookup::numbered_item(self.connection, id)? else { return Ok(None) };
        let content = match self.contents.get(&number) {
            Some(content) => content.clone(),
            None => lookup::content(self.connection, number)?,
        };
        Ok(Some(Snapshot { item, content }))
    }

    /// Makes a text the content of an item, or leaves it without one.
    pub(crate) fn put_content(&mut self, number: i64, content: Content) {
        let before = self.replace(number, Some(content));
        self.before.push((number, before));
    }

    /// Forgets the content of an item: it is in the table, or gone with the item.
    pub(crate) fn drop_content(&mut self, number: i64) {
        if let Some(before) = self.replace(number, None) {
            self.before.push((number, Some(before)));
        }
    }

    /// Changes what is pending for an item, and returns what was.
    fn replace(&mut self, number: i64, content: Option<Content>) -> Option<Content> {
        self.pending_bytes += length(content.as_ref());
        let before = match content {
            Some(content) => self.contents.insert(number, content),
            None => self.contents.remove(&number),
        };
        self.pending_bytes -= length(before.as_ref());
        before
    }

    /// Writes the contents to the table.
    pub(crate) fn write_contents(&mut self) -> rusqlite::Result<()> {
        while let Some((&number, content)) = self.contents.iter().next() {
            item_rows::put_text(self.connection, number, content.as_deref())?;
            self.written += 1;
            self.drop_content(number);
        }
        Ok(())
    }
}

fn length(content: Option<&Content>) -> usize {
    content.and_then(Option::as_ref).map_or(0, |text| text.len())
}
