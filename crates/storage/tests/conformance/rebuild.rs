//! The stored form of undo records, read by other code than the one that writes it. What was released stays readable.

use std::io::Read;

use crate::sql::Value;

/// The content before a version, made from the content of it and its record.
pub(crate) fn content_before(newer: Option<&str>, kind: &Value, undo: &Value) -> Option<String> {
    match kind.integer() {
        0 => newer.map(str::to_owned),
        1 => None,
        2 => Some(spliced(newer.unwrap(), undo.bytes())),
        3 => Some(spliced(newer.unwrap(), &zstd::stream::decode_all(undo.bytes()).unwrap())),
        4 => Some(against(newer.unwrap(), undo.bytes())),
        5 => Some(String::from_utf8(zstd::stream::decode_all(undo.bytes()).unwrap()).unwrap()),
        other => panic!("an undo record of kind {other}"),
    }
}

/// What differs from a text, compressed with it as the prefix.
fn against(newer: &str, delta: &[u8]) -> String {
    let mut text = String::new();
    zstd::stream::read::Decoder::with_ref_prefix(delta, newer.as_bytes()).unwrap().read_to_string(&mut text).unwrap();
    text
}

/// Splices: bytes to keep since the last one, bytes to drop, bytes to add, and those; numbers in LEB128.
fn spliced(newer: &str, mut splices: &[u8]) -> String {
    let (mut result, mut position) = (String::new(), 0);
    while !splices.is_empty() {
        let (keep, drop, add) = (number(&mut splices), number(&mut splices), number(&mut splices));
        result.push_str(&newer[position..position + keep]);
        let (text, rest) = splices.split_at(add);
        result.push_str(str::from_utf8(text).unwrap());
        splices = rest;
        position += keep + drop;
    }
    result + &newer[position..]
}

fn number(bytes: &mut &[u8]) -> usize {
    let (mut number, mut shift) = (0, 0);
    loop {
        let (byte, rest) = bytes.split_first().unwrap();
        *bytes = rest;
        number |= usize::from(byte & 0x7f) << shift;
        shift += 7;
        if byte & 0x80 == 0 {
            return number;
        }
    }
}
