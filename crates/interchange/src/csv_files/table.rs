//! CSV with a header, read row by row. A row that is broken is skipped alone.

use std::collections::HashMap;

use csv::ByteRecord;

use crate::{Format, ReadError};

/// How many rows with a broken quote are stepped over. Each costs a look at what follows it, so they are counted.
const MAX_BROKEN_ROWS: usize = 100;

/// One row, by the names of its columns.
pub(super) struct Row<'a> {
    columns: &'a HashMap<String, usize>,
    fields: Vec<String>,
}

impl Row<'_> {
    /// The value of a column; `None` if it is blank or there is none.
    pub(super) fn get(&self, column: &str) -> Option<&str> {
        let field = self.fields.get(*self.columns.get(column)?)?;
        (!field.trim().is_empty()).then_some(field)
    }
}

/// A row, or the line and reason of one that cannot be read.
pub(super) type RowResult<'a> = Result<Row<'a>, (u64, String)>;

/// Hands over every row, in order.
pub(super) fn read_rows(
    format: Format,
    bytes: &[u8],
    required: &[&str],
    handle: &mut dyn FnMut(RowResult<'_>),
) -> Result<(), ReadError> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut reader = reader(bytes);
    let mut record = ByteRecord::new();
    let not = |reason: String| ReadError::not(format, reason);
    if !reader.read_byte_record(&mut record).map_err(|error| not(error.to_string()))? {
        return Err(not("it is empty".to_owned()));
    }
    let name = |field: &[u8]| String::from_utf8_lossy(field).trim().to_ascii_lowercase();
    let columns: HashMap<String, usize> =
        record.iter().enumerate().rev().map(|(index, field)| (name(field), index)).collect();
    if let Some(missing) = required.iter().find(|column| !columns.contains_key(**column)) {
        return Err(not(format!("its first line has no column `{missing}`")));
    }
    let width = record.len();
    let (mut start, mut line) = (offset(&reader), reader.position().line());
    let mut broken = 0;
    loop {
        let mut part = self::reader(&bytes[start..]);
        let mut row_start = 0;
        let restart = loop {
            match part.read_byte_record(&mut record) {
                Ok(true) => {}
                Ok(false) => return Ok(()),
                Err(error) => {
                    handle(Err((line, error.to_string())));
                    return Ok(());
                }
            }
            let end = offset(&part);
            let rows = line_breaks(&bytes[start + row_start..start + end]);
            if record.len() == width {
                handle(decoded(&record, &columns).map_err(|reason| (line, reason)));
            } else {
                handle(Err((
                    line,
                    format!("the row has {} columns instead of {width}; is a quote not closed?", record.len()),
                )));
                // A quote that is not closed swallows what follows: only its own line is lost.
                if rows > 1 && broken < MAX_BROKEN_ROWS {
                    break row_start;
                }
            }
            row_start = end;
            line += rows;
        };
        broken += 1;
        let from = start + restart;
        start = from + bytes[from..].iter().position(|byte| *byte == b'\n').map_or(bytes.len() - from, |at| at + 1);
        line += 1;
    }
}

fn reader(bytes: &[u8]) -> csv::Reader<&[u8]> {
    csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(bytes)
}

fn offset(reader: &csv::Reader<&[u8]>) -> usize {
    usize::try_from(reader.position().byte()).unwrap_or(usize::MAX)
}

fn line_breaks(bytes: &[u8]) -> u64 {
    bytes.iter().filter(|byte| **byte == b'\n').count() as u64
}

fn decoded<'a>(record: &ByteRecord, columns: &'a HashMap<String, usize>) -> Result<Row<'a>, String> {
    let fields: Result<Vec<String>, _> = record.iter().map(|field| String::from_utf8(field.to_vec())).collect();
    let fields = fields.map_err(|_| "the row is not UTF-8".to_owned())?;
    Ok(Row { columns, fields })
}
