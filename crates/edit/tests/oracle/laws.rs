//! Laws that hold for every edit, diff and outline, whatever the rules of matching are. Every function panics where its
//! law is broken.

use std::ops::Range;

use interline_edit::{
    Case, Edit, Insert, InsertError, InsertPosition, Level, LineEndings, NoMatchCause, OutlineKind, Pattern, Replace,
    ReplaceError, Replacement, SearchOptions, diff, insert, markdown_outline, read_lines, replace, search,
};

use super::apply_diff;
use super::laws_of_matching;
use super::lines::{Line, line_number, lines, texts, texts_without_final_newline};
use super::replace::{exact_places, without_carriage_return};

/// All laws of one replacement; returns the text afterwards, if there is one.
pub(crate) fn replacement(content: &str, request: &Replace<'_>) -> Option<String> {
    let answer = replace(content, request);
    assert_eq!(answer, replace(content, request), "the same request gives the same answer");
    caps_only_refuse(content, request);
    exact_wins(content, request, &answer);
    search_counts_the_same(content, request.old_str);
    let done = answer.ok()?;
    let after = edit(content, &done.edit);
    // Several changes may together change nothing; one may not.
    let changes = done.edit.splices().len();
    assert!(changes == 0 || changes > 1 || after != content, "an edit is empty when nothing changes");
    assert_eq!(done.ranges.len(), request.expected_matches);
    assert_eq!(done.line, line_number(content, done.ranges[0].start));
    assert!(done.ranges.windows(2).all(|pair| pair[0].end <= pair[1].start), "ranges are in order: {:?}", done.ranges);
    only_the_matches_change(content, request, &done);
    laws_of_matching::replacement(content, &after, request, done.level, &done.ranges);
    if done.level == Level::Exact && request.line_endings == LineEndings::Literal {
        let mut verbatim = content.to_owned();
        for place in done.ranges.iter().rev() {
            let whole = place.len() == request.old_str.len();
            let new = if whole { request.new_str } else { without_carriage_return(request.new_str) };
            verbatim.replace_range(place.clone(), new);
        }
        assert_eq!(after, verbatim, "`new_str` is taken verbatim");
    }
    Some(after)
}

/// The laws of an edit by itself; returns the text afterwards.
pub(crate) fn edit(content: &str, edit: &Edit) -> String {
    let after = edit.apply(content).unwrap();
    let undo = edit.invert(content).unwrap();
    assert_eq!(undo.apply(&after).unwrap(), content, "an inverted edit undoes it");
    assert_eq!(undo.invert(&after).unwrap().apply(content).unwrap(), after, "inverted twice it does the same again");
    assert!(Edit::new(edit.splices().to_vec()).is_some(), "splices are in order: {edit:?}");
    unified_diff(content, &after, &edit.diff(content).unwrap());
    unified_diff(&after, content, &undo.diff(&after).unwrap());
    after
}

/// All laws of one insertion; returns the text afterwards, if there is one.
pub(crate) fn insertion(content: &str, request: &Insert<'_>) -> Option<String> {
    let answer = insert(content, request);
    assert_eq!(answer, insert(content, request), "the same request gives the same answer");
    if let Err(InsertError::NoMatch(none)) = &answer {
        assert!(
            !matches!(none.cause, Some(NoMatchCause::AlreadyApplied { .. } | NoMatchCause::CannotIndent { .. })),
            "{none:?}"
        );
    }
    let done = answer.ok()?;
    let after = edit(content, &done.edit);
    let [splice] = done.edit.splices() else { panic!("one splice: {done:?}") };
    assert!(splice.range.is_empty(), "nothing goes: {done:?}");
    let exact = Insert { max_result_bytes: after.len(), ..*request };
    assert_eq!(insert(content, &exact).as_ref(), Ok(&done), "it fits");
    let short = Insert { max_result_bytes: after.len() - 1, ..*request };
    assert!(matches!(insert(content, &short), Err(InsertError::ResultTooLarge { .. })), "a byte less does not do");
    // A final `\r` may be that of the line ending before which the text goes.
    let first_line = texts(request.new_str).swap_remove(0);
    let first_line = without_carriage_return(&first_line);
    match request.position {
        InsertPosition::After(_) | InsertPosition::Before(_) => {
            assert!(done.level.is_some_and(|level| level <= request.loosest.min(Level::WhitespaceNormalized)));
            let as_read = ["", "\r"].map(|start| start.to_owned() + without_carriage_return(request.new_str));
            let verbatim = splice.text == request.new_str || as_read.contains(&splice.text);
            assert!(request.line_endings == LineEndings::Match || verbatim, "verbatim");
            assert!(read_lines(&after, done.line, done.line).unwrap().contains(first_line));
        }
        InsertPosition::Start | InsertPosition::End => {
            assert_eq!(done.level, None);
            // A blank line that comes last, perhaps as it is read, looks like a final newline.
            let last = texts_without_final_newline(request.new_str).pop();
            let blank_last = last.is_none_or(|last| without_carriage_return(&last).is_empty());
            let same_end = after.ends_with('\n') == content.ends_with('\n');
            assert!(content.is_empty() || blank_last || same_end, "no final newline comes or goes: {after:?}");
            let line = read_lines(&after, done.line, done.line).unwrap();
            assert!(line.strip_prefix(first_line).is_some_and(|rest| matches!(rest, "" | "\r" | "\r\r")), "{line:?}");
        }
    }
    Some(after)
}

