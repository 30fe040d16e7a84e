//! Zips of Markdown and of Notion, and those that mean harm.

use std::io::{Cursor, Write as _};
use std::ops::ControlFlow;

use interline_interchange::{Entry, Format, ReadError, ReadLimits, read_archive};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use crate::entries::lines;

/// A zip of these files.
pub(crate) fn zip(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let time = DateTime::from_date_and_time(2023, 11, 14, 22, 13, 20).unwrap();
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated).last_modified_time(time);
    for (name, bytes) in files {
        writer.start_file(*name, options).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn read(format: Format, bytes: &[u8], limits: &ReadLimits) -> Result<Vec<Entry>, ReadError> {
    let mut entries = Vec::new();
    let _ = read_archive(format, Cursor::new(bytes), limits, &mut |entry| {
        entries.push(entry);
        ControlFlow::Continue(())
    })?;
    Ok(entries)
}

const ID: &str = "0123456789abcdef0123456789abcdef";

#[test]
fn a_zip_of_markdown() {
    let bytes = zip(&[
        ("vault/Plan.md", b"---\ntags: [a]\n---\nText\n"),
        ("vault/.obsidian/app.json", b"{}"),
        ("__MACOSX/vault/._Plan.md", b"x"),
        ("vault/image.png", b"\x89PNG"),
        ("vault/bad.md", b"\xff\xfe\x00"),
    ]);
    assert_eq!(
        lines(&read(Format::Markdown, &bytes, &ReadLimits::default()).unwrap()),
        [
            "note vault/Plan.md title=\"Plan\" tags=a content=\"Text\\n\" created=1700000000 updated=1700000000",
            "@ vault/image.png",
            "- vault/bad.md: it is UTF-16; save it as UTF-8",
        ]
    );
}

#[test]
fn notion() {
    let page = format!(
        "# My Page\n\nStatus: Done\nTags: Work, Big Idea\nCreated: January 31, 2024 8:05 PM\n\nSee [Sub](My%20Page%20{ID}/Sub%20{ID}.md).\n"
    );
    let inner = zip(&[
        (&format!("Home {ID}/My Page {ID}.md"), page.as_bytes()),
        (&format!("Home {ID}/My Page {ID}/image.png"), b"x"),
        (&format!("Home {ID}/Table {ID}.csv"), b"Name\n"),
    ]);
    let bytes = zip(&[("Part-1.zip", &inner), ("Untitled.md", b"no heading\n")]);
    assert_eq!(
        lines(&read(Format::Notion, &bytes, &ReadLimits::default()).unwrap()),
        [
            format!(
                "note {ID} title=\"My Page\" tags=work,big-idea content=\"See [Sub](My%20Page/Sub.md).\\n\" \
                 created=1706731500 updated=1700000000"
            ),
            format!("@ Home {ID}/My Page {ID}/image.png"),
            format!("@ Home {ID}/Table {ID}.csv"),
            "note Untitled.md title=\"Untitled\" content=\"no heading\\n\" created=1700000000 updated=1700000000"
                .to_owned(),
        ]
    );
}

#[test]
fn what_a_zip_is_shows_in_its_names() {
    let page = format!("Home {ID}.md");
    for (name, format) in [
        ("vault/Plan.md", Some(Format::Markdown)),
        ("x/SKILL.md", Some(Format::Skill)),
        (page.as_str(), Some(Format::Notion)),
        ("Part-1.zip", Some(Format::Notion)),
        ("image.png", None),
        ("__MACOSX/x.md", None),
    ] {
        assert_eq!(Format::guess_archive(Cursor::new(zip(&[(name, b"x")]))), format, "{name}");
    }
    assert_eq!(Format::guess_archive(Cursor::new(b"no zip")), None);
}

#[test]
fn paths_that_lead_out_and_links_are_refused_one_by_one() {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default();
    for name in ["../evil.md", "a/../../evil.md", "/etc/evil.md", "C:\\evil.md", "..\\evil.md", "good.md"] {
        writer.start_file(name, options).unwrap();
        writer.write_all(b"x").unwrap();
    }
    writer.add_symlink("link.md", "/etc/passwd", options).unwrap();
    let bytes = writer.finish().unwrap().into_inner();
    let entries = lines(&read(Format::Markdown, &bytes, &ReadLimits::default()).unwrap());
    let refused = entries.iter().filter(|line| line.ends_with("leads out of the archive")).count();
    assert_eq!(refused, 5, "{entries:?}");
    assert_eq!(entries.iter().filter(|line| line.starts_with("note good.md")).count(), 1);
    assert_eq!(entries.last().unwrap(), "- link.md: it is a symbolic link");
}

#[test]
fn a_bomb_is_not_unpacked_and_the_rest_is_read() {
    let zeros = vec![b'a'; 30 * 1024 * 1024];
    let bytes = zip(&[("bomb.md", &zeros), ("good.md", b"x")]);
    assert!(bytes.len() < 100_000);
    let entries = lines(&read(Format::Markdown, &bytes, &ReadLimits::default()).unwrap());
    assert!(entries[0].starts_with("- bomb.md: it unpacks to more than 200 times its size"), "{entries:?}");
    assert!(entries[1].starts_with("note good.md"), "{entries:?}");

    // One that lies about its size, in both of its headers.
    let mut lying = bytes.clone();
    let size = u32::try_from(zeros.len()).unwrap().to_le_bytes();
    for at in 0..lying.len() - 4 {
        if lying[at..at + 4] == size {
            lying[at..at + 4].copy_from_slice(&1000_u32.to_le_bytes());
        }
    }
    let entries = lines(&read(Format::Markdown, &lying, &ReadLimits::default()).unwrap());
    assert!(entries[0].starts_with("- bomb.md: it"), "{entries:?}");
}

#[test]
fn limits_of_an_archive_hold() {
    let text = "word ".repeat(100);
    let files: Vec<(String, &[u8])> = (0..10).map(|n| (format!("{n}.md"), text.as_bytes())).collect();
    let files: Vec<(&str, &[u8])> = files.iter().map(|(name, bytes)| (name.as_str(), *bytes)).collect();
    let bytes = zip(&files);
    let limits = ReadLimits { archive_bytes: 1200, ..ReadLimits::default() };
    let entries = read(Format::Markdown, &bytes, &limits).unwrap();
    assert_eq!(entries.iter().filter(|entry| matches!(entry, Entry::Record(_))).count(), 2);
    assert_eq!(entries.len(), 10);
    let limits = ReadLimits { archive_files: 9, ..ReadLimits::default() };
    assert!(matches!(read(Format::Markdown, &bytes, &limits), Err(ReadError::NotThisFormat { .. })));
    let limits = ReadLimits { text_bytes: 499, ..ReadLimits::default() };
    let entries = lines(&read(Format::Markdown, &bytes, &limits).unwrap());
    assert_eq!(entries[0], "- 0.md: it has 500 bytes; the limit is 499");
}

#[test]
fn encrypted_files_are_told_and_zips_that_are_none_are_refused() {
    let mut bytes = zip(&[("secret.md", b"x")]);
    for at in 0..bytes.len() - 10 {
        match &bytes[at..at + 4] {
            b"PK\x03\x04" => bytes[at + 6] |= 1,
            b"PK\x01\x02" => bytes[at + 8] |= 1,
            _ => {}
        }
    }
    let entries = lines(&read(Format::Markdown, &bytes, &ReadLimits::default()).unwrap());
    assert_eq!(entries, ["- secret.md: it is encrypted; unpack the archive and import the folder"]);

    let whole = zip(&[("a.md", b"some text"), ("b.md", b"more")]);
    for end in 0..whole.len() {
        let _ = read(Format::Markdown, &whole[..end], &ReadLimits::default());
    }
    for bytes in [&b""[..], b"PK\x03\x04", b"no zip at all", &whole[..whole.len() / 2]] {
        assert!(matches!(read(Format::Notion, bytes, &ReadLimits::default()), Err(ReadError::NotThisFormat { .. })));
    }
    assert!(read(Format::PocketCsv, &whole, &ReadLimits::default()).is_err());
}

#[test]
fn a_reader_stops_when_it_is_told() {
    let bytes = zip(&[("a.md", b"1"), ("b.md", b"2")]);
    let mut count = 0;
    let flow = read_archive(Format::Markdown, Cursor::new(&bytes), &ReadLimits::default(), &mut |_| {
        count += 1;
        ControlFlow::Break(())
    });
    assert!(flow.unwrap().is_break());
    assert_eq!(count, 1);
}
