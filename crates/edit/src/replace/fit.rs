//! Putting `new_str` in: verbatim where `old_str` was found verbatim, fitted to the place where it was not.

use std::borrow::Cow;
use std::ops::Range;

use crate::edit::Splice;
use crate::lines::{Line, ending_of_span, is_blank_text, split_indent, split_lines, trim_blanks_end};

use super::fitted::WholeLines;
use super::indentation::{CannotIndent, Rule};
use super::pairing::{gaps, pair_lines};
use super::places::{Fit, FoundPlace};
use super::typography::Typography;
use super::{Level, LineEndings, Replace};

/// The line of `new_str` (0-based) that cannot take the indentation of the place.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Unfit {
    pub(super) new_line: usize,
}

/// The splices that put `new_str` into a place that was found at `level`.
pub(super) fn fit(
    content: &str,
    request: &Replace<'_>,
    level: Level,
    place: &FoundPlace,
) -> Result<Vec<Splice>, Unfit> {
    let span = place.span.clone();
    match (&place.fit, level, request.line_endings) {
        (Some(fit), ..) => fit_lines(content, request, level, span, fit),
        (None, _, LineEndings::Literal) => Ok(vec![Splice { range: span, text: request.new_str.to_owned() }]),
        (None, Level::Exact, LineEndings::Match) => {
            let text = with_ending(request.new_str, ending_of_span(content, &span)).into_owned();
            Ok(vec![Splice { range: span, text }])
        }
        (None, _, LineEndings::Match) => Ok(fit_segments(content, request, span)),
    }
}

/// The text with every line ending made `ending`.
fn with_ending<'a>(text: &'a str, ending: &str) -> Cow<'a, str> {
    if text.contains('\n') { split_lines(text).join(ending).into() } else { text.into() }
}

/// Lines that are equal in `old_str` and `new_str` stay, others are written as given in the span's line ending.
fn fit_segments(content: &str, request: &Replace<'_>, span: Range<usize>) -> Vec<Splice> {
    let old = split_lines(request.old_str);
    let new = split_lines(request.new_str);
    let pairs = pair_lines(&old, &new);
    let written: Vec<Cow<'_, str>> = new.into_iter().map(Cow::Borrowed).collect();
    weave(content, span, &pairs, &written)
}

/// The same with whole lines: blank edges, indentation and typography are those of the content.
fn fit_lines(
    content: &str,
    request: &Replace<'_>,
    level: Level,
    span: Range<usize>,
    fit: &Fit,
) -> Result<Vec<Splice>, Unfit> {
    let old = WholeLines::of(request.old_str);
    let old_lines = &old.lines[fit.ignored_at_start..old.lines.len() - fit.ignored_at_end];
    let mut new_lines = new_lines(request.new_str, &old, content, &span);
    let taken_off = take_off_edges(&mut new_lines, fit);
    if new_lines.is_empty() {
        return Ok(vec![without_lines(content, span, &old)]);
    }
    let pairs = pair_lines(old_lines, &new_lines);
    let typography = learn_typography(content, &span, old_lines, level);
    let mut written: Vec<Cow<'_, str>> = new_lines.iter().copied().map(Cow::Borrowed).collect();
    for (gone, come) in gaps(&pairs, old_lines.len(), new_lines.len()) {
        // A changed line keeps the characters of the document; one that is wholly new has its author's.
        let typography = if gone.is_empty() { None } else { Some(&typography) };
        for index in come {
            if !is_blank_text(new_lines[index]) {
                let line = write_line(new_lines[index], &fit.rule, level, typography);
                written[index] = line.map_err(|CannotIndent| Unfit { new_line: index + taken_off })?.into();
            }
        }
    }
    Ok(weave(content, span, &pairs, &written))
}

