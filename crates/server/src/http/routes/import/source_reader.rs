//! Reading the body of an import on a blocking thread: line by line, whole, or spooled where it is a zip.

use std::io::{self, BufRead as _, BufReader, Read, Seek as _, Write as _};
use std::ops::ControlFlow;

use axum::body::Bytes;
use interline_interchange::{
    Entry, FileTimes, Format, ReadError, ReadLimits, Shape, parse_record_line, read_archive, read_document, read_file,
    read_json_lines,
};
use interline_items::{Error, RequestMemory, WORK_FACTOR};
use tokio::sync::mpsc;

/// A piece of the body, or that there is no more though it has not ended.
pub(super) type BodyPiece = io::Result<Bytes>;

/// How many bytes of a zip are kept in memory; the rest goes into a temporary file.
const SPOOL_MEMORY: usize = 1024 * 1024;

/// What the body of an import is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SourceFormat {
    /// A file of another program, or an export.
    File(Format),
    /// Records, one a line.
    Records,
}

impl SourceFormat {
    /// The name of the format of records.
    pub(super) const RECORDS: &str = "records";

    pub(super) fn parse(name: &str) -> Option<SourceFormat> {
        match name {
            SourceFormat::RECORDS => Some(SourceFormat::Records),
            name => Format::parse(name).map(SourceFormat::File),
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            SourceFormat::File(format) => format.name(),
            SourceFormat::Records => SourceFormat::RECORDS,
        }
    }
}

/// A body to import.
pub(super) struct ImportSource {
    pub(super) format: SourceFormat,
    /// The path of the only file.
    pub(super) name: Option<String>,
}

impl ImportSource {
    /// Reads the body and hands its entries over, until the importer takes no more. A file may have `limit` bytes.
    pub(super) fn read(self, mut body: BodyReader, limit: u64, entries: &mpsc::Sender<Entry>) -> Result<(), ReadError> {
        let limits = ReadLimits {
            text_bytes: limit / 4,
            document_bytes: limit,
            archive_bytes: limit.saturating_mul(4),
            history_bytes: usize::try_from(limit).unwrap_or(usize::MAX),
            ..ReadLimits::default()
        };
        let lines = body.line_memory.clone();
        let frees_lines = |entry: &Entry| match entry {
            Entry::Record(_) => true,
            // Of an export, what was read of a history may wait for its item.
            Entry::Skipped { .. } | Entry::Attachment { .. } => self.format == SourceFormat::Records,
        };
        let mut sink = |entry: Entry| {
            let frees = frees_lines(&entry);
            match entries.blocking_send(entry) {
                Ok(()) => {
                    lines.iter().filter(|_| frees).for_each(|memory| memory.hold(0));
                    ControlFlow::Continue(())
                }
                Err(_) => ControlFlow::Break(()),
            }
        };
        let format = match self.format {
            SourceFormat::Records => return read_records(BufReader::new(body), limits.text_bytes, &mut sink),
            SourceFormat::File(format) => format,
        };
        let _ = match format.shape() {
            Shape::Lines => read_json_lines(BufReader::new(body), limits, &mut sink)?,
            Shape::Document => read_document(format, &body.read_whole(limit)?, &limits, &mut sink)?,
            Shape::Archive => read_archive(format, body.spool(limit, &[])?, &limits, &mut sink)?,
            Shape::Files => {
                let mut start = [0; 2];
                let filled = read_start(&mut body, &mut start)?;
                if start[..filled] == *b"PK" {
                    read_archive(format, body.spool(limit, &start)?, &limits, &mut sink)?
                } else {
                    let name = self.name.ok_or_else(|| ReadError::NotThisFormat {
                        format,
                        reason: "it is no zip; say the path of the one file in `name`".to_owned(),
                    })?;
                    let mut bytes = start[..filled].to_vec();
                    bytes.extend(body.read_whole(limits.text_bytes)?);
                    sink(read_file(format, &name, &bytes, FileTimes::default()))
                }
            }
        };
        Ok(())
    }
}

