//! Folding: texts are compared without regard to case, accents, compatibility forms of a character and lengths of blanks.

use std::ops::Range;

use interline_edit::SearchInterrupted;
use unicode_normalization::char::{canonical_combining_class, decompose_compatible};

/// How much is folded before asking whether to go on.
const PIECE_BYTES: usize = 64 * 1024;

/// The folded form of a text. Every run of blanks is one space.
///
/// Folding goes character by character, so that the folded form of a text holds that of each of its parts.
pub(crate) fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    fold_into(&mut folded, text);
    folded
}

/// The same, piece by piece: `keep_going` is asked between them.
pub(crate) fn fold_while(text: &str, keep_going: &mut dyn FnMut() -> bool) -> Result<String, SearchInterrupted> {
    let mut folded = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let (piece, others) = rest.split_at(rest.floor_char_boundary(PIECE_BYTES));
        fold_into(&mut folded, piece);
        rest = others;
        if !rest.is_empty() && !keep_going() {
            return Err(SearchInterrupted);
        }
    }
    Ok(folded)
}

fn fold_into(folded: &mut String, text: &str) {
    let mut rest = text;
    while !rest.is_empty() {
        let ascii = rest.bytes().position(|byte| !byte.is_ascii()).unwrap_or(rest.len());
        fold_ascii_into(folded, &rest[..ascii]);
        rest = &rest[ascii..];
        let mut others = rest.chars();
        while let Some(other) = others.clone().next().filter(|other| !other.is_ascii()) {
            fold_char(other, |char| push(folded, char));
            others.next();
        }
        rest = others.as_str();
    }
}

/// The same for ASCII, which most texts are made of, a word at a time.
fn fold_ascii_into(folded: &mut String, ascii: &str) {
    let start = folded.len();
    for (index, word) in ascii.split(|char: char| matches!(char, '\t'..='\r' | ' ')).enumerate() {
        if index > 0 && !folded.ends_with(' ') {
            folded.push(' ');
        }
        folded.push_str(word);
    }
    folded[start..].make_ascii_lowercase();
}

fn push(folded: &mut String, char: char) {
    if !char.is_whitespace() {
        folded.push(char);
    } else if !folded.ends_with(' ') {
        folded.push(' ');
    }
}

/// The folded form of a character: none, one or several characters.
fn fold_char(char: char, mut emit: impl FnMut(char)) {
    match char {
        _ if is_ignored(char) => {}
        _ if has_own_marks(char) => lower(char, &mut emit),
        _ => decompose_compatible(char, |part| {
            if !is_ignored(part) {
                lower(part, &mut emit);
            }
        }),
    }
}

fn lower(char: char, emit: &mut impl FnMut(char)) {
    match char {
        'ß' | 'ẞ' => {
            emit('s');
            emit('s');
        }
        'ς' => emit('σ'),
        '‘' | '’' | '‚' | '‛' => emit('\''),
        '“' | '”' | '„' | '‟' => emit('"'),
        '‐'..='―' | '−' => emit('-'),
        _ => char.to_lowercase().filter(|part| !is_ignored(*part)).for_each(emit),
    }
}

/// Combining accents, and characters that are invisible.
fn is_ignored(char: char) -> bool {
    matches!(char, '\u{300}'..='\u{36f}' | '\u{ad}' | '\u{200b}' | '\u{feff}' | '\u{fe00}'..='\u{fe0f}')
}

/// Whether a character is composed of others that are no accents: a syllable, a letter with a mark that makes it another.
fn has_own_marks(char: char) -> bool {
    let mut own = matches!(char, '가'..='힣');
    decompose_compatible(char, |part| own |= canonical_combining_class(part) != 0 && !is_ignored(part));
    own
}

/// Maps the folded form of a line back to the line: the offset in the line that each byte of the folded form comes from,
/// and the end.
pub(crate) struct Origins(Vec<usize>);

impl Origins {
    pub(crate) fn from_line(line: &str) -> Origins {
        let mut folded = String::with_capacity(line.len());
        let mut origins = Vec::with_capacity(line.len() + 1);
        for (at, char) in line.char_indices() {
            fold_into(&mut folded, char.encode_utf8(&mut [0; 4]));
            origins.resize(folded.len(), at);
        }
        origins.push(line.len());
        Origins(origins)
    }

    /// The characters of the line that a part of the folded form comes from, with the accents that follow.
    pub(crate) fn range_in_line(&self, range: &Range<usize>) -> Range<usize> {
        let start = self.0[range.start];
        let last = self.0[range.end.max(1) - 1];
        let end = self.0[range.end..].iter().copied().find(|&origin| origin > last);
        start..end.unwrap_or(start)
    }
}

