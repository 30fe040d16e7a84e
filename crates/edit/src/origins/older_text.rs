//! A text on its way back through the versions, as lines: those of the newest text that it has, and all others.

use std::ops::Range;

use crate::edit::{Edit, EditMismatch, Splice};

use super::newest_lines::NewestLines;
use super::region::{Region, RegionLine, UndoneRegion};

/// How many passages a chunk has at the most.
const MAX_PASSAGES: usize = 256;

/// Lines next to each other, each with its ending; the last line of a text, which may be empty, has none.
#[derive(Clone, Debug)]
pub(super) enum Passage {
    /// Lines of the newest text, by index.
    Newest(Range<usize>),
    /// A line that the newest text does not have from here.
    Other(Box<str>),
}

impl Passage {
    fn line_count(&self) -> usize {
        match self {
            Passage::Newest(lines) => lines.len(),
            Passage::Other(_) => 1,
        }
    }

    fn text<'p>(&'p self, newest: &NewestLines<'p>) -> &'p str {
        match self {
            Passage::Newest(lines) => newest.lines(lines),
            Passage::Other(text) => text,
        }
    }

    /// Its lines with these indexes.
    fn region_lines<'p>(&'p self, newest: &NewestLines<'p>, lines: Range<usize>) -> Vec<RegionLine<'p>> {
        match self {
            Passage::Newest(all) => (all.start + lines.start..all.start + lines.end)
                .map(|line| RegionLine { text: newest.line(line), newest: Some(line) })
                .collect(),
            Passage::Other(text) => vec![RegionLine { text, newest: None }],
        }
    }

    /// Its lines with these indexes as a passage.
    fn part(&self, lines: Range<usize>) -> Option<Passage> {
        match self {
            Passage::Newest(all) if !lines.is_empty() => {
                Some(Passage::Newest(all.start + lines.start..all.start + lines.end))
            }
            _ => None,
        }
    }
}

/// Passages, and how many bytes they have together: a position is found without going over all passages.
struct Chunk {
    bytes: usize,
    passages: Vec<Passage>,
}

/// Where a line is.
#[derive(Clone, Copy, Debug)]
struct LinePosition {
    chunk: usize,
    passage: usize,
    /// Its index among the lines of the passage.
    line: usize,
    /// Its first byte in the text.
    start: usize,
}

/// What became of the wish that a line of the newest text is a certain line of this text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Adoption {
    /// It is.
    Adopted,
    /// So is this line of the newest text.
    SameAs(usize),
    /// That line is another, or there is none.
    Refused,
}

/// A text as chunks of passages, none of them empty. There is always a last line.
pub(super) struct OlderText<'t> {
    newest: NewestLines<'t>,
    chunks: Vec<Chunk>,
    bytes: usize,
}

