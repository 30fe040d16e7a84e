//! Finds lines of `new_str` of which it cannot be told whether they are indented like `old_str`, which lacks indentation, or
//! like the content.

use crate::lines::{Line, is_blank, is_blank_text, split_indent};

use super::absolute_lines::{doubtful_line, doubtful_line_after_several, first_token, unopened_closer};
use super::{IndentRule, opens_block, plain};
use crate::replace::Level;
use crate::replace::whole_lines::WholeLines;

/// The lines of a `new_str`, and which of them cannot be relative to `old_str`.
pub(in crate::replace) struct UnclearLines<'r> {
    level: Level,
    new: Vec<&'r str>,
    /// The numbers of those that are not blank.
    written: Vec<usize>,
    /// Whether `old_str` has one line that is not blank.
    is_one_line: bool,
    doubtful: Option<usize>,
    unopened: Option<usize>,
}

impl<'r> UnclearLines<'r> {
    pub(in crate::replace) fn new(old: &WholeLines<'_>, new_str: &'r str, level: Level) -> UnclearLines<'r> {
        let new = WholeLines::new(new_str).lines;
        let core = &old.lines[old.core()];
        let is_one_line = core.len() == 1;
        let base = core.first().map_or(String::new(), |line| plain(split_indent(line).0, level));
        UnclearLines {
            level,
            is_one_line,
            doubtful: is_one_line.then(|| doubtful_line(core, &new, &base, level)).flatten(),
            unopened: unopened_closer(core, &new, level)
                .or_else(|| (!is_one_line).then(|| doubtful_line_after_several(core, &new, level)).flatten()),
            written: (0..new.len()).filter(|number| !is_blank_text(new[*number])).collect(),
            new,
        }
    }

    /// The first unclear line (0-based) for a match with this rule. `before` is the content before the match.
    pub(in crate::replace) fn first(&self, before: &str, rule: &IndentRule) -> Option<usize> {
        match rule {
            IndentRule::Rebase { from, to } => {
                let to = plain(to, self.level);
                match to.strip_prefix(from.as_str()) {
                    Some("") => None,
                    Some(_) if self.is_one_line => self.unclear_after_one_line(before, from, &to).or(self.doubtful),
                    _ => self.unopened.filter(|_| rule.adds_indentation(self.level)),
                }
            }
            IndentRule::Shift(_) => self.unopened.filter(|_| rule.adds_indentation(self.level)),
        }
    }

    /// The same after one line of `old_str`, which lacks a part of its indentation.
    fn unclear_after_one_line(&self, before: &str, from: &str, to: &str) -> Option<usize> {
        let (first, further) = self.written.split_first()?;
        if self.indent(*first) != from {
            return Some(*first);
        }
        let opens_block = opens_block(self.new[*first]);
        let has_indent = |number: &&usize| self.indent(**number).starts_with(to);
        let next = *further.first()?;
        if !from.is_empty() {
            return further.iter().find(has_indent).copied().filter(|_| !opens_block);
        }
        let (next_indent, next_body) = split_indent(self.new[next]);
        let looks_absolute = if next_indent.is_empty() {
            line_at_start_before(before).is_some_and(|sibling| first_token(sibling) == first_token(next_body))
        } else {
            !opens_block
        };
        (looks_absolute || further.iter().all(|number| has_indent(&number))).then_some(next)
    }

    fn indent(&self, number: usize) -> String {
        plain(split_indent(self.new[number]).0, self.level)
    }
}

/// The last line of a text that is not blank and has no indentation, among the last ones.
fn line_at_start_before(text: &str) -> Option<&str> {
    /// There can be thousands of matches: each looks at so many lines at the most.
    const MAX_LINES: usize = 200;
    let mut start = text.len();
    for _ in 0..MAX_LINES {
        let line = Line::before(text, start)?;
        if !line.text(text).starts_with(is_blank) && !is_blank_text(line.text(text)) {
            return Some(line.text(text));
        }
        start = line.start;
    }
    None
}
