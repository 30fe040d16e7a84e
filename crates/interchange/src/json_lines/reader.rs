//! Reading JSON Lines, one line after the other.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::io::{BufRead, Read as _};
use std::ops::ControlFlow;

use jiff::Timestamp;
use uuid::Uuid;

use super::line::{HeaderLine, ItemLine, Line, RecordLine, VERSION};
use crate::tags::shown;
use crate::{Entry, ReadError, ReadLimits, Since, Sink, SourceChange, SourceKind, SourceRecord, SourceVersion};

/// Reads an export line by line. It holds the history of one item.
#[derive(Debug)]
pub struct JsonLinesReader {
    limits: ReadLimits,
    line: u64,
    stage: Stage,
    /// The item whose history is being read.
    pending_id: Option<Uuid>,
    pending: VecDeque<(usize, SourceChange)>,
    pending_bytes: usize,
    notices: Vec<String>,
    left_out: u64,
    items: u64,
}

#[derive(Debug, PartialEq, Eq)]
enum Stage {
    Header,
    Items,
    Ended,
}

impl JsonLinesReader {
    /// A reader that expects the first line.
    pub fn new(limits: ReadLimits) -> JsonLinesReader {
        JsonLinesReader {
            limits,
            line: 0,
            stage: Stage::Header,
            pending_id: None,
            pending: VecDeque::new(),
            pending_bytes: 0,
            notices: Vec::new(),
            left_out: 0,
            items: 0,
        }
    }

