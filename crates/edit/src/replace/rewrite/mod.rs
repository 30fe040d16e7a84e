//! Writes `new_str` over the matches of `old_str`: verbatim where `old_str` was found verbatim, else with the indentation,
//! line endings and kept characters of the content.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

use crate::edit::Splice;
use crate::line_comparison::MAX_TOTAL_CELLS;
use crate::lines::{Endings, Line, is_blank_text, split_indent, split_lines, strip_carriage_return};

use super::indentation::{
    CannotIndent, FileStyle, IndentWriter, NoUnit, ShallowerLines, UnclearLines, WrittenLines, indentations,
};
use super::matches::{FinalCarriageReturn, OldStrMatch, WholeLineFit};
use super::whole_lines::WholeLines;
use super::{Level, LineEndings, Replace};
use document_lines::DocumentLines;
use line_breaks::LineBreaks;
pub(super) use line_pairs::{gaps, pair_lines};
use line_plan::LinePlan;
use segments::FirstLine;
use splice_lines::splice_lines;

mod columns;
mod document_forms;
mod document_lines;
mod kept_forms;
mod line_breaks;
mod line_pairs;
mod line_plan;
mod plain_forms;
mod segments;
mod splice_lines;
mod tokens;

/// Why `new_str` could not be written.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::replace) enum RewriteError {
    /// A line of `new_str` (0-based) cannot take the indentation of the match.
    CannotIndent { new_line: usize },
    /// Blanks of the line at that offset would be lost that are more than spacing.
    LostBlanks { at: usize },
    /// The text would grow beyond what the request allows.
    TooLarge,
}

/// Writes `new_str` over the matches of one request, one after the other.
pub(in crate::replace) struct Rewriter<'r> {
    content: &'r str,
    request: &'r Replace<'r>,
    level: Level,
    old: WholeLines<'r>,
    endings: Endings<'r>,
    /// The plan for the last match; it holds for all matches with the same edges.
    plan: Option<(PlanKey, LinePlan<'r>)>,
    /// The plan of lines that need not be whole, for the check of the first one.
    segments: Option<LinePlan<'r>>,
    /// The lines of `new_str` whose indentation can be unclear; the same for all matches.
    unclear_lines: Option<UnclearLines<'r>>,
    /// The indentations of the content, for lines that are shallower than those of a match.
    indentations: Option<HashSet<&'r str>>,
    /// How many comparisons may be spent on pairing lines and tokens.
    cells_left: usize,
    /// How much longer the text may become.
    bytes_left: usize,
    /// How many bytes of `new_str` may be read: many matches of a long `new_str` cost time even if little is written.
    readable_bytes_left: usize,
}

/// What a plan depends on beside the request.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PlanKey {
    Segments {
        breaks: LineBreaks,
        /// Whether the match ends where the text of its last line ends.
        ends_line: bool,
    },
    WholeLines(EdgeShape),
}

/// How the blank edges of `old_str` fit the content.
#[derive(Clone, Copy, PartialEq, Eq)]
struct EdgeShape {
    ignored_at_start: usize,
    ignored_at_end: usize,
    /// Whether the match ends where the content ends.
    at_content_end: bool,
}

impl<'r> Rewriter<'r> {
    pub(in crate::replace) fn new(content: &'r str, request: &'r Replace<'r>, level: Level) -> Rewriter<'r> {
        Rewriter {
            content,
            request,
            level,
            old: WholeLines::new(request.old_str),
            endings: Endings::new(content),
            plan: None,
            segments: None,
            unclear_lines: None,
            indentations: None,
            cells_left: MAX_TOTAL_CELLS,
            bytes_left: request.max_result_bytes.saturating_sub(content.len()),
            readable_bytes_left: request.max_result_bytes.saturating_mul(4),
        }
    }

    /// The splices for the next match.
    pub(in crate::replace) fn rewrite(&mut self, found: &OldStrMatch) -> Result<Vec<Splice>, RewriteError> {
        let span = &found.span;
        let new_bytes = self.request.new_str.len();
        self.readable_bytes_left = self.readable_bytes_left.checked_sub(new_bytes).ok_or(RewriteError::TooLarge)?;
        match (&found.fit, self.level, self.request.line_endings) {
            (Some(fit), ..) => self.rewrite_lines(span, fit),
            (None, Level::Exact, LineEndings::Literal) => self.verbatim(span, self.new_str_at(found).into()),
            (None, Level::Exact, LineEndings::Match) => {
                let text = self.with_ending_of(span, self.new_str_at(found));
                self.verbatim(span, text)
            }
            (None, _, LineEndings::Literal) => {
                self.check_first_line(span)?;
                let breaks = LineBreaks::missing(self.content, span, self.request);
                self.check_rows(span, breaks)?;
                let text = breaks.add_to(self.request.new_str, self.endings.for_span(span));
                self.verbatim(span, text)
            }
            (None, _, LineEndings::Match) => {
                self.check_first_line(span)?;
                self.rewrite_segments(span)
            }
        }
    }

    /// Counts the bytes that the splices add and remove against the bytes that the text may grow by.
    fn within_growth(&mut self, splices: Vec<Splice>) -> Result<Vec<Splice>, RewriteError> {
        let removed: usize = splices.iter().map(|splice| splice.range.len()).sum();
        let added: usize = splices.iter().map(|splice| splice.text.len()).sum();
        self.bytes_left = (self.bytes_left + removed).checked_sub(added).ok_or(RewriteError::TooLarge)?;
        Ok(splices)
    }

    fn verbatim(&mut self, span: &Range<usize>, text: Cow<'_, str>) -> Result<Vec<Splice>, RewriteError> {
        self.within_growth(vec![Splice { range: span.clone(), text: text.into_owned() }])
    }

    /// `new_str` for a match. At `exact` each match has its own reading of a final `\r`; above, the request has it.
    fn new_str_at(&self, found: &OldStrMatch) -> &'r str {
        match found.final_carriage_return {
            FinalCarriageReturn::OfLineEnding if self.level == Level::Exact => {
                strip_carriage_return(self.request.new_str)
            }
            FinalCarriageReturn::OfLineEnding | FinalCarriageReturn::Text => self.request.new_str,
        }
    }

