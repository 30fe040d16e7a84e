//! A body as tokens, and which tokens of a line of `new_str` are tokens of the line of `old_str` that it replaces.

use std::borrow::Cow;

use crate::lines::is_blank;

use super::line_pairs::pair_lines;
use crate::replace::Level;
use crate::replace::normalization::{TypographicClass, is_word_character, push_plain};

/// A body as tokens: words, runs of blanks, ellipses, and other characters one by one.
pub(super) struct Tokens<'a> {
    pub(super) texts: Vec<&'a str>,
    /// Each as the level compares it.
    pub(super) plain: Vec<Cow<'a, str>>,
}

impl<'a> Tokens<'a> {
    pub(super) fn new(body: &'a str, level: Level) -> Tokens<'a> {
        let mut texts = Vec::new();
        let mut rest = body;
        while let Some(c) = rest.chars().next() {
            let length = match c {
                _ if is_word_character(c) => leading(rest, is_word_character),
                _ if is_blank(c) => leading(rest, is_blank),
                '.' if rest.starts_with("...") => "...".len(),
                _ => c.len_utf8(),
            };
            texts.push(&rest[..length]);
            rest = &rest[length..];
        }
        let plain = texts.iter().map(|token| plain_token(token, level)).collect();
        Tokens { texts, plain }
    }

    fn plain_texts(&self) -> Vec<&str> {
        self.plain.iter().map(AsRef::as_ref).collect()
    }

    /// The class of a token that has other forms.
    pub(super) fn class(&self, index: usize) -> Option<TypographicClass> {
        match self.texts[index] {
            "..." => Some(TypographicClass::Ellipsis),
            token => token.chars().next().and_then(TypographicClass::from_char),
        }
    }

    pub(super) fn is_word(&self, index: usize) -> bool {
        self.texts.get(index).is_some_and(|token| token.starts_with(is_word_character))
    }

    /// Whether it is a single quote between two words.
    pub(super) fn is_apostrophe(&self, index: usize) -> bool {
        self.class(index) == Some(TypographicClass::SingleQuote)
            && index > 0
            && self.is_word(index - 1)
            && self.is_word(index + 1)
    }

    /// Whether it says what a line is, and not what it tells: comment markers, brackets, operators, quotes.
    pub(super) fn is_structure(&self, index: usize) -> bool {
        let token = self.texts[index];
        let is_text = matches!(token, "." | ",") || self.is_word(index) || is_blank_run(token);
        let is_typographic =
            !token.is_ascii() && matches!(self.class(index), Some(TypographicClass::Dash | TypographicClass::Ellipsis));
        !is_text && !is_typographic && !self.is_apostrophe(index)
    }
}

pub(super) fn leading(text: &str, belongs: fn(char) -> bool) -> usize {
    text.len() - text.trim_start_matches(belongs).len()
}

fn plain_token(token: &str, level: Level) -> Cow<'_, str> {
    if is_blank_run(token) && level >= Level::SpacingNormalized {
        return " ".into();
    }
    if token.is_ascii() || token.starts_with(is_word_character) {
        return token.into();
    }
    let mut plain = String::new();
    push_plain(&mut plain, token);
    plain.into()
}

pub(super) fn is_blank_run(token: &str) -> bool {
    token.starts_with(is_blank)
}

pub(super) fn is_spaces(run: &str) -> bool {
    run.bytes().all(|byte| byte == b' ')
}

/// Which tokens of a line of `new_str` are tokens of the line of `old_str` that it replaces.
#[derive(Default)]
pub(super) struct Alignment {
    /// For each token of `new_str` its token of `old_str`.
    pub(super) old: Vec<Option<usize>>,
    /// For each token of `old_str` its token of `new_str`.
    pub(super) new: Vec<Option<usize>>,
}

impl Alignment {
    pub(super) fn new(old: &Tokens<'_>, new: &Tokens<'_>, cells_left: &mut usize) -> Alignment {
        let mut alignment = Alignment { old: vec![None; new.texts.len()], new: vec![None; old.texts.len()] };
        for (old, new) in pair_lines(&old.plain_texts(), &new.plain_texts(), cells_left) {
            alignment.old[new] = Some(old);
            alignment.new[old] = Some(new);
        }
        alignment
    }

    /// The token of `old_str` that the token of `new_str` of that number is.
    pub(super) fn old_token(&self, index: usize) -> Option<usize> {
        self.old.get(index).copied().flatten()
    }

    /// The token of `new_str` that the token of `old_str` of that number is.
    pub(super) fn new_token(&self, number: usize) -> Option<usize> {
        self.new.get(number).copied().flatten()
    }

    /// Whether the nearest token before that is not blanks stays, or both lines begin here.
    pub(super) fn stays_before(&self, index: usize, number: usize, document: &Tokens<'_>) -> bool {
        match (index.checked_sub(1), number.checked_sub(1)) {
            (None, None) => true,
            (Some(index), Some(number)) if self.old[index] == Some(number) => {
                !is_blank_run(document.texts[number]) || self.stays_before(index, number, document)
            }
            _ => false,
        }
    }

    /// Whether the nearest token after that is not blanks stays, or both lines end here.
    pub(super) fn stays_after(&self, index: usize, number: usize, document: &Tokens<'_>) -> bool {
        let (index, number) = (index + 1, number + 1);
        match (index < self.old.len(), number < self.new.len()) {
            (false, false) => true,
            (true, true) if self.old[index] == Some(number) => {
                !is_blank_run(document.texts[number]) || self.stays_after(index, number, document)
            }
            _ => false,
        }
    }
}
