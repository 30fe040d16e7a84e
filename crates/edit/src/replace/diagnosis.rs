//! Makes the errors of a replacement: the cause of a `no_match`, and the locations of `multiple_matches`.

use std::ops::Range;

use crate::excerpt::bounded_excerpt;
use crate::lines::{Line, is_blank_text, line_of};
use crate::search::{Case, Pattern, SearchOptions, search};

use super::matches::{MAX_SHOWN_MATCHES, OldStrMatch, OldStrMatches};
use super::nearest::{SimilarLines, nearest, similar_lines};
use super::recovery::recover;
use super::rewrite::RewriteError;
use super::whole_lines::{WholeLines, find_with_any_indentation};
use super::{Level, MatchLocation, MultipleMatches, NoMatch, NoMatchCause, Replace, ReplaceError, find};

/// Lines shown around each of several matches.
const CONTEXT_LINES: usize = 2;
/// Bytes that the contexts of all matches together may take.
const MAX_CONTEXT_BYTES: usize = 32 * 1024;

/// The error for not as many matches as expected, or for matches that overlap.
pub(super) fn multiple_matches(
    content: &str,
    request: &Replace<'_>,
    level: Level,
    matches: &OldStrMatches,
) -> Box<MultipleMatches> {
    let shown = &matches.kept[..matches.kept.len().min(MAX_SHOWN_MATCHES)];
    let share = MAX_CONTEXT_BYTES / shown.len().max(1);
    let (mut counted, mut line) = (0, 1);
    let locations = shown.iter().map(|OldStrMatch { span, .. }| {
        line += line_of(&content[counted..], span.start - counted) - 1;
        counted = span.start;
        MatchLocation { line, context: bounded_excerpt(content, span, CONTEXT_LINES, share) }
    });
    Box::new(MultipleMatches {
        expected: request.expected_matches,
        level,
        locations: locations.collect(),
        total: matches.total,
    })
}

/// The error for a match that `new_str` cannot replace.
pub(super) fn cannot_rewrite(
    content: &str,
    request: &Replace<'_>,
    found: &OldStrMatch,
    error: &RewriteError,
) -> ReplaceError {
    match error {
        RewriteError::TooLarge => ReplaceError::ResultTooLarge { max_result_bytes: request.max_result_bytes },
        RewriteError::CannotIndent { new_line } => {
            let line = line_of(content, found.span.start);
            let cause = Some(NoMatchCause::CannotIndent { new_line: new_line + 1, line });
            ReplaceError::NoMatch(Box::new(NoMatch { cause, ..NoMatch::default() }))
        }
        RewriteError::LostBlanks { at } => {
            let cause = Some(NoMatchCause::LostBlanks { line: line_of(content, *at) });
            ReplaceError::NoMatch(Box::new(NoMatch { cause, ..NoMatch::default() }))
        }
    }
}

/// The error for an `old_str` that was not found at any level that was allowed.
pub(super) fn no_match(content: &str, request: &Replace<'_>) -> Box<NoMatch> {
    diagnose(content, request).0
}

/// The same for a request to replace it, with the change that seems to be meant.
pub(super) fn no_match_to_replace(content: &str, request: &Replace<'_>) -> Box<NoMatch> {
    let (mut none, similar) = diagnose(content, request);
    // What has a known cause is not a slip in one line.
    if none.cause.is_none() {
        none.merged = recover(content, request, &similar);
    }
    none
}

fn diagnose(content: &str, request: &Replace<'_>) -> (Box<NoMatch>, Vec<SimilarLines>) {
    let old = WholeLines::new(request.old_str);
    if old.core().is_empty() {
        return (Box::new(NoMatch { cause: Some(NoMatchCause::Blank), ..NoMatch::default() }), Vec::new());
    }
    let similar = similar_lines(content, request.old_str);
    let cause = cause(content, request, &old);
    let nearest = nearest(content, request.old_str, &similar);
    (Box::new(NoMatch { cause, nearest, merged: None }), similar)
}

