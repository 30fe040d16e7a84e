//! Characters that are not seen: controls of the direction of text, separators of lines, marks without a width. With them a
//! name can look like another, or like nothing.

use unicode_normalization::{IsNormalized, UnicodeNormalization as _, is_nfc_quick};

use super::FieldError;

/// Which characters without a shape of their own a text may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hidden {
    /// Those that writing needs: marks of direction beside Arabic and Hebrew, joiners, variants of emoji. In titles.
    ForWriting,
    /// Joiners and variants, which names of people and emoji need, and none at an end. In names that are shown.
    Joiners,
    /// None. In paths, tags, addresses: two that differ must look different.
    None,
}

/// Refuses a text with characters that are not seen, unless they are allowed; the error names the first and its place.
pub(crate) fn refuse_hidden(field: &str, text: &str, allowed: Hidden) -> Result<(), FieldError> {
    if text.is_ascii() {
        return Ok(());
    }
    let last = text.chars().count().saturating_sub(1);
    let refused = text.chars().enumerate().find(|(at, c)| match allowed {
        Hidden::ForWriting => is_hidden(*c) && !is_joiner(*c) && !is_direction_mark(*c),
        Hidden::Joiners => is_hidden(*c) && !(is_joiner(*c) && *at > 0 && (*at < last || is_variant(*c))),
        Hidden::None => is_hidden(*c),
    });
    match refused {
        None => Ok(()),
        Some((at, c)) => {
            let message = format!("character {} is {} (U+{:04X}); remove it", at + 1, name(c), u32::from(c));
            Err(FieldError::new(field, message))
        }
    }
}

/// Refuses a text that is not in Unicode form NFC. It has no hidden characters: the error shows the text in that form.
pub(crate) fn refuse_other_form(field: &str, text: &str) -> Result<(), FieldError> {
    if text.is_ascii() || is_nfc_quick(text.chars()) == IsNormalized::Yes {
        return Ok(());
    }
    let composed: String = text.nfc().collect();
    if composed == text {
        return Ok(());
    }
    let position = text.chars().zip(composed.chars()).take_while(|(one, other)| one == other).count() + 1;
    let message = format!(
        "character {position} is not in Unicode form NFC, so that the same name has two spellings; spell it `{}`",
        composed.escape_debug()
    );
    Err(FieldError::new(field, message))
}

/// Whether nothing of a text is seen.
pub(crate) fn is_blank(text: &str) -> bool {
    // Braille without dots is a symbol that shows nothing.
    text.chars().all(|c| c.is_whitespace() || is_hidden(c) || c == '\u{2800}')
}

/// Whether a character is not seen and is no blank either: those that Unicode calls default ignorable, and the separators
/// of lines, paragraphs and annotations.
fn is_hidden(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// What joins letters, keeps them apart, or chooses between their variants.
fn is_joiner(c: char) -> bool {
    matches!(c, '\u{200c}' | '\u{200d}' | '\u{34f}' | '\u{180b}'..='\u{180d}' | '\u{180f}') || is_variant(c)
}

/// What chooses a variant of the character before it; the flags of England, Scotland and Wales are spelt with tags.
fn is_variant(c: char) -> bool {
    matches!(c, '\u{fe00}'..='\u{fe0f}' | '\u{e0020}'..='\u{e007f}' | '\u{e0100}'..='\u{e01ef}')
}

/// The marks of direction, which change nothing but where the next blank or bracket stands.
fn is_direction_mark(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}')
}

fn name(c: char) -> &'static str {
    match c {
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => "a control of the direction of text",
        '\u{61c}' | '\u{200e}' | '\u{200f}' => "a mark of the direction of text",
        '\u{2028}' => "a line separator",
        '\u{2029}' => "a paragraph separator",
        '\u{feff}' => "a byte order mark",
        '\u{ad}' => "a soft hyphen",
        _ => "an invisible character",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A text, and whether a title, a name and a path may have it.
    const TABLE: [(&str, [bool; 3]); 24] = [
        ("plain", [true; 3]),
        ("Ünïcode 日本 한국어", [true; 3]),
        ("مرحبا", [true; 3]),
        ("שלום", [true; 3]),
        ("a\u{202e}gpj.exe", [false; 3]),
        ("a\u{202a}b", [false; 3]),
        ("a\u{2066}b\u{2069}", [false; 3]),
        ("a\u{2028}b", [false; 3]),
        ("a\u{2029}b", [false; 3]),
        ("\u{feff}a", [false; 3]),
        ("a\u{200b}b", [false; 3]),
        ("a\u{ad}b", [false; 3]),
        ("a\u{2060}b", [false; 3]),
        ("a\u{3164}b", [false; 3]),
        ("a\u{e0001}b", [false; 3]),
        ("سلام\u{200f}!", [true, false, false]),
        ("a\u{200e}b", [true, false, false]),
        ("a\u{61c}b", [true, false, false]),
        ("می\u{200c}خواهم", [true, true, false]),
        ("👩\u{200d}💻", [true, true, false]),
        ("❤\u{fe0f}", [true, true, false]),
        ("🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}", [true, true, false]),
        ("\u{200d}a", [true, false, false]),
        ("a\u{200c}", [true, false, false]),
    ];

    #[test]
    fn what_is_not_seen_is_refused_where_writing_does_not_need_it() {
        for (text, expected) in TABLE {
            let accepted = [Hidden::ForWriting, Hidden::Joiners, Hidden::None]
                .map(|allowed| refuse_hidden("x", text, allowed).is_ok());
            assert_eq!(accepted, expected, "{}", text.escape_unicode());
        }
    }

    #[test]
    fn the_error_names_the_character_and_does_not_show_it() {
        for (text, message) in [
            ("ä\u{202e}", "character 2 is a control of the direction of text (U+202E); remove it"),
            ("\u{feff}a", "character 1 is a byte order mark (U+FEFF); remove it"),
            ("ab\u{2028}", "character 3 is a line separator (U+2028); remove it"),
            ("\u{e0001}", "character 1 is an invisible character (U+E0001); remove it"),
        ] {
            assert_eq!(refuse_hidden("x", text, Hidden::None).unwrap_err().message, message);
        }
    }

    #[test]
    fn a_text_in_another_form_is_refused_with_the_composed_one() {
        for text in ["é", "한", "Å", "ñandú", "日本", "ḍ\u{307}"] {
            assert_eq!(refuse_other_form("x", text), Ok(()), "{text}");
        }
        for (text, message) in [
            ("cafe\u{301}", "character 4 is not in Unicode form NFC"),
            ("\u{1112}\u{1161}\u{11ab}", "spell it `한`"),
            ("\u{212b}", "spell it `Å`"),
            ("d\u{307}\u{323}", "character 1"),
        ] {
            let error = refuse_other_form("x", text).unwrap_err();
            assert!(error.message.contains(message), "{error}");
        }
    }

    #[test]
    fn what_shows_nothing_is_blank() {
        for text in ["", " ", "\t\u{a0}\u{2003}", "\u{200b}", "\u{3164}", "\u{2800} ", "\u{feff}\u{2028}"] {
            assert!(is_blank(text), "{}", text.escape_unicode());
        }
        for text in ["a", " .", "\u{301}"] {
            assert!(!is_blank(text), "{}", text.escape_unicode());
        }
    }
}
