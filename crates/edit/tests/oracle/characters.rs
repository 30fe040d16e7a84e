//! The oracle of typography: the plain forms of characters.

use super::lines::is_blank;

/// The plain text that a character is read as from `punctuation_normalized` on.
pub(crate) fn plain_char(c: char) -> String {
    match c {
        '\u{2018}'..='\u{201B}' => "'".to_owned(),
        '\u{201C}'..='\u{201F}' => "\"".to_owned(),
        '\u{2010}'..='\u{2015}' | '\u{2212}' => "-".to_owned(),
        '\u{2026}' => "...".to_owned(),
        '\u{A0}' | '\u{1680}' | '\u{2000}'..='\u{200A}' | '\u{202F}' | '\u{205F}' | '\u{3000}' => " ".to_owned(),
        _ => c.to_string(),
    }
}

/// The text with every character read as its plain form.
pub(crate) fn plain(text: &str) -> String {
    text.chars().map(plain_char).collect()
}

/// Every run of blanks as one space.
pub(crate) fn collapse_blanks(text: &str) -> String {
    let mut result = String::new();
    for c in text.chars() {
        match is_blank(c) {
            true if result.ends_with(' ') => {}
            true => result.push(' '),
            false => result.push(c),
        }
    }
    result
}
