//! Normalises lines for comparison at the whole-line levels: trailing blanks, typographic characters, spacing.

use crate::lines::{is_blank, split_indent, trim_blanks_end};

use super::Level;

/// A class of characters that have typographic and plain forms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TypographicClass {
    SingleQuote,
    DoubleQuote,
    Dash,
    Ellipsis,
    Space,
}

impl TypographicClass {
    /// The class of a character; a full stop has none, only three of them are an ellipsis.
    pub(super) fn from_char(c: char) -> Option<TypographicClass> {
        Some(match c {
            '\'' | '\u{2018}'..='\u{201b}' => TypographicClass::SingleQuote,
            '"' | '\u{201c}'..='\u{201f}' => TypographicClass::DoubleQuote,
            '-' | '\u{2010}'..='\u{2015}' | '\u{2212}' => TypographicClass::Dash,
            '\u{2026}' => TypographicClass::Ellipsis,
            ' ' | '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => {
                TypographicClass::Space
            }
            _ => return None,
        })
    }

    /// The plain form.
    pub(super) fn plain(self) -> &'static str {
        match self {
            TypographicClass::SingleQuote => "'",
            TypographicClass::DoubleQuote => "\"",
            TypographicClass::Dash => "-",
            TypographicClass::Ellipsis => "...",
            TypographicClass::Space => " ",
        }
    }
}

/// Whether the character is part of a word or a name.
pub(super) fn is_word_character(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// A line cut into the parts that are compared: trailing blanks are gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NormalizedLine<'a> {
    pub(super) indent: &'a str,
    pub(super) body: &'a str,
}

impl NormalizedLine<'_> {
    pub(super) fn is_blank(&self) -> bool {
        self.body.is_empty()
    }
}

/// Several lines, normalised into one text.
#[derive(Debug)]
pub(super) struct NormalizedLines {
    text: String,
    /// Where the indentation and the body of each line end; it starts where the one before ends.
    ends: Vec<(usize, usize)>,
}

impl NormalizedLines {
    pub(super) fn new(lines: &[&str], level: Level) -> NormalizedLines {
        let mut all = NormalizedLines { text: String::new(), ends: Vec::with_capacity(lines.len()) };
        let mut buffer = String::new();
        for line in lines {
            let NormalizedLine { indent, body } = normalize(line, level, &mut buffer);
            all.text.push_str(indent);
            let indent_end = all.text.len();
            all.text.push_str(body);
            all.ends.push((indent_end, all.text.len()));
        }
        all
    }

    pub(super) fn iter(&self) -> impl ExactSizeIterator<Item = NormalizedLine<'_>> + Clone {
        let mut start = 0;
        self.ends.iter().map(move |(indent_end, end)| {
            let line = NormalizedLine { indent: &self.text[start..*indent_end], body: &self.text[*indent_end..*end] };
            start = *end;
            line
        })
    }
}

/// Normalises the text of a line for a whole-line level; `buffer` holds it when it differs from the text.
pub(super) fn normalize<'a>(text: &'a str, level: Level, buffer: &'a mut String) -> NormalizedLine<'a> {
    let text = trim_blanks_end(text);
    if level <= Level::IndentationRelative {
        let (indent, body) = split_indent(text);
        return NormalizedLine { indent, body };
    }
    buffer.clear();
    push_plain(buffer, text);
    if level >= Level::SpacingNormalized {
        let (indent, body) = split_indent(buffer);
        if has_long_blanks(body) {
            let start = indent.len();
            collapse_blanks(buffer, start);
        }
    }
    let (indent, body) = split_indent(buffer);
    NormalizedLine { indent, body }
}

/// Writes the text with plain forms for typographic characters.
pub(super) fn push_plain(buffer: &mut String, text: &str) {
    if text.is_ascii() {
        buffer.push_str(text);
        return;
    }
    for c in text.chars() {
        match TypographicClass::from_char(c) {
            Some(class) => buffer.push_str(class.plain()),
            None => buffer.push(c),
        }
    }
}

/// Whether a body has blanks that are not one plain space.
fn has_long_blanks(body: &str) -> bool {
    let mut after_space = false;
    body.chars().any(|c| {
        let blank = is_blank(c);
        let long = blank && (after_space || c != ' ');
        after_space = blank;
        long
    })
}

/// Makes one space of every run of blanks from `start` on.
fn collapse_blanks(buffer: &mut String, start: usize) {
    let tail = buffer.split_off(start);
    let mut after_blank = false;
    for c in tail.chars() {
        let blank = is_blank(c);
        if !blank {
            buffer.push(c);
        } else if !after_blank {
            buffer.push(' ');
        }
        after_blank = blank;
    }
}

/// The longest piece of a normalised body that every line with that body contains, whatever forms its characters have.
pub(super) fn verbatim_piece(body: &str, level: Level) -> &str {
    if level <= Level::IndentationRelative {
        return body;
    }
    let varies = |c: char| c == '.' || is_blank(c) || TypographicClass::from_char(c).is_some();
    body.split(varies).max_by_key(|piece| piece.len()).unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, level: Level, indent: &str, body: &str) {
        let mut buffer = String::new();
        assert_eq!(normalize(text, level, &mut buffer), NormalizedLine { indent, body }, "{text:?} at {level}");
    }

    #[test]
    fn each_level_ignores_what_the_one_before_does_and_more() {
        let text = "\t\u{a0}“a”\u{2009} —  ‘b’…\u{3000} ";
        check(text, Level::IndentationRelative, "\t\u{a0}", "“a”\u{2009} —  ‘b’…");
        check(text, Level::PunctuationNormalized, "\t ", "\"a\"  -  'b'...");
        check(text, Level::SpacingNormalized, "\t ", "\"a\" - 'b'...");
        check("  a\tb", Level::PunctuationNormalized, "  ", "a\tb");
        check("  a\tb", Level::SpacingNormalized, "  ", "a b");
        check(" \u{85}", Level::SpacingNormalized, "", "");
    }

    #[test]
    fn the_verbatim_piece_has_no_character_with_two_forms() {
        assert_eq!(verbatim_piece("let x = \"long text\"", Level::IndentationRelative), "let x = \"long text\"");
        assert_eq!(verbatim_piece("it's a longer-ish...text", Level::PunctuationNormalized), "longer");
        assert_eq!(verbatim_piece("---", Level::PunctuationNormalized), "");
    }
}