    /// The text with every line ending made that of the span.
    fn with_ending_of(&mut self, span: &Range<usize>, new: &'r str) -> Cow<'r, str> {
        if new.contains('\n') { split_lines(new).join(self.endings.for_span(span)).into() } else { new.into() }
    }

    /// Refuses lines that lack their indentation as the first line of the match does.
    fn check_first_line(&mut self, span: &Range<usize>) -> Result<(), RewriteError> {
        let Some(first) = FirstLine::lacking_indentation(self.content, span, self.request.old_str) else {
            return Ok(());
        };
        let (request, cells) = (self.request, &mut self.cells_left);
        let plan = self.segments.get_or_insert_with(|| {
            LinePlan::new(&split_lines(request.old_str), split_lines(request.new_str), 0, cells)
        });
        match first.unclear_line(plan) {
            Some(new_line) => Err(RewriteError::CannotIndent { new_line }),
            None => Ok(()),
        }
    }

    /// Refuses the loss of the empty cells of rows, and lines that may lack theirs.
    fn check_rows(&mut self, span: &Range<usize>, breaks: LineBreaks) -> Result<(), RewriteError> {
        let (content, request) = (self.content, self.request);
        if request.new_str.is_empty() {
            return Ok(());
        }
        match segments::shortened_rows(content, span, request.old_str) {
            shortened if shortened.is_empty() => Ok(()),
            shortened => segments::check_rows(content, &shortened, request, self.segment_plan(span, breaks)),
        }
    }

    /// The plan of lines that need not be whole, with those line breaks.
    fn segment_plan(&mut self, span: &Range<usize>, breaks: LineBreaks) -> &LinePlan<'r> {
        let is_at_line_end = matches!(self.content.as_bytes()[span.end..], [] | [b'\n', ..] | [b'\r', b'\n', ..]);
        let ends_line = is_at_line_end && !self.request.old_str.ends_with('\n');
        let key = PlanKey::Segments { breaks, ends_line };
        self.plan = self.plan.take().filter(|(planned, _)| *planned == key);
        let (request, cells) = (self.request, &mut self.cells_left);
        let (_, plan) = self.plan.get_or_insert_with(|| {
            let old_lines = split_lines(request.old_str);
            let new_lines = breaks.add_to_lines(split_lines(request.new_str));
            let plan = if ends_line {
                LinePlan::new(&old_lines, new_lines, 0, cells)
            } else {
                LinePlan::before_text(&old_lines, new_lines, cells)
            };
            (key, plan)
        });
        plan
    }

    /// Lines that are equal in `old_str` and `new_str` stay, the other lines of `new_str` are written with the line ending
    /// of the span.
    fn rewrite_segments(&mut self, span: &Range<usize>) -> Result<Vec<Splice>, RewriteError> {
        let request = self.request;
        let breaks = LineBreaks::missing(self.content, span, request);
        if request.new_str.is_empty() && breaks.are_missing() {
            let text = breaks.add_to("", self.endings.for_span(span));
            return self.verbatim(span, text);
        }
        self.check_rows(span, breaks)?;
        let (content, ending) = (self.content, self.endings.for_span(span));
        let plan = self.segment_plan(span, breaks);
        let written: Vec<Cow<'_, str>> = plan.new_lines.iter().copied().map(Cow::Borrowed).collect();
        let splices = splice_lines(content, span, &plan.pairs, &written, ending);
        self.within_growth(splices)
    }

