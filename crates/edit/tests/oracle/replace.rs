//! The oracle of replacing by text, level by level.

use std::ops::Range;

use interline_edit::{Level, LineEndings, Replace};

use super::lines::{Line, ending_of_span, is_blank_line, line_number, lines, texts, trimmed};
use super::{line_pairs, occurrences, whole_lines};

/// What a replacement shall come to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ReplaceOutcome {
    /// Replaced in these byte ranges.
    Applied { after: String, level: Level, line: usize, ranges: Vec<Range<usize>> },
    /// Not found, or `new_str` cannot be indented as the place demands.
    NoMatch,
    /// Another number of matches than expected, or matches that overlap; with the lines of the first 20.
    MultipleMatches { total: usize, level: Level, lines: Vec<usize> },
    /// The request makes no sense.
    Invalid,
}

/// The outcome that the contract demands.
pub(crate) fn replace(content: &str, request: &Replace<'_>) -> ReplaceOutcome {
    if request.old_str.is_empty() || request.expected_matches == 0 {
        return ReplaceOutcome::Invalid;
    }
    for level in Level::ALL.into_iter().filter(|level| *level <= request.loosest) {
        if level == Level::Exact {
            if let Some(outcome) = at_exact(content, request) {
                return outcome;
            }
            continue;
        }
        if let Some(outcome) = above_exact(level, content, request, LastLine::AsGiven) {
            return outcome;
        }
        // A final `\r` that is no character of the content is that of a line's ending.
        if request.old_str.ends_with('\r') {
            let request = Replace {
                old_str: without_carriage_return(request.old_str),
                new_str: without_carriage_return(request.new_str),
                ..*request
            };
            if let Some(outcome) = above_exact(level, content, &request, LastLine::WithEnding) {
                return outcome;
            }
        }
    }
    ReplaceOutcome::NoMatch
}

/// The text without a final `\r`.
pub(crate) fn without_carriage_return(text: &str) -> &str {
    text.strip_suffix('\r').unwrap_or(text)
}

/// How the last line of `old_str` may end in the content.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum LastLine {
    /// Anywhere, as it was given.
    AsGiven,
    /// With a line ending, of which `old_str` had the `\r`.
    WithEnding,
}

/// The outcome at a level above `exact`; `None` when nothing is found.
pub(crate) fn above_exact(
    level: Level,
    content: &str,
    request: &Replace<'_>,
    last: LastLine,
) -> Option<ReplaceOutcome> {
    if texts(request.old_str).iter().all(|line| is_blank_line(line)) {
        return None;
    }
    match level {
        Level::WhitespaceNormalized => at_whitespace_normalized(content, request, last),
        _ => whole_lines::at(level, content, request),
    }
}

/// The refusal when the matches are not as many as expected; `overlap` says whether two neighbours overlap.
pub(crate) fn refusal(
    content: &str,
    request: &Replace<'_>,
    level: Level,
    ranges: &[Range<usize>],
    overlap: bool,
) -> Option<ReplaceOutcome> {
    let total = ranges.len();
    let lines = ranges.iter().take(20).map(|place| line_number(content, place.start)).collect();
    (total != request.expected_matches || overlap).then_some(ReplaceOutcome::MultipleMatches { total, level, lines })
}

/// The outcome of replacing the matches of a level that does not compare whole lines; `None` when there are none.
fn spliced(
    content: &str,
    request: &Replace<'_>,
    level: Level,
    ranges: Vec<Range<usize>>,
    text_for: impl Fn(usize) -> String,
) -> Option<ReplaceOutcome> {
    if ranges.is_empty() {
        return None;
    }
    let overlap = ranges.windows(2).any(|pair| pair[1].start < pair[0].end);
    if let Some(refusal) = refusal(content, request, level, &ranges, overlap) {
        return Some(refusal);
    }
    let mut after = content.to_owned();
    for (index, place) in ranges.iter().enumerate().rev() {
        after.replace_range(place.clone(), &text_for(index));
    }
    let line = line_number(content, ranges[0].start);
    Some(ReplaceOutcome::Applied { after, level, line, ranges })
}

fn at_exact(content: &str, request: &Replace<'_>) -> Option<ReplaceOutcome> {
    let ranges = exact_places(content, request.old_str);
    let spans = ranges.clone();
    spliced(content, request, Level::Exact, ranges, |index| {
        let span = &spans[index];
        // A place that is shorter than `old_str` leaves the `\r` of both texts to the line ending after it.
        let new =
            if span.len() < request.old_str.len() { without_carriage_return(request.new_str) } else { request.new_str };
        match request.line_endings {
            LineEndings::Literal => new.to_owned(),
            LineEndings::Match => texts(new).join(&ending_of_span(content, span)),
        }
    })
}