impl<'t> OlderText<'t> {
    /// The newest text itself.
    pub(super) fn new(newest: &'t str) -> OlderText<'t> {
        let newest = NewestLines::new(newest);
        let all = Passage::Newest(0..newest.count());
        let bytes = all.text(&newest).len();
        OlderText { chunks: chunks(&newest, vec![all]), newest, bytes }
    }

    /// How many lines the newest text has.
    pub(super) fn newest_count(&self) -> usize {
        self.newest.count()
    }

    fn passages(&self) -> impl Iterator<Item = &Passage> {
        self.chunks.iter().flat_map(|chunk| &chunk.passages)
    }

    /// The text.
    pub(super) fn text(&self) -> String {
        let mut text = String::with_capacity(self.bytes);
        self.passages().for_each(|passage| text.push_str(passage.text(&self.newest)));
        text
    }

    /// The lines of the newest text that are here, each after its index here, in order.
    pub(super) fn newest_lines(&self) -> impl Iterator<Item = (usize, usize)> {
        let mut next = 0;
        self.passages().flat_map(move |passage| {
            let here = next;
            next += passage.line_count();
            let lines = match passage {
                Passage::Newest(lines) => lines.clone(),
                Passage::Other(_) => 0..0,
            };
            (here..).zip(lines)
        })
    }

    /// Whether no line of the newest text is here.
    pub(super) fn has_no_newest_line(&self) -> bool {
        self.passages().all(|passage| matches!(passage, Passage::Other(_)))
    }

    /// Makes each line of the newest text that is here a line like all others.
    pub(super) fn forget_newest(&mut self) {
        let mut others = Vec::new();
        for passage in self.chunks.drain(..).flat_map(|chunk| chunk.passages) {
            match passage {
                Passage::Newest(lines) => {
                    others.extend(lines.map(|line| Passage::Other(self.newest.line(line).into())));
                }
                Passage::Other(_) => others.push(passage),
            }
        }
        self.chunks = chunks(&self.newest, others);
    }

    /// Takes lines of the newest text, each after an index here, for the lines there, where the bytes are the same; sorted
    /// by the indexes here.
    pub(super) fn adopt(&mut self, wishes: &[(usize, usize)]) -> Vec<Adoption> {
        let mut adoptions = Vec::with_capacity(wishes.len());
        let mut wishes = wishes.iter().copied().peekable();
        let mut passages = Vec::new();
        let mut first = 0;
        for mut passage in self.chunks.drain(..).flat_map(|chunk| chunk.passages) {
            let end = first + passage.line_count();
            while let Some((here, line)) = wishes.next_if(|(here, _)| *here < end) {
                let wished = self.newest.line(line);
                adoptions.push(match &passage {
                    Passage::Newest(lines) if self.newest.line(lines.start + here - first) == wished => {
                        Adoption::SameAs(lines.start + here - first)
                    }
                    Passage::Other(text) if **text == *wished => {
                        passage = Passage::Newest(line..line + 1);
                        Adoption::Adopted
                    }
                    _ => Adoption::Refused,
                });
            }
            push(&mut passages, passage);
            first = end;
        }
        adoptions.extend(wishes.map(|_| Adoption::Refused));
        self.chunks = chunks(&self.newest, passages);
        adoptions
    }

    /// Turns the text into the one before it; returns the lines of the newest text that it no longer has.
    ///
    /// Nothing is changed if a splice does not fit.
    pub(super) fn undo(&mut self, undo: &Edit) -> Result<Vec<usize>, EditMismatch> {
        for splice in undo.splices() {
            self.check(splice.range.start)?;
            self.check(splice.range.end)?;
        }
        let mut touched = Vec::new();
        let mut splices = undo.splices();
        // From the last to the first, so that positions before stay what they are.
        while let Some((last_splice, mut before)) = splices.split_last() {
            let last = self.line_at(last_splice.range.end).ok_or(EditMismatch)?;
            let mut first = self.line_at(last_splice.range.start).ok_or(EditMismatch)?;
            // Splices on one line belong together.
            while let Some((splice, rest)) = before.split_last()
                && splice.range.end >= first.start
            {
                first = self.line_at(splice.range.start).ok_or(EditMismatch)?;
                before = rest;
            }
            let together: &[Splice] = &splices[before.len()..];
            let undone = self.region(first, last).undone(together)?;
            touched.extend_from_slice(&undone.touched);
            self.replace(first, last, undone);
            for Splice { range, text } in together {
                self.bytes = self.bytes - range.len() + text.len();
            }
            splices = before;
        }
        Ok(touched)
    }

    /// Refuses a position outside the text or inside a character.
    fn check(&self, position: usize) -> Result<(), EditMismatch> {
        let found = self.line_at(position).ok_or(EditMismatch)?;
        let passage = &self.chunks[found.chunk].passages[found.passage];
        let lines = passage.region_lines(&self.newest, found.line..found.line + 1);
        let fits = lines.first().is_some_and(|line| line.text.is_char_boundary(position - found.start));
        if fits { Ok(()) } else { Err(EditMismatch) }
    }

    /// The line that a position is on, that of its first byte included; `None` behind the text.
    fn line_at(&self, position: usize) -> Option<LinePosition> {
        if position >= self.bytes {
            return if position == self.bytes { self.last_line() } else { None };
        }
        let mut start = 0;
        let chunk = self.chunks.iter().position(|chunk| is_inside(position, &mut start, chunk.bytes))?;
        let length = |passage: &Passage| passage.text(&self.newest).len();
        let mut passages = self.chunks[chunk].passages.iter();
        let passage = passages.position(|passage| is_inside(position, &mut start, length(passage)))?;
        let (line, start) = match &self.chunks[chunk].passages[passage] {
            Passage::Newest(lines) => {
                let (line, offset) = self.newest.line_at(lines, position - start);
                (line, start + offset)
            }
            Passage::Other(_) => (0, start),
        };
        Some(LinePosition { chunk, passage, line, start })
    }

    fn last_line(&self) -> Option<LinePosition> {
        let chunk = self.chunks.len().checked_sub(1)?;
        let passage = self.chunks[chunk].passages.len().checked_sub(1)?;
        let last = &self.chunks[chunk].passages[passage];
        let line = last.line_count().checked_sub(1)?;
        let length: usize = last.region_lines(&self.newest, line..line + 1).iter().map(|line| line.text.len()).sum();
        Some(LinePosition { chunk, passage, line, start: self.bytes - length })
    }

    /// The lines from one to another.
    fn region(&self, first: LinePosition, last: LinePosition) -> Region<'_> {
        let mut lines = Vec::new();
        for chunk in first.chunk..=last.chunk {
            for (index, passage) in self.chunks[chunk].passages.iter().enumerate() {
                let place = (chunk, index);
                if place < (first.chunk, first.passage) || place > (last.chunk, last.passage) {
                    continue;
                }
                let start = if place == (first.chunk, first.passage) { first.line } else { 0 };
                let is_last = place == (last.chunk, last.passage);
                let end = if is_last { last.line + 1 } else { passage.line_count() };
                lines.extend(passage.region_lines(&self.newest, start..end));
            }
        }
        Region { start: first.start, lines }
    }

