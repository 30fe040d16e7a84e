//! The encoding of columns: bytes that this program never wrote are an error or a value, and what it writes comes back.
#![no_main]

#[path = "../../crates/storage/src/codec/mod.rs"]
#[allow(unused, reason = "the storages use all of it")]
mod codec;
mod text_input;

use std::sync::Arc;

use arbitrary::Arbitrary;
use codec::undo::{self, UndoChain, UndoKind, UndoRecord};
use codec::{functions, json, varint};
use interline_edit::{Edit, Splice};
use interline_items::ContentWrite;
use libfuzzer_sys::fuzz_target;

#[derive(Arbitrary, Debug)]
enum Input {
    /// Bytes that hold anything, as records that lead from a content.
    Records { newest: Option<String>, records: Vec<(u8, Vec<u8>)> },
    /// Records of a history of writes, then damaged.
    History { first: Option<String>, writes: Vec<Write>, damage: Vec<(u8, u16, u8)> },
    /// A text as each of the columns that are JSON.
    Json(Vec<u8>),
    /// Numbers.
    Numbers(Vec<u64>, Vec<u8>),
}

/// A write of a content.
#[derive(Arbitrary, Debug)]
enum Write {
    Keep,
    Set(Option<String>),
    /// A long text that compresses well.
    Repeat(u16, String),
    /// Places and lengths in characters, and the texts in their stead.
    Edit(Vec<(u16, u8, String)>),
}

/// Parts of the JSON of columns.
#[rustfmt::skip]
const JSON: &[&str] = &[
    "[", "]", "{", "}", ",", ":", "\"title\":", "\"description\":", "\"tags\":", "\"url\":", "\"name\":", "\"arguments\":",
    "\"path\":", "\"required\":", "\"decorator\":", "\"line\":", "\"category\":", "\"parameters\":", "\"doc\":",
    "\"kind\":", "\"annotation\":", "\"default\":", "\"map\":", "\"tool\"", "\"workflow\"", "\"standard\"",
    "\"keyword_only\"", "\"read\"", "\"note\"", "\"a\"", "\"\"", "true", "false", "null", "0", "1", "-1", "1.5", "1e300",
    "18446744073709551615", "9223372036854775808", "-0.0", " ",
    "{\"name\":\"f\",\"decorator\":\"tool\",\"line\":1,\"arguments\":[],\"parameters\":[]}",
    "{\"name\":\"x\",\"required\":true}", "\"00000000-0000-0000-0000-000000000001\"", "\"\\u0000\"", "[[\"k\",",
];

/// Damaged or not, a history is an error or a text, and no longer than zstd can make it of so few bytes.
fn records_end(newest: Option<&str>, records: &[UndoRecord]) {
    // A block of zstd has at most 128 KiB and takes 4 bytes.
    let bytes: usize = records.iter().map(|record| record.bytes.len()).sum();
    let most = newest.map_or(0, str::len) + bytes + (bytes / 4 + 1) * 128 * 1024;
    if let Ok(Some(content)) = undo::rebuild(newest.map(Arc::from), records) {
        assert!(content.len() <= most, "{} bytes of {bytes}", content.len());
    }
}

fn numbered(kind: u8) -> UndoKind {
    UndoKind::from_number(i64::from(kind % 6)).unwrap()
}

/// The write, and the content after it; `None` if it is not one.
fn write(before: &Option<Arc<str>>, write: &Write) -> Option<(ContentWrite, Option<Arc<str>>)> {
    let set = |new: Option<Arc<str>>| (ContentWrite::Set { old: before.clone(), new: new.clone() }, new);
    match write {
        Write::Keep => Some((ContentWrite::Keep, before.clone())),
        Write::Set(new) => Some(set(new.as_deref().map(Arc::from))),
        Write::Repeat(count, text) => {
            Some(set(Some(text.repeat(usize::from(*count).min(50_000 / text.len().max(1))).into())))
        }
        Write::Edit(splices) => {
            let before = before.as_ref()?;
            let ends: Vec<usize> = before.char_indices().map(|(at, _)| at).chain([before.len()]).collect();
            let mut splices: Vec<Splice> = splices
                .iter()
                .map(|(at, length, text)| {
                    let start = usize::from(*at) % ends.len();
                    let end = (start + usize::from(*length)).min(ends.len() - 1);
                    Splice { range: ends[start]..ends[end], text: text.clone() }
                })
                .collect();
            splices.sort_by_key(|splice| (splice.range.start, splice.range.end));
            let edit = Edit::new(splices)?;
            let new: Arc<str> = edit.apply(before).unwrap().into();
            let undo = edit.invert(before).unwrap();
            Some((ContentWrite::Edit { new: Arc::clone(&new), undo }, Some(new)))
        }
    }
}

