//! Entries that a reader hands over, and the lines by which tests compare them.

use std::ops::ControlFlow;

use interline_interchange::{Entry, Format, ReadError, ReadLimits, SourceRecord, read_document};

/// Everything that a file of that format has.
pub(crate) fn read(format: Format, bytes: &[u8]) -> Result<Vec<Entry>, ReadError> {
    let mut entries = Vec::new();
    let flow = read_document(format, bytes, &ReadLimits::default(), &mut |entry| {
        entries.push(entry);
        ControlFlow::Continue(())
    })?;
    assert!(flow.is_continue());
    Ok(entries)
}

pub(crate) fn record(entry: Entry) -> SourceRecord {
    match entry {
        Entry::Record(record) => *record,
        other => panic!("no record: {other:?}"),
    }
}

/// One line for each entry: key or place, then what it has.
pub(crate) fn lines(entries: &[Entry]) -> Vec<String> {
    entries.iter().map(line).collect()
}

fn line(entry: &Entry) -> String {
    match entry {
        Entry::Skipped { source, reason } => format!("- {source}: {reason}"),
        Entry::Attachment { source } => format!("@ {source}"),
        Entry::Record(record) => {
            let fields = &record.fields;
            let mut line = format!("{} {}", record.kind.name(), record.source_key);
            let mut put = |name: &str, value: Option<String>| {
                if let Some(value) = value {
                    line.push_str(&format!(" {name}={value}"));
                }
            };
            put("title", fields.title.as_ref().map(|text| format!("{text:?}")));
            put("name", fields.name.clone());
            put("tags", (!fields.tags.is_empty()).then(|| fields.tags.join(",")));
            put("description", fields.description.as_ref().map(|text| format!("{text:?}")));
            put("content", record.content.as_ref().map(|text| format!("{text:?}")));
            put("created", record.created_at.map(|time| time.as_second().to_string()));
            put("updated", record.updated_at.map(|time| time.as_second().to_string()));
            put("archived", record.archived.map(|_| "yes".to_owned()));
            line
        }
    }
}
