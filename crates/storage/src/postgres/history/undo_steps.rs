//! Going back through histories in PostgreSQL: most statements are in `tables`.

use async_trait::async_trait;
use interline_items::{HistoryRecord, ItemId, StoreError, TextSource, UndoLimits, UndoPage, UndoStart, UndoStore};

use super::versions;
use crate::codec::undo_steps::page;
use crate::postgres::PostgresStore;
use crate::postgres::write::transaction_retry::run_blocking;
use crate::tables::undo_steps;

#[async_trait]
impl UndoStore for PostgresStore {
    async fn undo_steps(&self, item: ItemId, start: UndoStart, limits: UndoLimits) -> Result<UndoPage, StoreError> {
        let first = start.version;
        let read = async |client: &mut _| {
            let stored = undo_steps::stored_steps(&*client, item, first, limits).await?;
            // Off the threads of the async runtime: it may take milliseconds.
            Ok(run_blocking(move || page(item, start, &stored)).await??)
        };
        self.pools.read_long(None, read).await
    }

    async fn text_sources(&self, item: ItemId, newest: u64) -> Result<Vec<TextSource>, StoreError> {
        let read = async |client: &mut _| undo_steps::text_sources(&*client, item, newest).await;
        self.pools.read_long(None, read).await
    }

    async fn version_records(&self, item: ItemId, versions: &[u64]) -> Result<Vec<HistoryRecord>, StoreError> {
        let read = async |client: &mut _| versions::records(client, item, versions).await;
        self.pools.read_long(None, read).await
    }
}
