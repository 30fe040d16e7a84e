//! Preparing a batch, and bringing it to the writer.

use std::sync::Arc;

use interline_items::{Batch, StoreError};
use tokio::task::{JoinError, spawn_blocking};

use super::commit::{self, WholeCopies};
use super::failure::Failure;
use super::prepared::{PreparedBatch, work_of_batch, work_of_whole_copy};
use super::writer::Writer;
use crate::codec::CodecError;

/// From how many bytes on compressing is too long for a thread that serves others too.
const BLOCKING_FROM: usize = 32 * 1024;

/// Prepares a batch outside the writer, then has it written.
pub(super) async fn commit_all(writer: Arc<Writer>, batch: Batch) -> Result<(), StoreError> {
    if batch.writes.is_empty() && batch.idempotency.is_none() {
        return Ok(());
    }
    let mut batch = compress(work_of_batch(&batch), || PreparedBatch::of(batch)).await?;
    loop {
        let shared = Arc::new(batch);
        let for_writer = Arc::clone(&shared);
        match writer.run_in_group(move |group| commit::carry_out(group, &for_writer, WholeCopies::Elsewhere)).await {
            Ok(()) => return Ok(()),
            // How long the chain is, is known in the writer; the copy is made outside of it. Each round makes another
            // change whole, so there are few.
            Err(Failure::WholeCopyDue(index)) => batch = with_whole_copy(shared, index).await?,
            Err(failure) => return Err(failure.into()),
        }
    }
}

async fn with_whole_copy(batch: Arc<PreparedBatch>, index: usize) -> Result<PreparedBatch, StoreError> {
    let mut batch = Arc::into_inner(batch).ok_or_else(|| StoreError::Failed("the writer kept a job".to_owned()))?;
    let step = batch.changes.remove(index);
    let bytes = work_of_whole_copy(&step.write);
    batch.changes.insert(index, compress(bytes, || step.with_whole_copy()).await?);
    Ok(batch)
}

/// Runs what compresses so many bytes, where nobody waits for the thread if they are many.
pub(super) async fn compress<T, W>(bytes: usize, work: W) -> Result<T, StoreError>
where
    T: Send + 'static,
    W: FnOnce() -> Result<T, CodecError> + Send + 'static,
{
    let outcome = if bytes < BLOCKING_FROM { work() } else { spawn_blocking(work).await.map_err(interrupted)? };
    Ok(outcome?)
}

#[expect(clippy::needless_pass_by_value, reason = "it is what `map_err` hands over")]
pub(super) fn interrupted(error: JoinError) -> StoreError {
    StoreError::Unavailable(error.to_string())
}
