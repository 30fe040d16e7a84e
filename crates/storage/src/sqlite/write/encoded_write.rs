//! Encoded writes: the column values of a change, made before it reaches the writer thread, which then only writes.

use interline_items::fields::sort_key;
use interline_items::{
    Announcement, Batch, ContentWrite, Decision, IdempotencyRecord, ImportedSource, ItemWrite, ProposalWrite,
};

use crate::codec::undo::{self, UndoRecord};
use crate::codec::{CodecError, functions, json};

/// The writes of one batch, encoded.
pub(crate) struct EncodedBatch {
    pub(crate) writes: Vec<EncodedWrite>,
    pub(crate) idempotency: Option<IdempotencyRecord>,
    pub(crate) imports: Vec<ImportedSource>,
    pub(crate) decisions: Vec<Decision>,
    pub(crate) proposals: Vec<ProposalWrite>,
    pub(crate) announcements: Vec<Announcement>,
    /// How many bytes it writes, about.
    pub(crate) bytes: usize,
}

impl EncodedBatch {
    /// Encodes a batch. [`batch_compression_bytes`] says how much there is to compress.
    pub(crate) fn encode(batch: Batch) -> Result<EncodedBatch, CodecError> {
        let bytes = batch.bytes();
        let Batch { writes, idempotency, imports, decisions, proposals, announcements } = batch;
        let writes = writes.into_iter().map(EncodedWrite::encode).collect::<Result<_, _>>()?;
        Ok(EncodedBatch { writes, idempotency, imports, decisions, proposals, announcements, bytes })
    }
}

/// A write, and the values of its columns.
pub(crate) struct EncodedWrite {
    /// The write.
    pub(crate) write: ItemWrite,
    /// The sort key of what the item is called.
    pub(crate) title_key: Option<String>,
    /// The tags as JSON.
    pub(crate) tags: String,
    /// The arguments as JSON.
    pub(crate) arguments: Option<String>,
    /// The sort key of the path.
    pub(crate) path_key: Option<String>,
    /// The functions of a workflow's code as JSON.
    pub(crate) functions: Option<String>,
    /// The names of the changed fields as JSON.
    pub(crate) changed_fields: String,
    /// What the version stores; `None` for a change that makes no version.
    pub(crate) version: Option<VersionData>,
}

/// What a version stores, so that it and the version before it can be rebuilt.
pub(crate) struct VersionData {
    /// The fields after the change as JSON.
    pub(crate) fields: String,
    /// The undo record, which leads to the content before the change.
    pub(crate) undo: UndoRecord,
}

impl EncodedWrite {
    /// Encodes a write. [`compression_bytes`] says how much there is to compress.
    pub(crate) fn encode(write: ItemWrite) -> Result<EncodedWrite, CodecError> {
        let fields = &write.after.fields;
        let version = if write.makes_version() {
            Some(VersionData { fields: json::encode_fields(fields), undo: undo::encode_step(&write.content)? })
        } else {
            None
        };
        Ok(EncodedWrite {
            title_key: fields.title_key(),
            tags: json::encode_tags(&fields.tags),
            arguments: fields.arguments.as_ref().map(json::encode_arguments),
            path_key: fields.path.as_ref().map(|path| sort_key(path.as_str())),
            functions: write.after.functions.as_deref().map(functions::encode),
            changed_fields: json::encode_strings(write.record.changed_fields.iter().copied()),
            version,
            write,
        })
    }

    /// The same write, whose undo record is a whole copy of the content before it.
    pub(crate) fn with_whole_copy(mut self) -> Result<EncodedWrite, CodecError> {
        if let Some(version) = &mut self.version {
            version.undo = undo::encode_whole(&self.write.content)?;
        }
        Ok(self)
    }
}

/// How many bytes must be compressed to encode a batch.
pub(crate) fn batch_compression_bytes(batch: &Batch) -> usize {
    batch.writes.iter().map(compression_bytes).sum()
}

/// How many bytes must be compressed to encode a write.
fn compression_bytes(write: &ItemWrite) -> usize {
    match &write.content {
        ContentWrite::Keep | ContentWrite::Repair { .. } => 0,
        ContentWrite::Edit { undo, .. } => undo.splices().iter().map(|splice| splice.text.len()).sum(),
        ContentWrite::Set { old, new } => {
            old.as_ref().map_or(0, |old| old.len() + new.as_ref().map_or(0, |new| new.len()))
        }
    }
}

/// How many bytes must be compressed for a whole copy.
pub(crate) fn whole_copy_compression_bytes(write: &ItemWrite) -> usize {
    match &write.content {
        ContentWrite::Edit { new, .. } => new.len(),
        _ => compression_bytes(write),
    }
}