/// The first known cause that holds.
fn cause(content: &str, request: &Replace<'_>, old: &WholeLines<'_>) -> Option<NoMatchCause> {
    capped(content, request)
        .or_else(|| already_applied(content, request, &[Level::Exact]))
        .or_else(|| {
            let start = find_with_any_indentation(content, old, Level::SpacingNormalized)?;
            Some(NoMatchCause::OtherIndentation { line: line_of(content, start) })
        })
        .or_else(|| line_numbers(content, request, &old.lines))
        .or_else(|| {
            let line = line_where_found(content, request, &unescaped(request.old_str)?)?;
            Some(NoMatchCause::EscapedNewlines { line })
        })
        .or_else(|| {
            let line = line_where_found(content, request, &without_escaped_quotes(request.old_str)?)?;
            Some(NoMatchCause::EscapedQuotes { line })
        })
        .or_else(|| other_case(content, request.old_str))
        .or_else(|| already_applied(content, request, &Level::ALL))
        .or_else(|| elision(content, &old.lines))
}

/// Whether a looser level than the request allows finds `old_str`.
fn capped(content: &str, request: &Replace<'_>) -> Option<NoMatchCause> {
    let mut looser = Level::ALL.into_iter().filter(|level| *level > request.loosest);
    looser.find_map(|level| {
        let matches = find(content, request, level, 1);
        let first = matches.kept.first()?;
        Some(NoMatchCause::Capped { level, line: line_of(content, first.span.start) })
    })
}

/// The line where a text other than `old_str` is found, at any level.
fn line_where_found(content: &str, request: &Replace<'_>, text: &str) -> Option<usize> {
    if WholeLines::new(text).core().is_empty() {
        return None;
    }
    let request = Replace { old_str: text, ..*request };
    Level::ALL.into_iter().find_map(|level| {
        let matches = find(content, &request, level, MAX_SHOWN_MATCHES);
        matches.kept.first().map(|first| line_of(content, first.span.start))
    })
}

/// Whether `new_str` is already in the content. A word or two inside a line prove nothing, and neither does a piece of
/// `old_str`.
fn already_applied(content: &str, request: &Replace<'_>, levels: &[Level]) -> Option<NoMatchCause> {
    const MIN_CHARS: usize = 10;
    let new = request.new_str;
    if request.old_str.contains(new) || WholeLines::new(new).core().is_empty() {
        return None;
    }
    let is_letter = |c: char| c.is_alphanumeric() || c == '_';
    let inside_word = |at: usize| content[..at].ends_with(is_letter) && content[at..].starts_with(is_letter);
    let is_line_edge = |at: usize| {
        let line = Line::containing(content, at);
        let (before, after) = (&content[line.start..at], &content[at..line.text_end.max(at)]);
        is_blank_text(before) || is_blank_text(after)
    };
    let is_proof = |span: &Range<usize>| {
        let whole_lines = is_line_edge(span.start) && is_line_edge(span.end) && new.contains(char::is_alphanumeric);
        let words = new.chars().count() >= MIN_CHARS && !inside_word(span.start) && !inside_word(span.end);
        whole_lines || words
    };
    let request = Replace { old_str: new, ..*request };
    let start = levels.iter().find_map(|level| {
        let matches = find(content, &request, *level, MAX_SHOWN_MATCHES);
        matches.kept.into_iter().map(|found| found.span).find(is_proof).map(|span| span.start)
    });
    start.map(|start| NoMatchCause::AlreadyApplied { line: line_of(content, start) })
}

/// Whether `old_str` is in the content without the numbers that some tools print before lines (`12: x`, `12 | x`, `12<tab>x`).
///
/// One number alone must be that of the line; several must count.
fn line_numbers(content: &str, request: &Replace<'_>, lines: &[&str]) -> Option<NoMatchCause> {
    let numbered: Vec<(usize, &str)> = lines.iter().map(|line| split_line_number(line)).collect::<Option<_>>()?;
    let bare: Vec<&str> = numbered.iter().map(|(_, line)| *line).collect();
    let line = line_where_found(content, request, &bare.join("\n"))?;
    let counts = numbered.windows(2).all(|pair| pair[1].0 == pair[0].0 + 1);
    let plausible = if numbered.len() > 1 { counts } else { numbered[0].0 == line };
    plausible.then_some(NoMatchCause::LineNumbers { line })
}

fn split_line_number(line: &str) -> Option<(usize, &str)> {
    let number = line.trim_start_matches(' ');
    let rest = number.trim_start_matches(|c: char| c.is_ascii_digit());
    let number = number[..number.len() - rest.len()].parse().ok()?;
    let bare = ["\t", " | ", " |", "| ", "|", ": ", ":", "→"].into_iter().find_map(|mark| rest.strip_prefix(mark))?;
    Some((number, bare))
}

