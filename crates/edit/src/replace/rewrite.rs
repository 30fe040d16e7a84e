//! Writes `new_str` over the matches of `old_str`: verbatim where `old_str` was found verbatim, else with the indentation,
//! typography and line endings of the content.

use std::borrow::Cow;
use std::ops::Range;

use crate::edit::Splice;
use crate::line_comparison::MAX_TOTAL_CELLS;
use crate::lines::{Endings, Line, is_blank_text, split_indent, split_lines, strip_carriage_return, trim_blanks_end};

use super::indentation::{CannotIndent, IndentRule, mixes_tabs_and_spaces};
use super::line_pairs::{gaps, pair_lines};
use super::matches::{FinalCarriageReturn, OldStrMatch, WholeLineFit};
use super::normalization::normalize;
use super::splice_lines::splice_lines;
use super::typography::Typography;
use super::whole_lines::WholeLines;
use super::{Level, LineEndings, Replace};

/// Why `new_str` could not be written.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum RewriteError {
    /// A line of `new_str` (0-based) cannot take the indentation of the match.
    CannotIndent { new_line: usize },
    /// The text would grow beyond what the request allows.
    TooLarge,
}

/// Writes `new_str` over the matches of one request, one after the other.
pub(super) struct Rewriter<'r> {
    content: &'r str,
    request: &'r Replace<'r>,
    level: Level,
    old: WholeLines<'r>,
    endings: Endings<'r>,
    /// The plain indentation of the last line of `old_str` that is not blank.
    last_indent: String,
    /// The plan for the last match; it holds for all matches with the same edges.
    plan: Option<(EdgeShape, LinePlan<'r>)>,
    /// How many comparisons may be spent on pairing lines.
    cells_left: usize,
    /// How much longer the text may become.
    bytes_left: usize,
    /// How many bytes of `new_str` may be read: many matches of a long `new_str` cost time even if little is written.
    readable_bytes_left: usize,
}

/// How the blank edges of `old_str` fit the content.
#[derive(Clone, Copy, PartialEq, Eq)]
struct EdgeShape {
    ignored_at_start: usize,
    ignored_at_end: usize,
    /// Whether the match ends where the content ends.
    at_content_end: bool,
}

/// Which lines of `old_str` stay, and which lines of `new_str` are written.
struct LinePlan<'r> {
    new_lines: Vec<&'r str>,
    /// Lines that stay: (of `old_str`, of `new_lines`).
    pairs: Vec<(usize, usize)>,
    /// The other lines of `new_lines` that are not blank.
    written: Vec<(usize, LineOrigin)>,
    /// How many lines were removed from the start of `new_str`.
    removed_at_start: usize,
}

/// What a written line of `new_str` stands for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LineOrigin {
    /// It stands for lines of the document: their characters are kept.
    Changed,
    /// It is wholly new: its characters are those of `new_str`.
    Inserted,
}

