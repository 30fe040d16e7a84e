//! The oracle of replacing by text, level by level.

use std::collections::BTreeSet;
use std::ops::Range;

use interline_edit::{Level, LineEndings, Replace};

use super::classes::note;
use super::lines::{
    Line, cuts_a_word, ending_of_span, is_blank_line, line_number, lines, split_indent, texts, trimmed,
};
use super::{line_pairs, loose_refusals, occurrences, whole_lines};

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
        _ if is_weak(request.old_str) => {
            note("weak evidence");
            None
        }
        _ => whole_lines::at(level, content, request),
    }
}

/// Whether a text says too little to be looked for loosely: no letter or digit, and fewer than four different lines.
fn is_weak(old_str: &str) -> bool {
    let lines = texts(old_str);
    let different: BTreeSet<&str> = lines.iter().map(|line| trimmed(split_indent(line).1)).collect();
    let with_text = different.iter().filter(|line| !line.is_empty()).count();
    !old_str.chars().any(char::is_alphanumeric) && with_text < 4
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

/// A place and the text that it becomes; `None` if that cannot be told.
type PlaceAndText = (Range<usize>, Option<String>);

/// The outcome of replacing these places at `exact` or `whitespace_normalized`; `None` when there are none.
fn spliced(content: &str, request: &Replace<'_>, level: Level, places: Vec<PlaceAndText>) -> Option<ReplaceOutcome> {
    let ranges: Vec<Range<usize>> = places.iter().map(|(range, _)| range.clone()).collect();
    if ranges.is_empty() {
        return None;
    }
    let overlap = ranges.windows(2).any(|pair| pair[1].start < pair[0].end);
    if let Some(refusal) = refusal(content, request, level, &ranges, overlap) {
        return Some(refusal);
    }
    let mut after = content.to_owned();
    for (range, text) in places.into_iter().rev() {
        let Some(text) = text else { return Some(ReplaceOutcome::NoMatch) };
        after.replace_range(range, &text);
    }
    let line = line_number(content, ranges[0].start);
    Some(ReplaceOutcome::Applied { after, level, line, ranges })
}

fn at_exact(content: &str, request: &Replace<'_>) -> Option<ReplaceOutcome> {
    let places = exact_places(content, request.old_str).into_iter().map(|span| {
        let new = exact_text(request, &span);
        let text = match request.line_endings {
            LineEndings::Literal => new.to_owned(),
            LineEndings::Match => texts(new).join(&ending_of_span(content, &span)),
        };
        (span, Some(text))
    });
    spliced(content, request, Level::Exact, places.collect())
}

/// `new_str` for an exact place: one that is shorter than `old_str` leaves the `\r` of both texts to the line ending after
/// it.
pub(crate) fn exact_text<'a>(request: &Replace<'a>, span: &Range<usize>) -> &'a str {
    if span.len() < request.old_str.len() { without_carriage_return(request.new_str) } else { request.new_str }
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
    /// Where the matched text ends; the span may take in blanks after it.
    matched_end: usize,
    /// Whether the span begins with the line ending that `old_str` begins with.
    begins_with_newline: bool,
}

fn at_whitespace_normalized(content: &str, request: &Replace<'_>, last: LastLine) -> Option<ReplaceOutcome> {
    let lines = lines(content);
    let mut found: Vec<Loose> = (0..lines.len())
        .filter_map(|first| loose_place(&lines, first, request.old_str, request.line_endings, last))
        .collect();
    let all = found.len();
    found.retain(|place| !cuts_a_word(content, place.span.start) && !cuts_a_word(content, place.matched_end));
    if found.len() < all {
        note("words cut");
    }
    let places = found.into_iter().map(|place| match is_whole_line_edit(&lines, &place, request) {
        true => {
            note("whole-line edit");
            whole_lines::fit_line(content, request, place.first)
        }
        false if loose_refusals::loses_indentation(&lines[place.first], &place.span, request) => {
            (place.span.clone(), None)
        }
        false if loses_cells(content, &lines, &place, request) => (place.span.clone(), None),
        false => {
            let text = match request.line_endings {
                LineEndings::Literal => request.new_str.to_owned(),
                LineEndings::Match => loose_text(content, &lines, &place, request),
            };
            (place.span.clone(), Some(unjoined(content, &place, request, text)))
        }
    });
    spliced(content, request, Level::WhitespaceNormalized, places.collect())
}

/// Whether only indentation stands before the one line of `old_str`, and several lines are written.
fn is_whole_line_edit(lines: &[Line], place: &Loose, request: &Replace<'_>) -> bool {
    let (old, new) = (texts(request.old_str), texts(request.new_str));
    let before = &lines[place.first].text[..place.span.start - lines[place.first].start];
    !is_blank_line(&old[0])
        && old[1..].iter().all(|line| is_blank_line(line))
        && !before.is_empty()
        && is_blank_line(before)
        && new[1..].iter().any(|line| !is_blank_line(line))
}

fn first_line_is_blank(text: &str) -> bool {
    text.contains('\n') && is_blank_line(&texts(text)[0])
}

