//! Texts that a fuzzer builds from bytes: as they stand, or by a table of tokens.

/// The text of some bytes. The first of them decides: the others are UTF-8, or each is the number of a token.
pub(crate) fn text(data: &[u8], tokens: &[&str]) -> String {
    match data.split_first() {
        None => String::new(),
        Some((choice, bytes)) if choice % 2 == 0 => String::from_utf8_lossy(bytes).into_owned(),
        Some((_, bytes)) => bytes.iter().map(|byte| tokens[usize::from(*byte) % tokens.len()]).collect(),
    }
}
