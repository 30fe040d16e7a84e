//! Putting `new_str` in: verbatim where `old_str` was found verbatim, fitted to the place where it was not.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use crate::edit::Splice;
use crate::lines::{Endings, Line, is_blank_text, split_indent, split_lines, trim_blanks_end};

use super::fitted::WholeLines;
use super::indentation::{CannotIndent, Rule, mixes};
use super::pairing::{gaps, pair_lines};
use super::places::{Fit, FoundPlace};
use super::typography::Typography;
use super::weave::weave;
use super::{Level, LineEndings, Replace};

/// Why `new_str` was not put in.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum FitError {
    /// A line of `new_str` (0-based) cannot take the indentation of the place.
    CannotIndent { new_line: usize },
    /// The text would grow beyond what the request allows.
    TooLarge,
}

/// Puts `new_str` into the places of one request, one after the other.
pub(super) struct Fitter<'r> {
    content: &'r str,
    request: &'r Replace<'r>,
    level: Level,
    old: WholeLines<'r>,
    endings: Endings<'r>,
    /// What places with the same edges have in common.
    plans: HashMap<Edge, Plan<'r>>,
    bytes_left: usize,
}

/// How the edges of `old_str` lie in the content.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Edge {
    ignored_at_start: usize,
    ignored_at_end: usize,
    /// Whether the place ends where the content ends.
    at_content_end: bool,
}

/// What becomes of the lines of `old_str` that lie in the content.
struct Plan<'r> {
    new_lines: Vec<&'r str>,
    /// Lines that stay: (of `old_str`, of `new_lines`).
    pairs: Vec<(usize, usize)>,
    /// The other lines of `new_lines` that are not blank.
    written: Vec<(usize, Origin)>,
    /// How many lines were taken off the start of `new_str`.
    taken_off: usize,
}

/// Where a line that is written comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Origin {
    /// It stands for lines of the document: their characters are kept.
    Changed,
    /// It is wholly new: its characters are its author's.
    Inserted,
}

impl<'r> Fitter<'r> {
    pub(super) fn new(content: &'r str, request: &'r Replace<'r>, level: Level) -> Fitter<'r> {
        Fitter {
            content,
            request,
            level,
            old: WholeLines::of(request.old_str),
            endings: Endings::of(content),
            plans: HashMap::new(),
            bytes_left: request.max_result_bytes.saturating_sub(content.len()),
        }
    }

    /// The splices for the next place.
    pub(super) fn fit(&mut self, place: &FoundPlace) -> Result<Vec<Splice>, FitError> {
        let span = &place.span;
        match (&place.fit, self.level, self.request.line_endings) {
            (Some(fit), ..) => self.fit_lines(span, fit),
            (None, _, LineEndings::Literal) => self.verbatim(span, self.request.new_str.into()),
            (None, Level::Exact, LineEndings::Match) => {
                let text = self.in_ending_of(span);
                self.verbatim(span, text)
            }
            (None, _, LineEndings::Match) => self.fit_segments(span),
        }
    }

    /// Takes so many bytes from what the text may grow by.
    fn grow(&mut self, bytes: usize) -> Result<(), FitError> {
        self.bytes_left = self.bytes_left.checked_sub(bytes).ok_or(FitError::TooLarge)?;
        Ok(())
    }

    fn verbatim(&mut self, span: &Range<usize>, text: Cow<'_, str>) -> Result<Vec<Splice>, FitError> {
        self.grow(text.len())?;
        Ok(vec![Splice { range: span.clone(), text: text.into_owned() }])
    }

    /// `new_str` with every line ending made that of the span.
    fn in_ending_of(&mut self, span: &Range<usize>) -> Cow<'r, str> {
        let new = self.request.new_str;
        if new.contains('\n') { split_lines(new).join(self.endings.of_span(span)).into() } else { new.into() }
    }

    /// Lines that are equal in `old_str` and `new_str` stay, others are written as given in the span's line ending.
    fn fit_segments(&mut self, span: &Range<usize>) -> Result<Vec<Splice>, FitError> {
        let request = self.request;
        let plan = self.plans.entry(Edge::WHOLE).or_insert_with(|| {
            let mut new_lines = split_lines(request.new_str);
            // A line of `old_str` that ends is not joined with the next one.
            if request.old_str.ends_with('\n') && !request.new_str.is_empty() && !request.new_str.ends_with('\n') {
                new_lines.push("");
            }
            Plan::new(&split_lines(request.old_str), new_lines, 0)
        });
        let written: Vec<Cow<'_, str>> = plan.new_lines.iter().copied().map(Cow::Borrowed).collect();
        let splices = weave(self.content, span, &plan.pairs, &written, self.endings.of_span(span));
        self.grow(splices.iter().map(|splice| splice.text.len()).sum())?;
        Ok(splices)
    }

