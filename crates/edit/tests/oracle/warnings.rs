//! The oracle of warnings: exact replacements that are made as asked, but look as if they broke lines.

use std::ops::Range;

use interline_edit::Replace;

use super::classes::note;
use super::lines::{
    is_blank_line, is_word, line_number, lines, split_indent, texts, texts_without_final_newline, trimmed,
};
use super::replace::{exact_places, exact_text};
use super::whole_lines::absolute_lines::{has_doubtful_line, request_lines};

/// What an exact replacement must warn of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Warning {
    /// Further lines lack the indentation of the line they are put in; with the lines as they should be, where that can be
    /// told.
    LostIndentation { line: usize, lines: Option<Vec<String>> },
    /// A newline at the edge of `old_str` goes, and what it parted comes together.
    JoinedLines { line: usize },
}

impl Warning {
    /// The code by which callers know it.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Warning::LostIndentation { .. } => "lost_indentation",
            Warning::JoinedLines { .. } => "joined_lines",
        }
    }
}

/// The warnings of the replacement if it is exact, place by place.
pub(crate) fn warnings(content: &str, request: &Replace<'_>) -> Vec<Warning> {
    let mut warnings = Vec::new();
    for span in exact_places(content, request.old_str).into_iter().take(20) {
        let new = exact_text(request, &span);
        warnings.extend(lost_indentation(content, request.old_str, new, &span));
        if joins_at_the_end(content, request.old_str, new, &span)
            || joins_at_the_start(content, request.old_str, new, &span)
        {
            warnings.push(Warning::JoinedLines { line: line_number(content, span.start) });
        }
    }
    warnings
}

fn lost_indentation(content: &str, old_str: &str, new: &str, span: &Range<usize>) -> Option<Warning> {
    let line = line_number(content, span.start);
    let document = texts(content);
    let indent = split_indent(&document[line - 1]).0;
    let new = texts_without_final_newline(new);
    let first = (1..new.len()).find(|&at| !is_blank_line(&new[at]))?;
    let further: Vec<&String> = new[first..].iter().filter(|line| !is_blank_line(line)).collect();
    let first_indent = split_indent(&new[first]).0;
    let opens = trimmed(&new[0]).ends_with(['{', '(', '[', ':']);
    let is_deeper = first_indent.starts_with(indent) && first_indent != indent;
    let looks_lost =
        further.iter().all(|line| !line.starts_with(indent)) || first_indent.is_empty() || opens && !is_deeper;
    if texts_without_final_newline(old_str).len() != 1
        || begins_a_line(content, span)
        || indent.is_empty()
        || !looks_lost
    {
        return None;
    }
    let goes_on_outside = !first_indent.starts_with(indent)
        && is_blank_line(&new[first - 1])
        && has_the_word_of_a_sibling(&document[..line - 1], &new[first]);
    let begins_in_the_indentation = span.start < lines(content)[line - 1].start + indent.len();
    let is_doubtful = {
        let read = |indent: &str| indent.to_owned();
        let old = request_lines(&[split_indent(&texts_without_final_newline(old_str)[0]).1.to_owned()], read);
        has_doubtful_line(&old, &request_lines(&new, read), "")
    };
    if is_doubtful {
        note("doubtful line of a warning");
    }
    let can_be_told =
        (first_indent.is_empty() || opens) && !goes_on_outside && !begins_in_the_indentation && !is_doubtful;
    let lines = further.iter().map(|further| format!("{indent}{further}")).collect();
    Some(Warning::LostIndentation { line, lines: can_be_told.then_some(lines) })
}

/// Whether the nearest line before with the same indentation begins with the same word: `def`, and another `def`.
fn has_the_word_of_a_sibling(before: &[String], line: &str) -> bool {
    let indent = split_indent(line).0;
    let sibling = before.iter().rev().find(|before| !is_blank_line(before) && split_indent(before).0 == indent);
    let first_word = |line: &str| line.split(|c| !is_word(c)).find(|word| !word.is_empty()).map(str::to_owned);
    let word = first_word(line);
    word.is_some() && sibling.is_some_and(|sibling| first_word(sibling) == word)
}

fn begins_a_line(content: &str, span: &Range<usize>) -> bool {
    span.start == 0 || content[..span.start].ends_with('\n')
}

fn joins_at_the_end(content: &str, old_str: &str, new: &str, span: &Range<usize>) -> bool {
    let removes_lines = new.is_empty() && begins_a_line(content, span);
    old_str.ends_with('\n') && !new.ends_with('\n') && span.end < content.len() && !removes_lines
}

fn joins_at_the_start(content: &str, old_str: &str, new: &str, span: &Range<usize>) -> bool {
    let begins_with_newline = |text: &str| text.starts_with('\n') || text.starts_with("\r\n");
    let follows = if new.is_empty() { &content[span.end..] } else { new };
    begins_with_newline(old_str) && !follows.is_empty() && !begins_with_newline(follows) && span.start > 0
}