/// The byte of a text that a byte of its folded form comes from; `keep_going` is asked now and then on the way.
pub(crate) fn origin(
    text: &str,
    at: usize,
    keep_going: &mut dyn FnMut() -> bool,
) -> Result<Option<usize>, SearchInterrupted> {
    let mut folded = String::with_capacity(at.min(text.len()) + 4);
    let mut start = 0;
    while start < text.len() {
        let end = text.floor_char_boundary(start + PIECE_BYTES);
        let before = folded.len();
        fold_into(&mut folded, &text[start..end]);
        if folded.len() > at {
            // It is in this piece: once more, a character at a time.
            folded.truncate(before);
            let mut chars = text[start..end].char_indices();
            let found = chars.find(|(_, char)| {
                fold_into(&mut folded, char.encode_utf8(&mut [0; 4]));
                folded.len() > at
            });
            return Ok(found.map(|(origin, _)| start + origin));
        }
        start = end;
        if !keep_going() {
            return Err(SearchInterrupted);
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_look_alike_are_one() {
        for (text, folded) in [
            ("Hello  World\r\n\tx", "hello world x"),
            ("CAFÉ cafe\u{301} Café", "cafe cafe cafe"),
            ("Straße STRASSE ẞ", "strasse strasse ss"),
            ("ΟΔΟΣ οδος", "οδοσ οδοσ"),
            ("İstanbul I ı", "istanbul i ı"),
            ("ﬁne Ａ１ ①", "fine a1 1"),
            ("don’t “x” – — ﹘ ⁻", "don't \"x\" - - - -"),
            ("が か\u{3099}", "が か\u{3099}"),
            ("각 가", "각 가"),
            ("❤\u{fe0f} ❤ 👩\u{200d}🚀", "❤ ❤ 👩\u{200d}🚀"),
            ("soft\u{ad}hyphen\u{200b}", "softhyphen"),
            ("%_\\'\"", "%_\\'\""),
            ("a\u{a0}\u{3000}b", "a b"),
            ("ſ", "s"),
            ("", ""),
        ] {
            assert_eq!(fold(text), folded, "{text}");
            assert_eq!(fold(folded), folded, "{text}: folding twice");
        }
    }

    #[test]
    fn a_long_text_is_folded_in_pieces_to_the_same() {
        let text = "Ü x \r\n ﬁ ".repeat(2 * PIECE_BYTES / 10);
        let folded = fold(&text);
        let mut questions = 0;
        let mut count = || {
            questions += 1;
            true
        };
        assert!(fold_while(&text, &mut count).unwrap() == folded);
        for at in [0, 5, folded.len() / 2, folded.len() - 1] {
            let origin = origin(&text, at, &mut count).unwrap().unwrap();
            assert!(folded.starts_with(&fold(&text[..origin])), "{at}");
            assert!(fold(&text[..=text.ceil_char_boundary(origin + 1) - 1]).len() > at, "{at}");
        }
        assert!(questions > 4);
        assert_eq!(origin(&text, folded.len(), &mut || true), Ok(None));
        assert_eq!(fold_while(&text, &mut || false), Err(SearchInterrupted));
        assert_eq!(origin(&text, folded.len() - 1, &mut || false), Err(SearchInterrupted));
        assert_eq!(fold_while("Short", &mut || false), Ok("short".to_owned()));
    }

    #[test]
    fn the_folded_form_of_a_text_holds_that_of_its_parts() {
        let text = "Ångström’s ﬁrst Straße: ΟΔΟΣ – 각가 が ½ ¨x ❤\u{fe0f} e\u{301}";
        let folded = fold(text);
        let ends: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        for (index, &start) in ends.iter().enumerate() {
            for &end in &ends[index..] {
                let part = fold(&text[start..end]);
                assert!(folded.contains(&part), "{part}");
            }
        }
    }

    #[test]
    fn parts_of_a_folded_line_lead_back_to_the_line() {
        let line = "Ein Straßen-Cafe\u{301}, ﬁn";
        let (folded, origins) = (fold(line), Origins::from_line(line));
        for (part, origin) in
            [("strasse", "Straße"), ("cafe", "Cafe\u{301}"), ("ein", "Ein"), ("fin", "ﬁn"), ("f", "ﬁ")]
        {
            let start = folded.rfind(part).unwrap();
            let range = origins.range_in_line(&(start..start + part.len()));
            assert_eq!(&line[range], origin);
        }
    }
}
