//! Putting `new_str` in: verbatim where `old_str` was found verbatim, fitted to the place where it was not.

use std::borrow::Cow;
use std::ops::Range;

use crate::edit::Splice;
use crate::lines::{Endings, Line, is_blank_text, split_indent, split_lines, trim_blanks_end};
use crate::sequences::MAX_TOTAL_CELLS;

use super::fitted::WholeLines;
use super::indentation::{CannotIndent, Rule, mixes};
use super::normal::normalize;
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
    /// The plain indentation of the last line of `old_str` that is not blank.
    last_indent: String,
    /// What the last place and those with the same edges have in common.
    plan: Option<(Edge, Plan<'r>)>,
    /// How many comparisons may be spent on pairing lines.
    cells_left: usize,
    /// How much longer the text may become.
    bytes_left: usize,
    /// How many bytes of `new_str` may be read: places for a long text cost time even if little of it is written.
    work_left: usize,
}

/// How the edges of `old_str` lie in the content.
#[derive(Clone, Copy, PartialEq, Eq)]
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
        let old = WholeLines::of(request.old_str);
        let mut buffer = String::new();
        let last = old.lines[old.core()].last().map(|line| normalize(line, level, &mut buffer).indent.to_owned());
        Fitter {
            content,
            request,
            level,
            old,
            endings: Endings::of(content),
            last_indent: last.unwrap_or_default(),
            plan: None,
            cells_left: MAX_TOTAL_CELLS,
            bytes_left: request.max_result_bytes.saturating_sub(content.len()),
            work_left: request.max_result_bytes.saturating_mul(4),
        }
    }

    /// The splices for the next place.
    pub(super) fn fit(&mut self, place: &FoundPlace) -> Result<Vec<Splice>, FitError> {
        let span = &place.span;
        let new_bytes = self.request.new_str.len();
        self.work_left = self.work_left.checked_sub(new_bytes).ok_or(FitError::TooLarge)?;
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

    /// Takes the bytes that splices add from what the text may grow by, and gives it those that they remove.
    fn grown(&mut self, splices: Vec<Splice>) -> Result<Vec<Splice>, FitError> {
        let removed: usize = splices.iter().map(|splice| splice.range.len()).sum();
        let added: usize = splices.iter().map(|splice| splice.text.len()).sum();
        self.bytes_left = (self.bytes_left + removed).checked_sub(added).ok_or(FitError::TooLarge)?;
        Ok(splices)
    }

    fn verbatim(&mut self, span: &Range<usize>, text: Cow<'_, str>) -> Result<Vec<Splice>, FitError> {
        self.grown(vec![Splice { range: span.clone(), text: text.into_owned() }])
    }

    /// `new_str` with every line ending made that of the span.
    fn in_ending_of(&mut self, span: &Range<usize>) -> Cow<'r, str> {
        let new = self.request.new_str;
        if new.contains('\n') { split_lines(new).join(self.endings.of_span(span)).into() } else { new.into() }
    }

    /// Lines that are equal in `old_str` and `new_str` stay, others are written as given in the span's line ending.
    fn fit_segments(&mut self, span: &Range<usize>) -> Result<Vec<Splice>, FitError> {
        let request = self.request;
        let cells = &mut self.cells_left;
        let (_, plan) = self.plan.get_or_insert_with(|| {
            let mut new_lines = split_lines(request.new_str);
            // A line of `old_str` that ends is not joined with the next one.
            if request.old_str.ends_with('\n') && !request.new_str.is_empty() && !request.new_str.ends_with('\n') {
                new_lines.push("");
            }
            (Edge::WHOLE, Plan::new(&split_lines(request.old_str), new_lines, 0, cells))
        });
        let written: Vec<Cow<'_, str>> = plan.new_lines.iter().copied().map(Cow::Borrowed).collect();
        let splices = weave(self.content, span, &plan.pairs, &written, self.endings.of_span(span));
        self.grown(splices)
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
        self.plan = self.plan.take().filter(|(known, _)| *known == edge);
        let (old, cells) = (&self.old, &mut self.cells_left);
        let (_, plan) = self.plan.get_or_insert_with(|| {
            let mut new_lines = new_lines(new_str, old, edge);
            let taken_off = take_off_edges(&mut new_lines, edge);
            (edge, Plan::new(old_lines, new_lines, taken_off, cells))
        });
        if plan.new_lines.is_empty() {
            return Ok(vec![without_lines(self.content, span.clone(), &self.old)]);
        }
        if most_bytes(new_str, plan.new_lines.len(), &fit.rule) > self.bytes_left.saturating_add(span.len()) {
            return Err(FitError::TooLarge);
        }

        let typography = learn_typography(self.content, span, old_lines, self.level);
        let style = Style { rule: &fit.rule, level: self.level, mixes: document_mixes(&fit.rule, old_lines) };
        let mut written: Vec<Cow<'_, str>> = plan.new_lines.iter().copied().map(Cow::Borrowed).collect();
        for (index, origin) in &plan.written {
            let line = style.write(plan.new_lines[*index], &self.last_indent, &typography, *origin);
            let unfit = FitError::CannotIndent { new_line: index + plan.taken_off };
            written[*index] = line.map_err(|CannotIndent| unfit)?.into();
        }
        let splices = weave(self.content, span, &plan.pairs, &written, self.endings.of_span(span));
        self.grown(splices)
    }
}

/// More bytes than so many lines take by a rule, before they are written.
fn most_bytes(new_str: &str, lines: usize, rule: &Rule) -> usize {
    /// What a character can become in another form.
    const MOST_PER_BYTE: usize = 3;
    match rule {
        Rule::Add(prefix) => new_str.len() * MOST_PER_BYTE + lines * (prefix.len() + "\r\n".len()),
        Rule::TabsToSpaces(width) => new_str.len() * MOST_PER_BYTE.max(*width) + lines * "\r\n".len(),
        Rule::Remove(_) | Rule::SpacesToTabs(_) => new_str.len() * MOST_PER_BYTE + lines * "\r\n".len(),
    }
}

impl Edge {
    /// For places that are not whole lines.
    const WHOLE: Edge = Edge { ignored_at_start: 0, ignored_at_end: 0, at_content_end: false };
}

impl<'r> Plan<'r> {
    fn new(old_lines: &[&str], new_lines: Vec<&'r str>, taken_off: usize, cells_left: &mut usize) -> Plan<'r> {
        let pairs = pair_lines(old_lines, &new_lines, cells_left);
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
    fn write(
        &self,
        line: &str,
        last_indent: &str,
        typography: &Typography<'_>,
        origin: Origin,
    ) -> Result<String, CannotIndent> {
        let (indent, body) = split_indent(line);
        if self.mixes == Mixes::NotYet && mixes(self.rule, indent) {
            return Err(CannotIndent);
        }
        let mut written = self.rule.apply(indent, self.level, last_indent)?;
        match origin {
            Origin::Changed => typography.write(&mut written, body),
            Origin::Inserted => written.push_str(body),
        }
        Ok(written)
    }
}