    /// Puts other lines in the place of those from one to another.
    fn replace(&mut self, first: LinePosition, last: LinePosition, undone: UndoneRegion) {
        let before = &self.chunks[first.chunk].passages[first.passage];
        let after = &self.chunks[last.chunk].passages[last.passage];
        let before = before.part(0..first.line);
        let after = after.part(last.line + 1..after.line_count());
        let rest = self.chunks[last.chunk].passages.split_off(last.passage + 1);
        let mut passages = std::mem::take(&mut self.chunks[first.chunk].passages);
        passages.truncate(first.passage);
        for passage in before.into_iter().chain(undone.passages).chain(after) {
            push(&mut passages, passage);
        }
        passages.extend(rest);
        self.chunks.splice(first.chunk..=last.chunk, chunks(&self.newest, passages));
    }
}

/// Whether a position is among so many bytes from `start` on; if not, `start` moves behind them.
fn is_inside(position: usize, start: &mut usize, bytes: usize) -> bool {
    let is_inside = position < *start + bytes;
    if !is_inside {
        *start += bytes;
    }
    is_inside
}

/// Adds a passage, which becomes one with the last if they are next to each other in the newest text too.
fn push(passages: &mut Vec<Passage>, passage: Passage) {
    match (passages.last_mut(), passage) {
        (Some(Passage::Newest(last)), Passage::Newest(lines)) if last.end == lines.start => last.end = lines.end,
        (_, passage) => passages.push(passage),
    }
}

/// Passages in chunks that have room for more.
fn chunks(newest: &NewestLines<'_>, passages: Vec<Passage>) -> Vec<Chunk> {
    let chunk = |passages: Vec<Passage>| {
        let bytes = passages.iter().map(|passage| passage.text(newest).len()).sum();
        Chunk { bytes, passages }
    };
    if passages.len() <= MAX_PASSAGES {
        return if passages.is_empty() { Vec::new() } else { vec![chunk(passages)] };
    }
    let mut chunks = Vec::with_capacity(passages.len().div_ceil(MAX_PASSAGES / 2));
    let mut rest = passages.into_iter().peekable();
    while rest.peek().is_some() {
        chunks.push(chunk(rest.by_ref().take(MAX_PASSAGES / 2).collect()));
    }
    chunks
}
