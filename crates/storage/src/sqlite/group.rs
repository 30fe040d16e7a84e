//! What the jobs of one transaction share.

use std::collections::HashMap;
use std::sync::Arc;

use interline_items::{ItemId, Snapshot};
use rusqlite::Connection;

use super::failure::Failure;
use super::{item, items};

/// A content, or none.
type Content = Option<Arc<str>>;

/// The connection of a transaction, and the contents that its jobs have made: each is written once, at the end, however
/// many jobs have changed it.
pub(super) struct Group<'c> {
    connection: &'c Connection,
    /// Contents that the table does not have yet, by the number of their item.
    contents: HashMap<i64, Content>,
    /// What `contents` had in places that the job under way has changed, oldest first.
    before: Vec<(i64, Option<Content>)>,
    written: u64,
}

impl<'c> Group<'c> {
    /// Nothing is done yet.
    pub(super) fn new(connection: &'c Connection) -> Group<'c> {
        Group { connection, contents: HashMap::new(), before: Vec::new(), written: 0 }
    }

    /// For everything but contents.
    pub(super) fn connection(&self) -> &'c Connection {
        self.connection
    }

    /// How many contents were written to the table.
    pub(super) fn contents_written(&self) -> u64 {
        self.written
    }

    /// From here on it can be undone.
    pub(super) fn begin_job(&mut self) {
        self.before.clear();
    }

    /// Takes back what the job has changed here; the savepoint takes back the rest.
    pub(super) fn undo_job(&mut self) {
        while let Some((number, content)) = self.before.pop() {
            match content {
                Some(content) => self.contents.insert(number, content),
                None => self.contents.remove(&number),
            };
        }
    }

    /// An item with its content, as the jobs before have left it.
    pub(super) fn snapshot(&self, id: ItemId) -> Result<Option<Snapshot>, Failure> {
        let Some((number, item)) = items::numbered_item(self.connection, id)? else { return Ok(None) };
        let content = match self.contents.get(&number) {
            Some(content) => content.clone(),
            None => items::content(self.connection, number)?,
        };
        Ok(Some(Snapshot { item, content }))
    }

    /// Makes a text the content of an item, or leaves it without one.
    pub(super) fn put_content(&mut self, number: i64, content: Content) {
        let before = self.contents.insert(number, content);
        self.before.push((number, before));
    }

    /// Forgets the content of an item: it is in the table, or gone with the item.
    pub(super) fn drop_content(&mut self, number: i64) {
        if let Some(before) = self.contents.remove(&number) {
            self.before.push((number, Some(before)));
        }
    }

    /// Writes the contents to the table.
    pub(super) fn write_contents(&mut self) -> rusqlite::Result<()> {
        while let Some((&number, content)) = self.contents.iter().next() {
            item::put_text(self.connection, number, content.as_deref())?;
            self.written += 1;
            self.drop_content(number);
        }
        Ok(())
    }
}