/// Reads records, one a line. A line that is none is skipped with its number.
fn read_records(
    mut input: impl io::BufRead,
    limit: u64,
    sink: &mut dyn FnMut(Entry) -> ControlFlow<()>,
) -> Result<(), ReadError> {
    let mut line = Vec::new();
    for number in 1_u64.. {
        line.clear();
        if input.by_ref().take(limit + 1).read_until(b'\n', &mut line)? == 0 {
            break;
        }
        let skipped = |reason: String| Entry::Skipped { source: format!("line {number}"), reason };
        let entry = if line.len() as u64 > limit && !line.ends_with(b"\n") {
            input.skip_until(b'\n')?;
            skipped(format!("the line has more than {limit} bytes"))
        } else if line.trim_ascii().is_empty() {
            continue;
        } else {
            parse_record_line(&line).map_or_else(skipped, |record| Entry::Record(Box::new(record)))
        };
        if sink(entry).is_break() {
            break;
        }
    }
    Ok(())
}

fn read_start(input: &mut impl Read, start: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < start.len() {
        match input.read(&mut start[filled..])? {
            0 => break,
            more => filled += more,
        }
    }
    Ok(filled)
}

/// The body as a blocking reader.
pub(super) struct BodyReader {
    pieces: mpsc::Receiver<BodyPiece>,
    piece: Bytes,
    /// What the request holds, which a body that is read whole is counted in.
    memory: Option<RequestMemory>,
    /// What it holds of lines that were read and not handed over yet.
    line_memory: Option<RequestMemory>,
}

impl BodyReader {
    pub(super) fn new(pieces: mpsc::Receiver<BodyPiece>, memory: Option<RequestMemory>) -> BodyReader {
        let line_memory = memory.as_ref().map(RequestMemory::sibling);
        BodyReader { pieces, piece: Bytes::new(), memory, line_memory }
    }

    /// The rest of the body, if it has at most `limit` bytes and there is memory for it.
    fn read_whole(&mut self, limit: u64) -> Result<Vec<u8>, ReadError> {
        let mut bytes = Vec::new();
        while self.fill()? {
            let piece = std::mem::take(&mut self.piece);
            let actual = (bytes.len() + piece.len()) as u64;
            if actual > limit {
                return Err(ReadError::TooLarge { actual, limit });
            }
            take(self.memory.as_ref(), piece.len())?;
            bytes.extend_from_slice(&piece);
        }
        Ok(bytes)
    }

    /// The rest of the body after `start`, in a temporary file where it is long.
    fn spool(&mut self, limit: u64, start: &[u8]) -> Result<impl Read + io::Seek + use<>, ReadError> {
        let mut file = tempfile::SpooledTempFile::new(SPOOL_MEMORY);
        file.write_all(start)?;
        let mut actual = start.len() as u64;
        while self.fill()? {
            actual += self.piece.len() as u64;
            if actual > limit {
                return Err(ReadError::TooLarge { actual, limit });
            }
            file.write_all(&std::mem::take(&mut self.piece))?;
        }
        file.rewind()?;
        Ok(file)
    }

    /// Waits for the next piece where this one is used up; whether there is one.
    fn fill(&mut self) -> io::Result<bool> {
        while self.piece.is_empty() {
            match self.pieces.blocking_recv() {
                None => return Ok(false),
                Some(piece) => self.piece = piece?,
            }
        }
        Ok(true)
    }
}

impl Read for BodyReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if !self.fill()? {
            return Ok(0);
        }
        let length = self.piece.len().min(buffer.len());
        take(self.line_memory.as_ref(), length)?;
        buffer[..length].copy_from_slice(&self.piece.split_to(length));
        Ok(length)
    }
}

/// Takes the memory for work on so many bytes.
fn take(memory: Option<&RequestMemory>, bytes: usize) -> io::Result<()> {
    let Some(memory) = memory else { return Ok(()) };
    memory.take(bytes.saturating_mul(WORK_FACTOR)).map_err(|full| io::Error::other(Error::Overloaded(full)))
}
