//! The oracle of lines of `new_str` of which nobody can tell whether they are meant relative to `old_str` or as they are
//! given.

use interline_edit::Level;

use super::super::classes::note;
use super::super::line_pairs::Gap;
use super::super::lines::{Line, is_blank_line, split_indent, texts};
use super::absolute_lines::{
    Origin, RequestLine, has_closer, has_doubtful_line, has_doubtful_line_after_several,
    has_line_with_all_of_the_indentation, has_misplaced_line, has_misplaced_line_of_several, opens_a_block,
    request_lines,
};
use super::changed_line::tokens;
use super::indents::{Indent, IndentPair, added_prefix, adds_indentation, lacking_part};
use super::{OldLines, WholeLineMatch, indent};

/// The lines of a place in `old_str`, those of `new_str`, and which are the same.
pub(super) struct Paired<'a> {
    pub(super) old: &'a [String],
    pub(super) new: &'a [String],
    pub(super) pairs: &'a [Option<usize>],
    pub(super) gaps: &'a [Gap],
}

/// Whether a line is deeper than the one before it, and may be meant as it is given.
pub(super) fn has_deeper_line(level: Level, place: &WholeLineMatch, paired: &Paired<'_>) -> bool {
    let Paired { old: old_lines, new, pairs, gaps } = *paired;
    let is_added = |line: usize| {
        pairs[line].is_none() && gaps.iter().all(|gap| !gap.written.contains(&line) || gap.replaced_by(line).is_none())
    };
    let read: Vec<RequestLine> = request_lines(new, |given| indent(level, given).read);
    let numbers: Vec<usize> = (0..new.len()).filter(|&line| !is_blank_line(&new[line])).collect();
    if let Some((from, to)) = lacking_part(&place.indents)
        && has_misplaced_line(&read, (&from, &to), |at| is_added(numbers[at]))
    {
        return true;
    }
    let old_numbers: Vec<usize> = (0..old_lines.len()).filter(|&line| !is_blank_line(&old_lines[line])).collect();
    let number_of = |old_line: usize| old_numbers.iter().position(|&number| number == old_line);
    let origin = |&line: &usize| {
        let replaced = gaps.iter().find(|gap| gap.written.contains(&line)).and_then(|gap| gap.replaced_by(line));
        match (pairs[line].and_then(number_of), replaced.and_then(number_of)) {
            (Some(number), _) => Origin::Stays(number),
            (None, Some(number)) => Origin::Replaces(number),
            (None, None) => Origin::Added,
        }
    };
    let origins: Vec<Origin> = numbers.iter().map(origin).collect();
    let old_read = request_lines(old_lines, |given| indent(level, given).read);
    if let Some((prefix, keeps_unit)) = added_prefix(&place.indents)
        && has_misplaced_line_of_several(&old_read, &read, &origins, (&prefix, keeps_unit))
    {
        return true;
    }
    false
}

/// Whether `old_str` is one line without its indentation and every further line of `new_str` begins with it: nobody can
/// tell whether they are meant relative to the line or not.
pub(super) fn is_relative_or_absolute(level: Level, old: &OldLines, place: &WholeLineMatch, new: &[String]) -> bool {
    let pair = &place.indents[0];
    let further: Vec<&String> = new.iter().filter(|line| !is_blank_line(line)).skip(1).collect();
    old.core.len() == 1
        && pair.old.read.is_empty()
        && !pair.document.read.is_empty()
        && !further.is_empty()
        && further.iter().all(|line| indent(level, line).read.starts_with(&pair.document.read))
}

/// Whether `old_str` is one line without its indentation and the next line of `new_str` looks as if it had its own: it is
/// deeper although nothing opens a block, or it begins as the line does that is nearest before at its indentation.
pub(super) fn looks_absolute(
    level: Level,
    document: &[Line],
    old: &OldLines,
    place: &WholeLineMatch,
    new: &[String],
) -> bool {
    let pair = &place.indents[0];
    let with_text: Vec<&String> = new.iter().filter(|line| !is_blank_line(line)).collect();
    if old.core.len() > 1 || !pair.old.read.is_empty() || pair.document.read.is_empty() || with_text.len() < 2 {
        return false;
    }
    let first_indent = indent(level, with_text[1]).read;
    if !first_indent.is_empty() {
        return !opens_a_block(with_text[0]);
    }
    let sibling = document[..place.core.start]
        .iter()
        .rev()
        .find(|line| !is_blank_line(&line.text) && split_indent(&line.text).0.is_empty());
    sibling.is_some_and(|sibling| tokens(&sibling.text)[0] == tokens(with_text[1])[0])
}

/// Whether a line of `new_str` may be meant as it is given, where the rule adds indentation.
pub(super) fn may_be_absolute(level: Level, old: &OldLines, place: &WholeLineMatch, new_str: &str) -> bool {
    let read = |indent_given: &str| indent(level, indent_given).read;
    let (old_lines, new_lines) = (request_lines(&old.lines, read), request_lines(&texts(new_str), read));
    let IndentPair { old: Indent { read: from, .. }, document: Indent { read: to, .. } } = &place.indents[0];
    if old.core.len() == 1 && from != to && to.starts_with(from.as_str()) {
        if new_lines.first().is_some_and(|first| first.indent != *from) {
            note("first line elsewhere");
            return true;
        }
        if !from.is_empty() && has_line_with_all_of_the_indentation(&new_lines, to) {
            note("part of the indentation");
            return true;
        }
        let is_doubtful = has_doubtful_line(&old_lines, &new_lines, from);
        if is_doubtful {
            note("doubtful line");
        }
        return is_doubtful;
    }
    let several = old_lines.len() > 1;
    if several && adds_indentation(&place.indents) && has_doubtful_line_after_several(&old_lines, &new_lines) {
        note("doubtful line after several");
        return true;
    }
    let closes = adds_indentation(&place.indents) && has_closer(&old_lines, &new_lines);
    if closes {
        note("closer without opener");
    }
    closes
}
