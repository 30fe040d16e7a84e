//! Writes a changed line with the document's own characters where those stay: typographic forms and runs of blanks that
//! `old_str` has in another form. A character is kept only where it stood, between neighbours that stay too.

use std::ops::Range;

use crate::lines::is_blank;

use super::kept_forms::KeptForms;
use super::tokens::{Alignment, Tokens, is_blank_run, is_spaces, leading};
use crate::replace::Level;
use crate::replace::normalization::{TypographicClass, is_word_character};

/// A line of the document that a line of `new_str` replaces; bodies, without indentation and trailing blanks.
#[derive(Clone, Copy)]
pub(in crate::replace) struct ReplacedLine<'a> {
    /// As `old_str` has it.
    pub(in crate::replace) old: &'a str,
    /// As the document has it.
    pub(in crate::replace) document: &'a str,
}

/// Blanks of the document would be lost that are more than spacing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::replace) struct LostBlanks;

impl<'a> ReplacedLine<'a> {
    /// Adds the body of the line of `new_str` that replaces this one, in the document's forms.
    pub(in crate::replace) fn write(
        self,
        written: &mut String,
        new: &str,
        level: Level,
        cells_left: &mut usize,
    ) -> Result<(), LostBlanks> {
        let [document, old, new] = [self.document, self.old, new].map(|body| Tokens::new(body, level));
        // Dots beside an ellipsis can be cut into other tokens.
        let is_aligned = old.plain == document.plain;
        let alignment = if is_aligned { Alignment::new(&old, &new, cells_left) } else { Alignment::default() };
        let forms = KeptForms::new(&document, &new, &alignment);
        let mut kept = vec![false; document.texts.len()];
        let mut adds_blanks = false;
        for (index, token) in new.texts.iter().copied().enumerate() {
            let token = forms.token(index).map_or(token, |number| document.texts[number]);
            written.push_str(token);
            match alignment.old_token(index) {
                Some(number) => kept[number] = token == document.texts[number],
                None => adds_blanks |= is_blank_run(token),
            }
        }
        if adds_blanks && self.has_flattened_tabs() {
            // Blanks that separate columns were given for tabs, and so may those be that are new.
            return Err(LostBlanks);
        }
        let blanks = document.texts.iter().zip(&kept).filter(|(token, _)| is_blank_run(token)).map(|(_, kept)| *kept);
        self.check_blanks(level, blanks)
    }

    /// Whether `old_str` has other blanks where the document has a tab.
    pub(in crate::replace) fn has_flattened_tabs(self) -> bool {
        let tabs = |run: &str| run.bytes().filter(|byte| *byte == b'\t').count();
        let mut runs = blank_runs(self.old).zip(blank_runs(self.document));
        runs.any(|(old, document)| {
            let there = tabs(&self.document[document]);
            there > 0 && tabs(&self.old[old]) != there
        })
    }

    /// Refuses the loss of blanks when the line is replaced by none in particular.
    pub(in crate::replace) fn check_without_successor(self, level: Level) -> Result<(), LostBlanks> {
        self.check_blanks(level, std::iter::repeat(false))
    }

    /// `kept` says of each run of blanks in the document's line whether it was written.
    fn check_blanks(self, level: Level, kept: impl Iterator<Item = bool>) -> Result<(), LostBlanks> {
        let quoted = quoted_ranges(self.document);
        let runs = blank_runs(self.old).zip(blank_runs(self.document)).zip(kept);
        for ((old, document), kept) in runs {
            let run = &self.document[document.clone()];
            if self.old[old] == *run {
                continue;
            }
            let is_quoted = quoted.iter().any(|range| range.contains(&document.start));
            let is_lost = !kept && !is_spaces(run);
            if is_lost || level >= Level::SpacingNormalized && is_quoted {
                return Err(LostBlanks);
            }
        }
        Ok(())
    }
}

/// The runs of blanks in a body.
pub(super) fn blank_runs(body: &str) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + body[at..].find(is_blank)?;
        at = start + leading(&body[start..], is_blank);
        Some(start..at)
    })
}

/// The parts of a line of the document between quotes; up to the end where one is not closed.
fn quoted_ranges(body: &str) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let (mut open, mut before, mut escaped) = (None::<(char, usize)>, None, false);
    for (at, c) in body.char_indices() {
        let plain = match TypographicClass::from_char(c) {
            Some(TypographicClass::SingleQuote) => '\'',
            Some(TypographicClass::DoubleQuote) => '"',
            _ => c,
        };
        match open {
            Some(_) if escaped => escaped = false,
            Some(_) if plain == '\\' => escaped = true,
            Some((quote, start)) if plain == quote => {
                ranges.push(start..at);
                open = None;
            }
            Some(_) => {}
            None if matches!(plain, '"' | '`') => open = Some((plain, at)),
            None if plain == '\'' && !before.is_some_and(is_word_character) => open = Some((plain, at)),
            None => {}
        }
        before = Some(c);
    }
    ranges.extend(open.map(|(_, start)| start..body.len()));
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(level: Level, old: &str, document: &str, new: &str, expected: Option<&str>) {
        let mut written = String::new();
        let result = ReplacedLine { old, document }.write(&mut written, new, level, &mut { 1 << 20 });
        assert_eq!(result.is_ok().then_some(written.as_str()), expected, "{old:?} {document:?} {new:?}");
    }

    #[test]
    fn a_form_is_kept_between_neighbours_that_stay() {
        let check = |old, document, new, expected| {
            check(Level::PunctuationNormalized, old, document, new, Some(expected));
        };
        check("it's", "it’s", "it's 'on'", "it’s 'on'");
        check("it's so", "it’s so", "now it's so", "now it’s so");
        check("wait - now", "wait — now", "wait - now - or", "wait — now - or");
        check("total - net", "total — net", "x = a - b", "x = a - b");
        check("so on... f(a)", "so on… f(a)", "so on... f([...a])", "so on… f([...a])");
        check("say \"a\" now", "say “a” now", "say \"b\" now", "say \"b\" now");
        check("the 'a", "the ‘a", "fn f<'a>()", "fn f<'a>()");
        check("- One - two", "- One — two", "- Uno - two", "- Uno - two");
        check("a ….x", "a .…x", "a ….y", "a ….y");
    }

    #[test]
    fn blanks_between_words_that_stay_are_kept() {
        let check = |old, document, new, expected| check(Level::SpacingNormalized, old, document, new, expected);
        check("a = 1 # x", "a   = 1   # x", "a = 2 # x", Some("a   = 2 # x"));
        check("a b c", "a\tb\tc", "a x c", Some("a\tx\tc"));
        check("a b c", "a\tb\tc", "d e f", None);
        check("a b", "a\u{2028}b", "a c", Some("a\u{2028}c"));
        check("a b", "a\tb", "c", None);
        check("a\tb", "a\tb", "c", Some("c"));
        check("s = \"a b\" + c", "s = \"a  b\" + c", "s = \"a b\" + d", None);
        check("it's a b", "it's  a b", "it's a c", Some("it's  a c"));
        check("it's a b", "it's a  b", "it's a c", Some("it's a c"));
    }

    #[test]
    fn a_line_that_is_replaced_by_none_may_lose_spaces_only() {
        let check = |old, document| ReplacedLine { old, document }.check_without_successor(Level::SpacingNormalized);
        assert_eq!(check("a b", "a  b"), Ok(()));
        assert_eq!(check("a b", "a\tb"), Err(LostBlanks));
        assert_eq!(check("a\tb", "a\tb"), Ok(()));
        assert_eq!(check("`a b`", "`a  b`"), Err(LostBlanks));
    }
}
