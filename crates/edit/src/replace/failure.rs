//! What a refusal tells, so that the next call can be right.

use crate::excerpt::bounded_excerpt;
use crate::lines::line_of;
use crate::search::{Case, Pattern, SearchOptions, search};

use super::fit::Unfit;
use super::fitted::{WholeLines, find_with_any_indentation};
use super::nearest::nearest;
use super::places::{FoundPlace, MAX_SHOWN_PLACES, Places};
use super::{Cause, Level, MultipleMatches, NoMatch, Place, Replace, ReplaceError, find};

/// Lines shown around each of several places.
const CONTEXT_LINES: usize = 2;
/// What the contexts of all places together may take.
const MAX_CONTEXT_BYTES: usize = 32 * 1024;

/// Not as many places as expected, or places that overlap.
pub(super) fn multiple_matches(content: &str, request: &Replace<'_>, level: Level, places: &Places) -> ReplaceError {
    let shown = &places.kept[..places.kept.len().min(MAX_SHOWN_PLACES)];
    let share = MAX_CONTEXT_BYTES / shown.len().max(1);
    let (mut counted, mut line) = (0, 1);
    let places_shown = shown.iter().map(|FoundPlace { span, .. }| {
        line += line_of(&content[counted..], span.start - counted) - 1;
        counted = span.start;
        Place { line, context: bounded_excerpt(content, span, CONTEXT_LINES, share) }
    });
    ReplaceError::MultipleMatches(Box::new(MultipleMatches {
        expected: request.expected_matches,
        level,
        places: places_shown.collect(),
        total: places.total,
    }))
}

/// The place was found, but `new_str` cannot take its indentation.
pub(super) fn unfit(content: &str, place: &FoundPlace, unfit: &Unfit) -> ReplaceError {
    let cause = Cause::CannotIndent { new_line: unfit.new_line + 1, line: line_of(content, place.span.start) };
    ReplaceError::NoMatch(Box::new(NoMatch { cause: Some(cause), nearest: Vec::new() }))
}

/// Nothing was found at any level that was allowed.
pub(super) fn no_match(content: &str, request: &Replace<'_>) -> ReplaceError {
    let old = WholeLines::of(request.old_str);
    if old.core().is_empty() {
        return ReplaceError::NoMatch(Box::new(NoMatch { cause: Some(Cause::Blank), nearest: Vec::new() }));
    }
    ReplaceError::NoMatch(Box::new(NoMatch {
        cause: cause(content, request, &old),
        nearest: nearest(content, request.old_str),
    }))
}

/// The first known reason that holds.
fn cause(content: &str, request: &Replace<'_>, old: &WholeLines<'_>) -> Option<Cause> {
    capped(content, request)
        .or_else(|| {
            let start = find_with_any_indentation(content, old, Level::SpacingNormalized)?;
            Some(Cause::OtherIndentation { line: line_of(content, start) })
        })
        .or_else(|| {
            let line = line_where_found(content, request, &without_line_numbers(&old.lines)?)?;
            Some(Cause::LineNumbers { line })
        })
        .or_else(|| {
            let line = line_where_found(content, request, &unescaped(request.old_str)?)?;
            Some(Cause::EscapedNewlines { line })
        })
        .or_else(|| elision(&old.lines))
        .or_else(|| other_case(content, request.old_str))
        .or_else(|| already_applied(content, request))
}

/// Whether a looser level than the request allows finds it.
fn capped(content: &str, request: &Replace<'_>) -> Option<Cause> {
    let looser = Level::ALL.into_iter().filter(|level| *level > request.loosest);
    looser.into_iter().find_map(|level| {
        let places = find(content, request, level);
        let first = places.kept.first()?;
        Some(Cause::Capped { level, line: line_of(content, first.span.start) })
    })
}

/// The line where a text other than `old_str` is found, at any level.
fn line_where_found(content: &str, request: &Replace<'_>, text: &str) -> Option<usize> {
    if WholeLines::of(text).core().is_empty() {
        return None;
    }
    let request = Replace { old_str: text, ..*request };
    Level::ALL.into_iter().find_map(|level| {
        let places = find(content, &request, level);
        places.kept.first().map(|place| line_of(content, place.span.start))
    })
}

/// Whether `new_str` stands in the content, as words of its own. When it is a piece of `old_str` that tells nothing.
fn already_applied(content: &str, request: &Replace<'_>) -> Option<Cause> {
    if request.old_str.contains(request.new_str) {
        return None;
    }
    let request = Replace { old_str: request.new_str, ..*request };
    let inside_word = |at: usize| {
        let is_letter = |c: char| c.is_alphanumeric() || c == '_';
        content[..at].ends_with(is_letter) && content[at..].starts_with(is_letter)
    };
    let starts = Level::ALL.into_iter().find_map(|level| {
        let places = find(content, &request, level);
        let mut spans = places.kept.into_iter().map(|place| place.span);
        spans.find(|span| !inside_word(span.start) && !inside_word(span.end)).map(|span| span.start)
    });
    starts.map(|start| Cause::AlreadyApplied { line: line_of(content, start) })
}

/// The lines without the numbers that some tools print before them (`12: x`, `12 | x`, `12<tab>x`), if all have one.
fn without_line_numbers(lines: &[&str]) -> Option<String> {
    let bare: Option<Vec<&str>> = lines.iter().map(|line| without_line_number(line)).collect();
    bare.map(|lines| lines.join("\n"))
}

fn without_line_number(line: &str) -> Option<&str> {
    let number = line.trim_start_matches(' ');
    let rest = number.trim_start_matches(|c: char| c.is_ascii_digit());
    if rest.len() == number.len() {
        return None;
    }
    ["\t", " | ", " |", "| ", "|", ": ", ":", "→"].into_iter().find_map(|mark| rest.strip_prefix(mark))
}

/// The text with `\n`, `\t` and `\"` written as two characters read as one, if there is a `\n` and no newline.
fn unescaped(text: &str) -> Option<String> {
    let escaped = text.contains("\\n") && !text.contains('\n');
    escaped.then(|| text.replace("\\n", "\n").replace("\\t", "\t").replace("\\\"", "\""))
}

/// A line that stands for lines that were left out.
fn elision(lines: &[&str]) -> Option<Cause> {
    let is_elision = |line: &&str| {
        let bare = line
            .trim()
            .trim_start_matches(['#', '/', '-', '*', '<', '!', ' '])
            .trim_end_matches(['*', '/', '-', '>', ' ']);
        (bare.starts_with("...") || bare.starts_with('…')) && bare.len() < 60
    };
    (lines.len() > 1 && lines.iter().any(is_elision)).then_some(Cause::Elision)
}

fn other_case(content: &str, old_str: &str) -> Option<Cause> {
    let pattern = Pattern::literal(old_str, Case::Insensitive).ok()?;
    let options = SearchOptions { context_lines: 0, limit: 1 };
    let found = search(content, &pattern, &options, &mut || true).ok()?;
    found.hits.first().map(|hit| Cause::OtherCase { line: hit.first_line })
}
