//! Going back through histories in SQLite: the statements are in `tables`.

use async_trait::async_trait;
use interline_items::{HistoryRecord, ItemId, StoreError, TextSource, UndoLimits, UndoPage, UndoStart, UndoStore};

use super::versions;
use crate::codec::undo_steps::page;
use crate::sqlite::SqliteStore;
use crate::sqlite::sql::poll_once;
use crate::tables::undo_steps;

#[async_trait]
impl UndoStore for SqliteStore {
    async fn undo_steps(&self, item: ItemId, start: UndoStart, limits: UndoLimits) -> Result<UndoPage, StoreError> {
        let read = move |connection: &_| {
            let stored = poll_once(undo_steps::stored_steps(connection, item, start.version, limits))?;
            Ok(page(item, start, &stored)?)
        };
        self.readers.read_long(read).await
    }

    async fn text_sources(&self, item: ItemId, newest: u64) -> Result<Vec<TextSource>, StoreError> {
        let read = move |connection: &_| poll_once(undo_steps::text_sources(connection, item, newest));
        self.readers.read_long(read).await
    }

    async fn version_records(&self, item: ItemId, versions: &[u64]) -> Result<Vec<HistoryRecord>, StoreError> {
        let numbers = versions.to_vec();
        self.readers.read_long(move |connection| versions::records(connection, item, &numbers)).await
    }
}
