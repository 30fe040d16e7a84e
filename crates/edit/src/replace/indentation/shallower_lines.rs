//! Lines of `new_str` that are shallower than all of `old_str`, where the content has more indentation: what they get must be
//! an indentation of the content, for what `old_str` lacks need not be whole levels.

use std::collections::HashSet;

use crate::lines::{is_blank_text, split_indent, split_lines};

use super::{IndentRule, plain};
use crate::replace::Level;

/// Which lines of `new_str` are shallower than those of a match.
pub(in crate::replace) struct ShallowerLines {
    level: Level,
    /// How many characters of indentation the lines of the match have at least in `old_str`; none if the content has no more.
    least: usize,
}

impl ShallowerLines {
    /// `old_lines` are those of the match.
    pub(in crate::replace) fn new(rule: &IndentRule, level: Level, old_lines: &[&str]) -> ShallowerLines {
        let lengths = old_lines
            .iter()
            .filter(|line| !is_blank_text(line))
            .map(|line| plain(split_indent(line).0, level).chars().count());
        let least = if rule.adds_indentation(level) { lengths.min().unwrap_or(0) } else { 0 };
        ShallowerLines { level, least }
    }

    /// Whether a line with this indentation is one of them.
    pub(in crate::replace) fn include(&self, indent: &str) -> bool {
        self.least > 0 && plain(indent, self.level).chars().count() < self.least
    }
}

/// The indentations of the lines of a content that are not blank.
pub(in crate::replace) fn indentations(content: &str) -> HashSet<&str> {
    let lines = split_lines(content).into_iter();
    lines.filter(|line| !is_blank_text(line)).map(|line| split_indent(line).0).collect()
}