    /// Reads the next line, with or without its line break. An item comes with its history when its own line is read. A line
    /// that is no valid record or item is skipped with its number and the reason, and reading goes on; an error means that
    /// this is no export, or that lines follow its end.
    pub fn read_line(&mut self, line: &[u8]) -> Result<Option<Entry>, ReadError> {
        self.line += 1;
        if line.iter().all(u8::is_ascii_whitespace) && self.stage != Stage::Header {
            return Ok(None);
        }
        match self.stage {
            Stage::Header => self.read_header(line).map(|()| None),
            Stage::Ended => Err(self.error("the export ended before this line")),
            Stage::Items => match serde_json::from_slice::<Line<'_>>(line) {
                Ok(Line::Record(record)) => Ok(self.read_record(*record, line.len())),
                Ok(Line::Item(item)) => Ok(Some(self.read_item(*item))),
                Ok(Line::End(end)) => {
                    self.stage = Stage::Ended;
                    if end.items != self.items {
                        let reason = format!("the export has {} items; {} were read", end.items, self.items);
                        return Err(self.error(reason));
                    }
                    Ok(self.orphans())
                }
                Err(error) => Ok(Some(self.skip_bad_line(line, &without_position(&error)))),
            },
        }
    }

    /// Says that the input ended. Returns how many items it had; an error if the last line was missing.
    pub fn finish(self) -> Result<u64, ReadError> {
        match self.stage {
            Stage::Ended => Ok(self.items),
            Stage::Header => Err(ReadError::Line { line: 1, reason: NO_HEADER.to_owned() }),
            Stage::Items => {
                let reason = "the export was cut off: its last line, with the number of items, is missing; \
                              what came before was read";
                Err(ReadError::Line { line: self.line + 1, reason: reason.to_owned() })
            }
        }
    }

    fn error(&self, reason: impl Into<String>) -> ReadError {
        ReadError::Line { line: self.line, reason: reason.into() }
    }

    fn read_header(&mut self, line: &[u8]) -> Result<(), ReadError> {
        let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        let header: HeaderLine<'_> = serde_json::from_slice(line).map_err(|_| self.error(NO_HEADER))?;
        if header.interline != "export" {
            return Err(self.error(NO_HEADER));
        }
        if header.version != VERSION {
            let reason = format!(
                "the export is of version {}; this Interline reads version {VERSION}: use a newer one",
                header.version
            );
            return Err(self.error(reason));
        }
        self.stage = Stage::Items;
        Ok(())
    }

    fn read_record(&mut self, line: RecordLine<'_>, bytes: usize) -> Option<Entry> {
        let (id, change) = match parse_record(line) {
            Ok(parsed) => parsed,
            Err(reason) => {
                self.notice(format!("line {} of its history was left out: {reason}", self.line));
                return Some(Entry::skipped(format!("line {}", self.line), reason));
            }
        };
        let orphans = if self.pending_id == Some(id) { None } else { self.orphans() };
        self.pending_id = Some(id);
        self.pending.push_back((bytes, change));
        self.pending_bytes += bytes;
        let was_whole = self.left_out == 0;
        while self.pending_bytes > self.limits.history_bytes && self.pending.len() > 1 {
            let (bytes, _) = self.pending.pop_front()?;
            self.pending_bytes -= bytes;
            self.left_out += 1;
        }
        let is_cut = was_whole && self.left_out > 0;
        orphans.or_else(|| is_cut.then(|| self.long_history(id)))
    }

    /// What to say when the first record of a history is left out: a part must not pass for the whole.
    fn long_history(&self, id: Uuid) -> Entry {
        let limit = self.limits.history_bytes;
        let reason = format!("its history has more than {limit} bytes: the oldest records are left out");
        Entry::skipped(id.hyphenated().to_string(), reason)
    }

    fn read_item(&mut self, line: ItemLine<'_>) -> Entry {
        self.items += 1;
        let id = Uuid::try_parse(&line.id).ok();
        // Records of another item have lost theirs; that is told with this one, because one line gives one entry.
        if self.pending_id.is_some() && self.pending_id != id {
            self.notices.push(format!("before line {}: records of an item that is not there were left out", self.line));
            self.pending.clear();
        }
        let history = self.pending.drain(..).map(|(_, change)| change).collect();
        let mut notices = std::mem::take(&mut self.notices);
        if self.left_out > 0 {
            let limit = self.limits.history_bytes;
            notices.push(format!(
                "the oldest {} records of its history were left out: it has more than {limit} bytes",
                self.left_out
            ));
        }
        self.forget_pending();
        match parse_item(line) {
            Ok(record) => Entry::Record(Box::new(SourceRecord { history, notices, ..record })),
            Err(reason) => Entry::skipped(format!("line {}", self.line), reason),
        }
    }

    /// A line that is too long to be read.
    fn skip_long_line(&mut self) -> Entry {
        self.line += 1;
        self.items += 1;
        self.forget_pending();
        let reason = format!("the line has more than {} bytes", self.limits.text_bytes);
        Entry::skipped(format!("line {}", self.line), reason)
    }

    fn skip_bad_line(&mut self, line: &[u8], reason: &str) -> Entry {
        // The end counts items, those that could not be read too.
        let beginning: Vec<u8> = line.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).take(7).collect();
        if beginning == b"{\"item\"" {
            self.items += 1;
            self.forget_pending();
        } else {
            self.notice(format!("line {} of its history was left out: {reason}", self.line));
        }
        Entry::skipped(format!("line {}", self.line), reason)
    }

    /// Tells something of the item that is to come. Each line that was left out is reported by itself, too.
    fn notice(&mut self, notice: String) {
        if self.notices.len() < MAX_NOTICES {
            self.notices.push(notice);
        }
    }

    /// What to say of records whose item did not come.
    fn orphans(&mut self) -> Option<Entry> {
        let id = self.pending_id?;
        let count = self.pending.len();
        self.forget_pending();
        let reason = format!("{count} records of its history came without the item itself");
        Some(Entry::skipped(id.hyphenated().to_string(), reason))
    }

    fn forget_pending(&mut self) {
        self.pending_id = None;
        self.pending.clear();
        self.pending_bytes = 0;
        self.left_out = 0;
        self.notices.clear();
    }
}

/// How many notices of one item are kept: a file of bad lines alone must not fill the memory.
const MAX_NOTICES: usize = 20;

const NO_HEADER: &str = "an export begins with the line {\"interline\":\"export\",\"version\":1}";

