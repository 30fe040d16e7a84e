//! The oracle of patching lines by number, on a list of lines.

use std::collections::BTreeSet;

use interline_edit::LineOperation;

use super::lines::{Line, ending_at, lines, texts, texts_without_final_newline};

/// Why nothing was patched; operations by index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PatchOutcome {
    NoOperations,
    Invalid(BTreeSet<usize>),
    Stale(BTreeSet<usize>),
}

/// What an operation with possible numbers means.
#[derive(Clone, Copy)]
enum Action {
    /// Of the lines from the first to the second, both 0-based and inclusive.
    Replacement(usize, usize),
    /// Before the 0-based line; the number of lines is the end.
    Insertion(usize),
}

/// The text after the patch.
pub(crate) fn patch(content: &str, operations: &[LineOperation<'_>]) -> Result<String, PatchOutcome> {
    if operations.is_empty() {
        return Err(PatchOutcome::NoOperations);
    }
    let lines = lines(content);
    let actions: Vec<Option<Action>> = operations.iter().map(|operation| action(&lines, operation)).collect();
    let bad: BTreeSet<usize> = (0..operations.len()).filter(|&index| is_bad(&actions, index)).collect();
    if !bad.is_empty() {
        return Err(PatchOutcome::Invalid(bad));
    }
    let stale: BTreeSet<usize> = (0..operations.len())
        .filter(|&index| is_stale(content, &lines, actions[index].unwrap(), operations[index].expect))
        .collect();
    if !stale.is_empty() {
        return Err(PatchOutcome::Stale(stale));
    }
    let actions: Vec<Action> = actions.into_iter().flatten().collect();
    Ok(applied(&lines, operations, &actions))
}

/// What the operation means, if it could be valid alone.
fn action(lines: &[Line], operation: &LineOperation<'_>) -> Option<Action> {
    let (start, end, total) = (operation.start_line, operation.end_line, lines.len());
    if start <= end {
        return (start >= 1 && end <= total).then(|| Action::Replacement(start - 1, end - 1));
    }
    let valid = start - 1 == end && end <= total && !operation.content.is_empty() && operation.expect.is_none();
    // Before and after an empty last line are the same point.
    let after_empty_last_line = end == total && lines[total - 1].text.is_empty();
    valid.then(|| Action::Insertion(if after_empty_last_line { total - 1 } else { end }))
}

fn is_bad(actions: &[Option<Action>], index: usize) -> bool {
    let Some(action) = actions[index] else { return true };
    let others = actions.iter().enumerate().filter(|(other, _)| *other != index);
    others.filter_map(|(_, other)| *other).any(|other| overlap(action, other))
}

fn overlap(one: Action, other: Action) -> bool {
    match (one, other) {
        (Action::Replacement(a, b), Action::Replacement(c, d)) => a <= d && c <= b,
        (Action::Insertion(point), Action::Replacement(first, last))
        | (Action::Replacement(first, last), Action::Insertion(point)) => first < point && point <= last,
        (Action::Insertion(a), Action::Insertion(b)) => a == b,
    }
}

/// Whether `expect` is not the present text of the range: compared as lines, one trailing newline aside.
fn is_stale(content: &str, lines: &[Line], action: Action, expect: Option<&str>) -> bool {
    let (Action::Replacement(first, last), Some(expect)) = (action, expect) else { return false };
    // As it is read: with the `\r` of the last line, without its `\n`.
    let mut end = lines[last].end();
    if content[..end].ends_with('\n') && !lines[last].ending.is_empty() {
        end -= 1;
    }
    let present = &content[lines[first].start..end];
    let present_lines: Vec<String> = lines[first..=last].iter().map(|line| line.text.clone()).collect();
    expect != present && texts(expect) != present_lines && texts_without_final_newline(expect) != present_lines
}

/// The lines with all operations done, joined.
fn applied(lines: &[Line], operations: &[LineOperation<'_>], actions: &[Action]) -> String {
    let mut result: Vec<(String, String)> = Vec::new();
    let mut last_line_stays = true;
    let mut index = 0;
    while index <= lines.len() {
        for (operation, _) in operations
            .iter()
            .zip(actions)
            .filter(|(_, action)| matches!(action, Action::Insertion(point) if *point == index))
        {
            let ending = ending_at(lines, index.min(lines.len() - 1));
            if let Some(last) = result.last_mut().filter(|last| last.1.is_empty()) {
                // It was the last line and is so no longer.
                last.1 = ending.clone();
            }
            result.extend(new_lines(operation.content, &ending).into_iter().map(|text| (text, ending.clone())));
        }
        let replacement = operations.iter().zip(actions).find_map(|(operation, action)| match *action {
            Action::Replacement(first, last) if first == index => Some((operation, last)),
            _ => None,
        });
        match replacement {
            Some((operation, last)) => {
                let mut new = match operation.content {
                    "" => Vec::new(),
                    text => new_lines(text, &lines[last].ending),
                };
                let ending = ending_at(lines, index);
                let last_new = new.pop();
                result.extend(new.into_iter().map(|text| (text, ending.clone())));
                result.extend(last_new.map(|text| (text, lines[last].ending.clone())));
                last_line_stays &= last + 1 < lines.len();
                index = last + 1;
            }
            None => {
                result.extend(lines.get(index).map(|line| (line.text.clone(), line.ending.clone())));
                index += 1;
            }
        }
    }
    // An insertion into the empty text takes the place of its one empty line.
    if lines.len() == 1 && lines[0].text.is_empty() && last_line_stays && result.len() > 1 {
        result.pop();
    }
    // The last line has no ending, whichever it is now.
    if let Some(last) = result.last_mut() {
        last.1.clear();
    }
    result.into_iter().map(|(text, ending)| text + &ending).collect()
}

/// The lines of an operation's content, before an ending: one newline, or the `\r` of that ending, is not theirs.
fn new_lines(content: &str, ending: &str) -> Vec<String> {
    match content.strip_suffix('\r') {
        Some(as_read) if ending == "\r\n" => texts(as_read),
        _ => texts_without_final_newline(content),
    }
}
