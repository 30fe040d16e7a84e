//! Tags, and the list of tags of an item.

use std::collections::HashSet;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::text::{check_length, refuse_nul};
use super::{FieldError, Hidden, Limits, refuse_hidden};

/// One tag: lower-case letters and digits of any script, in words joined by single `-`, `_` or `/`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tag(String);

impl Tag {
    /// Trims, lower-cases (character by character) and brings to form NFC, then checks.
    ///
    /// A combining mark counts as part of the letter it follows: Hindi words and `İ`, lower-cased, need them.
    pub fn parse(tag: &str, limits: &Limits) -> Result<Tag, FieldError> {
        Tag::parse_field("tag", tag, limits)
    }

    fn parse_field(field: &str, tag: &str, limits: &Limits) -> Result<Tag, FieldError> {
        refuse_nul(field, tag)?;
        refuse_hidden(field, tag, Hidden::None)?;
        Tag::parse_spelling(field, tag, limits)
    }

    /// The tag that a request names to find it: as [`Tag::parse`], and also one that was stored when more characters were
    /// allowed.
    pub fn parse_stored(tag: &str, limits: &Limits) -> Result<Tag, FieldError> {
        refuse_nul("tag", tag)?;
        Tag::parse_spelling("tag", tag, limits)
    }

    fn parse_spelling(field: &str, tag: &str, limits: &Limits) -> Result<Tag, FieldError> {
        let tag: String = tag.trim().chars().flat_map(char::to_lowercase).nfc().collect();
        check_length(field, &tag, limits.tag)?;
        match (problem(&tag), without_blanks(&tag)) {
            (None, _) => Ok(Tag(tag)),
            (Some(_), Some(joined)) => {
                let message = format!("a tag has no blanks: write `{joined}` instead of `{}`", tag.escape_debug());
                Err(FieldError::new(field, message))
            }
            (Some(problem), None) => {
                let rule =
                    "a tag is letters and digits, in words joined by single `-`, `_` or `/`, like `rust/async-io`";
                Err(FieldError::new(field, format!("{problem}; {rule}")))
            }
        }
    }

    /// A value that was parsed before it was stored; limits may have changed since.
    pub fn from_stored(stored: String) -> Tag {
        Tag(stored)
    }

    /// The tag.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The tag that a text with blanks probably means: its words joined by `-`. `None` if it has no blanks, or more is wrong
/// with it.
fn without_blanks(tag: &str) -> Option<String> {
    let words: Vec<&str> = tag.split_whitespace().collect();
    let joined = words.join("-");
    (words.len() > 1 && problem(&joined).is_none()).then_some(joined)
}

/// What keeps a normalised text from being a tag.
fn problem(tag: &str) -> Option<String> {
    let mut inside_word = false;
    for c in tag.chars() {
        let joins = matches!(c, '-' | '_' | '/');
        if joins && !inside_word {
            return Some(format!("`{c}` in `{}` does not follow a letter or digit", tag.escape_debug()));
        }
        let is_of_word = c.is_alphanumeric() || (inside_word && is_combining_mark(c));
        if !joins && !is_of_word {
            return Some(format!("{c:?} in `{}` is neither a letter nor a digit", tag.escape_debug()));
        }
        inside_word = is_of_word;
    }
    match tag.chars().next_back() {
        None => Some("must not be blank".to_owned()),
        Some(last) if !inside_word => Some(format!("`{tag}` ends with `{last}`")),
        Some(_) => None,
    }
}

/// How many times as many tags as an item may have are looked at: some may be alike.
const MAX_REPETITION: usize = 10;

/// The tags of an item: no two alike, in the order in which they were first given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tags(Vec<Tag>);

impl Tags {
    /// Parses each, drops the duplicates, then counts. An error names the tag by its index: `tags[2]`. So many that no item
    /// could have meant them, duplicates or not, are counted only.
    pub fn parse(
        tags: impl IntoIterator<Item = impl AsRef<str>, IntoIter: ExactSizeIterator>,
        limits: &Limits,
    ) -> Result<Tags, FieldError> {
        let tags = tags.into_iter();
        if tags.len() > MAX_REPETITION * limits.tags {
            return Err(FieldError::too_many("tags", "tags", limits.tags, tags.len()));
        }
        let (mut list, mut seen) = (Vec::new(), HashSet::new());
        for (index, tag) in tags.enumerate() {
            let tag = Tag::parse_field(&format!("tags[{index}]"), tag.as_ref(), limits)?;
            if seen.insert(tag.clone()) {
                list.push(tag);
            }
        }
        match list.len() {
            actual if actual > limits.tags => Err(FieldError::too_many("tags", "tags", limits.tags, actual)),
            _ => Ok(Tags(list)),
        }
    }

