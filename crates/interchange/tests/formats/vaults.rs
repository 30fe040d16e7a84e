//! Markdown files: each feature of front matter, and a whole vault there and back.

use interline_interchange::{
    Entry, FileTimes, Format, SourceKind, SourceRecord, check_front_matter, is_hidden_path, read_file, write_markdown,
};

use crate::entries::{lines, record};
use crate::vault;

fn note(source: &str) -> SourceRecord {
    record(read_file(Format::Markdown, "folder/Name.md", source.as_bytes(), FileTimes::default()))
}

#[test]
fn fields_are_taken_and_other_keys_stay() {
    let read = note(
        "---\ntitle: T\ntags: [Two Words, \"#b\"]\naliases:\n  - Other\ncreated: 2024-01-31\nmodified: 2024-02-01T00:00:00Z\n\
         description: D\nrating: 4.50\n---\n\nBody [[x]] #inline\n",
    );
    assert_eq!(
        lines(&[Entry::Record(Box::new(read.clone()))]),
        ["note folder/Name.md title=\"T\" tags=two-words,b description=\"D\" content=\"\\nBody [[x]] #inline\\n\" \
          created=1706659200 updated=1706745600"]
    );
    assert_eq!(read.fields.front_matter.as_deref(), Some("aliases:\n  - Other\nrating: 4.50\n"));
    assert_eq!(read.notices, [""; 0]);
}

#[test]
fn the_name_of_the_file_is_the_title_and_its_times_are_the_note_s() {
    let times = FileTimes {
        created: Some("2024-03-01T00:00:00Z".parse().unwrap()),
        modified: Some("2024-02-01T00:00:00Z".parse().unwrap()),
    };
    let read = record(read_file(Format::Markdown, "a/My note.v2.md", b"# Heading\n", times));
    assert_eq!(read.fields.title.as_deref(), Some("My note.v2"));
    assert_eq!((read.created_at, read.updated_at), (times.modified, times.modified));
    assert_eq!(read.source_key, "a/My note.v2.md");
}

#[test]
fn front_matter_that_is_none_stays_in_the_content() {
    let large = format!("---\ntitle: T\nbig: {}\n---\nbody", "x".repeat(17 * 1024));
    let huge = format!("---\nbig: {}\n---\nbody", "x".repeat(65 * 1024));
    for (source, notice) in [
        ("---\n- a\n---\nbody", "its front matter is no mapping of keys to values: it stays in the content"),
        ("---\na: 1\na: 2\n---\n", "its front matter has the key `a` twice: it stays in the content"),
        ("---\na: [\n---\n", "its front matter is no valid YAML"),
        (&large, "its front matter has 17414 bytes; the limit is 16384: it stays in the content"),
        (&huge, "its front matter has more than 65536 bytes: it stays in the content"),
    ] {
        let read = note(source);
        assert_eq!(read.content.as_deref(), Some(source));
        assert!(read.notices[0].starts_with(notice), "{:?}", read.notices);
        assert_eq!(read.fields.front_matter, None);
    }
    assert_eq!(note(&large).fields.title.as_deref(), Some("T"), "fields are taken all the same");
}

#[test]
fn a_kind_without_the_field_that_it_needs_is_a_key_of_a_note() {
    for front_matter in ["kind: bookmark\nurl:\n", "kind: bookmark\nurl: [a]\n", "kind: prompt\nname: null\n"] {
        let read = note(&format!("---\n{front_matter}---\nbody"));
        assert_eq!(read.kind, SourceKind::Note, "{front_matter}");
        assert_eq!(read.fields.front_matter.as_deref(), Some(front_matter));
    }
    let own = note("---\nkind: bookmark\ninterline_url: https://a.example/\nurl: null\n---\n");
    assert_eq!((own.kind, own.fields.url.as_deref()), (SourceKind::Bookmark, Some("https://a.example/")));
}

#[test]
fn a_written_file_has_a_readable_form() {
    let mut read = note("---\ntitle: Plan\ntags: [a, 2024]\ncreated: 2024-01-31\nid: zettel-1\n---\n\nBody\n");
    read.id = Some(uuid::Uuid::from_u128(7));
    assert_eq!(
        write_markdown(&read),
        "---\ninterline_id: 00000000-0000-0000-0000-000000000007\ntitle: Plan\ntags: [a, \"2024\"]\n\
         created: 2024-01-31T00:00:00Z\nid: zettel-1\n---\n\nBody\n"
    );
    assert!(check_front_matter(read.fields.front_matter.as_deref().unwrap()).is_ok());
    assert!(check_front_matter("- a\n").is_err());
}

#[test]
fn a_vault_goes_out_and_comes_back() {
    let files = vault::files();
    let (mut notes, mut others) = (0, Vec::new());
    for file in files.iter().filter(|file| !is_hidden_path(&file.path)) {
        let entry = read_file(Format::Markdown, &file.path, &file.bytes, FileTimes::default());
        let Entry::Record(read) = entry else {
            others.extend(lines(&[entry]));
            continue;
        };
        notes += 1;
        let exported = write_markdown(&read);
        let back = record(read_file(Format::Markdown, &file.path, exported.as_bytes(), FileTimes::default()));
        assert_eq!(back, SourceRecord { notices: Vec::new(), ..(*read).clone() }, "{}\n{exported}", file.path);
        assert_eq!(write_markdown(&back), exported, "{}", file.path);
    }
    assert_eq!(notes, vault::NOTES);
    assert_eq!(others, ["@ image.png", "- Latin 1.md: it is not UTF-8 (byte 4); save it as UTF-8"]);
}