    /// The same with whole lines: blank edges, indentation and typography become those of the content.
    fn rewrite_lines(&mut self, span: &Range<usize>, fit: &WholeLineFit) -> Result<Vec<Splice>, RewriteError> {
        let edge = EdgeShape {
            ignored_at_start: fit.ignored_at_start,
            ignored_at_end: fit.ignored_at_end,
            at_content_end: span.end == self.content.len(),
        };
        let old_lines = &self.old.lines[edge.ignored_at_start..self.old.lines.len() - edge.ignored_at_end];
        let new_str = self.request.new_str;
        let key = PlanKey::WholeLines(edge);
        self.plan = self.plan.take().filter(|(planned, _)| *planned == key);
        let (old, cells) = (&self.old, &mut self.cells_left);
        let (_, plan) = self.plan.get_or_insert_with(|| {
            let mut new_lines = new_lines(new_str, old, edge);
            let removed_at_start = remove_blank_edges(&mut new_lines, edge);
            (key, LinePlan::new(old_lines, new_lines, removed_at_start, cells))
        });
        if plan.new_lines.is_empty() {
            return Ok(vec![removal_of_lines(self.content, span.clone(), &self.old)]);
        }
        let cannot_indent = |new_line| RewriteError::CannotIndent { new_line };
        let unclear_lines = self.unclear_lines.get_or_insert_with(|| UnclearLines::new(&self.old, new_str, self.level));
        if let Some(new_line) = unclear_lines.first(&self.content[..span.start], &fit.rule) {
            return Err(cannot_indent(new_line));
        }
        let lines = WrittenLines { lines: &plan.new_lines, written: &plan.written, pairs: &plan.pairs };
        let style = || FileStyle::around(self.content, span);
        let writer = IndentWriter::new(&fit.rule, self.level, old_lines, &lines, style);
        let writer = writer.map_err(|NoUnit(index)| cannot_indent(index + plan.removed_at_start))?;
        // What is kept of the document is a part of the span.
        let kept = if self.level >= Level::PunctuationNormalized { span.len() } else { 0 };
        let most = writer.most_bytes(new_str, plan.new_lines.len()).saturating_add(kept);
        if most > self.bytes_left.saturating_add(span.len()) {
            return Err(RewriteError::TooLarge);
        }

        let shallower = ShallowerLines::new(&fit.rule, self.level, old_lines);
        let mut document = DocumentLines::new(self.content, span, old_lines, self.level, new_str);
        let mut written: Vec<Cow<'_, str>> = plan.new_lines.iter().copied().map(Cow::Borrowed).collect();
        for (index, replaced) in &plan.blank {
            written[*index] = document.plain(plan.new_lines[*index], *replaced);
        }
        for (index, replaced) in &plan.written {
            let given = document.plain(plan.new_lines[*index], *replaced);
            let (indent, body) = split_indent(&given);
            let indented = writer.indent(indent).map_err(|CannotIndent| cannot_indent(index + plan.removed_at_start));
            let mut line = indented?;
            if shallower.include(indent)
                && !self.indentations.get_or_insert_with(|| indentations(self.content)).contains(line.as_str())
            {
                return Err(cannot_indent(index + plan.removed_at_start));
            }
            document.write(&mut line, body, *replaced, &mut self.cells_left)?;
            written[*index] = line.into();
        }
        for number in &plan.without_successor {
            document.check_without_successor(*number)?;
        }
        let splices = splice_lines(self.content, span, &plan.pairs, &written, self.endings.for_span(span));
        self.within_growth(splices)
    }
}

/// The lines of `new_str` that stand for those of `old_str`.
fn new_lines<'r>(new_str: &'r str, old: &WholeLines<'_>, edge: EdgeShape) -> Vec<&'r str> {
    let new = WholeLines::new(new_str);
    let mut lines = new.lines;
    if old.ended {
        if new_str.is_empty() {
            lines.clear();
        }
    } else if new.ended && !edge.at_content_end {
        // The line ending after the match stays, so that of `new_str` makes another line. At the end of the content
        // it would add a final newline instead.
        lines.push("");
    }
    lines
}

/// Removes as many blank lines at the edges as `old_str` had more than the content; returns how many at the start.
fn remove_blank_edges(lines: &mut Vec<&str>, edge: EdgeShape) -> usize {
    let at_start = lines.iter().take(edge.ignored_at_start).take_while(|line| is_blank_text(line)).count();
    lines.drain(..at_start);
    let at_end = lines.iter().rev().take(edge.ignored_at_end).take_while(|line| is_blank_text(line)).count();
    lines.truncate(lines.len() - at_end);
    at_start
}

/// The splice that removes the lines of a match: with a final newline in `old_str` the lines go, else an empty one is left.
fn removal_of_lines(content: &str, mut span: Range<usize>, old: &WholeLines<'_>) -> Splice {
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

/// Adds a splice after those of the matches before. The removal of the last lines of a text removes the ending before
/// them too; when the lines before are removed as well, that ending is gone already, and the ending before those lines must
/// go.
pub(in crate::replace) fn push_splice(splices: &mut Vec<Splice>, mut splice: Splice, content: &str) {
    while let Some(removed) = splices.pop_if(|last| last.range.end > splice.range.start) {
        let before = Line::before(content, removed.range.start);
        splice.range.start = before.map_or(0, |line| line.text_end);
    }
    splices.push(splice);
}
