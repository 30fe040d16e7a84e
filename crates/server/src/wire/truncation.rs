//! Truncation of a text to what one answer holds.

/// The most of a content that one answer holds, in characters.
pub(crate) const MAX_CHARS: usize = 100_000;

/// How much of a text one answer holds.
pub(crate) enum Truncation<'t> {
    Whole,
    /// Its first lines.
    AtLineEnd(&'t str),
    /// The beginning of its first line, which alone is too long.
    InsideLine(&'t str),
}

impl<'t> Truncation<'t> {
    pub(crate) fn new(text: &'t str) -> Truncation<'t> {
        let Some((end, next)) = text.char_indices().nth(MAX_CHARS) else { return Truncation::Whole };
        let line_end = if next == '\n' { Some(end) } else { text[..end].rfind('\n') };
        match line_end {
            Some(line_end) => Truncation::AtLineEnd(&text[..line_end]),
            None => Truncation::InsideLine(&text[..end]),
        }
    }

    /// The part of the text that one answer holds; `whole` is the text that this was made from.
    pub(crate) fn text(&self, whole: &'t str) -> &'t str {
        match self {
            Truncation::Whole => whole,
            Truncation::AtLineEnd(text) | Truncation::InsideLine(text) => text,
        }
    }

    /// `Some(true)` if the text was cut, as the field `truncated` of answers.
    pub(crate) fn truncated(&self) -> Option<bool> {
        match self {
            Truncation::Whole => None,
            Truncation::AtLineEnd(_) | Truncation::InsideLine(_) => Some(true),
        }
    }
}
