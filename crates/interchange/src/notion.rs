//! The zip that Notion exports as "Markdown & CSV": ids in names, a heading that is the title, properties of databases as lines
//! below it.

use crate::markdown::{file_stem, utf8};
use crate::tags::TagCollector;
use crate::texts::note_title;
use crate::yaml::scalar;
use crate::{Entry, FileTimes, MAX_FRONT_MATTER_BYTES, SourceKind, SourceRecord};

/// How many property lines a page may have.
const MAX_PROPERTIES: usize = 100;

/// Reads one page of the export. Its source key is its id, which stays when the page is renamed or moved; the tables of databases
/// (CSV) repeat what their pages say, and are attachments.
pub(crate) fn read_notion_file(path: &str, bytes: &[u8], times: FileTimes) -> Entry {
    let shown = without_ids(path);
    let text = match utf8(bytes) {
        Ok(text) => text.strip_prefix('\u{feff}').unwrap_or(text),
        Err(reason) => return Entry::skipped(shown, reason),
    };
    let key = page_id(file_stem(path)).map_or_else(|| path.to_owned(), str::to_owned);
    let mut record = SourceRecord::new(key, SourceKind::Note);
    let (heading, body) = title_heading(text);
    let (properties, body) = property_lines(body, heading.is_some());
    let title = heading.filter(|title| !title.is_empty()).map_or_else(|| file_stem(&shown).to_owned(), str::to_owned);
    record.fields.title = Some(note_title(&title, &mut record.notices));
    record.content = Some(links_without_ids(body));
    take_properties(&mut record, &properties);
    record.created_at = record.created_at.or(times.modified);
    record.updated_at = record.updated_at.or(times.modified);
    Entry::Record(Box::new(record))
}

/// The id at the end of a name: 32 hexadecimal digits after a blank.
fn page_id(stem: &str) -> Option<&str> {
    let at = stem.len().checked_sub(32)?;
    let (name, id) = (stem.get(..at)?, stem.get(at..)?);
    let is_id = id.bytes().all(|byte| byte.is_ascii_hexdigit());
    (is_id && (name.is_empty() || name.ends_with(' '))).then_some(id)
}

/// Whether the name of a file ends with an id.
pub(crate) fn has_page_id(path: &str) -> bool {
    page_id(file_stem(path)).is_some()
}

/// A path whose folders and file have no ids.
fn without_ids(path: &str) -> String {
    let part = |part: &str| {
        let (stem, ending) = match part.rsplit_once('.') {
            Some((stem, ending)) if ending.len() <= 5 => (stem, Some(ending)),
            _ => (part, None),
        };
        let name = page_id(stem).map_or(stem, |id| stem[..stem.len() - id.len()].trim_end());
        match ending {
            Some(ending) => format!("{name}.{ending}"),
            None => name.to_owned(),
        }
    };
    path.split('/').map(part).collect::<Vec<_>>().join("/")
}

/// The heading in the first line, and what comes after the blank line below it.
fn title_heading(text: &str) -> (Option<&str>, &str) {
    let Some(rest) = text.strip_prefix("# ") else { return (None, text) };
    let (title, rest) = rest.split_once('\n').unwrap_or((rest, ""));
    (Some(title.trim()), after_blank_line(rest))
}

fn after_blank_line(text: &str) -> &str {
    text.strip_prefix("\r\n").or_else(|| text.strip_prefix('\n')).unwrap_or(text)
}

/// The properties of a page of a database: lines `Name: value` directly below the title, up to an empty line. A paragraph that
/// merely begins like one is none: each of its lines must be.
fn property_lines(body: &str, has_title: bool) -> (Vec<(&str, &str)>, &str) {
    if !has_title {
        return (Vec::new(), body);
    }
    let (mut properties, mut rest) = (Vec::new(), body);
    loop {
        let (line, after) = rest.split_once('\n').unwrap_or((rest, ""));
        let line = line.trim_end_matches('\r');
        if line.is_empty() {
            return if properties.is_empty() { (properties, body) } else { (properties, after) };
        }
        match line.split_once(": ").or_else(|| Some((line.strip_suffix(':')?, ""))) {
            Some((name, value)) if is_property_name(name) && properties.len() < MAX_PROPERTIES => {
                properties.push((name, value));
            }
            _ => return (Vec::new(), body),
        }
        rest = after;
    }
}