    /// The same with whole lines: blank edges, indentation and typography are those of the content.
    fn fit_lines(&mut self, span: &Range<usize>, fit: &Fit) -> Result<Vec<Splice>, FitError> {
        let edge = Edge {
            ignored_at_start: fit.ignored_at_start,
            ignored_at_end: fit.ignored_at_end,
            at_content_end: span.end == self.content.len(),
        };
        let old_lines = &self.old.lines[edge.ignored_at_start..self.old.lines.len() - edge.ignored_at_end];
        let new_str = self.request.new_str;
        let plan = self.plans.entry(edge).or_insert_with(|| {
            let mut new_lines = new_lines(new_str, &self.old, edge);
            let taken_off = take_off_edges(&mut new_lines, edge);
            Plan::new(old_lines, new_lines, taken_off)
        });
        if plan.new_lines.is_empty() {
            return Ok(vec![without_lines(self.content, span.clone(), &self.old)]);
        }
        let prefix = if let Rule::Add(prefix) = &fit.rule { prefix.len() } else { 0 };
        let growth = new_str.len() + plan.new_lines.len() * (prefix + "\r\n".len());
        self.bytes_left = self.bytes_left.checked_sub(growth).ok_or(FitError::TooLarge)?;

        let typography = learn_typography(self.content, span, old_lines, self.level);
        let style = Style { rule: &fit.rule, level: self.level, mixes: document_mixes(&fit.rule, old_lines) };
        let mut written: Vec<Cow<'_, str>> = plan.new_lines.iter().copied().map(Cow::Borrowed).collect();
        for (index, origin) in &plan.written {
            let line = style.write(plan.new_lines[*index], &typography, *origin);
            let unfit = FitError::CannotIndent { new_line: index + plan.taken_off };
            written[*index] = line.map_err(|CannotIndent| unfit)?.into();
        }
        Ok(weave(self.content, span, &plan.pairs, &written, self.endings.of_span(span)))
    }
}

impl Edge {
    /// For places that are not whole lines.
    const WHOLE: Edge = Edge { ignored_at_start: 0, ignored_at_end: 0, at_content_end: false };
}

impl<'r> Plan<'r> {
    fn new(old_lines: &[&str], new_lines: Vec<&'r str>, taken_off: usize) -> Plan<'r> {
        let pairs = pair_lines(old_lines, &new_lines);
        let mut written = Vec::new();
        for (gone, come) in gaps(&pairs, old_lines.len(), new_lines.len()) {
            let origin = if gone.is_empty() { Origin::Inserted } else { Origin::Changed };
            written.extend(come.filter(|index| !is_blank_text(new_lines[*index])).map(|index| (index, origin)));
        }
        Plan { new_lines, pairs, written, taken_off }
    }
}

/// The lines of `new_str` that stand for those of `old_str`.
fn new_lines<'r>(new_str: &'r str, old: &WholeLines<'_>, edge: Edge) -> Vec<&'r str> {
    let new = WholeLines::of(new_str);
    let mut lines = new.lines;
    if old.ended {
        if new_str.is_empty() {
            lines.clear();
        }
    } else if new.ended && !edge.at_content_end {
        // The line ending after the place stays, so that of `new_str` makes another line. At the end of the content
        // it would add a final newline instead.
        lines.push("");
    }
    lines
}

/// Takes off as many blank lines at the edges as `old_str` had more than the content; how many at the start.
fn take_off_edges(lines: &mut Vec<&str>, edge: Edge) -> usize {
    let at_start = lines.iter().take(edge.ignored_at_start).take_while(|line| is_blank_text(line)).count();
    lines.drain(..at_start);
    let at_end = lines.iter().rev().take(edge.ignored_at_end).take_while(|line| is_blank_text(line)).count();
    lines.truncate(lines.len() - at_end);
    at_start
}

/// The place without its lines: with a final newline in `old_str` the lines go, else an empty one is left.
fn without_lines(content: &str, mut span: Range<usize>, old: &WholeLines<'_>) -> Splice {
    if old.ended {
        let last = Line::containing(content, span.end);
        if last.end > last.text_end {
            span.end = last.end;
        } else if let Some(before) = Line::before(content, span.start) {
            span.start = before.text_end;
        }
    }
    Splice { range: span, text: String::new() }
}

/// Adds a splice after those of the places before. The removal of the last lines takes the ending before them along;
/// when the lines before go too, that ending is gone already, and it is the one before those that must go.
pub(super) fn push_splice(splices: &mut Vec<Splice>, mut splice: Splice, content: &str) {
    while let Some(removed) = splices.pop_if(|last| last.range.end > splice.range.start) {
        let before = Line::before(content, removed.range.start);
        splice.range.start = before.map_or(0, |line| line.text_end);
    }
    splices.push(splice);
}

fn learn_typography<'a>(content: &'a str, span: &Range<usize>, old: &[&'a str], level: Level) -> Typography<'a> {
    let mut typography = Typography::default();
    if level >= Level::PunctuationNormalized {
        let mut start = span.start;
        for old in old {
            let line = Line::at(content, start);
            let (old_indent, old_body) = split_indent(trim_blanks_end(old));
            let (indent, body) = split_indent(trim_blanks_end(line.text(content)));
            typography.learn_indent(old_indent, indent);
            typography.learn(old_body, body);
            start = line.end;
        }
    }
    typography
}

/// Whether the lines of the place have tabs after spaces, or spaces after tabs, where the rule adds a prefix.
fn document_mixes(rule: &Rule, old_lines: &[&str]) -> Mixes {
    let mixing = |line: &&str| mixes(rule, split_indent(line).0);
    if old_lines.iter().filter(|line| !is_blank_text(line)).any(mixing) { Mixes::Already } else { Mixes::NotYet }
}

/// Whether the document mixes tabs and spaces in the indentation of the place.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mixes {
    Already,
    NotYet,
}

/// How a line of `new_str` is written at a place.
struct Style<'f> {
    rule: &'f Rule,
    level: Level,
    mixes: Mixes,
}

impl Style<'_> {
    fn write(&self, line: &str, typography: &Typography<'_>, origin: Origin) -> Result<String, CannotIndent> {
        let (indent, body) = split_indent(line);
        if self.mixes == Mixes::NotYet && mixes(self.rule, indent) {
            return Err(CannotIndent);
        }
        let mut written = self.rule.apply(indent, self.level)?;
        match origin {
            Origin::Changed => typography.write(&mut written, body),
            Origin::Inserted => written.push_str(body),
        }
        Ok(written)
    }
}
