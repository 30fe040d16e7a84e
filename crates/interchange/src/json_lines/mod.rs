//! JSON Lines, Interline's own format: every item with its whole history, canonical and exact.
//!
//! The first line is `{"interline":"export","version":1}`, the last one `{"end":{"items":N}}`: an export that was cut off is
//! noticed. Between them every item has one line for each record of its history, oldest first, and then its own line, so that
//! an item is complete when that is read. The same items give the same bytes: the order of keys is fixed, and no time of the
//! export is in it.
//!
//! `records` are other lines, for a program that reads files of any format and sends what is in them.

mod line;
mod reader;
mod records;
mod writer;

pub use reader::{JsonLinesReader, read_json_lines};
pub use records::{parse_record_line, write_record_line};
pub use writer::JsonLinesWriter;
