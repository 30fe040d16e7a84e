//! Reading: limits, errors, and the one door to the readers of all formats.

use std::io;
use std::ops::ControlFlow;

use jiff::Timestamp;

use crate::archive::read_zip;
use crate::bookmarks_html::read_bookmarks_html;
use crate::csv_files::{read_pocket_csv, read_raindrop_csv};
use crate::firefox_json::read_firefox_json;
use crate::json_lines::read_json_lines;
use crate::karakeep_json::read_karakeep_json;
use crate::langfuse_json::read_langfuse_json;
use crate::markdown::read_markdown;
use crate::notion::read_notion_file;
use crate::skill::read_skill;
use crate::{Entry, Format, Shape};

/// What a reader hands entries to; `Break` stops it.
pub type Sink<'a> = dyn FnMut(Entry) -> ControlFlow<()> + 'a;

/// How much a reader takes. What is larger is refused by name, and the rest is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadLimits {
    /// Bytes of one text: a Markdown file, a line of JSON Lines, a file in a zip.
    pub text_bytes: u64,
    /// Bytes of a source that is read whole.
    pub document_bytes: u64,
    /// Bytes that all files of a zip have together when they are unpacked.
    pub archive_bytes: u64,
    /// Files of a zip.
    pub archive_files: usize,
    /// Bytes of the history of one item that are held until the item itself is read; what is older is left out with a notice.
    pub history_bytes: usize,
}

impl Default for ReadLimits {
    fn default() -> ReadLimits {
        ReadLimits {
            text_bytes: 64 * 1024 * 1024,
            document_bytes: 256 * 1024 * 1024,
            archive_bytes: 4 * 1024 * 1024 * 1024,
            archive_files: 500_000,
            history_bytes: 256 * 1024 * 1024,
        }
    }
}

/// When a file was made and changed, as its file system says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileTimes {
    /// When it was made, where that is known.
    pub created: Option<Timestamp>,
    /// When it was last changed.
    pub modified: Option<Timestamp>,
}

/// Why a source cannot be read at all, or not any further.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// It is not of that format.
    #[error("this is not {format}: {reason}")]
    NotThisFormat {
        /// The format that it was read as.
        format: Format,
        /// What is wrong, and where.
        reason: String,
    },
    /// It is larger than the limit.
    #[error("it has {actual} bytes; the limit is {limit}")]
    TooLarge {
        /// Its size.
        actual: u64,
        /// The most that is read.
        limit: u64,
    },
    /// Interline's own format has an error in a line; what comes after it is not read.
    #[error("line {line}: {reason}")]
    Line {
        /// The number of the line, from 1.
        line: u64,
        /// What is wrong.
        reason: String,
    },
    /// Reading the bytes failed.
    #[error("reading failed: {0}")]
    Io(#[from] io::Error),
}

impl ReadError {
    pub(crate) fn not(format: Format, reason: impl Into<String>) -> ReadError {
        ReadError::NotThisFormat { format, reason: reason.into() }
    }
}

/// Reads one file of a folder of that format. `path` is relative to the folder, with `/` between its parts; it is the source
/// key. A Markdown file is a note, a `SKILL.md` of a folder of skills a prompt; other files are attachments, whose bytes need
/// not be given. Whether it is larger than [`ReadLimits::text_bytes`] is seen before it is read into memory: by the caller.
pub fn read_file(format: Format, path: &str, bytes: &[u8], times: FileTimes) -> Entry {
    match format {
        _ if !is_source_file(format, path) => Entry::Attachment { source: path.to_owned() },
        Format::Skill => read_skill(path, bytes, times),
        Format::Notion => read_notion_file(path, bytes, times),
        _ => read_markdown(path, bytes, times),
    }
}

/// Whether a file of a folder is read, by its name. What is not is an attachment.
pub fn is_source_file(format: Format, path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    match format {
        Format::Markdown => name.ends_with(".md") || name.ends_with(".markdown"),
        Format::Notion => name.ends_with(".md"),
        Format::Skill => name == "skill.md",
        _ => false,
    }
}

/// Whether a file of a folder is not for its readers: settings and trash of tools (`.obsidian`, `.trash`, `.git`), and what macOS
/// adds to archives.
pub fn is_hidden_path(path: &str) -> bool {
    path.split('/').any(|part| part.starts_with('.') && part != "." && part != ".." || part == "__MACOSX")
}

/// Reads a source that is one file.
pub fn read_document(
    format: Format,
    bytes: &[u8],
    limits: &ReadLimits,
    sink: &mut Sink<'_>,
) -> Result<ControlFlow<()>, ReadError> {
    let actual = bytes.len() as u64;
    if actual > limits.document_bytes {
        return Err(ReadError::TooLarge { actual, limit: limits.document_bytes });
    }
    match format {
        Format::BookmarksHtml => read_bookmarks_html(bytes, sink),
        Format::FirefoxJson => read_firefox_json(bytes, sink),
        Format::PocketCsv => read_pocket_csv(bytes, sink),
        Format::RaindropCsv => read_raindrop_csv(bytes, sink),
        Format::KarakeepJson => read_karakeep_json(bytes, sink),
        Format::LangfuseJson => read_langfuse_json(bytes, sink),
        Format::JsonLines => read_json_lines(bytes, *limits, sink),
        Format::Markdown | Format::Skill | Format::Notion => Err(ReadError::not(format, "that is a folder or a zip")),
    }
}

/// Reads a zip: of Markdown, of skills, or Notion's.
pub fn read_archive(
    format: Format,
    input: impl io::Read + io::Seek,
    limits: &ReadLimits,
    sink: &mut Sink<'_>,
) -> Result<ControlFlow<()>, ReadError> {
    match format.shape() {
        Shape::Files | Shape::Archive => read_zip(format, input, limits, sink),
        Shape::Document | Shape::Lines => Err(ReadError::not(format, "it does not come as a zip: unpack it")),
    }
}