/// The laws of edits in a row, each made for the text that the one before it leaves: together they are one edit, in
/// whatever order they are put together.
pub(crate) fn composition(content: &str, edits: &[Edit]) {
    let mut after = content.to_owned();
    let mut from_left = Edit::default();
    for edit in edits {
        after = edit.apply(&after).unwrap();
        from_left = from_left.then(edit).unwrap();
    }
    assert_eq!(edit(content, &from_left), after, "together they do what they do one after the other");
    let apart = |pair: &[interline_edit::Splice]| pair[0].range.end < pair[1].range.start;
    assert!(from_left.splices().windows(2).all(apart), "splices do not touch: {from_left:?}");
    let from_right = edits.iter().rev().fold(Edit::default(), |later, edit| edit.then(&later).unwrap());
    assert_eq!(from_right, from_left, "the order of putting together does not matter");
    let undo = from_left.invert(content).unwrap();
    let nothing = from_left.then(&undo).unwrap();
    assert_eq!(nothing.apply(content).unwrap(), content, "an edit and its undo change nothing");
    for context_lines in 0..3 {
        changed_lines(content, &after, &from_left, context_lines);
    }
}

/// Lines outside the changed ones are, in order, lines of the text before.
fn changed_lines(before: &str, after: &str, edit: &Edit, context_lines: usize) {
    let changed = edit.changed_lines(after, context_lines).unwrap();
    assert_eq!(changed.is_empty(), edit.is_empty());
    let lines: Vec<&str> = after.split_inclusive('\n').collect();
    let total = after.split('\n').count();
    let mut before = before.split_inclusive('\n');
    let mut next = 1;
    for range in &changed {
        assert!(range.start_line <= range.end_line && range.end_line <= total, "{changed:?}");
        assert!(next == 1 || range.start_line > next + 2 * context_lines, "contexts do not meet: {changed:?}");
        for line in &lines[next - 1..range.start_line - 1] {
            assert!(before.any(|old| old == *line), "line {line:?} is new, but {changed:?}");
        }
        next = range.end_line + 1;
    }
    for line in lines.iter().skip(next - 1) {
        assert!(before.any(|old| old == *line), "line {line:?} is new, but {changed:?}");
    }
}

/// The diff of two texts leads from one to the other.
pub(crate) fn diff_of_texts(before: &str, after: &str) {
    let diff = diff(before, after);
    unified_diff(before, after, &diff);
    assert_eq!(diff.text.is_empty(), before == after);
}

/// The law of an outline: headings of ranks 1 to 6, in order, each on lines of the text.
pub(crate) fn outline(text: &str) {
    let lines = text.split('\n').count();
    let found = markdown_outline(text);
    let on_lines_of_the_text = |first: usize, last: usize| 1 <= first && first <= last && last <= lines;
    assert!(found.iter().all(|e| on_lines_of_the_text(e.first_line, e.last_line)), "{text:?} {found:?}");
    assert!(found.is_sorted_by(|a, b| a.first_line < b.first_line), "{text:?} {found:?}");
    assert!(found.iter().all(|e| (1..=6).contains(&e.depth) && !e.title.contains('\n')), "{text:?} {found:?}");
    assert!(found.iter().all(|e| e.kind == OutlineKind::Heading), "{text:?} {found:?}");
}

