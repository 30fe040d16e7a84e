//! Counting the values of a JSON text, before anything is made of them.

use interline_items::Error;

use crate::wire::invalid_field;

/// The most values that a body may have. Each takes some 60 bytes when it is parsed, be it one byte long: a million tags would
/// take many times the body's length.
const MAX_VALUES: usize = 250_000;

/// Refuses a text with more than [`MAX_VALUES`] values. It reads each byte once and understands only strings, so that a text
/// that is not JSON may pass or not; it is refused anyway.
pub(in crate::http) fn check_value_count(json: &[u8]) -> Result<(), Error> {
    let mut values = 0;
    let mut rest = json;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        match byte {
            b'"' => rest = after_string(rest),
            // Every value but the first of a list or an object stands after a comma.
            b',' | b'[' | b'{' => values += 1,
            _ => {}
        }
        if values > MAX_VALUES {
            return Err(invalid_field("body", format!("has more than {MAX_VALUES} values; send less at a time")));
        }
    }
    Ok(())
}

/// What follows a string whose opening quote was read.
fn after_string(mut rest: &[u8]) -> &[u8] {
    while let Some(at) = rest.iter().position(|byte| matches!(byte, b'"' | b'\\')) {
        let is_end = rest[at] == b'"';
        // An escaped character follows its backslash.
        rest = rest.get(at + if is_end { 1 } else { 2 }..).unwrap_or_default();
        if is_end {
            return rest;
        }
    }
    &[]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_counted_and_strings_are_not_read() {
        let list = |values: usize| format!(r#"{{"tags": [{}]}}"#, vec![r#""a""#; values].join(","));
        // The object and the list count as well.
        assert!(check_value_count(list(MAX_VALUES - 1).as_bytes()).is_ok());
        assert!(check_value_count(list(MAX_VALUES).as_bytes()).is_err());
        let text = r#"\\\",[{"#.repeat(MAX_VALUES);
        assert!(check_value_count(format!(r#"{{"content": "{text}"}}"#).as_bytes()).is_ok());
        assert!(
            check_value_count(format!(r#"{{"content": "\\", "more": {}}}"#, "[".repeat(MAX_VALUES)).as_bytes())
                .is_err()
        );
        for cut in ["", "\"", "\"\\", "\"\\\"", "[\"a"] {
            assert!(check_value_count(cut.as_bytes()).is_ok(), "{cut}");
        }
    }
}