    /// Tags that were parsed before they were stored; limits may have changed since.
    pub fn from_stored(stored: Vec<String>) -> Tags {
        Tags(stored.into_iter().map(Tag).collect())
    }

    /// The tags.
    pub fn as_slice(&self) -> &[Tag] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_trimmed_lowered_and_composed() {
        for (given, tag) in [
            ("rust", "rust"),
            ("  Rust\t", "rust"),
            ("E\u{301}TE\u{301}", "été"),
            ("rust/async-io_2", "rust/async-io_2"),
            ("日本語", "日本語"),
            ("हिन्दी", "हिन्दी"),
            ("İzmir", "i\u{307}zmir"),
            ("ΟΔΟΣ", "οδοσ"),
            ("2024", "2024"),
            ("٣", "٣"),
        ] {
            assert_eq!(Tag::parse(given, &Limits::default()).unwrap().as_str(), tag, "{given}");
        }
    }

    #[test]
    fn other_tags_are_refused_with_the_reason() {
        for (given, reason) in [
            ("", "blank"),
            (" \u{3000}", "blank"),
            ("-a", "`-` in `-a` does not follow a letter or digit"),
            ("a-", "`a-` ends with `-`"),
            ("a--b", "`-` in `a--b` does not follow a letter or digit"),
            ("a/_b", "`_` in `a/_b` does not follow a letter or digit"),
            ("to do", "a tag has no blanks: write `to-do` instead of `to do`"),
            ("To \t Do/Soon", "write `to-do/soon` instead of `to \\t do/soon`"),
            ("a - b", "' ' in `a - b` is neither a letter nor a digit"),
            ("c++ code", "'+' in `c++ code` is neither a letter nor a digit"),
            ("c++", "'+' in `c++` is neither a letter nor a digit"),
            ("#x", "'#'"),
            ("a,b", "','"),
            ("\u{301}a", "neither"),
            ("a-\u{301}", "neither"),
            ("👍", "neither"),
            ("a\0", "NUL"),
            ("\u{3164}", "character 1 is an invisible character (U+3164); remove it"),
            ("a\u{fe0f}", "character 2 is an invisible character (U+FE0F); remove it"),
            ("a\u{202e}b", "character 2 is a control of the direction of text (U+202E); remove it"),
            ("a\u{7}\u{200b}", "character 3 is an invisible character (U+200B); remove it"),
            ("a\u{7}", "'\\u{7}' in `a\\u{7}` is neither"),
        ] {
            let error = Tag::parse(given, &Limits::default()).unwrap_err();
            assert_eq!(error.field, "tag");
            assert!(error.message.contains(reason), "{given:?}: {error}");
        }
    }

    #[test]
    fn a_tag_is_measured_after_it_was_normalised() {
        let spelled = "e\u{301}".repeat(64);
        assert_eq!(Tag::parse(&spelled, &Limits::default()).unwrap().as_str(), "é".repeat(64));
        let error = Tag::parse(&"x".repeat(65), &Limits::default()).unwrap_err();
        assert_eq!(error.message, "has 65 characters; the limit is 64");
    }

    #[test]
    fn a_parsed_tag_parses_to_itself() {
        for given in ["İ/ẞ", "Ǆ", "ﬁ", "K", "Ω"] {
            let tag = Tag::parse(given, &Limits::default()).unwrap();
            assert_eq!(Tag::parse(tag.as_str(), &Limits::default()).unwrap(), tag, "{given}");
        }
    }

    #[test]
    fn duplicates_are_dropped_and_the_first_order_stays() {
        let tags = Tags::parse(["b", "A", " B ", "a", "c"], &Limits::default()).unwrap();
        assert_eq!(tags.as_slice().iter().map(Tag::as_str).collect::<Vec<_>>(), ["b", "a", "c"]);
        assert_eq!(Tags::parse([""; 0], &Limits::default()).unwrap(), Tags::default());
    }

    #[test]
    fn tags_are_counted_without_duplicates_and_named_by_their_place() {
        let limits = Limits { tags: 2, ..Limits::default() };
        assert!(Tags::parse(["a", "b", "A"], &limits).is_ok());
        let error = Tags::parse(["a", "b", "c"], &limits).unwrap_err();
        assert_eq!(error.to_string(), "tags: has 3 tags; the limit is 2");
        assert_eq!(Tags::parse(["a", "b c"], &limits).unwrap_err().field, "tags[1]");
    }
}