/// The text with `\n`, `\t` and `\"` written as two characters read as one, if there is a `\n` and no newline.
fn unescaped(text: &str) -> Option<String> {
    let escaped = text.contains("\\n") && !text.contains('\n');
    escaped.then(|| text.replace("\\n", "\n").replace("\\t", "\t").replace("\\\"", "\""))
}

/// The text with `\"`, `\'` and `` \` `` read as the quotes alone, if there are any.
fn without_escaped_quotes(text: &str) -> Option<String> {
    const QUOTES: [(&str, &str); 3] = [("\\\"", "\""), ("\\'", "'"), ("\\`", "`")];
    let escaped = QUOTES.iter().any(|(escaped, _)| text.contains(escaped));
    escaped.then(|| QUOTES.iter().fold(text.to_owned(), |text, (escaped, quote)| text.replace(escaped, quote)))
}

/// A line that stands for lines that were left out, and is not in the content.
fn elision(content: &str, lines: &[&str]) -> Option<NoMatchCause> {
    /// How many such lines are searched for in the content.
    const MAX_LINES: usize = 4;
    let elisions = lines.iter().enumerate().filter(|(_, line)| is_elision(line)).take(MAX_LINES);
    let mut missing = elisions.filter(|(_, line)| !content.contains(line.trim()));
    let (index, _) = missing.next().filter(|_| lines.len() > 1)?;
    Some(NoMatchCause::Elision { old_line: index + 1 })
}

/// Whether a line stands for others: dots alone, in brackets or before words (`...`, `[...]`, `... rest unchanged`), a comment
/// that begins with dots (`/* … */`, `// ...existing code...`), or a comment or brackets that say so (`(unchanged)`).
fn is_elision(line: &str) -> bool {
    const COMMENTS: [&str; 9] = ["//", "#", "/*", "<!--", "--", "%", ";", "*", "{/*"];
    const BRACKETS: [char; 4] = ['(', '[', '{', '<'];
    const MARKS: [char; 14] = ['#', '/', '-', '*', '<', '!', '>', '{', '}', '[', ']', '%', ';', '('];
    const FIRST_WORDS: [&str; 5] = ["rest of the", "rest of code", "remaining code", "existing code", "unchanged"];
    const LAST_WORDS: [&str; 8] =
        ["unchanged", "omitted", "truncated", "snip", "as before", "as above", "the same", "existing code"];
    /// A longer line says more than that.
    const MAX_CHARS: usize = 100;
    let line = line.trim();
    if line.chars().nth(MAX_CHARS).is_some() {
        return false;
    }
    let is_comment = COMMENTS.iter().any(|mark| line.starts_with(mark));
    let bare = line.trim_matches(|c: char| MARKS.contains(&c) || c == ')' || c.is_whitespace());
    match bare.strip_prefix("...").or_else(|| bare.strip_prefix('…')) {
        Some(rest) => is_comment || rest.is_empty() || rest.starts_with(' ') || rest.ends_with(['.', '…']),
        None => {
            let words = bare.trim_end_matches(['.', '…']).to_ascii_lowercase();
            let says_so = FIRST_WORDS.iter().any(|first| words.starts_with(first))
                || LAST_WORDS.iter().any(|last| words.ends_with(last));
            says_so && words.split(' ').count() <= 6 && (is_comment || line.starts_with(BRACKETS))
        }
    }
}

fn other_case(content: &str, old_str: &str) -> Option<NoMatchCause> {
    // A long text in other case is no slip.
    const MAX_BYTES: usize = 16 * 1024;
    if old_str.len() > MAX_BYTES {
        return None;
    }
    let pattern = Pattern::literal(old_str, Case::Insensitive).ok()?;
    let options = SearchOptions { context_lines: 0, limit: 1 };
    let found = search(content, &pattern, &options, &mut || true).ok()?;
    // The text itself is not exact where it begins inside a line ending; that is not a matter of case.
    let hit = found.hits.first().filter(|hit| &content[hit.range.clone()] != old_str)?;
    Some(NoMatchCause::OtherCase { line: hit.first_line })
}