/// The new text with line endings where `old_str` had one at its edge and lines would be joined.
fn unjoined(content: &str, place: &Loose, request: &Replace<'_>, mut text: String) -> String {
    let (before, after) = (&content[..place.span.start], &content[place.span.end..]);
    let ending = ending_of_span(content, &place.span);
    if request.new_str.is_empty() {
        // Nothing is written but line endings where they are missing: then no line of the document is kept either.
        let starts = before.is_empty() || before.ends_with('\n');
        let missing_first = place.begins_with_newline && !after.is_empty() && !first_line_is_blank(after);
        let missing_last = request.old_str.ends_with('\n') && !missing_first && !starts;
        return if missing_first || missing_last { ending } else { text };
    }
    let follows = if text.is_empty() { after } else { &text };
    if place.begins_with_newline && !follows.is_empty() && !first_line_is_blank(follows) {
        note("joined at the start");
        text.insert_str(0, &ending);
    }
    let removes_lines = request.new_str.is_empty() && (before.is_empty() || before.ends_with('\n'));
    let precedes = if text.is_empty() { before } else { &text };
    // Under `match` a text counts as ended, and was written so.
    let is_ended = request.line_endings == LineEndings::Match && !request.new_str.is_empty();
    let ends_lines =
        is_ended || removes_lines || request.new_str.ends_with('\n') || precedes.is_empty() || precedes.ends_with('\n');
    if request.old_str.ends_with('\n') && !ends_lines {
        note("joined at the end");
        text.push_str(&ending);
    }
    text
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
    // A first line of blanks only is read as empty, and the span begins at the line ending; unless it stands for a line
    // of blanks, which belongs to the span whole.
    let stands_for_a_line = !segments[0].is_empty() && is_blank_line(&head_line.text);
    let begins_with_newline = head.is_empty() && !stands_for_a_line;
    let start = match head {
        "" if stands_for_a_line => head_line.start,
        "" => head_line.text_end(),
        _ => head_line.start + trimmed(&head_line.text).len() - head.len(),
    };
    if segments.len() == 1 {
        let matched_end = start + head.len();
        let end = end_of_loose_place(head_line, matched_end, endings);
        return Some(Loose { first, span: start..end, matched_end, begins_with_newline });
    }
    for middle in 1..segments.len() - 1 {
        if trimmed(&segments[middle]) != trimmed(&lines[first + middle].text) {
            return None;
        }
    }
    let (tail, tail_line) = (&segments[segments.len() - 1], &lines[last]);
    if tail.is_empty() && last_line == LastLine::AsGiven {
        let end = tail_line.start;
        return Some(Loose { first, span: start..end, matched_end: end, begins_with_newline });
    }
    let length = if last_line == LastLine::AsGiven && tail_line.text.starts_with(tail.as_str()) {
        tail.len()
    } else if trimmed(tail) == trimmed(&tail_line.text) {
        trimmed(tail).len()
    } else {
        return None;
    };
    let matched_end = tail_line.start + length;
    let end = end_of_loose_place(tail_line, matched_end, endings);
    Some(Loose { first, span: start..end, matched_end, begins_with_newline })
}

/// Under `match`, blanks that follow up to the end of the line's text belong to the span.
fn end_of_loose_place(line: &Line, end: usize, endings: LineEndings) -> usize {
    let reaches_the_end = is_blank_line(&line.text[end - line.start..]);
    if endings == LineEndings::Match && reaches_the_end { line.text_end() } else { end }
}

fn loses_cells(content: &str, lines: &[Line], place: &Loose, request: &Replace<'_>) -> bool {
    let new = loose_new_lines(place, request);
    let pairs = loose_pairs(content, place, request, &new);
    loose_refusals::loses_cells(lines, &place.span, request, (&new, &pairs))
}

/// Which of the new lines are lines of `old_str`.
fn loose_pairs(content: &str, place: &Loose, request: &Replace<'_>, new: &[String]) -> Vec<Option<usize>> {
    let old = texts(request.old_str);
    let after = &content[place.span.end..];
    let ends_a_line = after.is_empty() || after.starts_with('\n') || after.starts_with("\r\n");
    match ends_a_line && !request.old_str.ends_with('\n') {
        true => line_pairs::pair(&old, new),
        false => line_pairs::pair_before_text(&old, new),
    }
}

/// The lines of `new_str`, with those that keep the lines beside the place apart.
fn loose_new_lines(place: &Loose, request: &Replace<'_>) -> Vec<String> {
    let mut new = texts(request.new_str);
    // An `old_str` with and a `new_str` without final newline does not join lines.
    if request.old_str.ends_with('\n') && !request.new_str.is_empty() && !request.new_str.ends_with('\n') {
        new.push(String::new());
    }
    // Nor does an `old_str` that begins with a newline: the line that it keeps apart is one of the new lines.
    if place.begins_with_newline && !request.new_str.is_empty() && !(new.len() > 1 && is_blank_line(&new[0])) {
        note("joined at the start");
        new.insert(0, String::new());
    }
    new
}

/// What stands in the span afterwards, under `match`.
fn loose_text(content: &str, lines: &[Line], place: &Loose, request: &Replace<'_>) -> String {
    let new = loose_new_lines(place, request);
    let span_ending = ending_of_span(content, &place.span);
    let mut result = String::new();
    for (index, kept) in loose_pairs(content, place, request, &new).into_iter().enumerate() {
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
