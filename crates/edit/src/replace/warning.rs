//! Warns of an exact replacement that does what was asked for, and probably not what was meant.

use crate::lines::{Line, is_blank_text, line_of, split_indent, split_lines, strip_carriage_return};

use super::indentation::{doubtful_line, opens_block};
use super::matches::{FinalCarriageReturn, MAX_SHOWN_MATCHES, OldStrMatch};
use super::normalization::is_word_character;
use super::{Level, Replace};

/// What a change does that was probably not meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplaceWarning {
    /// A part of an indented line became several lines, and the further ones lack that indentation.
    LostIndentation {
        /// 1-based line of the match.
        line: usize,
        /// The further lines of `new_str` that are not blank, with the indentation, as they should be; `None` where it is not
        /// clear that they are meant relatively to the first, or where they are very long.
        lines: Option<Vec<String>>,
    },
    /// `old_str` had a line break at an edge, `new_str` has none there, and two lines were joined.
    JoinedLines {
        /// 1-based line of the match.
        line: usize,
    },
}

impl ReplaceWarning {
    /// `new_str` with the indentation that its lines lost, where it is clear what was meant.
    pub fn reindented(&self, new_str: &str) -> Option<String> {
        let ReplaceWarning::LostIndentation { lines: Some(lines), .. } = self else { return None };
        let mut further = lines.iter();
        let mut reindent = |(number, line): (usize, &str)| match number {
            0 => Some(line.to_owned()),
            _ if is_blank_text(strip_carriage_return(line)) => Some(line.to_owned()),
            _ => further.next().map(|indented| indented.clone() + &line[strip_carriage_return(line).len()..]),
        };
        new_str
            .split('\n')
            .enumerate()
            .map(&mut reindent)
            .collect::<Option<Vec<String>>>()
            .map(|lines| lines.join("\n"))
    }
}

/// Lines of more bytes are not shown as they should be: a deep indentation before each of many lines is much.
const MAX_SHOWN_BYTES: usize = 64 * 1024;

/// How many lines before a match are looked at for one that is its sibling.
const MAX_LINES_BEFORE: usize = 200;

/// The warnings about these exact matches, one after the other.
pub(super) fn warnings(content: &str, request: &Replace<'_>, matches: &[OldStrMatch]) -> Vec<ReplaceWarning> {
    let mut warnings = Vec::new();
    for found in matches.iter().take(MAX_SHOWN_MATCHES) {
        let new_str = match found.final_carriage_return {
            FinalCarriageReturn::OfLineEnding => strip_carriage_return(request.new_str),
            FinalCarriageReturn::Text => request.new_str,
        };
        let request = Replace { new_str, ..*request };
        warnings.extend(lost_indentation(content, &request, found));
        if joins_lines(content, &request, found) {
            warnings.push(ReplaceWarning::JoinedLines { line: line_of(content, found.span.start) });
        }
    }
    warnings
}

fn lost_indentation(content: &str, request: &Replace<'_>, found: &OldStrMatch) -> Option<ReplaceWarning> {
    let old = request.old_str;
    if old.strip_suffix('\n').unwrap_or(old).contains('\n') {
        return None;
    }
    let line = Line::containing(content, found.span.start);
    let (indent, _) = split_indent(line.text(content));
    if found.span.start == line.start || indent.is_empty() {
        return None;
    }
    let new = split_lines(request.new_str);
    let first = (1..new.len()).find(|number| !is_blank_text(new[*number]))?;
    let opens_block = new[..first].iter().rfind(|line| !is_blank_text(line)).is_some_and(|line| opens_block(line));
    let (first_indent, _) = split_indent(new[first]);
    let sibling = sibling_before(content, line.start, first_indent).filter(|_| !first_indent.starts_with(indent));
    let bodies = sibling.map(|sibling| (sibling, split_indent(new[first]).1));
    let follows_sibling = is_blank_text(new[first - 1])
        && bodies
            .is_some_and(|(sibling, body)| first_word(sibling) == first_word(body) && !first_word(body).is_empty());
    let is_relative = (first_indent.is_empty() || opens_block) && !follows_sibling;
    let is_deeper = first_indent.len() > indent.len() && first_indent.starts_with(indent);
    let all_lack_it = || new[first..].iter().all(|line| is_blank_text(line) || !line.starts_with(indent));
    if !(first_indent.is_empty() || opens_block && !is_deeper || all_lack_it()) {
        return None;
    }
    let further = new[first..].iter().filter(|line| !is_blank_text(line));
    let bytes = indent.len().saturating_mul(further.clone().count()).saturating_add(request.new_str.len());
    // A part of the indentation in `old_str` makes it unclear what the further lines have of it.
    let has_whole_indent = found.span.start >= line.start + indent.len();
    let is_clear = || doubtful_line(&split_lines(old), &new, "", Level::Exact).is_none();
    let lines = (is_relative && has_whole_indent && bytes <= MAX_SHOWN_BYTES && is_clear())
        .then(|| further.map(|line| indent.to_owned() + line).collect());
    Some(ReplaceWarning::LostIndentation { line: line_of(content, found.span.start), lines })
}