fn is_property_name(name: &str) -> bool {
    let begins = name.starts_with(char::is_alphabetic);
    begins && name.chars().count() <= 60 && !name.contains(['`', '[', '*', '#', '<', '|'])
}

/// Tags and times become fields; the others are kept as front matter.
fn take_properties(record: &mut SourceRecord, properties: &[(&str, &str)]) {
    let mut lines = String::new();
    let mut tags = TagCollector::default();
    let mut seen = std::collections::HashSet::new();
    for (name, value) in properties {
        let time = crate::times::parse(value);
        match name.to_ascii_lowercase().as_str() {
            "tags" | "tag" => value.split(',').for_each(|tag| tags.add(tag)),
            "created" | "created time" | "date created" if time.is_some() => record.created_at = time,
            "last edited" | "last edited time" | "updated" if time.is_some() => record.updated_at = time,
            _ if !seen.insert(*name) => {}
            _ => lines.push_str(&format!(
                "{}: {}\n",
                scalar(name),
                if value.is_empty() { "null".into() } else { scalar(value) }
            )),
        }
    }
    record.fields.tags = tags.finish(&mut record.notices);
    if lines.len() > MAX_FRONT_MATTER_BYTES {
        record.notices.push(format!("its properties have {} bytes and were left out", lines.len()));
    } else if !lines.is_empty() {
        record.fields.front_matter = Some(lines);
    }
}

/// A text whose links to other files of the export have no ids in their addresses.
fn links_without_ids(body: &str) -> String {
    const ENCODED_BLANK: &str = "%20";
    let mut out = String::with_capacity(body.len());
    let mut rest = body;
    while let Some(at) = rest.find(ENCODED_BLANK) {
        let after = &rest[at + ENCODED_BLANK.len()..];
        let digits = after.bytes().take(33).take_while(u8::is_ascii_hexdigit).count();
        let ends = after.as_bytes().get(digits).is_some_and(|byte| matches!(byte, b'.' | b'/' | b')'));
        out.push_str(&rest[..at]);
        if digits == 32 && ends {
            rest = &after[digits..];
        } else {
            out.push_str(ENCODED_BLANK);
            rest = after;
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "0123456789abcdef0123456789abcdef";

    #[test]
    fn ids_are_taken_out_of_names_and_links() {
        for (path, stripped) in [
            (format!("Home {ID}/My Page {ID}.md"), "Home/My Page.md"),
            (format!("{ID}.md"), ".md"),
            ("Plain.md".to_owned(), "Plain.md"),
            (format!("Page{ID}.md"), ""),
        ] {
            if !stripped.is_empty() {
                assert_eq!(without_ids(&path), stripped);
            } else {
                assert_eq!(without_ids(&path), path);
            }
        }
        assert_eq!(links_without_ids(&format!("[x](My%20Page%20{ID}.md) a%20b")), "[x](My%20Page.md) a%20b");
    }

    #[test]
    fn properties_are_lines_below_the_title_and_prose_is_none() {
        let page = "# T\n\nTags: A b, c\nStatus: Done\nEmpty:\n\nText\n";
        let Entry::Record(record) = read_notion_file(&format!("T {ID}.md"), page.as_bytes(), FileTimes::default())
        else {
            panic!()
        };
        assert_eq!(record.source_key, ID);
        assert_eq!(record.fields.tags, ["a-b", "c"]);
        assert_eq!(record.fields.front_matter.as_deref(), Some("Status: Done\nEmpty: null\n"));
        assert_eq!(record.content.as_deref(), Some("Text\n"));
        let page = "# T\n\nNote: this is prose.\nAnd it goes on.\n";
        let Entry::Record(record) = read_notion_file("T.md", page.as_bytes(), FileTimes::default()) else { panic!() };
        assert_eq!(record.content.as_deref(), Some("Note: this is prose.\nAnd it goes on.\n"));
        assert_eq!(record.source_key, "T.md");
    }
}
