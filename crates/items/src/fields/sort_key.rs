//! The sort key of titles and paths, which both storages sort by.

use unicode_normalization::UnicodeNormalization;

/// The text by which titles and paths are sorted: lower case, then Unicode form NFC; compare the bytes.
///
/// The key is made here and stored, so that both storages sort alike. Their own rules do not: SQLite folds ASCII only,
/// and PostgreSQL's order depends on the locale and the version of the system's library. Case is folded character by
/// character: it is stable across lengths and positions, and a title that ends in `Σ` sorts with its other spellings.
pub fn sort_key(text: &str) -> String {
    text.chars().flat_map(char::to_lowercase).nfc().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_differ_in_case_or_normal_form_have_one_key() {
        for (one, other) in [
            ("README", "readme"),
            ("ÄPFEL", "a\u{308}pfel"),
            ("ΟΔΟΣ", "οδοσ"),
            ("Ⅳ", "ⅳ"),
            ("ǅ", "ǆ"),
            ("É", "e\u{301}"),
            ("", ""),
        ] {
            assert_eq!(sort_key(one), sort_key(other), "{one} {other}");
        }
        assert_ne!(sort_key("straße"), sort_key("strasse"));
    }

    #[test]
    fn order_is_that_of_folded_text() {
        let mut titles = ["b", "A", "Zebra", "apple", "_x", "10", "9", "élan"];
        titles.sort_by_key(|title| sort_key(title));
        assert_eq!(titles, ["10", "9", "_x", "A", "apple", "b", "Zebra", "élan"]);
    }

    #[test]
    fn a_key_is_its_own_key() {
        for text in ["İstanbul", "ẞ", "ﬁ", "가", "𝒜", "A\u{30a}"] {
            assert_eq!(sort_key(&sort_key(text)), sort_key(text), "{text}");
        }
    }
}
