//! Front matter: split off byte-exactly, its known keys taken, the rest kept as its lines stand.

use serde_json::Value;

use crate::tags::TagCollector;
use crate::yaml::Mapping;

/// The prefix of keys that stand for one of ours where the author's own front matter has that key too.
pub(crate) const OWN_PREFIX: &str = "interline_";

/// The key that, after [`OWN_PREFIX`], has the author's own front matter as one text, where it cannot stand for itself.
pub(crate) const WHOLE: &str = "front_matter";

/// A text and the YAML before it.
pub(crate) struct SplitText<'a> {
    /// What is between the fences; `None` without front matter.
    pub(crate) yaml: Option<&'a str>,
    /// What comes after the closing fence's line, an empty line included.
    pub(crate) body: &'a str,
}

/// Splits a file. Front matter begins with the first line, `---`, and ends with the next line that is `---`; blanks after
/// the hyphens do not matter. A byte order mark before it is no part of the text.
pub(crate) fn split(text: &str) -> SplitText<'_> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let Some(start) = text.find('\n').map(|end| end + 1).filter(|start| is_fence(&text[..*start])) else {
        return SplitText { yaml: None, body: text };
    };
    let mut at = start;
    for line in text[start..].split_inclusive('\n') {
        if is_fence(line) {
            return SplitText { yaml: Some(&text[start..at]), body: &text[at + line.len()..] };
        }
        at += line.len();
    }
    SplitText { yaml: None, body: text }
}

fn is_fence(line: &str) -> bool {
    line.strip_prefix("---").is_some_and(|rest| rest.chars().all(|c| matches!(c, ' ' | '\t' | '\r' | '\n')))
}

/// Checks that a text can be front matter: a mapping, within the bounds of what is parsed. The error is for a sentence after
/// "its front matter".
pub fn check_front_matter(yaml: &str) -> Result<(), String> {
    Mapping::parse(yaml).map(drop)
}

/// The keys of front matter, from which fields take theirs.
pub(crate) struct FrontMatter<'a> {
    yaml: &'a str,
    mapping: Mapping,
    taken: Vec<bool>,
}

/// What is left of front matter when fields took their keys.
pub(crate) enum Rest {
    /// Nothing but blanks.
    Nothing,
    /// These lines, as they stand.
    Lines(String),
    /// The keys that are left, written anew: they shared lines or anchors with others.
    Rewritten(String),
    /// The keys that are left cannot be written without those that were taken.
    Inseparable,
}

impl<'a> FrontMatter<'a> {
    /// Parses what is between the fences. The error is for a sentence after "its front matter".
    pub(crate) fn parse(yaml: &'a str) -> Result<FrontMatter<'a>, String> {
        let mapping = Mapping::parse(yaml)?;
        let mut seen = std::collections::HashSet::new();
        for entry in &mapping.entries {
            if !seen.insert(entry.key.as_str()) && !entry.key.starts_with(OWN_PREFIX) {
                return Err(format!("has the key `{}` twice", crate::tags::shown(&entry.key)));
            }
        }
        let taken = vec![false; mapping.entries.len()];
        Ok(FrontMatter { yaml, mapping, taken })
    }

    /// Whether its keys are whole lines, so that lines of others can stand before them.
    pub(crate) fn is_lines(&self) -> bool {
        self.mapping.is_block
    }

    /// Whether there is such a key, in any case of its letters.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.find(key).is_some()
    }

    fn find(&self, key: &str) -> Option<usize> {
        let matches = |found: &String| found.eq_ignore_ascii_case(key);
        self.mapping.entries.iter().position(|entry| matches(&entry.key))
    }

    fn value(&self, index: usize) -> Option<Value> {
        self.mapping.text_value(self.mapping.entries.get(index)?)
    }

    /// Takes a field by its first name, or else by one of the others. A key with a value that `convert` does not understand
    /// stays; one without a value is dropped. The first name after [`OWN_PREFIX`] decides alone, whatever else there is.
    pub(crate) fn take<T>(&mut self, names: &[&str], convert: impl Fn(&Value) -> Option<T>) -> Option<T> {
        let own = names.first().and_then(|name| self.find(&format!("{OWN_PREFIX}{name}")));
        if let Some(index) = own {
            self.taken[index] = true;
            return convert(&self.value(index)?);
        }
        for name in names.iter().filter(|name| **name != WHOLE) {
            let Some(index) = self.find(name) else { continue };
            let Some(value) = self.value(index) else { continue };
            let converted = convert(&value);
            self.taken[index] = converted.is_some() || value.is_null();
            if converted.is_some() {
                return converted;
            }
        }
        None
    }

    /// The value of the first of these keys that there is, without taking it.
    pub(crate) fn peek<T>(&self, names: &[&str], convert: impl Fn(&Value) -> Option<T>) -> Option<T> {
        convert(&self.value(names.iter().find_map(|name| self.find(name))?)?)
    }

    /// What was not taken.
    pub(crate) fn rest(&self) -> Rest {
        if self.mapping.is_block {
            let lines = self.lines_left();
            if lines.trim().is_empty() {
                return Rest::Nothing;
            }
            if self.has_keys_left(&lines) {
                return Rest::Lines(lines);
            }
        }
        let left = self.mapping.entries.iter().zip(&self.taken).filter(|(_, taken)| !**taken);
        match left.map(|(entry, _)| self.mapping.entry_line(entry)).collect::<Option<String>>() {
            Some(lines) if lines.is_empty() => Rest::Nothing,
            Some(lines) if self.has_keys_left(&lines) => Rest::Rewritten(lines),
            _ => Rest::Inseparable,
        }
    }