/// Every content of a history is rebuilt from the newest one, whether records are the shortest or stand alone.
fn history(first: Option<&str>, writes: &[Write], damage: &[(u8, u16, u8)]) {
    let mut contents: Vec<Option<Arc<str>>> = vec![first.map(Arc::from)];
    let (mut records, mut chain) = (Vec::new(), UndoChain::default());
    for one in writes.iter().take(12) {
        let before = contents.last().unwrap();
        let Some((write, after)) = write(before, one) else { continue };
        let step = undo::encode_step(&write).unwrap();
        let whole = undo::encode_whole(&write).unwrap();
        for record in [&step, &whole] {
            let rebuilt = undo::rebuild(after.clone(), std::slice::from_ref(record)).unwrap();
            assert_eq!(&rebuilt, before, "{record:?}");
        }
        let (record, longer) = chain.extended_or_restarted(&write, &step).unwrap();
        records.push(record.into_owned());
        chain = longer;
        contents.push(after);
    }
    let newest = contents.last().unwrap().clone();
    records.reverse();
    for steps in 0..=records.len() {
        let rebuilt = undo::rebuild(newest.clone(), &records[..steps]).unwrap();
        assert_eq!(rebuilt, contents[records.len() - steps]);
    }
    for (record, at, byte) in damage.iter().take(4) {
        if let Some(record) = records.len().checked_sub(1).map(|last| &mut records[usize::from(*record) % (last + 1)]) {
            match record.bytes.len() {
                0 => record.kind = numbered(*byte),
                length => record.bytes[usize::from(*at) % length] = *byte,
            }
        }
        records_end(newest.as_deref(), &records);
    }
}

/// What can be read is written so that it is read as the same.
fn columns(text: &str) {
    if let Ok(fields) = json::decode_fields(text) {
        assert_eq!(json::decode_fields(&json::encode_fields(&fields)).unwrap(), fields);
    }
    if let Ok(tags) = json::decode_tags(text) {
        assert_eq!(json::decode_tags(&json::encode_tags(&tags)).unwrap(), tags);
    }
    if let Ok(arguments) = json::decode_arguments(text) {
        assert_eq!(json::decode_arguments(&json::encode_arguments(&arguments)).unwrap(), arguments);
    }
    if let Ok(strings) = json::decode_strings(text, "column") {
        let encoded = json::encode_strings(strings.iter().map(String::as_str));
        assert_eq!(json::decode_strings(&encoded, "column").unwrap(), strings);
    }
    if let Ok(scopes) = json::decode_scopes(text) {
        assert_eq!(json::decode_scopes(&json::encode_scopes(&scopes)).unwrap(), scopes);
    }
    if let Ok(kinds) = json::decode_kinds(text) {
        assert_eq!(json::decode_kinds(&json::encode_kinds(&kinds)).unwrap(), kinds);
    }
    if let Ok(spaces) = json::decode_spaces(text) {
        assert_eq!(json::decode_spaces(&json::encode_spaces(&spaces)).unwrap(), spaces);
    }
    if let Ok(list) = functions::decode(text) {
        assert_eq!(functions::decode(&functions::encode(&list)).unwrap(), list);
    }
}

fn numbers(numbers: &[u64], bytes: &[u8]) {
    let mut encoded = Vec::new();
    numbers.iter().for_each(|number| varint::put(&mut encoded, *number));
    let mut rest = encoded.as_slice();
    for number in numbers {
        assert_eq!(varint::take(&mut rest), Some(*number));
    }
    assert!(rest.is_empty());
    let mut rest = bytes;
    while let Some(number) = varint::take(&mut rest) {
        let mut again = Vec::new();
        varint::put(&mut again, number);
        assert_eq!(varint::take(&mut again.as_slice()), Some(number));
    }
}

fuzz_target!(|input: Input| {
    match input {
        Input::Records { newest, records } => {
            let records: Vec<UndoRecord> = records
                .into_iter()
                .take(12)
                .map(|(kind, bytes)| UndoRecord::from_stored(numbered(kind) as i64, bytes).unwrap())
                .collect();
            records_end(newest.as_deref(), &records);
        }
        Input::History { first, writes, damage } => history(first.as_deref(), &writes, &damage),
        Input::Json(data) => columns(&text_input::text(&data, JSON)),
        Input::Numbers(whole, bytes) => numbers(&whole, &bytes),
    }
});
