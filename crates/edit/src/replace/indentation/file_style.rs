//! How the content is indented around a match: with tabs, or with spaces of one unit, where that is clear.

use std::ops::Range;

use crate::lines::{Line, split_indent};

use super::UNITS;

/// How many lines before and after a match are looked at.
const MAX_LINES: usize = 200;
/// How many times more lines of one kind make that kind clear.
const CLEARLY_MORE: usize = 10;

/// How the lines around a match are indented.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::replace) enum FileStyle {
    /// A tab for each level.
    Tabs,
    /// So many spaces for each level.
    Spaces(usize),
    /// Tabs and spaces, no one unit, or nothing is indented.
    Unclear,
}

impl FileStyle {
    /// The style of the lines around the span, and of its own.
    pub(in crate::replace) fn around(content: &str, span: &Range<usize>) -> FileStyle {
        let mut start = Line::containing(content, span.start);
        for _ in 0..MAX_LINES {
            match Line::before(content, start.start) {
                Some(before) => start = before,
                None => break,
            }
        }
        let mut survey = IndentSurvey::default();
        let (mut line, mut lines_after) = (start, 0);
        loop {
            if line.start > span.end {
                lines_after += 1;
            }
            if lines_after > MAX_LINES {
                break;
            }
            survey.add(line.text(content));
            if line.end == line.text_end {
                break;
            }
            line = Line::at(content, line.end);
        }
        survey.style()
    }
}

/// What was seen of the indentation of some lines.
#[derive(Default)]
struct IndentSurvey {
    /// Lines whose indentation begins with a tab.
    with_tabs: usize,
    /// Lines whose indentation is two or more spaces.
    with_spaces: usize,
    /// How often the indentation grew by each unit.
    increases: [usize; UNITS.len()],
    /// How often it grew by two spaces or more.
    all_increases: usize,
    /// Spaces before the last line that was not blank, if there were only spaces.
    before: Option<usize>,
}

impl IndentSurvey {
    fn add(&mut self, line: &str) {
        // A `\r` of its own is a character, but a line of nothing else shows nothing of the indentation.
        if line.trim().is_empty() {
            return;
        }
        let (indent, _) = split_indent(line);
        if indent.starts_with('\t') {
            self.with_tabs += 1;
        }
        let spaces = indent.bytes().all(|byte| byte == b' ').then_some(indent.len());
        if spaces.is_some_and(|spaces| spaces >= 2) {
            self.with_spaces += 1;
        }
        if let (Some(before), Some(spaces)) = (self.before, spaces)
            && spaces >= before + 2
        {
            self.all_increases += 1;
            if let Some(unit) = UNITS.iter().position(|unit| before + unit == spaces) {
                self.increases[unit] += 1;
            }
        }
        self.before = spaces;
    }

    fn style(&self) -> FileStyle {
        if self.with_tabs > 0 && self.with_tabs >= CLEARLY_MORE * self.with_spaces {
            return FileStyle::Tabs;
        }
        if self.with_spaces == 0 || self.with_spaces < CLEARLY_MORE * self.with_tabs {
            return FileStyle::Unclear;
        }
        let mut most = 0;
        for unit in 0..UNITS.len() {
            if self.increases[unit] > self.increases[most] {
                most = unit;
            }
        }
        let increases = self.increases[most];
        if increases > 0 && increases * 4 >= self.all_increases * 3 {
            FileStyle::Spaces(UNITS[most])
        } else {
            FileStyle::Unclear
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(content: &str, expected: FileStyle) {
        assert_eq!(FileStyle::around(content, &(0..0)), expected, "{content:?}");
        assert_eq!(FileStyle::around(content, &(content.len()..content.len())), expected, "{content:?}");
    }

    #[test]
    fn a_clear_style_is_seen() {
        check("a\n\tb\n\t\tc\n", FileStyle::Tabs);
        check("a\n  b\n\n    c\n  d\n    e", FileStyle::Spaces(2));
        check("a\n    b\n        c\n", FileStyle::Spaces(4));
        check("/**\n * a\n */\na\n\tb\n", FileStyle::Tabs);
        check("a\n\tb\n    \r\r\n", FileStyle::Tabs);
    }

    #[test]
    fn an_unclear_style_is_none() {
        check("", FileStyle::Unclear);
        check("a\nb\n", FileStyle::Unclear);
        check("a\nb\n\t\n    \n", FileStyle::Unclear);
        check("a\nb\n\t\r\r\n\t\r", FileStyle::Unclear);
        check("    a\n    b\n", FileStyle::Unclear);
        check("a\n\tb\na\n    b\n", FileStyle::Unclear);
        check("a\n  b\na\n    b\n", FileStyle::Unclear);
    }

    #[test]
    fn only_lines_near_the_match_count() {
        let far = "a\n  b\n".repeat(120);
        let near = "a\n    b\n".repeat(120);
        let content = far + &near;
        assert_eq!(FileStyle::around(&content, &(0..1)), FileStyle::Spaces(2));
        assert_eq!(FileStyle::around(&content, &(content.len()..content.len())), FileStyle::Spaces(4));
    }
}
