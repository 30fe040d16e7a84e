//! Edits as bytes: for each splice the distance of its start to the end of the one before, the number of bytes removed, the
//! number of bytes inserted (all three as [`varint`]s), and the inserted text.

use interline_edit::{Edit, Splice};

use super::{CodecError, varint};

/// Encodes an edit.
pub(super) fn encode(edit: &Edit) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut position = 0;
    for Splice { range, text } in edit.splices() {
        put(&mut bytes, range.start - position);
        put(&mut bytes, range.len());
        put(&mut bytes, text.len());
        bytes.extend_from_slice(text.as_bytes());
        position = range.end;
    }
    bytes
}

/// The edit that [`encode`] made these bytes of.
pub(super) fn decode(bytes: &[u8]) -> Result<Edit, CodecError> {
    let mut rest = bytes;
    let mut position: usize = 0;
    let mut splices = Vec::new();
    while !rest.is_empty() {
        let start = position.checked_add(take(&mut rest)?).ok_or(MALFORMED)?;
        let end = start.checked_add(take(&mut rest)?).ok_or(MALFORMED)?;
        let length = take(&mut rest)?;
        let (text, after) = rest.split_at_checked(length).ok_or(MALFORMED)?;
        let text = str::from_utf8(text).map_err(|_| MALFORMED)?.to_owned();
        splices.push(Splice { range: start..end, text });
        rest = after;
        position = end;
    }
    Edit::new(splices).ok_or(MALFORMED)
}

const MALFORMED: CodecError = CodecError::Undo("its splices are malformed");

fn put(bytes: &mut Vec<u8>, number: usize) {
    varint::put(bytes, number as u64);
}

fn take(bytes: &mut &[u8]) -> Result<usize, CodecError> {
    varint::take_length(bytes).ok_or(MALFORMED)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn splice(start: usize, end: usize, text: &str) -> Splice {
        Splice { range: start..end, text: text.to_owned() }
    }

    #[test]
    fn edits_come_back_as_they_were() {
        let cases = [
            vec![],
            vec![splice(0, 0, "a")],
            vec![splice(3, 3, "ä€𝄞"), splice(3, 9, ""), splice(9, 10, "x")],
            vec![splice(127, 128, &"long ".repeat(100)), splice(20_000, 4_000_000, "")],
            vec![splice(usize::MAX, usize::MAX, "")],
        ];
        for splices in cases {
            let edit = Edit::new(splices).unwrap();
            assert_eq!(decode(&encode(&edit)).unwrap(), edit);
        }
    }

    #[test]
    fn a_small_edit_of_a_large_text_takes_few_bytes() {
        let edit = Edit::new(vec![splice(900_000, 900_005, "hello")]).unwrap();
        assert_eq!(encode(&edit).len(), 3 + 1 + 1 + 5);
    }

    #[test]
    fn malformed_bytes_are_an_error() {
        let cases: [&[u8]; 6] = [
            &[0x80],
            &[1, 2],
            &[1, 2, 3, b'a'],
            &[1, 0, 1, 0xff],
            &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01, 1, 0],
            &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01],
        ];
        for bytes in cases {
            assert!(decode(bytes).is_err(), "{bytes:?}");
        }
    }
}
