//! What is written is read back, for every record.

use std::ops::ControlFlow;

use interline_interchange::{
    BookmarksHtmlWriter, Entry, FileNames, FileTimes, Format, JsonLinesWriter, ReadLimits, Since, SourceArgument,
    SourceChange, SourceFields, SourceKind, SourceRecord, SourceVersion, read_file, read_json_lines, write_markdown,
    write_skill,
};
use jiff::Timestamp;
use proptest::prelude::*;
use uuid::Uuid;

use crate::entries::{read, record};

/// Text with what formats stumble over.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => "[ -~]{0,8}",
        2 => proptest::sample::select(vec![
            "\n", "\r\n", "\r", "---\n", "---", "...\n", "\t", " ", ": ", " #", "{{", "{%", "{#", "{{ '{{' }}", "}}", "'", "\"", "\\",
            "&amp;", "<a>", "</A>", "\u{feff}", "\u{85}", "\u{2028}", "é", "e\u{301}", "日本", "👩\u{200d}💻", "null", "~", "[", "]",
            "&a", "*a", "!x", "|", ">", "%", "@", "`", "-", "- ", "? ", "# ", "[linkding-notes]",
        ]).prop_map(str::to_owned),
    ];
    proptest::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}

fn visible(text: &str) -> String {
    text.chars().filter(|c| !matches!(c, '\0' | '\u{feff}' | '\u{2028}')).collect()
}

fn title() -> impl Strategy<Value = String> {
    text().prop_map(|text| format!("t{}", visible(&text)))
}

fn tags() -> impl Strategy<Value = Vec<String>> {
    proptest::collection::hash_set("[a-zé日0-9]{1,4}([-_/][a-z0-9]{1,3}){0,2}", 0..5)
        .prop_map(|tags| tags.into_iter().collect())
}

fn time() -> impl Strategy<Value = Timestamp> {
    (1_i64..253_000_000_000_000_000).prop_map(|micros| Timestamp::from_microsecond(micros).unwrap())
}

/// Front matter as people and programs set it: some is YAML, some is not.
fn front_matter() -> impl Strategy<Value = Option<String>> {
    let line = proptest::sample::select(vec![
        "aliases: [A, B]\n",
        "k: v\n",
        "title: mine\n",
        "id: zettel\n",
        "tags:\n- x\n",
        "date: 2024-01-01\n",
        "summary: s\n",
        "# comment\n",
        "\n",
        "kind: bookmark\n",
        "url: https://x.example/\n",
        "name: n\n",
        "archived: 2024-01-01\n",
        "content: none\n",
        "interline_title: x\n",
        "interline_front_matter: y\n",
        "nested:\n  a: 1\n",
        "created:\n",
        "description: |\n  text\n",
        "---\n",
        "a: [\n",
        "{a: b}\n",
        "  indented: 1\n",
        "x: &x 1\n",
        "y: *x\n",
        "win: 1\r\n",
        "no line break",
        "Title: Capital\n",
        "- list\n",
        "null\n",
    ]);
    prop_oneof![
        1 => Just(None),
        4 => proptest::collection::vec(line, 1..5).prop_map(|lines| Some(lines.concat())),
        1 => text().prop_map(|text| Some(visible(&text)).filter(|text| !text.is_empty())),
    ]
}

fn arguments() -> impl Strategy<Value = Vec<SourceArgument>> {
    let argument = ("[a-z][a-z0-9_]{0,6}", proptest::option::of(text()), any::<bool>())
        .prop_map(|(name, description, required)| SourceArgument { name, description, required });
    proptest::collection::vec(argument, 0..3)
}

