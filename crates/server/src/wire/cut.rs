//! As much of a text as one answer holds.

/// The most of a content that one answer holds, in characters.
pub(crate) const MAX_CHARS: usize = 100_000;

/// What of a text one answer holds.
pub(crate) enum Cut<'t> {
    Whole,
    /// Its first lines.
    AtLineEnd(&'t str),
    /// The beginning of its first line, which alone is too long.
    InsideLine(&'t str),
}

impl<'t> Cut<'t> {
    pub(crate) fn of(text: &'t str) -> Cut<'t> {
        let Some((end, next)) = text.char_indices().nth(MAX_CHARS) else { return Cut::Whole };
        let line_end = if next == '\n' { Some(end) } else { text[..end].rfind('\n') };
        match line_end {
            Some(line_end) => Cut::AtLineEnd(&text[..line_end]),
            None => Cut::InsideLine(&text[..end]),
        }
    }

    pub(crate) fn shown(&self, text: &'t str) -> &'t str {
        match self {
            Cut::Whole => text,
            Cut::AtLineEnd(shown) | Cut::InsideLine(shown) => shown,
        }
    }
}
