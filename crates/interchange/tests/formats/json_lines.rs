//! JSON Lines: what is written, what is refused and with which line.

use std::ops::ControlFlow;

use interline_interchange::{
    Entry, JsonLinesReader, JsonLinesWriter, ReadError, ReadLimits, Since, SourceArgument, SourceChange, SourceFields,
    SourceKind, SourceRecord, SourceVersion, read_json_lines,
};
use uuid::Uuid;

use crate::entries::lines;

fn read(bytes: &[u8], limits: ReadLimits) -> (Vec<Entry>, Option<ReadError>) {
    let mut entries = Vec::new();
    let result = read_json_lines(bytes, limits, &mut |entry| {
        entries.push(entry);
        ControlFlow::Continue(())
    });
    (entries, result.err())
}

/// A prompt with everything that a record can have.
fn prompt(id: Uuid) -> SourceRecord {
    let fields = SourceFields {
        title: Some("T".to_owned()),
        description: Some(String::new()),
        tags: vec!["a".to_owned(), "b/c".to_owned()],
        url: None,
        name: Some("n".to_owned()),
        arguments: Some(vec![SourceArgument { name: "x".to_owned(), description: None, required: true }]),
        front_matter: Some("k: v\n".to_owned()),
    };
    let change = |version: Option<u64>, action: &str| SourceChange {
        version,
        action: action.to_owned(),
        changed_fields: vec!["content".to_owned()],
        at: Some("2024-01-01T00:00:00.000001Z".parse().unwrap()),
        source: Some("mcp".to_owned()),
        user: Some("ann".to_owned()),
        token: None,
        state: version.map(|_| SourceVersion { fields: fields.clone(), content: Some("old\r\n".to_owned()) }),
    };
    SourceRecord {
        id: Some(id),
        fields: fields.clone(),
        content: Some("{{ x }}\u{2028}\0\n".to_owned()),
        created_at: Some("2024-01-01T00:00:00Z".parse().unwrap()),
        updated_at: Some("2024-01-02T00:00:00.5Z".parse().unwrap()),
        last_used_at: None,
        archived: Some(Since::At("2024-01-03T00:00:00Z".parse().unwrap())),
        deleted: Some(Since::At("2024-01-04T00:00:00Z".parse().unwrap())),
        version: Some(2),
        history: vec![change(Some(1), "create"), change(None, "archive"), change(Some(2), "update")],
        ..SourceRecord::new(id.hyphenated().to_string(), SourceKind::Prompt)
    }
}

fn write(records: &[SourceRecord]) -> Vec<u8> {
    let mut writer = JsonLinesWriter::new(Vec::new()).unwrap();
    for record in records {
        let id = record.id.unwrap();
        record.history.iter().for_each(|change| writer.record(id, change).unwrap());
        writer.item(id, record).unwrap();
    }
    writer.finish().unwrap()
}

#[test]
fn an_export_is_read_back_and_written_again_byte_for_byte() {
    let note = SourceRecord {
        id: Some(Uuid::from_u128(2)),
        ..SourceRecord::new(Uuid::from_u128(2).to_string(), SourceKind::Note)
    };
    let records = [prompt(Uuid::from_u128(1)), note];
    let bytes = write(&records);
    let (entries, error) = read(&bytes, ReadLimits::default());
    assert!(error.is_none(), "{error:?}");
    let read: Vec<SourceRecord> = entries.into_iter().map(crate::entries::record).collect();
    assert_eq!(read, records);
    assert_eq!(write(&read), bytes);
}

