//! Preparing a batch, and bringing it to the writer.

use std::sync::Arc;

use interline_items::{Batch, StoreError};
use tokio::task::{JoinError, spawn_blocking};

use crate::codec::CodecError;
use crate::sqlite::failure::Failure;
use crate::sqlite::write::commit::{self, WholeCopies};
use crate::sqlite::write::encoded_write::{EncodedBatch, batch_compression_bytes, whole_copy_compression_bytes};
use crate::sqlite::write::writer::Writer;

/// From how many bytes on compressing is too long for a thread that serves others too.
const BLOCKING_FROM: usize = 32 * 1024;

/// Prepares a batch outside the writer, then has it written.
pub(crate) async fn encode_and_commit(writer: Arc<Writer>, batch: Batch) -> Result<(), StoreError> {
    if batch.writes.is_empty() && batch.remember.is_none() {
        return Ok(());
    }
    let mut batch = compress(batch_compression_bytes(&batch), || EncodedBatch::encode(batch)).await?;
    loop {
        let shared = Arc::new(batch);
        let for_writer = Arc::clone(&shared);
        match writer.run_in_group(move |group| commit::write_batch(group, &for_writer, WholeCopies::Elsewhere)).await {
            Ok(()) => return Ok(()),
            // How long the chain is, is known in the writer; the copy is made outside of it. Each round makes another
            // change whole, so there are few.
            Err(Failure::WholeCopyDue(index)) => batch = with_whole_copy(shared, index).await?,
            Err(failure) => return Err(failure.into()),
        }
    }
}

async fn with_whole_copy(batch: Arc<EncodedBatch>, index: usize) -> Result<EncodedBatch, StoreError> {
    let mut batch = Arc::into_inner(batch).ok_or_else(|| StoreError::Failed("the writer kept a job".to_owned()))?;
    let step = batch.changes.remove(index);
    let bytes = whole_copy_compression_bytes(&step.write);
    batch.changes.insert(index, compress(bytes, || step.with_whole_copy()).await?);
    Ok(batch)
}

/// Runs what compresses so many bytes, where nobody waits for the thread if they are many.
pub(crate) async fn compress<T, W>(bytes: usize, work: W) -> Result<T, StoreError>
where
    T: Send + 'static,
    W: FnOnce() -> Result<T, CodecError> + Send + 'static,
{
    let outcome = if bytes < BLOCKING_FROM { work() } else { spawn_blocking(work).await.map_err(task_failed)? };
    Ok(outcome?)
}

#[expect(clippy::needless_pass_by_value, reason = "it is what `map_err` hands over")]
pub(crate) fn task_failed(error: JoinError) -> StoreError {
    StoreError::Unavailable(error.to_string())
}
