//! Deeper lines of `new_str` that may have the indentation of the content, while `old_str` lacks a part of it: they come
//! where nothing opens a block, or are too deep for the block that is opened.

use crate::lines::{is_blank_text, split_indent, trim_blanks_end};

use super::absolute_lines::opened_brackets;
use super::rebase::Rebase;
use super::writer::WrittenLines;
use super::{Conversion, Prefix, Shift, opens_block, plain};
use crate::replace::Level;

/// Whether the next line belongs to this one.
fn goes_on(line: &str) -> bool {
    let text = trim_blanks_end(line);
    let is_unfinished = text.ends_with(['\\', '=', '+', '&', '|']) || text.ends_with("=>") || text.ends_with("->");
    is_unfinished || opened_brackets(split_indent(line).1) > 0
}

/// The number of the first deeper line that may be as it should be.
pub(super) fn misplaced_line(rebase: &Rebase<'_>, new: &WrittenLines<'_>, level: Level) -> Option<usize> {
    if rebase.plain_to.strip_prefix(rebase.from).is_none_or(str::is_empty) {
        return None;
    }
    let indent = |number: usize| plain(split_indent(new.lines[number]).0, level);
    let is_deeper = |indent: &str| indent.strip_prefix(rebase.from).is_some_and(|step| !matches!(step, "" | " "));
    let mut before = None;
    for number in (0..new.lines.len()).filter(|number| !is_blank_text(new.lines[*number])) {
        let here = indent(number);
        let is_first_deeper = is_deeper(&here) && !before.is_some_and(|before| is_deeper(&indent(before)));
        let is_misplaced = || match before.map(|before| (before, new.lines[before])) {
            None => true,
            Some((_, line)) if opens_block(line) => {
                here.len() > rebase.plain_to.len() && here.starts_with(&rebase.plain_to)
            }
            // A line that is added is written relatively, and so is what follows it.
            Some((before, line)) => !goes_on(line) && new.old_line(before).is_some(),
        };
        if is_first_deeper && is_misplaced() {
            return Some(number);
        }
        before = Some(number);
    }
    None
}

/// The same where `old_str` has several indentations, and all lack a prefix.
pub(super) fn misplaced_line_of_shift(
    shifts: &[Shift],
    old_lines: &[&str],
    new: &WrittenLines<'_>,
    level: Level,
) -> Option<usize> {
    let Some(Shift { conversion, prefix: Prefix::Add(prefix) }) = shifts.first() else { return None };
    if prefix.is_empty() {
        return None;
    }
    let prefix = plain(prefix, level);
    let indent = |line: &str| plain(split_indent(line).0, level);
    let is_deeper = |line: &str, than: &str| {
        indent(line).strip_prefix(indent(than).as_str()).is_some_and(|step| !matches!(step, "" | " "))
    };
    let has_deeper_next = |number: usize| {
        let next = old_lines[number + 1..].iter().find(|line| !is_blank_text(line));
        next.is_some_and(|next| is_deeper(next, old_lines[number]))
    };
    let written: Vec<usize> = (0..new.lines.len()).filter(|number| !is_blank_text(new.lines[*number])).collect();
    let is_misplaced = |pair: &&[usize]| {
        let [before, number] = **pair else { return false };
        let (line_before, line) = (new.lines[before], new.lines[number]);
        if !new.is_written(number) || !is_deeper(line, line_before) {
            return false;
        }
        if opens_block(line_before) {
            let there = prefix.clone() + &indent(line_before);
            return *conversion == Conversion::Same
                && indent(line).strip_prefix(&there).is_some_and(|rest| !rest.is_empty());
        }
        // What replaces a blank line is added, as far as indentation goes.
        let stood = new.old_line(before).filter(|number| !is_blank_text(old_lines[*number]));
        !goes_on(line_before) && stood.is_some_and(|number| !has_deeper_next(number))
    };
    written.windows(2).find(is_misplaced).map(|pair| pair[1])
}