#[test]
fn the_form_of_lines_is_fixed() {
    let text = String::from_utf8(write(&[prompt(Uuid::from_u128(1))])).unwrap();
    let lines: Vec<&str> = text.split('\n').collect();
    assert_eq!(lines[0], r#"{"interline":"export","version":1}"#);
    assert_eq!(
        lines[2],
        r#"{"record":{"id":"00000000-0000-0000-0000-000000000001","version":null,"action":"archive","changed_fields":["content"],"at":"2024-01-01T00:00:00.000001Z","source":"mcp","user":"ann","token":null,"fields":null,"content":null}}"#
    );
    assert_eq!(
        lines[4],
        concat!(
            r#"{"item":{"id":"00000000-0000-0000-0000-000000000001","kind":"prompt","version":2,"fields":{"title":"T","#,
            r#""description":"","tags":["a","b/c"],"url":null,"name":"n","arguments":[{"name":"x","description":null,"#,
            r#""required":true}],"front_matter":"k: v\n"},"content":"{{ x }}"#,
            "\u{2028}",
            r#"\u0000\n","created_at":"2024-01-01T00:00:00Z","updated_at":"2024-01-02T00:00:00.5Z","last_used_at":null,"#,
            r#""archived_at":"2024-01-03T00:00:00Z","deleted_at":"2024-01-04T00:00:00Z"}}"#
        )
    );
    assert_eq!(lines[5..], [r#"{"end":{"items":1}}"#, ""]);
}

const HEADER: &str = "{\"interline\":\"export\",\"version\":1}\n";

#[test]
fn bad_lines_are_skipped_by_number_and_the_rest_is_read() {
    let good = "{\"item\":{\"id\":\"00000000-0000-0000-0000-000000000002\",\"kind\":\"note\",\"version\":1,\"fields\":{\"title\":\"x\"},\"content\":null}}";
    for (line, reason) in [
        ("{\"item\":{\"id\":\"x\",\"kind\":\"note\",\"fields\":{}}}", "`id` is `x`; it must be a UUID"),
        (&good.replace("\"note\"", "\"song\""), "`kind` is `song`; it must be note, bookmark or prompt"),
        (&good.replace("\"content\"", "\"contents\""), "unknown field `contents`"),
        (&good.replace("\"title\"", "\"tilte\""), "unknown field `tilte`"),
        (&good.replace("\"content\":null", "\"content\":7"), "invalid type: integer `7`"),
        (
            &good.replace("\"content\":null", "\"content\":null,\"created_at\":\"soon\""),
            "`created_at` is `soon`; it must be a time",
        ),
    ] {
        let file = format!("{HEADER}{line}\n\n{good}\n{{\"end\":{{\"items\":2}}}}\n");
        let (entries, error) = read(file.as_bytes(), ReadLimits::default());
        assert!(error.is_none(), "{line}: {error:?}");
        let lines = lines(&entries);
        assert!(lines[0].starts_with(&format!("- line 2: {reason}")), "{lines:?}");
        assert!(lines[1].starts_with("note 00000000-0000-0000-0000-000000000002"), "{lines:?}");
    }
}

#[test]
fn what_is_no_whole_export_is_an_error_with_its_line() {
    let item = "{\"item\":{\"id\":\"00000000-0000-0000-0000-000000000002\",\"kind\":\"note\",\"fields\":{}}}\n";
    for (file, line, reason) in [
        (String::new(), 1, "begins with the line"),
        ("{}\n".to_owned(), 1, "begins with the line"),
        ("{\"interline\":\"import\",\"version\":1}\n".to_owned(), 1, "begins with the line"),
        ("{\"interline\":\"export\",\"version\":2}\n".to_owned(), 1, "version 2; this Interline reads version 1"),
        (format!("{HEADER}{item}"), 3, "cut off"),
        (format!("{HEADER}{item}{{\"end\":{{\"items\":3}}}}\n"), 3, "has 3 items; 1 were read"),
        (format!("{HEADER}{{\"end\":{{\"items\":0}}}}\n{item}"), 3, "ended before this line"),
    ] {
        let (_, error) = read(file.as_bytes(), ReadLimits::default());
        let Some(ReadError::Line { line: found, reason: message }) = error else { panic!("{file}: {error:?}") };
        assert_eq!(found, line, "{file}: {message}");
        assert!(message.contains(reason), "{file}: {message}");
    }
}

#[test]
fn a_history_without_its_item_is_told_and_a_long_one_is_cut() {
    let mut record = prompt(Uuid::from_u128(1));
    let bytes = write(std::slice::from_ref(&record));
    let limits = ReadLimits { history_bytes: 700, ..ReadLimits::default() };
    let (entries, error) = read(&bytes, limits);
    assert!(error.is_none());
    let cut = "its history has more than 700 bytes: the oldest records are left out";
    assert_eq!(lines(&entries[..1]), [format!("- 00000000-0000-0000-0000-000000000001: {cut}")]);
    let Entry::Record(read_back) = &entries[1] else { panic!() };
    assert!(read_back.history.len() < 3, "{}", read_back.history.len());
    assert!(read_back.notices[0].contains("records of its history were left out"), "{:?}", read_back.notices);

    let text = String::from_utf8(bytes).unwrap();
    let mut lines_of_file: Vec<&str> = text.split_inclusive('\n').collect();
    lines_of_file.remove(4);
    let file = lines_of_file.concat().replace("\"items\":1", "\"items\":0");
    let (entries, error) = read(file.as_bytes(), ReadLimits::default());
    assert!(error.is_none(), "{error:?}");
    assert_eq!(
        lines(&entries),
        ["- 00000000-0000-0000-0000-000000000001: 3 records of its history came without the item itself"]
    );
    record.history.clear();
}

#[test]
fn bad_lines_before_an_item_leave_few_notices() {
    let bytes = write(&[prompt(Uuid::from_u128(1))]);
    let text = String::from_utf8(bytes).unwrap();
    let file = text.replacen('\n', &format!("\n{}", "x\n".repeat(1_000)), 1);
    let (entries, error) = read(file.as_bytes(), ReadLimits::default());
    assert!(error.is_none(), "{error:?}");
    assert_eq!(entries.len(), 1_001);
    let Some(Entry::Record(record)) = entries.last() else { panic!() };
    assert!(record.notices.len() <= 20, "{}", record.notices.len());
}

#[test]
fn a_line_over_the_limit_is_skipped_without_being_held() {
    let long = "x".repeat(10 * 1024 * 1024);
    let file = format!("{HEADER}{{\"item\":{{\"content\":\"{long}\"}}}}\n{{\"end\":{{\"items\":1}}}}\n");
    let limits = ReadLimits { text_bytes: 1024, ..ReadLimits::default() };
    let (entries, error) = read(file.as_bytes(), limits);
    assert!(error.is_none(), "{error:?}");
    assert_eq!(lines(&entries), ["- line 2: the line has more than 1024 bytes"]);
}

#[test]
fn lines_can_be_handed_over_one_by_one() {
    let bytes = write(&[prompt(Uuid::from_u128(1))]);
    let mut reader = JsonLinesReader::new(ReadLimits::default());
    let mut items = 0;
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        items += usize::from(reader.read_line(line).unwrap().is_some());
    }
    assert_eq!((items, reader.finish().unwrap()), (1, 1));
}
