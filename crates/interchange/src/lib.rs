//! Formats of import and export: bytes and text in, records out; records in, bytes out.
//!
//! * A [`Format`] is a kind of source: a folder of Markdown, a browser's bookmarks, Interline's own JSON Lines and others.
//!   [`Format::guess`] tells it from a file.
//! * A [`SourceRecord`] is one item as a source tells it. Readers hand over an [`Entry`] for each: a record, or what was
//!   skipped and why. One bad record does not stop the rest.
//!   [`read_file`] reads one file of a folder, [`read_archive`] a zip, [`read_document`] what is one file,
//!   [`read_json_lines`] an export of any length.
//! * Writers make what readers give back exactly: [`JsonLinesWriter`] everything, [`write_markdown`] content and front matter,
//!   [`write_skill`] a prompt, [`BookmarksHtmlWriter`] what a browser takes. [`FileNames`] gives names to files.
//!   [`write_record_line`] and [`parse_record_line`] carry a record of any source to another process.
//!
//! Everything here is pure and synchronous: the caller opens files, and knows the time. Work and memory are bounded by
//! [`ReadLimits`], whatever the bytes are.
//!
//! ```
//! use std::ops::ControlFlow;
//! use interline_interchange::{Entry, JsonLinesWriter, ReadLimits, SourceKind, SourceRecord, read_json_lines};
//! use uuid::Uuid;
//!
//! let id = Uuid::from_u128(1);
//! let mut note = SourceRecord::new(id.to_string(), SourceKind::Note);
//! note.id = Some(id);
//! note.fields.title = Some("Plan".to_owned());
//! note.content = Some("1. Begin\n".to_owned());
//!
//! let mut writer = JsonLinesWriter::new(Vec::new())?;
//! writer.item(id, &note)?;
//! let bytes = writer.finish()?;
//!
//! let mut entries = Vec::new();
//! let _ = read_json_lines(bytes.as_slice(), ReadLimits::default(), &mut |entry| {
//!     entries.push(entry);
//!     ControlFlow::Continue(())
//! })?;
//! assert_eq!(entries, [Entry::Record(Box::new(note))]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod archive;
mod bookmarks;
mod bookmarks_html;
mod csv_files;
mod firefox_json;
mod format;
mod front_matter;
mod jinja;
mod json_lines;
mod karakeep_json;
mod langfuse_json;
mod markdown;
mod notion;
mod read;
mod record;
mod skill;
mod tags;
mod texts;
mod times;
mod yaml;

pub use bookmarks_html::BookmarksHtmlWriter;
pub use format::{Format, Shape};
pub use front_matter::check_front_matter;
pub use json_lines::{JsonLinesReader, JsonLinesWriter, parse_record_line, read_json_lines, write_record_line};
pub use markdown::{FileNames, write_markdown};
pub use read::{
    FileTimes, ReadError, ReadLimits, Sink, is_hidden_path, is_source_file, read_archive, read_document, read_file,
};
pub use record::{
    Entry, MAX_FRONT_MATTER_BYTES, Since, SourceArgument, SourceChange, SourceFields, SourceKind, SourceRecord,
    SourceVersion,
};
pub use skill::write_skill;
