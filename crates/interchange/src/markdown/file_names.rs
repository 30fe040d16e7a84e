//! Names of files, made of titles: valid on every system, no two alike.

use std::collections::HashSet;

use unicode_normalization::UnicodeNormalization as _;
use uuid::Uuid;

/// Bytes of a name without its ending: file systems have room for 255 in all, some for characters of two bytes each.
const MAX_BYTES: usize = 120;

/// Names that Windows gives to devices, whatever ending follows.
const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "conin$", "conout$"];

/// Gives out names of files in one folder.
#[derive(Debug, Default)]
pub struct FileNames {
    used: HashSet<String>,
}

impl FileNames {
    /// No name is used yet.
    pub fn new() -> FileNames {
        FileNames::default()
    }

    /// A name for a title, with that ending (`md`), that no other file of the folder has, in any case of its letters. Where two
    /// titles clash, the later one gets a part of its id, so that it does not depend on how many others there are.
    pub fn name(&mut self, title: &str, id: Option<Uuid>, ending: &str) -> String {
        let stem = stem(title);
        let with_id = id.map(|id| {
            let id = id.simple().to_string();
            format!("{stem} ({})", &id[id.len() - 8..])
        });
        let numbered = (2_u64..).map(|number| format!("{stem} {number}"));
        let candidates = std::iter::once(stem.clone()).chain(with_id).chain(numbered);
        for candidate in candidates {
            let folded: String = candidate.chars().flat_map(char::to_lowercase).nfc().collect();
            if self.used.insert(folded) {
                return format!("{candidate}.{ending}");
            }
        }
        // Numbers do not come to an end before the names do.
        format!("{stem}.{ending}")
    }
}

fn stem(title: &str) -> String {
    let mut stem = String::new();
    for c in title.chars() {
        let c = if is_hostile(c) || c.is_whitespace() { if c.is_whitespace() { ' ' } else { '-' } } else { c };
        let doubled = matches!(c, ' ' | '-') && stem.ends_with(c);
        if stem.len() + c.len_utf8() > MAX_BYTES {
            break;
        }
        if !doubled {
            stem.push(c);
        }
    }
    let trimmed = stem.trim_matches([' ', '.', '-']);
    let device = trimmed.split('.').next().unwrap_or(trimmed).trim_end().to_ascii_lowercase();
    let is_port = matches!(device.strip_prefix("com").or(device.strip_prefix("lpt")), Some(port)
        if matches!(port, "0" | "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9" | "¹" | "²" | "³"));
    match trimmed {
        "" => "Untitled".to_owned(),
        _ if is_port || DEVICES.contains(&device.as_str()) => format!("_{trimmed}"),
        _ => trimmed.to_owned(),
    }
}

/// What some file system refuses, what a link of Markdown or Obsidian cannot name, and what is not seen.
fn is_hostile(c: char) -> bool {
    matches!(c, '/' | '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|' | '#' | '^' | '[' | ']')
        || c.is_control()
        || matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_become_names_of_files() {
        for (title, name) in [
            ("Plan", "Plan.md"),
            ("a/b: c?", "a-b- c.md"),
            ("../../etc/passwd", "etc-passwd.md"),
            ("  .hidden. ", "hidden.md"),
            ("CON", "_CON.md"),
            ("com1.x", "_com1.x.md"),
            ("Nul .txt", "_Nul .txt.md"),
            ("console", "console.md"),
            ("", "Untitled.md"),
            ("???", "Untitled.md"),
            ("a\n\tb", "a b.md"),
            ("a\u{202e}b", "a-b.md"),
            ("日本語 [[x]]", "日本語 -x.md"),
        ] {
            assert_eq!(FileNames::new().name(title, None, "md"), name, "{title:?}");
        }
        let long = FileNames::new().name(&"ä".repeat(500), None, "md");
        assert_eq!(long, format!("{}.md", "ä".repeat(60)));
    }

    #[test]
    fn no_two_names_are_alike() {
        let mut names = FileNames::new();
        let id = Uuid::from_u128(0x1234_5678_90ab_cdef);
        assert_eq!(names.name("Plan", Some(id), "md"), "Plan.md");
        assert_eq!(names.name("PLAN", Some(id), "md"), "PLAN (90abcdef).md");
        assert_eq!(names.name("plan", Some(id), "md"), "plan 2.md");
        assert_eq!(names.name("Ete\u{301}", None, "md"), "Ete\u{301}.md");
        assert_eq!(names.name("Été", None, "md"), "Été.md");
        assert_eq!(names.name("eté", None, "md"), "eté 2.md");
    }
}