/// The places of a text, byte for byte: none begins between `\r` and `\n`, and one that ends there ends before both, and is
/// not empty unless its line is.
pub(crate) fn exact_places(content: &str, text: &str) -> Vec<Range<usize>> {
    let splits_an_ending = |offset: usize| content[..offset].ends_with('\r') && content[offset..].starts_with('\n');
    let mut places = occurrences(content, text);
    places.retain(|place| !splits_an_ending(place.start));
    for place in &mut places {
        if splits_an_ending(place.end) {
            place.end -= 1;
        }
    }
    places.retain(|place| !place.is_empty() || place.start == 0 || content[..place.start].ends_with('\n'));
    places
}

/// A place at `whitespace_normalized`: it starts on the content line `first`.
struct Loose {
    first: usize,
    span: Range<usize>,
}

fn at_whitespace_normalized(content: &str, request: &Replace<'_>, last: LastLine) -> Option<ReplaceOutcome> {
    let lines = lines(content);
    let found: Vec<Loose> = (0..lines.len())
        .filter_map(|first| loose_place(&lines, first, request.old_str, request.line_endings, last))
        .collect();
    let ranges = found.iter().map(|place| place.span.clone()).collect();
    spliced(content, request, Level::WhitespaceNormalized, ranges, |index| match request.line_endings {
        LineEndings::Literal => request.new_str.to_owned(),
        LineEndings::Match => loose_text(content, &lines, &found[index], request),
    })
}

/// The place that starts on the line `first`, if `old_str` is there.
fn loose_place(
    lines: &[Line],
    first: usize,
    old_str: &str,
    endings: LineEndings,
    last_line: LastLine,
) -> Option<Loose> {
    let segments = texts(old_str);
    let last = first + segments.len() - 1;
    if last >= lines.len() || last_line == LastLine::WithEnding && lines[last].ending.is_empty() {
        return None;
    }
    let head = trimmed(&segments[0]);
    let head_line = &lines[first];
    if !trimmed(&head_line.text).ends_with(head) {
        return None;
    }
    // A first line of blanks only is read as empty: the span begins at the line ending.
    let start = match head {
        "" => head_line.text_end(),
        _ => head_line.start + trimmed(&head_line.text).len() - head.len(),
    };
    if segments.len() == 1 {
        let end = end_of_loose_place(head_line, start + head.len(), endings);
        return Some(Loose { first, span: start..end });
    }
    for middle in 1..segments.len() - 1 {
        if trimmed(&segments[middle]) != trimmed(&lines[first + middle].text) {
            return None;
        }
    }
    let (tail, tail_line) = (&segments[segments.len() - 1], &lines[last]);
    if tail.is_empty() && last_line == LastLine::AsGiven {
        return Some(Loose { first, span: start..tail_line.start });
    }
    let length = if last_line == LastLine::AsGiven && tail_line.text.starts_with(tail.as_str()) {
        tail.len()
    } else if trimmed(tail) == trimmed(&tail_line.text) {
        trimmed(tail).len()
    } else {
        return None;
    };
    Some(Loose { first, span: start..end_of_loose_place(tail_line, tail_line.start + length, endings) })
}

/// Under `match`, blanks that follow up to the end of the line's text belong to the span.
fn end_of_loose_place(line: &Line, end: usize, endings: LineEndings) -> usize {
    let reaches_the_end = is_blank_line(&line.text[end - line.start..]);
    if endings == LineEndings::Match && reaches_the_end { line.text_end() } else { end }
}

/// What stands in the span afterwards, under `match`.
fn loose_text(content: &str, lines: &[Line], place: &Loose, request: &Replace<'_>) -> String {
    let (old, mut new) = (texts(request.old_str), texts(request.new_str));
    // An `old_str` with and a `new_str` without final newline does not join lines.
    if request.old_str.ends_with('\n') && !request.new_str.is_empty() && !request.new_str.ends_with('\n') {
        new.push(String::new());
    }
    let span_ending = ending_of_span(content, &place.span);
    let mut result = String::new();
    for (index, kept) in line_pairs::pair(&old, &new).into_iter().enumerate() {
        let mut ending = &span_ending;
        match kept.map(|kept| &lines[place.first + kept]) {
            Some(line) => {
                let (start, end) = (line.start.max(place.span.start), line.text_end().min(place.span.end));
                result.push_str(&content[start..end]);
                // A line that goes on after the span has no ending in it.
                if !line.ending.is_empty() && end == line.text_end() {
                    ending = &line.ending;
                }
            }
            None => result.push_str(&new[index]),
        }
        if index + 1 < new.len() {
            result.push_str(ending);
        }
    }
    result
}