impl<'r> Rewriter<'r> {
    pub(super) fn new(content: &'r str, request: &'r Replace<'r>, level: Level) -> Rewriter<'r> {
        let old = WholeLines::new(request.old_str);
        let mut buffer = String::new();
        let last = old.lines[old.core()].last().map(|line| normalize(line, level, &mut buffer).indent.to_owned());
        Rewriter {
            content,
            request,
            level,
            old,
            endings: Endings::new(content),
            last_indent: last.unwrap_or_default(),
            plan: None,
            cells_left: MAX_TOTAL_CELLS,
            bytes_left: request.max_result_bytes.saturating_sub(content.len()),
            readable_bytes_left: request.max_result_bytes.saturating_mul(4),
        }
    }

    /// The splices for the next match.
    pub(super) fn rewrite(&mut self, found: &OldStrMatch) -> Result<Vec<Splice>, RewriteError> {
        let span = &found.span;
        let new_bytes = self.request.new_str.len();
        self.readable_bytes_left = self.readable_bytes_left.checked_sub(new_bytes).ok_or(RewriteError::TooLarge)?;
        match (&found.fit, self.level, self.request.line_endings) {
            (Some(fit), ..) => self.rewrite_lines(span, fit),
            (None, _, LineEndings::Literal) => self.verbatim(span, self.new_str_at(found).into()),
            (None, Level::Exact, LineEndings::Match) => {
                let text = self.with_ending_of(span, self.new_str_at(found));
                self.verbatim(span, text)
            }
            (None, _, LineEndings::Match) => self.rewrite_segments(span),
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

    /// Lines that are equal in `old_str` and `new_str` stay, the other lines of `new_str` are written with the line ending
    /// of the span.
    fn rewrite_segments(&mut self, span: &Range<usize>) -> Result<Vec<Splice>, RewriteError> {
        let request = self.request;
        let cells = &mut self.cells_left;
        let (_, plan) = self.plan.get_or_insert_with(|| {
            let mut new_lines = split_lines(request.new_str);
            // A line of `old_str` that ends is not joined with the next one.
            if request.old_str.ends_with('\n') && !request.new_str.is_empty() && !request.new_str.ends_with('\n') {
                new_lines.push("");
            }
            (EdgeShape::WHOLE, LinePlan::new(&split_lines(request.old_str), new_lines, 0, cells))
        });
        let written: Vec<Cow<'_, str>> = plan.new_lines.iter().copied().map(Cow::Borrowed).collect();
        let splices = splice_lines(self.content, span, &plan.pairs, &written, self.endings.for_span(span));
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
        self.plan = self.plan.take().filter(|(planned, _)| *planned == edge);
        let (old, cells) = (&self.old, &mut self.cells_left);
        let (_, plan) = self.plan.get_or_insert_with(|| {
            let mut new_lines = new_lines(new_str, old, edge);
            let removed_at_start = remove_blank_edges(&mut new_lines, edge);
            (edge, LinePlan::new(old_lines, new_lines, removed_at_start, cells))
        });
        if plan.new_lines.is_empty() {
            return Ok(vec![removal_of_lines(self.content, span.clone(), &self.old)]);
        }
        if most_bytes(new_str, plan.new_lines.len(), &fit.rule) > self.bytes_left.saturating_add(span.len()) {
            return Err(RewriteError::TooLarge);
        }

        let typography = learn_typography(self.content, span, old_lines, self.level);
        let style = LineStyle { rule: &fit.rule, level: self.level, mixes: tab_mixing(&fit.rule, old_lines) };
        let mut written: Vec<Cow<'_, str>> = plan.new_lines.iter().copied().map(Cow::Borrowed).collect();
        for (index, origin) in &plan.written {
            let line = style.write(plan.new_lines[*index], &self.last_indent, &typography, *origin);
            let error = RewriteError::CannotIndent { new_line: index + plan.removed_at_start };
            written[*index] = line.map_err(|CannotIndent| error)?.into();
        }
        let splices = splice_lines(self.content, span, &plan.pairs, &written, self.endings.for_span(span));
        self.within_growth(splices)
    }
}

/// An upper bound for the bytes of so many lines of `new_str`, written by a rule; known before they are written.
fn most_bytes(new_str: &str, lines: usize, rule: &IndentRule) -> usize {
    /// The most bytes that one byte of a character can become in another form.
    const MOST_PER_BYTE: usize = 3;
    match rule {
        IndentRule::Add(prefix) => new_str.len() * MOST_PER_BYTE + lines * (prefix.len() + "\r\n".len()),
        IndentRule::TabsToSpaces(width) => new_str.len() * MOST_PER_BYTE.max(*width) + lines * "\r\n".len(),
        IndentRule::Remove(_) | IndentRule::SpacesToTabs(_) => new_str.len() * MOST_PER_BYTE + lines * "\r\n".len(),
    }
}

impl EdgeShape {
    /// For matches that are not whole lines.
    const WHOLE: EdgeShape = EdgeShape { ignored_at_start: 0, ignored_at_end: 0, at_content_end: false };
}

impl<'r> LinePlan<'r> {
    fn new(
        old_lines: &[&str],
        new_lines: Vec<&'r str>,
        removed_at_start: usize,
        cells_left: &mut usize,
    ) -> LinePlan<'r> {
        let pairs = pair_lines(old_lines, &new_lines, cells_left);
        let mut written = Vec::new();
        for (removed, added) in gaps(&pairs, old_lines.len(), new_lines.len()) {
            let origin = if removed.is_empty() { LineOrigin::Inserted } else { LineOrigin::Changed };
            written.extend(added.filter(|index| !is_blank_text(new_lines[*index])).map(|index| (index, origin)));
        }
        LinePlan { new_lines, pairs, written, removed_at_start }
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

/// Whether the lines of the match have tabs after spaces, or spaces after tabs, where the rule adds a prefix.
fn tab_mixing(rule: &IndentRule, old_lines: &[&str]) -> TabMixing {
    let mixing = |line: &&str| mixes_tabs_and_spaces(rule, split_indent(line).0);
    if old_lines.iter().filter(|line| !is_blank_text(line)).any(mixing) {
        TabMixing::Already
    } else {
        TabMixing::NotYet
    }
}

/// Whether the content mixes tabs and spaces in the indentation of the match.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TabMixing {
    Already,
    NotYet,
}

/// How a line of `new_str` is written over a match.
struct LineStyle<'f> {
    rule: &'f IndentRule,
    level: Level,
    mixes: TabMixing,
}

impl LineStyle<'_> {
    fn write(
        &self,
        line: &str,
        last_indent: &str,
        typography: &Typography<'_>,
        origin: LineOrigin,
    ) -> Result<String, CannotIndent> {
        let (indent, body) = split_indent(line);
        if self.mixes == TabMixing::NotYet && mixes_tabs_and_spaces(self.rule, indent) {
            return Err(CannotIndent);
        }
        let mut written = self.rule.apply(indent, self.level, last_indent)?;
        match origin {
            LineOrigin::Changed => typography.write(&mut written, body),
            LineOrigin::Inserted => written.push_str(body),
        }
        Ok(written)
    }
}
