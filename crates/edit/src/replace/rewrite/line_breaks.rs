//! Line breaks that `new_str` lacks where `old_str` had them: above `exact`, a replacement joins no lines at its edges.

use std::borrow::Cow;
use std::ops::Range;

use crate::lines::{Line, is_blank_text, strip_carriage_return};

use crate::replace::{LineEndings, Replace};

/// Which edges of `new_str` need a line break at a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::replace) struct LineBreaks {
    before: bool,
    after: bool,
}

impl LineBreaks {
    /// The line breaks that are missing at a match that does not consist of whole lines.
    pub(in crate::replace) fn missing(content: &str, span: &Range<usize>, request: &Replace<'_>) -> LineBreaks {
        let (old, new) = (request.old_str, request.new_str);
        let (text_before, text_after) = (&content[..span.start], &content[span.end..]);
        let follows = if new.is_empty() { text_after } else { new };
        // Under `match` a line break that is missing at the end is one of `new_str`.
        let is_blank_line =
            request.line_endings == LineEndings::Match && old.ends_with('\n') && !new.is_empty() && is_blank_text(new);
        let begins_line = follows.is_empty() || begins_with_newline(follows) || is_blank_line;
        let before = begins_at_line_ending(content, span, old) && !begins_line;
        let precedes = if new.is_empty() && !before { text_before } else { new };
        let ends_line = precedes.ends_with('\n') || precedes.is_empty();
        LineBreaks { before, after: old.ends_with('\n') && !ends_line }
    }

    /// Whether there is one.
    pub(in crate::replace) fn are_missing(self) -> bool {
        self.before || self.after
    }

    /// The lines of `new_str` with those line breaks.
    pub(in crate::replace) fn add_to_lines(self, mut lines: Vec<&str>) -> Vec<&str> {
        if self.before {
            lines.insert(0, "");
        }
        if self.after {
            lines.push("");
        }
        lines
    }

    /// `new_str` with those line breaks.
    pub(in crate::replace) fn add_to<'n>(self, new: &'n str, ending: &str) -> Cow<'n, str> {
        if !self.are_missing() {
            return new.into();
        }
        let ending_if = |missing: bool| if missing { ending } else { "" };
        [ending_if(self.before), new, ending_if(self.after)].concat().into()
    }
}

/// Whether the text begins with a newline, blanks before it aside.
fn begins_with_newline(text: &str) -> bool {
    text.split_once('\n').is_some_and(|(first, _)| is_blank_text(strip_carriage_return(first)))
}

/// Whether the match begins at the ending of a line, because the first line of `old_str` is blank. Blanks that stand for a
/// line of blanks are that whole line.
fn begins_at_line_ending(content: &str, span: &Range<usize>, old: &str) -> bool {
    let Some((first, _)) = old.split_once('\n') else { return false };
    let first = strip_carriage_return(first);
    let is_whole_line = || is_blank_text(Line::containing(content, span.start).text(content));
    is_blank_text(first) && (first.is_empty() || !is_whole_line())
}
