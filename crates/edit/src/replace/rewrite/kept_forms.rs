//! Decides which tokens of a changed line keep the form that the document has: a typographic character is kept only where
//! it stood, in a line that is still of the same kind, and quotation marks are kept in pairs or not at all.

use crate::replace::normalization::TypographicClass;

use super::tokens::{Alignment, Tokens, is_blank_run, is_spaces};

/// Which tokens of a line of `new_str` are written as the document has them.
pub(super) struct KeptForms<'l> {
    document: &'l Tokens<'l>,
    alignment: &'l Alignment,
    /// For each token of `new_str` whether it is a quotation mark that is kept.
    quotes: Vec<bool>,
    kind: LineKind,
}

impl<'l> KeptForms<'l> {
    /// The tokens of `old` are those of `document`, in other forms.
    pub(super) fn new(document: &'l Tokens<'l>, new: &Tokens<'_>, alignment: &'l Alignment) -> KeptForms<'l> {
        let kind = LineKind::new(document, new, alignment);
        let mut kept = KeptForms { document, alignment, quotes: vec![false; new.texts.len()], kind };
        for family in [TypographicClass::SingleQuote, TypographicClass::DoubleQuote] {
            kept.keep_quotes(&quotation_marks(document, family), &quotation_marks(new, family));
        }
        kept
    }

    /// The token of the document that stands for the token of `new_str` of that number.
    pub(super) fn token(&self, index: usize) -> Option<usize> {
        let number = self.alignment.old_token(index)?;
        let token = self.document.texts[number];
        let is_kept = if is_blank_run(token) {
            self.keeps_blanks(index, number, token)
        } else {
            match self.document.class(number) {
                Some(TypographicClass::Dash | TypographicClass::Ellipsis) => {
                    self.stays(index, number) && self.kind.is_alike(index, number)
                }
                Some(TypographicClass::SingleQuote) if self.document.is_apostrophe(number) => self.stays(index, number),
                Some(TypographicClass::SingleQuote | TypographicClass::DoubleQuote) => self.quotes[index],
                Some(TypographicClass::Space) | None => false,
            }
        };
        is_kept.then_some(number)
    }

    fn keeps_blanks(&self, index: usize, number: usize, run: &str) -> bool {
        if is_spaces(run) {
            return self.stays(index, number);
        }
        let is_typographic = run.chars().any(|c| c != ' ' && TypographicClass::from_char(c).is_some());
        // The edges of a body have no blanks.
        let stays = self.alignment.stays_before(index, number, self.document)
            || self.alignment.stays_after(index, number, self.document);
        stays && (!is_typographic || self.kind.is_alike(index, number))
    }

    /// Whether the tokens on both sides stay.
    fn stays(&self, index: usize, number: usize) -> bool {
        self.alignment.stays_before(index, number, self.document)
            && self.alignment.stays_after(index, number, self.document)
    }

    /// Keeps pairs of quotation marks that are still pairs. An odd number of them is no pairs: all are kept, or none.
    fn keep_quotes(&mut self, old: &[usize], new: &[usize]) {
        if old.is_empty() || old.len() % 2 != new.len() % 2 {
            return;
        }
        let is_odd = old.len() % 2 == 1;
        if is_odd && old.len() != new.len() {
            return;
        }
        let group = if is_odd { old.len() } else { 2 };
        for old in old.chunks(group) {
            let Some(index) = self.alignment.new_token(old[0]) else { continue };
            let Ok(at) = new.binary_search(&index) else { continue };
            let Some(new) = new.get(at..at + group).filter(|_| at.is_multiple_of(group)) else { continue };
            let pairs = || old.iter().copied().zip(new.iter().copied());
            let are_aligned = pairs().all(|(number, index)| self.alignment.new_token(number) == Some(index));
            let mut stay = pairs().map(|(number, index)| self.stays(index, number));
            let stay = if is_odd { stay.all(|stays| stays) } else { stay.any(|stays| stays) };
            if are_aligned && stay && self.kind.is_alike(index, old[0]) {
                new.iter().for_each(|index| self.quotes[*index] = true);
            }
        }
    }
}

/// The quotation marks of a family, apostrophes aside.
fn quotation_marks(tokens: &Tokens<'_>, family: TypographicClass) -> Vec<usize> {
    let is_mark = |index: &usize| tokens.class(*index) == Some(family) && !tokens.is_apostrophe(*index);
    (0..tokens.texts.len()).filter(is_mark).collect()
}

/// Up to where two lines are of the same kind: a comment that became code is not, and neither is code after a comment marker
/// that went.
struct LineKind {
    begins_alike: bool,
    /// The first token of each line that says what the line is and is not in the other.
    first_other_old: usize,
    first_other_new: usize,
}

impl LineKind {
    fn new(document: &Tokens<'_>, new: &Tokens<'_>, alignment: &Alignment) -> LineKind {
        let first_other = |tokens: &Tokens<'_>, partners: &[Option<usize>]| {
            let is_other = |index: &usize| partners[*index].is_none() && tokens.is_structure(*index);
            (0..partners.len()).find(is_other).unwrap_or(usize::MAX)
        };
        let first_is_kept = alignment.old_token(0) == Some(0);
        let begins_with_another_word = document.is_word(0) && alignment.old_token(0).is_none();
        LineKind {
            begins_alike: first_is_kept || begins_with_another_word,
            first_other_old: first_other(document, &alignment.new),
            first_other_new: first_other(new, &alignment.old),
        }
    }

    /// Whether the lines are of the same kind up to these tokens.
    fn is_alike(&self, index: usize, number: usize) -> bool {
        self.begins_alike && number <= self.first_other_old && index <= self.first_other_new
    }
}