/// The body of the nearest line before an offset that has this indentation.
fn sibling_before<'c>(content: &'c str, offset: usize, indent: &str) -> Option<&'c str> {
    let mut start = offset;
    for _ in 0..MAX_LINES_BEFORE {
        let line = Line::before(content, start)?;
        let (line_indent, body) = split_indent(line.text(content));
        if line_indent == indent && !body.is_empty() {
            return Some(body);
        }
        start = line.start;
    }
    None
}

fn first_word(body: &str) -> &str {
    let from_word = body.trim_start_matches(|c: char| !is_word_character(c));
    &from_word[..from_word.len() - from_word.trim_start_matches(is_word_character).len()]
}

fn joins_lines(content: &str, request: &Replace<'_>, found: &OldStrMatch) -> bool {
    let (old, new) = (request.old_str, request.new_str);
    let (before, after) = (&content[..found.span.start], &content[found.span.end..]);
    let begins_with_newline = |text: &str| text.starts_with('\n') || text.starts_with("\r\n");
    let follows = if new.is_empty() { after } else { new };
    let precedes = if new.is_empty() { before } else { new };
    let at_end = old.ends_with('\n') && !after.is_empty() && !precedes.is_empty() && !precedes.ends_with('\n');
    let at_start =
        begins_with_newline(old) && !before.is_empty() && !follows.is_empty() && !begins_with_newline(follows);
    at_start || at_end
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replace::replace;

    fn check(content: &str, old: &str, new: &str, expected: &[ReplaceWarning]) {
        let done = replace(content, &Replace::new(old, new)).unwrap();
        assert_eq!(done.warnings, expected, "{content:?} {old:?} {new:?}");
    }

    #[test]
    fn lines_that_lack_the_indentation_of_their_block_are_warned_of() {
        let lines = |lines: &[&str]| Some(lines.iter().map(|line| (*line).to_owned()).collect());
        let lost = ReplaceWarning::LostIndentation { line: 2, lines: lines(&["    b()"]) };
        check("if x:\n    a()\n", "a()", "a()\nb()", &[lost]);
        let lost = ReplaceWarning::LostIndentation { line: 2, lines: lines(&["    b()"]) };
        check("if x:\n    a()\n", "a()\n", "a()\nb()\n", &[lost]);
        let lost = ReplaceWarning::LostIndentation { line: 2, lines: lines(&["        b()", "    c()"]) };
        check("if x:\n    a()\n", "a()", "if y:\n    b()\nc()", &[lost]);
        let lost = ReplaceWarning::LostIndentation { line: 2, lines: None };
        check("if x:\n        a()\n", "a()", "a()\n    b()", &[lost]);
        check("if x:\n    a()\n", "a()", "a()\n    b()", &[]);
        check("if x:\n    a()\n", "a()", "if y:\n        b()\n    c()", &[]);
        let lost = ReplaceWarning::LostIndentation { line: 2, lines: None };
        check("def f():\n    a()\n", "a()", "a()\n\ndef g():\n    b()", &[lost]);
        check("if x:\n    a()\n", "    a()", "a()\nb()", &[]);
        check("a()\n", "a()", "a()\nb()", &[]);
        check("if x:\n    a()\n", "a()", "b()", &[]);
        check("if x:\n    a()\n", "a()", "a()\n\n", &[]);
    }

    #[test]
    fn the_lines_as_they_should_be_make_a_new_str() {
        let new = "a()\r\n\r\nb()\r\n";
        let done = replace("if x:\n    a()\n", &Replace::new("a()", new)).unwrap();
        assert_eq!(done.warnings[0].reindented(new).as_deref(), Some("a()\r\n\r\n    b()\r\n"));
    }

    #[test]
    fn joined_lines_are_warned_of() {
        check("a\nb\nc\n", "b\n", "B", &[ReplaceWarning::JoinedLines { line: 2 }]);
        check("a\nb\nc\n", "\nb", "B", &[ReplaceWarning::JoinedLines { line: 1 }]);
        check("a\nb\nc\n", "\nb\n", "", &[ReplaceWarning::JoinedLines { line: 1 }]);
        check("a\nb\nc\n", "b\n", "", &[]);
        check("a\nb\nc\n", "\nb", "", &[]);
        check("a\nb\n", "b\n", "B", &[]);
    }
}
