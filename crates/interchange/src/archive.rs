//! Zip archives of Markdown files. Paths that lead out of it, links, encrypted files and files that unpack to far more than they
//! are packed are refused one by one.

use std::io::{Read, Seek};
use std::ops::ControlFlow;

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use zip::read::ZipFile;
use zip::{CompressionMethod, ZipArchive};

use crate::notion::has_page_id;
use crate::read::read_file;
use crate::{Entry, FileTimes, Format, ReadError, ReadLimits, Sink, is_hidden_path, is_source_file};

/// How many times larger than packed a file may be. Text seldom is more than 20 times.
const MAX_RATIO: u64 = 200;

/// Files below this size are not asked for their ratio: little text packs very well.
const RATIO_FROM_BYTES: u64 = 1024 * 1024;

/// Reads a zip. Notion packs large exports in several zips inside one; those are read too, one level deep.
pub(crate) fn read_zip(
    format: Format,
    input: impl Read + Seek,
    limits: &ReadLimits,
    sink: &mut Sink<'_>,
) -> Result<ControlFlow<()>, ReadError> {
    let mut budget = Budget { bytes: limits.archive_bytes, files: limits.archive_files };
    read_level(format, input, Level { limits, is_inner: false }, &mut budget, sink)
}

/// How many names of an archive are looked at to guess what it is.
const GUESSED_NAMES: usize = 1_000;

/// The format that a zip has, by the names in it: Notion's has ids at the end of names, or nothing but further zips.
pub(crate) fn guess_zip(input: impl Read + Seek) -> Option<Format> {
    let archive = ZipArchive::new(input).ok()?;
    let names: Vec<_> = archive.file_names().take(GUESSED_NAMES).filter_map(Result::ok).collect();
    let files = || names.iter().filter(|name| !name.ends_with('/') && !is_hidden_path(name));
    if files().any(|name| is_source_file(Format::Notion, name) && has_page_id(name))
        || (files().next().is_some() && files().all(|name| is_zip(name)))
    {
        return Some(Format::Notion);
    }
    [Format::Skill, Format::Markdown].into_iter().find(|format| files().any(|name| is_source_file(*format, name)))
}

/// What may still be unpacked, of all archives together.
struct Budget {
    bytes: u64,
    files: usize,
}

#[derive(Clone, Copy)]
struct Level<'a> {
    limits: &'a ReadLimits,
    is_inner: bool,
}

fn read_level<R: Read + Seek>(
    format: Format,
    input: R,
    level: Level<'_>,
    budget: &mut Budget,
    sink: &mut Sink<'_>,
) -> Result<ControlFlow<()>, ReadError> {
    let mut archive = ZipArchive::new(input).map_err(|error| not_zip(format, &error))?;
    if archive.len() > budget.files {
        let reason = format!("it has {} files; the limit is {}", archive.len(), budget.files);
        return Err(ReadError::not(format, reason));
    }
    budget.files -= archive.len();
    for index in 0..archive.len() {
        let flow = match archive.by_index_raw(index).map(|file| plan(format, &file, level)) {
            Err(error) => sink(Entry::skipped(format!("file {} of the archive", index + 1), error.to_string())),
            Ok(Plan::PassOver) => continue,
            Ok(Plan::Hand(entry)) => sink(entry),
            Ok(Plan::Unpack(path, times)) => match unpack(&mut archive, (index, &path), level.limits, budget) {
                Err(reason) => sink(Entry::skipped(path, reason)),
                Ok(bytes) if is_zip(&path) => {
                    let inner = Level { is_inner: true, ..level };
                    match read_level(format, std::io::Cursor::new(bytes), inner, budget, sink) {
                        Ok(flow) => flow,
                        Err(error) => sink(Entry::skipped(path, error.to_string())),
                    }
                }
                Ok(bytes) => sink(read_file(format, &path, &bytes, times)),
            },
        };
        if flow.is_break() {
            return Ok(flow);
        }
    }
    Ok(ControlFlow::Continue(()))
}

fn not_zip(format: Format, error: &zip::result::ZipError) -> ReadError {
    match error {
        zip::result::ZipError::Io(error) if error.kind() != std::io::ErrorKind::UnexpectedEof => {
            ReadError::not(format, format!("the zip cannot be read: {error}"))
        }
        error => ReadError::not(format, format!("it is no whole zip archive ({error})")),
    }
}