    /// The text without the lines of keys that were taken. Comments and empty lines stay.
    fn lines_left(&self) -> String {
        let mut left = String::with_capacity(self.yaml.len());
        let mut at = 0;
        for (entry, _) in self.mapping.entries.iter().zip(&self.taken).filter(|(_, taken)| **taken) {
            let last = entry.end.saturating_sub(1).max(entry.start);
            let end = self.yaml.bytes().skip(last).position(|byte| byte == b'\n');
            let end = end.map_or(self.yaml.len(), |offset| last + offset + 1);
            left.push_str(&self.yaml[at.min(entry.start)..entry.start]);
            at = end;
        }
        left.push_str(&self.yaml[at..]);
        left
    }

    /// Whether a text has the keys that were not taken, and no others.
    fn has_keys_left(&self, lines: &str) -> bool {
        let Ok(mapping) = Mapping::parse(lines) else { return false };
        let left = self.mapping.entries.iter().zip(&self.taken).filter(|(_, taken)| !**taken);
        left.map(|(entry, _)| &entry.key).eq(mapping.entries.iter().map(|entry| &entry.key))
    }
}

/// A text; numbers and dates as they are spelt.
pub(crate) fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

/// A time.
pub(crate) fn time(value: &Value) -> Option<jiff::Timestamp> {
    crate::times::parse(value.as_str()?)
}

/// Tags: a list of texts, or one text.
pub(crate) fn tags(value: &Value) -> Option<(Vec<String>, Vec<String>)> {
    let mut tags = TagCollector::default();
    match value {
        Value::String(text) => tags.add_text(text),
        Value::Array(items) => {
            for item in items.iter().filter(|item| !item.is_null()) {
                tags.add(item.as_str()?);
            }
        }
        _ => return None,
    }
    let mut notices = Vec::new();
    let tags = tags.finish(&mut notices);
    Some((tags, notices))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn front_matter_is_split_off_byte_exactly() {
        for (source, yaml, body) in [
            ("---\na: 1\n---\nbody\n", Some("a: 1\n"), "body\n"),
            ("---\na: 1\n---\n\nbody", Some("a: 1\n"), "\nbody"),
            ("---\r\na: 1\r\n---\r\nbody\r\n", Some("a: 1\r\n"), "body\r\n"),
            ("\u{feff}---\na: 1\n---\n\u{feff}body", Some("a: 1\n"), "\u{feff}body"),
            ("---\n---\n", Some(""), ""),
            ("--- \na: 1\n---\t\nb", Some("a: 1\n"), "b"),
            ("---\na: 1\n---", Some("a: 1\n"), ""),
            ("---\na: 1\n--- x\n----\n", None, "---\na: 1\n--- x\n----\n"),
            ("\n---\na: 1\n---\n", None, "\n---\na: 1\n---\n"),
            ("---", None, "---"),
            ("", None, ""),
            ("\u{feff}text", None, "text"),
        ] {
            let split = split(source);
            assert_eq!((split.yaml, split.body), (yaml, body), "{source:?}");
        }
    }

    #[test]
    fn what_no_field_takes_stays_as_it_stands() {
        for (yaml, left) in [
            ("title: T\naliases: [A, B]\n", "aliases: [A, B]\n"),
            ("# c\ntitle: T # x\n# d\n\nz: 1\n", "# c\n# d\n\nz: 1\n"),
            ("title: >\n  folded\n  text\n\nz: 1\n", "z: 1\n"),
            ("a: 1\r\ntitle: 'x\r\n  y'\r\nb:\r\n  - 2\r\n", "a: 1\r\nb:\r\n  - 2\r\n"),
            ("a: 1\ntitle: T", "a: 1\n"),
            ("a:\n- 1\n- 2\ntitle:\nb: |\n  x\n", "a:\n- 1\n- 2\nb: |\n  x\n"),
        ] {
            let mut front_matter = FrontMatter::parse(yaml).unwrap();
            let _ = front_matter.take(&["title"], text);
            let Rest::Lines(lines) = front_matter.rest() else { panic!("{yaml:?}") };
            assert_eq!(lines, left, "{yaml:?}");
        }
    }

    #[test]
    fn what_cannot_be_separated_by_lines_is_written_anew() {
        for (yaml, left) in [
            ("{title: T, a: [1, x], b: true}\n", "a: [1,\"x\"]\nb: true\n"),
            ("title: &t T\nalso: *t\n", "also: \"T\"\n"),
        ] {
            let mut front_matter = FrontMatter::parse(yaml).unwrap();
            assert_eq!(front_matter.take(&["title"], text).as_deref(), Some("T"));
            let Rest::Rewritten(lines) = front_matter.rest() else { panic!("{yaml:?}") };
            assert_eq!(lines, left, "{yaml:?}");
        }
    }

    #[test]
    fn the_first_name_that_has_a_usable_value_is_taken() {
        let take =
            |yaml: &str| FrontMatter::parse(yaml).unwrap().take(&["created", "date"], time).map(|t| t.to_string());
        assert_eq!(take("date: 2024-01-31\n").as_deref(), Some("2024-01-31T00:00:00Z"));
        assert_eq!(take("created:\ndate: 2024-01-31\n").as_deref(), Some("2024-01-31T00:00:00Z"));
        assert_eq!(take("created: someday\nDate: 2024-01-31\n").as_deref(), Some("2024-01-31T00:00:00Z"));
        assert_eq!(take("interline_created: null\ndate: 2024-01-31\n"), None);
        assert!(FrontMatter::parse("a: 1\na: 2\n").is_err());
    }
}
