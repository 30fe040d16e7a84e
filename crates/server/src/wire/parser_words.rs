//! The messages of serde's parsers, in words of JSON and not of Rust.

/// The message of a parser about a value that is not what it expected, without the names of Rust's types.
pub fn plain_parser_message(message: &str) -> String {
    if let Some(rest) = message.strip_prefix("unknown variant ") {
        return format!("unknown value {rest}");
    }
    // What was found may quote the client; what was expected is the parser's own.
    let parts = message.strip_prefix("invalid ").and_then(|rest| rest.rsplit_once(", expected "));
    let Some((found, expected)) = parts else { return message.to_owned() };
    let expected = plain_expectation(expected);
    match found.split_once(": ") {
        Some((problem, value)) => format!("invalid {problem}: {}, expected {expected}", plain_value(value)),
        None => format!("invalid {found}, expected {expected}"),
    }
}

fn plain_value(value: &str) -> String {
    match value {
        "sequence" => "a list".to_owned(),
        "map" => "an object".to_owned(),
        "unit value" => "null".to_owned(),
        _ => match value.strip_prefix("floating point ") {
            Some(number) => format!("number {number}"),
            None => value.to_owned(),
        },
    }
}

fn plain_expectation(expected: &str) -> String {
    let plain = match expected {
        "a sequence" => "a list",
        "a map" => "an object",
        "unit" => "null",
        "u64" | "usize" => "a whole number of at least 0",
        "a nonzero u64" | "a nonzero usize" => "a whole number of at least 1",
        "i64" | "isize" => "a whole number",
        "f32" | "f64" => "a number",
        // A name out of a closed set is a string everywhere here.
        "string or map" | "map with a single key" | "variant identifier" => "a string",
        _ if expected.starts_with("struct ") => "an object",
        _ if expected.starts_with("enum ") => "a string",
        _ => return list_of(expected).unwrap_or_else(|| expected.to_owned()),
    };
    plain.to_owned()
}

/// Lists of one length, which Rust calls tuples and arrays.
fn list_of(expected: &str) -> Option<String> {
    let prefixes = ["a tuple of size ", "an array of length "];
    let length = prefixes.iter().find_map(|prefix| expected.strip_prefix(prefix))?;
    Some(format!("a list of {length} values"))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::num::NonZeroUsize;

    use serde::Deserialize;
    use serde::de::DeserializeOwned;
    use serde_json::{Value, json};

    use super::*;

    #[derive(Debug, Deserialize)]
    struct Pair {
        #[serde(rename = "a")]
        _a: u64,
    }

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum Word {
        One,
        Other,
    }

    #[track_caller]
    fn check<T: DeserializeOwned>(value: Value, expected: &str) {
        let error = serde_json::from_value::<T>(value).err().expect("an error");
        assert_eq!(plain_parser_message(&error.to_string()), expected);
    }

    #[test]
    fn a_message_names_no_type_of_rust() {
        check::<Vec<String>>(json!("abc"), "invalid type: string \"abc\", expected a list");
        check::<Vec<String>>(json!(null), "invalid type: null, expected a list");
        check::<String>(json!([1]), "invalid type: a list, expected a string");
        check::<String>(json!({"a": 1}), "invalid type: an object, expected a string");
        check::<BTreeMap<String, String>>(json!(1), "invalid type: integer `1`, expected an object");
        check::<Pair>(json!(true), "invalid type: boolean `true`, expected an object");
        check::<u64>(json!(-1), "invalid value: integer `-1`, expected a whole number of at least 0");
        check::<usize>(json!(2.5), "invalid type: number `2.5`, expected a whole number of at least 0");
        check::<NonZeroUsize>(json!(0), "invalid value: integer `0`, expected a whole number of at least 1");
        check::<i64>(json!("1"), "invalid type: string \"1\", expected a whole number");
        check::<f64>(json!([]), "invalid type: a list, expected a number");
        check::<()>(json!(1), "invalid type: integer `1`, expected null");
        check::<(u64, u64)>(json!([1]), "invalid length 1, expected a list of 2 values");
        check::<[u64; 3]>(json!(1), "invalid type: integer `1`, expected a list of 3 values");
        check::<Word>(json!("none"), "unknown value `none`, expected `one` or `other`");
        check::<Word>(json!(1), "invalid type: integer `1`, expected a string");
        check::<Word>(json!({}), "invalid value: an object, expected a string");
        assert!(matches!(serde_json::from_value(json!("one")), Ok(Word::One)));
        assert!(matches!(serde_json::from_value(json!("other")), Ok(Word::Other)));
    }

    #[test]
    fn what_a_client_wrote_stays_as_it_is() {
        let value = "a map, expected a sequence: map";
        check::<Vec<String>>(json!(value), &format!("invalid type: string {value:?}, expected a list"));
        assert_eq!(plain_parser_message("must be a UUID"), "must be a UUID");
    }
}
