//! Records of every reader, whatever it was fed, come back from Markdown.

use interline_interchange::{FileTimes, Format, Since, SourceRecord, read_file, write_markdown};
use proptest::prelude::*;
use uuid::Uuid;

use crate::entries::{read, record};

/// Parts of files, by format.
fn pieces(format: Format) -> Vec<&'static str> {
    let own: &[&str] = match format {
        Format::BookmarksHtml => &[
            "<DL><p>",
            "</DL>",
            "<DT>",
            "<H3>",
            "</H3>",
            "<A HREF=\"https://a.b/",
            "\" TAGS=\"",
            "\">",
            "</A>",
            "<DD>",
            "<br>",
            "&amp;",
            "&#10;",
            "[linkding-notes]",
            "[/linkding-notes]",
        ],
        Format::PocketCsv => &["url,title,time_added,tags,status\n", "https://a.b/", ",1700000000,", "|"],
        Format::RaindropCsv => &["url,note,excerpt,folder,created\n", "https://a.b/", "a / b,", "2024-01-01"],
        Format::KarakeepJson => &[
            "{\"bookmarks\":[",
            "{\"content\":{\"type\":\"text\",\"text\":\"",
            "\"}}",
            "{\"content\":{\"type\":\"link\",\"url\":\"https://a.b",
            "]}",
        ],
        Format::LangfuseJson => &["[{\"name\":\"", "\",\"prompt\":\"", "{{userName}}", "{%", "\"}]"],
        _ => &[
            "---\n",
            "title: ",
            "tags: ",
            "tag: ",
            "id: ",
            "aliases:\n",
            "created: 2024-01-01\n",
            "date: ",
            "kind: bookmark\n",
            "kind: prompt\n",
            "url: x\n",
            "url: ",
            "name: ",
            "interline_title: ",
            "interline_front_matter: ",
            "description: ",
            "content: none\n",
            "- ",
            ": ",
            "|\n",
            ">\n",
            "&a ",
            "*a",
            "? ",
            "!t ",
        ],
    };
    let others = [
        "\n", "\n", "\r\n", "  ", "x", "y z", "\"", "'", "[", "]", "{", "}", ",", "# ", "~", "null", "\u{feff}",
        "e\u{301}", "日", "\u{200b}", "\u{2028}",
    ];
    own.iter().chain(own).chain(&others).copied().collect()
}

fn source() -> impl Strategy<Value = (Format, String)> {
    let formats = vec![
        Format::Markdown,
        Format::Skill,
        Format::Notion,
        Format::BookmarksHtml,
        Format::PocketCsv,
        Format::RaindropCsv,
        Format::KarakeepJson,
        Format::LangfuseJson,
    ];
    proptest::sample::select(formats).prop_flat_map(|format| {
        let text = proptest::collection::vec(proptest::sample::select(pieces(format)), 0..20);
        let first = pieces(format)[0];
        text.prop_map(move |pieces| (format, format!("{first}{}", pieces.concat())))
    })
}

/// What Markdown carries.
fn carried(record: SourceRecord) -> SourceRecord {
    SourceRecord {
        id: Some(record.id.unwrap_or(Uuid::from_u128(1))),
        archived: record.archived.and_then(Since::timestamp).map(Since::At),
        version: None,
        history: Vec::new(),
        notices: Vec::new(),
        source_key: "a/b.md".to_owned(),
        ..record
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, ..ProptestConfig::default() })]

    #[test]
    fn records_of_every_reader_come_back_from_markdown((format, source) in source()) {
        let entries = match format {
            Format::Markdown | Format::Skill | Format::Notion => {
                vec![read_file(format, "a/SKILL.md", source.as_bytes(), FileTimes::default())]
            }
            _ => read(format, source.as_bytes()).unwrap_or_default(),
        };
        for entry in entries {
            let interline_interchange::Entry::Record(found) = entry else { continue };
            prop_assert!(!found.source_key.is_empty());
            let found = carried(*found);
            let file = write_markdown(&found);
            let back = record(read_file(Format::Markdown, "a/b.md", file.as_bytes(), FileTimes::default()));
            prop_assert_eq!(&back, &found, "{}", file);
        }
    }
}
