//! The commit queue: a batch is encoded outside the writer thread, then queued for it.

use std::sync::Arc;

use interline_items::{Batch, StoreError};
use tokio::task::{JoinError, spawn_blocking};

use crate::codec::CodecError;
use crate::sqlite::failure::Failure;
use crate::sqlite::write::commit::{self, WholeCopies};
use crate::sqlite::write::encoded_write::{EncodedBatch, batch_compression_bytes, whole_copy_compression_bytes};
use crate::sqlite::write::group_commit::CommitGroup;
use crate::sqlite::write::writer::Writer;

/// From how many bytes on compression is too long for a thread of the async runtime, which serves other requests too.
const BLOCKING_FROM: usize = 32 * 1024;

/// Encodes a batch outside the writer thread, then has the writer thread write it.
pub(crate) async fn encode_and_commit(writer: Arc<Writer>, batch: Batch) -> Result<(), StoreError> {
    if batch.is_empty() {
        return Ok(());
    }
    let mut batch = compress(batch_compression_bytes(&batch), || EncodedBatch::encode(batch)).await?;
    loop {
        let shared = Arc::new(batch);
        let (for_writer, bytes) = (Arc::clone(&shared), shared.bytes);
        let write = move |group: &mut CommitGroup<'_>| commit::write_batch(group, &for_writer, WholeCopies::Elsewhere);
        match writer.run_in_group(bytes, write).await {
            Ok(()) => return Ok(()),
            // The writer thread knows how long the undo chain is; the whole copy is compressed outside of it. Each round
            // makes the undo record of another write whole, so there are few rounds.
            Err(Failure::WholeCopyDue(index)) => batch = with_whole_copy(shared, index).await?,
            Err(failure) => return Err(failure.into()),
        }
    }
}

async fn with_whole_copy(batch: Arc<EncodedBatch>, index: usize) -> Result<EncodedBatch, StoreError> {
    let mut batch = Arc::into_inner(batch).ok_or_else(|| StoreError::Failed("the writer kept a job".to_owned()))?;
    let write = batch.writes.remove(index);
    let bytes = whole_copy_compression_bytes(&write.write);
    batch.writes.insert(index, compress(bytes, || write.with_whole_copy()).await?);
    Ok(batch)
}

/// Runs `work`, which compresses so many bytes: on a blocking thread if they are many.
pub(crate) async fn compress<T, W>(bytes: usize, work: W) -> Result<T, StoreError>
where
    T: Send + 'static,
    W: FnOnce() -> Result<T, CodecError> + Send + 'static,
{
    let result = if bytes < BLOCKING_FROM { work() } else { spawn_blocking(work).await.map_err(task_failed)? };
    Ok(result?)
}

#[expect(clippy::needless_pass_by_value, reason = "it is what `map_err` hands over")]
/// The error of a task that panicked or was cancelled.
pub(crate) fn task_failed(error: JoinError) -> StoreError {
    StoreError::Unavailable(error.to_string())
}