fn unified_diff(before: &str, after: &str, diff: &interline_edit::UnifiedDiff) {
    assert!(diff.text.len() <= 64 * 1024);
    let result = apply_diff::apply(before, &diff.text).unwrap_or_else(|error| panic!("{error} in\n{}", diff.text));
    if !diff.truncated {
        assert_eq!(result, after, "the diff is\n{}", diff.text);
        assert!(!diff.text.is_empty() || before == after);
    }
}

/// A cap below the level that decides means no match; any other cap changes nothing.
fn caps_only_refuse(content: &str, request: &Replace<'_>) {
    let whole_ladder = replace(content, &Replace { loosest: Level::SpacingNormalized, ..*request });
    let decided = match &whole_ladder {
        Ok(done) => Some(done.level),
        Err(ReplaceError::MultipleMatches(several)) => Some(several.level),
        Err(ReplaceError::NoMatch(_)) => None,
        Err(_) => return,
    };
    // Refusals are costly to explain: where nothing is found, the two ends of the ladder stand for all of it.
    let caps = if decided.is_some() { &Level::ALL[..] } else { &[Level::Exact, Level::SpacingNormalized] };
    for &loosest in caps {
        let capped = replace(content, &Replace { loosest, ..*request });
        if decided.is_some_and(|level| level <= loosest) {
            assert_eq!(capped, whole_ladder, "capped at {loosest}");
        } else {
            assert!(matches!(capped, Err(ReplaceError::NoMatch(_))), "capped at {loosest}: {capped:?}");
        }
    }
}

/// Where `old_str` stands byte for byte, no looser level decides.
fn exact_wins(content: &str, request: &Replace<'_>, answer: &Result<Replacement, ReplaceError>) {
    let verbatim = exact_places(content, request.old_str);
    if verbatim.is_empty() || request.expected_matches == 0 {
        return;
    }
    match answer {
        Ok(done) => assert_eq!((done.level, &done.ranges), (Level::Exact, &verbatim)),
        Err(ReplaceError::MultipleMatches(several)) => {
            assert_eq!((several.level, several.total), (Level::Exact, verbatim.len()));
        }
        other => panic!("it is there, but the answer is {other:?}"),
    }
}

/// A literal search finds as many places as an edit does, unless they begin inside a line ending, where no edit begins, or are
/// nothing but a part of one.
fn search_counts_the_same(content: &str, old_str: &str) {
    if old_str.starts_with('\n') || old_str == "\r" {
        return;
    }
    let Ok(pattern) = Pattern::literal(old_str, Case::Sensitive) else { return };
    let found = search(content, &pattern, &SearchOptions { context_lines: 0, limit: 0 }, &mut || true).unwrap();
    assert_eq!(found.total, exact_places(content, old_str).len(), "{old_str:?}");
}

/// Every byte that changes belongs to a match, except that removing whole lines takes line endings next to matches along.
fn only_the_matches_change(content: &str, request: &Replace<'_>, done: &Replacement) {
    let mut allowed: Vec<Range<usize>> = done.ranges.clone();
    if done.level >= Level::IndentationRelative && without_carriage_return(request.old_str).ends_with('\n') {
        let lines = lines(content);
        let touches =
            |line: &&Line| done.ranges.iter().any(|place| place.end == line.text_end() || place.start == line.end());
        allowed.extend(lines.iter().filter(touches).map(|line| line.text_end()..line.end()));
    }
    for splice in done.edit.splices() {
        let inside = |byte| allowed.iter().any(|range| range.contains(&byte));
        assert!(splice.range.clone().all(inside), "{splice:?} leaves {:?}", done.ranges);
        let at_a_place =
            allowed.iter().any(|range| range.start <= splice.range.start && splice.range.start <= range.end);
        assert!(at_a_place, "{splice:?} is not at {:?}", done.ranges);
    }
}