prop_compose! {
    fn any_record()(
        kind in proptest::sample::select(SourceKind::ALL.to_vec()),
        id in any::<u128>(),
        title in title(),
        description in proptest::option::of(text().prop_map(|text| visible(&text))),
        tags in tags(),
        arguments in arguments(),
        front_matter in front_matter(),
        content in proptest::option::of(text()),
        times in (time(), time()),
        archived in proptest::option::of(time()),
    ) -> SourceRecord {
        let id = Uuid::from_u128(id);
        SourceRecord {
            id: Some(id),
            fields: SourceFields {
                title: (kind == SourceKind::Note || !title.ends_with('x')).then_some(title),
                description,
                tags,
                url: (kind == SourceKind::Bookmark).then(|| format!("https://example.com/?q={}&x=\"'", id.simple())),
                name: (kind == SourceKind::Prompt).then(|| "a-prompt".to_owned()),
                arguments: (kind == SourceKind::Prompt).then_some(arguments),
                front_matter,
            },
            content,
            created_at: Some(times.0),
            updated_at: Some(times.1),
            archived: archived.map(Since::At),
            ..SourceRecord::new("folder/file.md", kind)
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]

    #[test]
    fn markdown_is_read_back(written in any_record()) {
        let file = write_markdown(&written);
        prop_assert!(file.ends_with(written.content.as_deref().unwrap_or_default()));
        let read = record(read_file(Format::Markdown, "folder/file.md", file.as_bytes(), FileTimes::default()));
        prop_assert_eq!(&read, &written, "{}", file);
    }

    #[test]
    fn a_skill_is_read_back(any in any_record(), content in text()) {
        let fields = SourceFields {
            name: Some("a-prompt".to_owned()),
            description: any.fields.description,
            arguments: Some(any.fields.arguments.unwrap_or_default()),
            front_matter: any.fields.front_matter,
            ..SourceFields::default()
        };
        let written = SourceRecord { fields, content: Some(content), ..SourceRecord::new("a-prompt/SKILL.md", SourceKind::Prompt) };
        let file = write_skill(&written);
        let read = record(read_file(Format::Skill, "a-prompt/SKILL.md", file.as_bytes(), FileTimes::default()));
        prop_assert_eq!(&read, &written, "{}", file);
    }

    #[test]
    fn a_skill_s_own_text_comes_back(body in text(), description in "[a-z ]{1,20}[a-z]") {
        let file = format!("---\nname: s\ndescription: {description}\n---\n{body}");
        let read = record(read_file(Format::Skill, "s/SKILL.md", file.as_bytes(), FileTimes::default()));
        let end = format!("\n---\n{body}");
        prop_assert!(write_skill(&read).ends_with(&end));
    }

    #[test]
    fn bookmarks_are_read_back(records in proptest::collection::vec(any_record(), 0..4)) {
        let records: Vec<SourceRecord> = records.into_iter().map(as_html_has_it).collect();
        let mut writer = BookmarksHtmlWriter::new(Vec::new()).unwrap();
        records.iter().for_each(|record| writer.bookmark(record).unwrap());
        let html = writer.finish().unwrap();
        let read: Vec<SourceRecord> = match read(Format::BookmarksHtml, &html) {
            Ok(entries) => entries.into_iter().map(record).collect(),
            Err(_) => Vec::new(),
        };
        prop_assert_eq!(&read, &records, "{}", String::from_utf8_lossy(&html));
    }

    #[test]
    fn json_lines_are_read_back(records in proptest::collection::vec((any_record(), proptest::collection::vec(any_change(), 0..3)), 0..3)) {
        let mut writer = JsonLinesWriter::new(Vec::new()).unwrap();
        let mut written = Vec::new();
        for (record, history) in records {
            let id = record.id.unwrap();
            history.iter().for_each(|change| writer.record(id, change).unwrap());
            writer.item(id, &record).unwrap();
            written.push(SourceRecord { source_key: id.hyphenated().to_string(), history, ..record });
        }
        let bytes = writer.finish().unwrap();
        let mut read = Vec::new();
        let result = read_json_lines(bytes.as_slice(), ReadLimits::default(), &mut |entry| {
            read.push(record(entry));
            ControlFlow::Continue(())
        });
        prop_assert!(result.is_ok());
        prop_assert_eq!(read, written);
    }

    #[test]
    fn names_of_files_are_never_alike_and_never_lead_elsewhere(titles in proptest::collection::vec(text(), 1..20)) {
        let mut names = FileNames::new();
        let mut seen = std::collections::HashSet::new();
        for title in titles {
            let name = names.name(&title, None, "md");
            prop_assert!(name.len() <= 200 && !name.contains(['/', '\\', ':', '\0', '\n']) && !name.starts_with('.'), "{name}");
            prop_assert!(seen.insert(name.to_ascii_lowercase()), "{name}");
        }
    }

    #[test]
    fn any_text_is_a_note(source in text()) {
        let entry = read_file(Format::Markdown, "a.md", source.as_bytes(), FileTimes::default());
        prop_assert!(matches!(entry, Entry::Record(_)));
    }
}

fn any_change() -> impl Strategy<Value = SourceChange> {
    (any_record(), proptest::option::of(1_u64..9), time()).prop_map(|(record, version, at)| SourceChange {
        version,
        action: "update".to_owned(),
        changed_fields: record.fields.tags.clone(),
        at: Some(at),
        source: record.fields.title.clone(),
        user: record.fields.description.clone(),
        token: None,
        state: version.map(|_| SourceVersion { fields: record.fields, content: record.content }),
    })
}

/// A record without what the file has no room for.
fn as_html_has_it(record: SourceRecord) -> SourceRecord {
    let url = format!("https://example.com/{}?a=1&b=\"<", record.id.unwrap().simple());
    let seconds = |time: Option<Timestamp>| {
        time.map(|time| Timestamp::from_second(time.as_second().max(1) % 99_000_000_000).unwrap())
    };
    let description = record.fields.description.filter(|text| !text.is_empty() && !text.contains("[linkding-notes]"));
    SourceRecord {
        fields: SourceFields {
            title: record.fields.title,
            description,
            tags: record.fields.tags,
            url: Some(url.clone()),
            ..SourceFields::default()
        },
        created_at: seconds(record.created_at),
        updated_at: seconds(record.updated_at),
        archived: record.archived.map(|_| Since::Unknown),
        ..SourceRecord::new(url, SourceKind::Bookmark)
    }
}