/// What is done with one file.
enum Plan {
    /// Nothing, and nothing is said.
    PassOver,
    /// This is said, and the file is not unpacked.
    Hand(Entry),
    /// It is unpacked and read.
    Unpack(String, FileTimes),
}

fn plan<R: Read>(format: Format, file: &ZipFile<'_, R>, level: Level<'_>) -> Plan {
    let name = file.name().unwrap_or_else(|_| String::from_utf8_lossy(file.name_raw()));
    let path = name.replace('\\', "/");
    if file.is_dir() || path.ends_with('/') || is_hidden_path(&path) {
        return Plan::PassOver;
    }
    if let Some(reason) = refusal(&path, file, level.limits) {
        return Plan::Hand(Entry::skipped(path, reason));
    }
    let is_inner_zip = format == Format::Notion && !level.is_inner && is_zip(&path);
    if is_inner_zip || is_source_file(format, &path) {
        Plan::Unpack(path, times(file))
    } else {
        Plan::Hand(Entry::Attachment { source: path })
    }
}

fn is_zip(path: &str) -> bool {
    path.to_ascii_lowercase().ends_with(".zip")
}

/// Why a file is not unpacked.
fn refusal<R: Read>(path: &str, file: &ZipFile<'_, R>, limits: &ReadLimits) -> Option<String> {
    let is_absolute = path.starts_with('/') || path.get(1..3) == Some(":/");
    let limit = if is_zip(path) { limits.document_bytes } else { limits.text_bytes };
    if is_absolute || path.split('/').any(|part| part == "..") {
        return Some("its path leads out of the archive".to_owned());
    }
    if path.contains('\0') || path.is_empty() {
        return Some("its path is none".to_owned());
    }
    if file.is_symlink() {
        return Some("it is a symbolic link".to_owned());
    }
    if file.encrypted() {
        return Some("it is encrypted; unpack the archive and import the folder".to_owned());
    }
    if !matches!(file.compression(), CompressionMethod::Stored | CompressionMethod::Deflated) {
        return Some("it is packed in a way that is not read; unpack the archive and import the folder".to_owned());
    }
    if file.size() > limit {
        return Some(format!("it has {} bytes; the limit is {limit}", file.size()));
    }
    is_bomb(file.size(), file.compressed_size())
        .then(|| "it unpacks to more than 200 times its size; unpack the archive and import the folder".to_owned())
}

fn is_bomb(size: u64, packed: u64) -> bool {
    size > RATIO_FROM_BYTES && size / MAX_RATIO > packed
}

/// The bytes of a file. What the archive says about its size is not believed.
fn unpack<R: Read + Seek>(
    archive: &mut ZipArchive<R>,
    (index, path): (usize, &str),
    limits: &ReadLimits,
    budget: &mut Budget,
) -> Result<Vec<u8>, String> {
    let file = archive.by_index(index).map_err(|error| format!("it cannot be unpacked: {error}"))?;
    let packed = file.compressed_size();
    let limit = if is_zip(path) { limits.document_bytes } else { limits.text_bytes };
    let most = limit.min(budget.bytes);
    let mut bytes = Vec::new();
    let read = file.take(most.saturating_add(1)).read_to_end(&mut bytes);
    let size = bytes.len() as u64;
    budget.bytes = budget.bytes.saturating_sub(size);
    if size > most || is_bomb(size, packed) {
        return Err(format!("it unpacks to more than {} bytes, or to far more than it is packed", most.min(size)));
    }
    read.map(|_| bytes).map_err(|error| format!("it cannot be unpacked: {error}"))
}

/// The time that a zip has of a file: without a zone, so in UTC.
fn times<R: Read>(file: &ZipFile<'_, R>) -> FileTimes {
    let modified = file.last_modified().and_then(|time| {
        let number = |number: u8| i8::try_from(number).ok();
        let year = i16::try_from(time.year()).ok()?;
        let (month, day) = (number(time.month())?, number(time.day())?);
        let (hour, minute, second) = (number(time.hour())?, number(time.minute())?, number(time.second())?);
        let time = DateTime::new(year, month, day, hour, minute, second, 0).ok()?;
        // The first day of zip's calendar is what tools write that know no time.
        let time = (year > 1980).then_some(time)?;
        Some(time.to_zoned(TimeZone::UTC).ok()?.timestamp())
    });
    FileTimes { created: None::<Timestamp>, modified }
}