/// How many characters of a reason come from the line.
const MAX_REASON: usize = 300;

/// Reads a whole export. Lines longer than the limit are skipped without being held.
pub fn read_json_lines(
    mut input: impl BufRead,
    limits: ReadLimits,
    sink: &mut Sink<'_>,
) -> Result<ControlFlow<()>, ReadError> {
    let mut reader = JsonLinesReader::new(limits);
    let mut line = Vec::new();
    loop {
        line.clear();
        let most = limits.text_bytes.saturating_add(1);
        if input.by_ref().take(most).read_until(b'\n', &mut line)? == 0 {
            return reader.finish().map(|_| ControlFlow::Continue(()));
        }
        let entry = if line.len() as u64 > limits.text_bytes && !line.ends_with(b"\n") {
            input.skip_until(b'\n')?;
            Some(reader.skip_long_line())
        } else {
            reader.read_line(&line)?
        };
        if let Some(entry) = entry
            && sink(entry).is_break()
        {
            return Ok(ControlFlow::Break(()));
        }
    }
}

fn parse_record(line: RecordLine<'_>) -> Result<(Uuid, SourceChange), String> {
    let id = parse_id(&line.id)?;
    let state = line
        .fields
        .map(|fields| SourceVersion { fields: fields.into_fields(), content: line.content.map(Cow::into_owned) });
    if state.is_some() != line.version.is_some() {
        return Err("a record with a `version` has `fields`, and one without has none".to_owned());
    }
    let change = SourceChange {
        version: line.version,
        action: line.action.into_owned(),
        changed_fields: line.changed_fields.into_iter().map(Cow::into_owned).collect(),
        at: parse_time("at", line.at.as_deref())?,
        source: line.source.map(Cow::into_owned),
        user: line.user.map(Cow::into_owned),
        token: line.token.map(Cow::into_owned),
        state,
    };
    Ok((id, change))
}

fn parse_item(line: ItemLine<'_>) -> Result<SourceRecord, String> {
    let id = parse_id(&line.id)?;
    let kind = parse_kind("kind", &line.kind)?;
    let since = |field, text: Option<&str>| parse_time(field, text).map(|time| time.map(Since::At));
    Ok(SourceRecord {
        id: Some(id),
        fields: line.fields.into_fields(),
        content: line.content.map(Cow::into_owned),
        created_at: parse_time("created_at", line.created_at.as_deref())?,
        updated_at: parse_time("updated_at", line.updated_at.as_deref())?,
        last_used_at: parse_time("last_used_at", line.last_used_at.as_deref())?,
        archived: since("archived_at", line.archived_at.as_deref())?,
        deleted: since("deleted_at", line.deleted_at.as_deref())?,
        version: line.version,
        ..SourceRecord::new(id.hyphenated().to_string(), kind)
    })
}

pub(super) fn parse_kind(field: &str, text: &str) -> Result<SourceKind, String> {
    SourceKind::parse(text)
        .ok_or_else(|| format!("`{field}` is `{}`; it must be note, bookmark or prompt", shown(text)))
}

pub(super) fn parse_id(text: &str) -> Result<Uuid, String> {
    Uuid::try_parse(text).map_err(|_| format!("`id` is `{}`; it must be a UUID", shown(text)))
}

pub(super) fn parse_time(field: &str, text: Option<&str>) -> Result<Option<Timestamp>, String> {
    let parse = |text: &str| {
        text.parse().map_err(|_| format!("`{field}` is `{}`; it must be a time like 2026-01-31T08:00:00Z", shown(text)))
    };
    text.map(parse).transpose()
}

/// What serde_json says, without the line that it counts itself: it sees one line only. A key that it quotes may be of any
/// length.
pub(super) fn without_position(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let (message, column) = text.rsplit_once(" at line 1 column ").unwrap_or((&text, ""));
    let message: String = message.chars().take(MAX_REASON).collect();
    if column.is_empty() { message } else { format!("{message} (column {column})") }
}
