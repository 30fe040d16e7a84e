//! Finds `old_str` at the level `whitespace_normalized`, which ignores line endings and blanks at the end of lines.

use std::collections::VecDeque;

use crate::lines::{Line, is_blank_text, split_lines, trim_blanks_end};

use super::anchored_lines::{Anchor, AnchoredLines, AnchoredStep};
use super::automaton::{Automaton, Symbol, SymbolIds};
use super::matches::{FinalCarriageReturn, OldStrMatch, OldStrMatches};
use super::normalization::is_word_character;
use super::whole_lines::{WholeLines, fit_line};
use super::{LineEndings, Replace};

/// Finds `old_str`, whose first line may start and whose last line may end inside a line of the content. Where a final `\r`
/// was taken off it as that of a line ending, its last line ends with a line that has one.
pub(super) fn find(
    content: &str,
    request: &Replace<'_>,
    final_carriage_return: FinalCarriageReturn,
    keep: usize,
) -> OldStrMatches {
    let mut matches = OldStrMatches::keeping(keep);
    let segments = split_lines(request.old_str);
    // Every line but the last has at least its ending.
    if segments.len() > content.len() + 1 {
        return matches;
    }
    let anchor = Anchor::longest(segments.iter().map(|segment| trim_blanks_end(segment)));
    let mut search = WhitespaceSearch::new(content, &segments, request.line_endings, final_carriage_return);
    let whole_line = WholeLineEdit::new(request);
    for step in AnchoredLines::new(content, anchor) {
        match step {
            AnchoredStep::Gap => search.reset(),
            AnchoredStep::Line(line) => {
                if let Some(found) = search.next_line(line) {
                    matches.add(|| match &whole_line {
                        Some(edit) => edit.fit(content, found),
                        None => found,
                    });
                }
            }
        }
    }
    matches
}

/// An `old_str` of one line for which several are written: where only indentation stands before it, those are indented.
struct WholeLineEdit<'a> {
    old: WholeLines<'a>,
}

impl<'a> WholeLineEdit<'a> {
    /// `None` if `old_str` has other lines beside its first, or one line is written.
    fn new(request: &Replace<'a>) -> Option<WholeLineEdit<'a>> {
        let old = WholeLines::new(request.old_str);
        let writes_lines = split_lines(request.new_str).iter().skip(1).any(|line| !is_blank_text(line));
        (old.core() == (0..1) && writes_lines).then_some(WholeLineEdit { old })
    }

    fn fit(&self, content: &str, found: OldStrMatch) -> OldStrMatch {
        let line = Line::containing(content, found.span.start);
        let before = &content[line.start..found.span.start];
        if before.is_empty() || !is_blank_text(before) {
            return found;
        }
        let (span, fit) = fit_line(content, line, &self.old);
        OldStrMatch { span, fit: Some(fit), ..found }
    }
}

struct WhitespaceSearch<'a> {
    content: &'a str,
    /// The first segment without trailing blanks.
    head: &'a str,
    /// Whether the first segment has blanks and nothing else.
    head_is_blanks: bool,
    /// The last one; `None` if there is only one.
    tail: Option<&'a str>,
    /// The segments between: whole lines.
    middle: Automaton,
    ids: SymbolIds<'a>,
    middle_lines: usize,
    /// For each of the last lines, where a match that starts on it starts. The front is the line before `middle_lines` lines.
    starts: VecDeque<Option<usize>>,
    line_endings: LineEndings,
    final_carriage_return: FinalCarriageReturn,
}

impl<'a> WhitespaceSearch<'a> {
    fn new(
        content: &'a str,
        segments: &[&'a str],
        line_endings: LineEndings,
        final_carriage_return: FinalCarriageReturn,
    ) -> WhitespaceSearch<'a> {
        let (head, rest) = segments.split_first().unwrap_or((&"", &[]));
        let (tail, middle) = match rest.split_last() {
            Some((tail, middle)) => (Some(*tail), middle),
            None => (None, rest),
        };
        let mut ids = SymbolIds::default();
        let symbols = middle.iter().map(|segment| ids.add(Symbol::Body(trim_blanks_end(segment))));
        WhitespaceSearch {
            content,
            head: trim_blanks_end(head),
            head_is_blanks: !head.is_empty() && is_blank_text(head),
            tail,
            middle: Automaton::new(symbols.collect()),
            ids,
            middle_lines: middle.len(),
            starts: VecDeque::new(),
            line_endings,
            final_carriage_return,
        }
    }

    fn reset(&mut self) {
        self.middle.reset();
        self.starts.clear();
    }

    /// The match that ends on this line.
    fn next_line(&mut self, line: Line) -> Option<OldStrMatch> {
        let text = line.text(self.content);
        let trimmed = trim_blanks_end(text);
        let start = trimmed.ends_with(self.head).then(|| match self.head {
            // A line of blanks stands for a line of blanks.
            "" if self.head_is_blanks && trimmed.is_empty() => line.start,
            // An `old_str` that begins with a newline begins at the ending of a line, not at the blanks before it.
            "" => line.text_end,
            head => line.start + trimmed.len() - head.len(),
        });
        let (may_end_here, may_end_inside) = match self.final_carriage_return {
            FinalCarriageReturn::Text => (true, true),
            FinalCarriageReturn::OfLineEnding => (line.end > line.text_end, false),
        };
        let Some(tail) = self.tail else {
            let start = start.filter(|_| may_end_here)?;
            return self.match_between(start, line, line.start + trimmed.len());
        };
        let candidate = match self.starts.front() {
            Some(start) if self.starts.len() > self.middle_lines && self.middle.is_matched() => *start,
            _ => None,
        };
        let found = candidate.and_then(|start| {
            if may_end_inside && text.starts_with(tail) {
                self.match_between(start, line, line.start + tail.len())
            } else if may_end_here && trim_blanks_end(tail) == trimmed {
                self.match_between(start, line, line.start + trimmed.len())
            } else {
                None
            }
        });
        self.middle.feed(self.ids.get(Symbol::Body(trimmed)));
        self.starts.push_back(start);
        if self.starts.len() > self.middle_lines + 1 {
            self.starts.pop_front();
        }
        found
    }

    /// The match from `start` to `end` on its last line, with the blanks after it when they are replaced too; `None` if it
    /// would cut a word.
    fn match_between(&self, start: usize, line: Line, end: usize) -> Option<OldStrMatch> {
        if cuts_word(self.content, start) || cuts_word(self.content, end) {
            return None;
        }
        let reaches_line = self.tail != Some("") || self.final_carriage_return == FinalCarriageReturn::OfLineEnding;
        let takes_blanks = self.line_endings == LineEndings::Match && reaches_line;
        let rest_is_blank = trim_blanks_end(&self.content[line.start..line.text_end]).len() <= end - line.start;
        let end = if takes_blanks && rest_is_blank { line.text_end } else { end };
        Some(OldStrMatch { span: start..end, fit: None, final_carriage_return: self.final_carriage_return })
    }
}

/// Whether the offset is between two characters of a word.
fn cuts_word(content: &str, offset: usize) -> bool {
    let (before, after) = content.split_at(offset);
    before.chars().next_back().is_some_and(is_word_character) && after.chars().next().is_some_and(is_word_character)
}
