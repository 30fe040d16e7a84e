//! What can be made of a change before it reaches the writer, so that the writer only writes.

use interline_items::fields::sort_key;
use interline_items::{Batch, ContentWrite, IdempotencyRecord, ItemWrite};

use crate::codec::undo::{self, Undo};
use crate::codec::{CodecError, functions, json};

/// What is carried out together, ready to be written.
pub(super) struct PreparedBatch {
    pub(super) changes: Vec<Prepared>,
    pub(super) remember: Option<IdempotencyRecord>,
}

impl PreparedBatch {
    /// Takes a time that [`work_of_batch`] tells.
    pub(super) fn of(batch: Batch) -> Result<PreparedBatch, CodecError> {
        let Batch { writes, idempotency: remember } = batch;
        let changes = writes.into_iter().map(Prepared::of).collect::<Result<_, _>>()?;
        Ok(PreparedBatch { changes, remember })
    }
}

/// A change, and what its rows will hold.
pub(super) struct Prepared {
    /// The change.
    pub(super) write: ItemWrite,
    /// What its title is sorted by.
    pub(super) title_key: Option<String>,
    /// Its tags as JSON.
    pub(super) tags: String,
    /// Its arguments as JSON.
    pub(super) arguments: Option<String>,
    /// What its path is sorted by.
    pub(super) path_key: Option<String>,
    /// What is known of its code as JSON.
    pub(super) functions: Option<String>,
    /// The names of the changed fields as JSON.
    pub(super) changed_fields: String,
    /// What rebuilds the version before; `None` for a change that makes no version.
    pub(super) rebuild: Option<Rebuild>,
}

/// What it takes to rebuild versions.
pub(super) struct Rebuild {
    /// The fields after the change as JSON.
    pub(super) fields: String,
    /// The way back to the content before it.
    pub(super) undo: Undo,
}

impl Prepared {
    /// Takes a time that [`work`] tells.
    pub(super) fn of(write: ItemWrite) -> Result<Prepared, CodecError> {
        let fields = &write.after.fields;
        let rebuild = if write.record.action.makes_version() {
            Some(Rebuild { fields: json::of_fields(fields), undo: undo::encode_step(&write.content)? })
        } else {
            None
        };
        Ok(Prepared {
            title_key: fields.title.as_ref().map(|title| sort_key(title.as_str())),
            tags: json::of_tags(&fields.tags),
            arguments: fields.arguments.as_ref().map(json::of_arguments),
            path_key: fields.path.as_ref().map(|path| sort_key(path.as_str())),
            functions: write.after.functions.as_deref().map(functions::of_functions),
            changed_fields: json::of_words(write.record.changed_fields.iter().copied()),
            rebuild,
            write,
        })
    }

    /// The same change, with a whole copy of the content before it.
    pub(super) fn with_whole_copy(mut self) -> Result<Prepared, CodecError> {
        if let Some(rebuild) = &mut self.rebuild {
            rebuild.undo = undo::encode_whole(&self.write.content)?;
        }
        Ok(self)
    }
}

/// How many bytes must be compressed to prepare a batch.
pub(super) fn work_of_batch(batch: &Batch) -> usize {
    batch.writes.iter().map(work).sum()
}

/// How many bytes must be compressed to prepare a change.
fn work(write: &ItemWrite) -> usize {
    match &write.content {
        ContentWrite::Keep => 0,
        ContentWrite::Edit { undo, .. } => undo.splices().iter().map(|splice| splice.text.len()).sum(),
        ContentWrite::Set { old, new } => {
            old.as_ref().map_or(0, |old| old.len() + new.as_ref().map_or(0, |new| new.len()))
        }
    }
}

/// How many bytes must be compressed for a whole copy.
pub(super) fn work_of_whole_copy(write: &ItemWrite) -> usize {
    match &write.content {
        ContentWrite::Edit { new, .. } => new.len(),
        _ => work(write),
    }
}
