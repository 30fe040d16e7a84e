//! Tags of sources, made tags of ours: lower-case words joined by single `-`, `_` or `/`.

use std::collections::HashSet;

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

/// Characters of one tag.
const MAX_CHARS: usize = 64;

/// Tags of one item.
const MAX_TAGS: usize = 100;

/// Collects the tags of one record: no two alike, in the order in which they are first given.
#[derive(Default)]
pub(crate) struct TagCollector {
    tags: Vec<String>,
    seen: HashSet<String>,
    left_out: usize,
    notices: Vec<String>,
}

impl TagCollector {
    /// Adds one tag, cleaned. Blanks become `-`; what else cannot stay is told.
    pub(crate) fn add(&mut self, source: &str) {
        let Some(tag) = clean_tag(source) else {
            if !source.trim().is_empty() {
                self.notices.push(format!("the tag `{}` was left out: it has no letter or digit", shown(source)));
            }
            return;
        };
        if !only_blanks_changed(source, &tag) {
            self.notices.push(format!("the tag `{}` became `{tag}`", shown(source)));
        }
        if self.seen.contains(&tag) {
            return;
        }
        if self.tags.len() == MAX_TAGS {
            self.left_out += 1;
            return;
        }
        self.seen.insert(tag.clone());
        self.tags.push(tag);
    }

    /// Adds the tags of a text: between commas, or between blanks if there is no comma.
    pub(crate) fn add_text(&mut self, text: &str) {
        if text.contains(',') {
            text.split(',').for_each(|tag| self.add(tag));
        } else {
            text.split_whitespace().for_each(|tag| self.add(tag));
        }
    }

    /// The tags; what was changed on the way is added to `notices`.
    pub(crate) fn finish(mut self, notices: &mut Vec<String>) -> Vec<String> {
        notices.append(&mut self.notices);
        if self.left_out > 0 {
            notices.push(format!("{} tags were left out: an item has at most {MAX_TAGS}", self.left_out));
        }
        self.tags
    }
}

/// The tag that a text means; `None` if it has no letter or digit.
pub(crate) fn clean_tag(source: &str) -> Option<String> {
    let source = source.trim().trim_start_matches('#');
    let folded = source.chars().filter(|c| !is_variant(*c)).flat_map(char::to_lowercase).nfc();
    let (mut tag, mut joiner, mut length) = (String::new(), None, 0);
    for c in folded {
        let is_of_word = is_visible_word(c) || (joiner.is_none() && !tag.is_empty() && is_combining_mark(c));
        if !is_of_word {
            joiner = Some(stronger(joiner, c));
            continue;
        }
        let joined = joiner.take().filter(|_| !tag.is_empty());
        length += 1 + usize::from(joined.is_some());
        if length > MAX_CHARS {
            break;
        }
        tag.extend(joined);
        tag.push(c);
    }
    (!tag.is_empty()).then_some(tag)
}

/// Which joiner stands for a run of characters that are no part of a word: `/` before `_` before `-`.
fn stronger(joiner: Option<char>, c: char) -> char {
    match (joiner, c) {
        (Some('/'), _) | (_, '/') => '/',
        (Some('_') | None, '_') => '_',
        _ => '-',
    }
}

fn is_visible_word(c: char) -> bool {
    // Letters by their category, and yet nothing is seen of them.
    let is_filler = matches!(c, '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}');
    c.is_alphanumeric() && !is_filler
}

/// What chooses a variant of the character before it, and shows nothing itself.
fn is_variant(c: char) -> bool {
    matches!(c, '\u{34f}' | '\u{180b}'..='\u{180d}' | '\u{180f}' | '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
}

fn only_blanks_changed(source: &str, tag: &str) -> bool {
    let source = source.trim().trim_start_matches('#');
    let words: Vec<&str> = source.split_whitespace().collect();
    let folded: String = words.join("-").chars().flat_map(char::to_lowercase).nfc().collect();
    folded == tag
}

/// The beginning of a text, for a message.
pub(crate) fn shown(text: &str) -> String {
    let mut start: String = text.chars().take(80).collect();
    if start.len() < text.len() {
        start.push('…');
    }
    start.escape_debug().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_become_tags() {
        for (source, tag) in [
            ("rust", Some("rust")),
            (" #Rust ", Some("rust")),
            ("To Do", Some("to-do")),
            ("a - b", Some("a-b")),
            ("a / b", Some("a/b")),
            ("snake_case/x", Some("snake_case/x")),
            ("c++", Some("c")),
            ("E\u{301}te\u{301}", Some("été")),
            ("हिन्दी", Some("हिन्दी")),
            ("❤\u{fe0f} love", Some("love")),
            ("日本語", Some("日本語")),
            ("--x--", Some("x")),
            ("a\u{200b}b", Some("a-b")),
            ("", None),
            ("👍", None),
            ("\u{3164}", None),
        ] {
            assert_eq!(clean_tag(source).as_deref(), tag, "{source:?}");
        }
        assert_eq!(clean_tag(&"x".repeat(70)), Some("x".repeat(64)));
        assert_eq!(clean_tag(&format!("{} b", "x".repeat(63))), Some("x".repeat(63)));
    }

    #[test]
    fn lists_are_without_duplicates_and_bounded_and_say_what_changed() {
        let mut tags = TagCollector::default();
        tags.add_text("b, A ,b,to do,c++,👍,");
        let mut notices = Vec::new();
        assert_eq!(tags.finish(&mut notices), ["b", "a", "to-do", "c"]);
        assert_eq!(notices.len(), 2, "{notices:?}");
        let mut tags = TagCollector::default();
        (0..102).for_each(|n| tags.add(&format!("t{n}")));
        notices.clear();
        assert_eq!(tags.finish(&mut notices).len(), 100);
        assert_eq!(notices, ["2 tags were left out: an item has at most 100"]);
    }
}
