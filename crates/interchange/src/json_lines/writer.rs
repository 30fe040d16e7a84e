//! Writing JSON Lines, one line after the other.

use std::borrow::Cow;
use std::io::{self, Write};

use jiff::Timestamp;
use serde::Serialize;
use uuid::Uuid;

use super::line::{EndLine, FieldsValue, HeaderLine, ItemLine, Line, RecordLine, VERSION, id_text};
use crate::{Since, SourceChange, SourceRecord};

/// Writes an export. The records of an item's history come before the item: the caller hands each over as it reads it, so
/// that no history is held whole.
pub struct JsonLinesWriter<W> {
    output: W,
    items: u64,
}

impl<W: Write> JsonLinesWriter<W> {
    /// Writes the first line.
    pub fn new(mut output: W) -> io::Result<JsonLinesWriter<W>> {
        write_line(&mut output, &HeaderLine { interline: Cow::Borrowed("export"), version: VERSION })?;
        Ok(JsonLinesWriter { output, items: 0 })
    }

    /// Writes one record of the history of the item with that id; oldest first, before the item.
    pub fn record(&mut self, id: Uuid, change: &SourceChange) -> io::Result<()> {
        let state = change.state.as_ref();
        let line = RecordLine {
            id: id_text(id),
            version: change.version,
            action: Cow::Borrowed(&change.action),
            changed_fields: change.changed_fields.iter().map(|field| Cow::Borrowed(field.as_str())).collect(),
            at: change.at.map(time_text),
            source: change.source.as_deref().map(Cow::Borrowed),
            user: change.user.as_deref().map(Cow::Borrowed),
            token: change.token.as_deref().map(Cow::Borrowed),
            fields: state.map(|state| FieldsValue::from_fields(&state.fields)),
            content: state.and_then(|state| state.content.as_deref()).map(Cow::Borrowed),
        };
        write_line(&mut self.output, &Line::Record(Box::new(line)))
    }

    /// Writes the item itself. The history in `record` is not written: hand it to [`JsonLinesWriter::record`] before.
    pub fn item(&mut self, id: Uuid, record: &SourceRecord) -> io::Result<()> {
        let since = |since: Option<Since>| since.and_then(Since::timestamp).map(time_text);
        let line = ItemLine {
            id: id_text(id),
            kind: Cow::Borrowed(record.kind.name()),
            version: record.version,
            fields: FieldsValue::from_fields(&record.fields),
            content: record.content.as_deref().map(Cow::Borrowed),
            created_at: record.created_at.map(time_text),
            updated_at: record.updated_at.map(time_text),
            last_used_at: record.last_used_at.map(time_text),
            archived_at: since(record.archived),
            deleted_at: since(record.deleted),
        };
        write_line(&mut self.output, &Line::Item(Box::new(line)))?;
        self.items += 1;
        Ok(())
    }

    /// Writes the last line, and gives the output back. An export without it was cut off.
    pub fn finish(mut self) -> io::Result<W> {
        write_line(&mut self.output, &Line::End(EndLine { items: self.items }))?;
        Ok(self.output)
    }

    /// What is written to, to flush or take what is there.
    pub fn output(&mut self) -> &mut W {
        &mut self.output
    }
}

pub(super) fn write_line(output: &mut impl Write, line: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *output, line)?;
    output.write_all(b"\n")
}

pub(super) fn time_text(time: Timestamp) -> Cow<'static, str> {
    Cow::Owned(time.to_string())
}
