//! Any bytes as a file of every format: readers answer, and what writers write of a record is read back.
#![no_main]

mod text_input;

use std::io::Cursor;
use std::ops::ControlFlow;

use interline_interchange::{
    Entry, FileTimes, Format, JsonLinesWriter, ReadLimits, Since, SourceKind, SourceRecord, read_archive,
    read_document, read_file, read_json_lines, write_markdown, write_skill,
};
use libfuzzer_sys::fuzz_target;
use uuid::Uuid;

/// Parts of files of all formats.
#[rustfmt::skip]
const TOKENS: &[&str] = &[
    "---\n", "---\r\n", "title: ", "tags: ", "id: ", "created: ", "interline_title: ", "interline_front_matter: ", "kind: bookmark\n",
    "url: ", "https://a.b/", "name: ", "description: ", "content: none\n", "2024-01-01", "\n", "\n", "\r\n", "  ", "- ", ": ", "[", "]",
    "{", "}", ",", "\"", "'", "&a ", "*a", "|\n", ">\n", "# ", "? ", "!t ", "~", "null", "x", "y", "\u{feff}", "\u{301}", "日",
    "<DL><p>", "</DL>", "<DT>", "<H3>", "</H3>", "<A HREF=\"https://a.b/", "\" TAGS=\"", "\">", "</A>", "<DD>", "<br>", "&amp;", "<!--", "-->",
    "url,title,time_added,tags,status\n", "url,note,excerpt,folder,created\n", "1700000000", "{{userName}}", "{%", "{#", "{{ '{{' }}",
    "{\"bookmarks\":[", "{\"content\":{\"type\":\"text\",\"text\":\"", "{\"type\":\"link\",\"url\":\"", "{\"data\":[", "\"name\":\"a\"", "\"prompt\":\"",
    "\"version\":1", "\"children\":[", "\"uri\":\"https://a.b\"", "{\"interline\":\"export\",\"version\":1}\n", "{\"item\":{", "{\"record\":{",
    "\"id\":\"00000000-0000-0000-0000-000000000001\"", "\"fields\":{}", "\"kind\":\"note\"", "{\"end\":{\"items\":1}}\n", "\"action\":\"create\"",
    "[linkding-notes]", "[/linkding-notes]", "\0",
];

/// What Markdown and JSON Lines carry of a record.
fn carried(record: SourceRecord) -> SourceRecord {
    let id = record.id.unwrap_or(Uuid::from_u128(1));
    let archived = record.archived.and_then(Since::timestamp).map(Since::At);
    let (history, notices) = (Vec::new(), Vec::new());
    SourceRecord {
        id: Some(id),
        archived,
        deleted: None,
        last_used_at: None,
        version: None,
        history,
        notices,
        source_key: "a/b.md".into(),
        ..record
    }
}

fn is_read_back(record: SourceRecord) {
    assert!(!record.source_key.is_empty());
    let is_cleaned = record.history.is_empty() && record.version.is_none();
    let record = carried(record);
    // Interline's own lines may have any texts; other sources are cleaned, and so come back as they are.
    if is_cleaned {
        let file = write_markdown(&record);
        let Entry::Record(read) = read_file(Format::Markdown, "a/b.md", file.as_bytes(), FileTimes::default()) else {
            panic!("no record: {file}");
        };
        assert_eq!(*read, record, "{file}");
        if record.kind == SourceKind::Prompt {
            let file = write_skill(&record);
            let Entry::Record(read) = read_file(Format::Skill, "a/SKILL.md", file.as_bytes(), FileTimes::default())
            else {
                panic!("no record: {file}");
            };
            assert_eq!(read.fields.front_matter, record.fields.front_matter, "{file}");
            assert_eq!(read.content.unwrap_or_default(), record.content.clone().unwrap_or_default(), "{file}");
        }
    }
    let id = record.id.unwrap_or_default();
    let mut writer = JsonLinesWriter::new(Vec::new()).expect("a Vec takes all");
    writer.item(id, &record).expect("a Vec takes all");
    let bytes = writer.finish().expect("a Vec takes all");
    let mut read = Vec::new();
    let result = read_json_lines(bytes.as_slice(), ReadLimits::default(), &mut |entry| {
        read.push(entry);
        ControlFlow::Continue(())
    });
    assert!(result.is_ok());
    let expected = SourceRecord { source_key: id.hyphenated().to_string(), ..record };
    assert_eq!(read, [Entry::Record(Box::new(expected))]);
}

fuzz_target!(|data: &[u8]| {
    let Some((first, data)) = data.split_first() else { return };
    let format = Format::ALL[usize::from(*first) % Format::ALL.len()];
    let bytes = if *first < 128 { data.to_vec() } else { text_input::text(data, TOKENS).into_bytes() };
    let mut entries = Vec::new();
    let limits = ReadLimits { archive_bytes: 1024 * 1024, ..ReadLimits::default() };
    let mut sink = |entry| {
        entries.push(entry);
        ControlFlow::Continue(())
    };
    let _ = Format::guess("x", &bytes);
    let _ = read_document(format, &bytes, &limits, &mut sink);
    let _ = read_archive(format, Cursor::new(&bytes), &limits, &mut sink);
    entries.push(read_file(format, "a/SKILL.md", &bytes, FileTimes::default()));
    for entry in entries {
        if let Entry::Record(record) = entry {
            // A record of JSON Lines has texts that nothing cleaned.
            let version = if format == Format::JsonLines { Some(1) } else { record.version };
            is_read_back(SourceRecord { version, ..*record });
        }
    }
});
