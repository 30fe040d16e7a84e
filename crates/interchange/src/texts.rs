//! Titles, descriptions and names of sources, made such that the store takes them.

use crate::tags::shown;

/// Characters of a title.
const MAX_TITLE_CHARS: usize = 500;

/// Characters of a description.
const MAX_DESCRIPTION_CHARS: usize = 4_000;

/// Characters of a prompt's name.
const MAX_NAME_CHARS: usize = 100;

/// A title without what a title cannot have: it is shortened, and characters that turn text around or show nothing are
/// dropped.
pub(crate) fn clean_title(title: &str, notices: &mut Vec<String>) -> String {
    let visible: String = title.chars().filter(|c| !is_refused_in_titles(*c)).collect();
    if visible.len() < title.len() {
        notices.push(
            "characters that show nothing, or turn the direction of text, were taken out of its title".to_owned(),
        );
    }
    shortened(visible, "title", MAX_TITLE_CHARS, notices)
}

/// The title of a note, which needs one: as [`clean_title`], and `Untitled` where nothing of it is seen.
pub(crate) fn note_title(title: &str, notices: &mut Vec<String>) -> String {
    let title = clean_title(title, notices);
    if is_blank(&title) { "Untitled".to_owned() } else { title }
}

/// Whether nothing of a title is seen.
pub(crate) fn is_blank(title: &str) -> bool {
    title.chars().all(|c| {
        let is_mark =
            matches!(c, '\u{34f}' | '\u{61c}' | '\u{180b}'..='\u{180f}' | '\u{200c}'..='\u{200f}' | '\u{2800}');
        let is_variant = matches!(c, '\u{fe00}'..='\u{fe0f}' | '\u{e0020}'..='\u{e007f}' | '\u{e0100}'..='\u{e01ef}');
        c.is_whitespace() || is_mark || is_variant
    })
}

/// A description without NUL, shortened.
pub(crate) fn clean_description(description: &str, notices: &mut Vec<String>) -> String {
    shortened(description.replace('\0', ""), "description", MAX_DESCRIPTION_CHARS, notices)
}

fn shortened(mut text: String, field: &str, limit: usize, notices: &mut Vec<String>) -> String {
    if let Some((end, _)) = text.char_indices().nth(limit) {
        text.truncate(end);
        notices.push(format!("its {field} was cut to {limit} characters"));
    }
    text
}

fn is_refused_in_titles(c: char) -> bool {
    matches!(c,
        '\0' | '\u{ad}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180e}' | '\u{200b}'
        | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e001f}'
        | '\u{e0080}'..='\u{e00ff}' | '\u{e01f0}'..='\u{e0fff}')
}

/// The name of a prompt that a text means: `^[a-z0-9]+(-[a-z0-9]+)*$`. Words begin at capitals after a small letter too.
/// `None` if it has no letter `a`–`z` or digit.
pub(crate) fn prompt_name(source: &str) -> Option<String> {
    let (mut name, mut before) = (String::new(), ' ');
    for c in source.chars() {
        let begins_word = c.is_ascii_uppercase() && (before.is_ascii_lowercase() || before.is_ascii_digit());
        if (begins_word || !c.is_ascii_alphanumeric()) && !name.is_empty() && !name.ends_with('-') {
            name.push('-');
        }
        if c.is_ascii_alphanumeric() {
            name.push(c.to_ascii_lowercase());
        }
        before = c;
    }
    name.truncate(MAX_NAME_CHARS);
    let name = name.trim_end_matches('-');
    (!name.is_empty()).then(|| name.to_owned())
}

/// As [`prompt_name`], and tells if that changed anything.
pub(crate) fn clean_prompt_name(source: &str, notices: &mut Vec<String>) -> Option<String> {
    let name = prompt_name(source)?;
    if name != source {
        notices.push(format!("its name `{}` became `{name}`", shown(source)));
    }
    Some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_words_joined_by_hyphens() {
        for (source, name) in [
            ("code-review", Some("code-review")),
            ("movieCritic", Some("movie-critic")),
            ("my_prompt v2", Some("my-prompt-v2")),
            ("HTTPServer", Some("httpserver")),
            ("team/Sub Folder//x", Some("team-sub-folder-x")),
            ("--a--", Some("a")),
            ("日本", None),
            ("", None),
        ] {
            assert_eq!(prompt_name(source).as_deref(), name, "{source:?}");
        }
        assert_eq!(prompt_name(&"ab-".repeat(60)).map(|name| name.len()), Some(99 + 1 - 1 + 1));
    }

    #[test]
    fn titles_lose_what_is_not_seen() {
        let mut notices = Vec::new();
        assert_eq!(clean_title("a\u{202e}b\u{feff}", &mut notices), "ab");
        assert_eq!(notices.len(), 1);
        assert_eq!(clean_title(&"ä".repeat(501), &mut notices).chars().count(), 500);
        assert_eq!(notices.len(), 2);
        assert_eq!(note_title("\u{200b} \u{fe0f}", &mut notices), "Untitled");
        assert_eq!(clean_description("a\0b", &mut notices), "ab");
    }
}