/// The lines of `new_str` that stand for those of `old_str`.
fn new_lines<'a>(new_str: &'a str, old: &WholeLines<'_>, content: &str, span: &Range<usize>) -> Vec<&'a str> {
    let new = WholeLines::of(new_str);
    let mut lines = new.lines;
    if old.ended {
        if new_str.is_empty() {
            lines.clear();
        }
    } else if new.ended && span.end < content.len() {
        // The line ending after the place stays, so that of `new_str` makes another line. At the end of the content
        // it would add a final newline instead.
        lines.push("");
    }
    lines
}

/// Takes off as many blank lines at the edges as `old_str` had more than the content; how many at the start.
fn take_off_edges(lines: &mut Vec<&str>, fit: &Fit) -> usize {
    let at_start = lines.iter().take(fit.ignored_at_start).take_while(|line| is_blank_text(line)).count();
    lines.drain(..at_start);
    let at_end = lines.iter().rev().take(fit.ignored_at_end).take_while(|line| is_blank_text(line)).count();
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

fn write_line(
    line: &str,
    rule: &Rule,
    level: Level,
    typography: Option<&Typography<'_>>,
) -> Result<String, CannotIndent> {
    let (mut written, body) = rule.apply(line, level)?;
    match typography {
        Some(typography) => written.push_str(&typography.write(body)),
        None => written.push_str(body),
    }
    Ok(written)
}

/// Replaces the lines of the span by `new`, leaving those that are paired as they are in the content.
///
/// `pairs` are (line of the span, index in `new`), both 0-based and in order.
fn weave(content: &str, span: Range<usize>, pairs: &[(usize, usize)], new: &[Cow<'_, str>]) -> Vec<Splice> {
    let ending = ending_of_span(content, &span);
    let mut splices = Vec::new();
    let mut lines = SpanLines::new(content, span.clone());
    // What comes after the last kept line: from where on lines of the content go, and the first new line.
    let mut from = span.start;
    let mut next_new = 0;
    let mut last_kept: Option<Line> = None;
    for (old_index, new_index) in pairs {
        let Some(kept) = lines.nth_line(*old_index) else { break };
        let mut text = String::new();
        for line in &new[next_new..*new_index] {
            text.push_str(line);
            text.push_str(ending);
        }
        splices.push(Splice { range: from..kept.start, text });
        from = kept.end.min(span.end);
        next_new = new_index + 1;
        last_kept = Some(kept);
    }
    splices.push(last_splice(content, &span, from, last_kept, &new[next_new..], ending));
    splices
}

/// What follows the last kept line; the ending after the span stays where it is.
fn last_splice(
    content: &str,
    span: &Range<usize>,
    from: usize,
    kept: Option<Line>,
    new: &[Cow<'_, str>],
    ending: &str,
) -> Splice {
    let text = new.join(ending);
    match kept {
        Some(kept) if kept.text_end >= span.end && !new.is_empty() => {
            let own = if kept.text_end == span.end { kept.ending(content) } else { "" };
            let own = if own.is_empty() { ending } else { own };
            Splice { range: span.end..span.end, text: own.to_owned() + &text }
        }
        // Nothing follows any more: its own ending goes with the lines after it.
        Some(kept) if new.is_empty() => Splice { range: kept.text_end.min(span.end)..span.end, text },
        _ => Splice { range: from..span.end, text },
    }
}

/// The lines of a span by number; the first starts with it.
struct SpanLines<'t> {
    content: &'t str,
    /// The number and the start of the next line.
    next: (usize, usize),
}

impl<'t> SpanLines<'t> {
    fn new(content: &'t str, span: Range<usize>) -> SpanLines<'t> {
        SpanLines { content, next: (0, span.start) }
    }

    /// The line of that number; numbers may only grow.
    fn nth_line(&mut self, number: usize) -> Option<Line> {
        while self.next.0 <= number {
            let line = Line::at(self.content, self.next.1);
            self.next = (self.next.0 + 1, line.end);
            if self.next.0 > number {
                return Some(line);
            }
            if line.end == line.text_end {
                break;
            }
        }
        None
    }
}
