//! Writing YAML on one line: scalars that every reader of YAML takes for the same text.

use std::fmt::Write as _;

/// Words that YAML 1.1 or 1.2 takes for something else than a text.
const RESERVED: [&str; 13] = ["null", "true", "false", "yes", "no", "on", "off", "y", "n", "nan", "inf", "e", "x"];

/// A text as a scalar: plain where no reader can take it for anything else, else in double quotes.
pub(crate) fn scalar(text: &str) -> String {
    if is_plain(text) { text.to_owned() } else { quoted(text) }
}

/// A text in double quotes, as JSON and YAML both read it.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            // What is no printable character of YAML, or a line break of YAML 1.1.
            '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}' => {
                // Writing to a String cannot fail.
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// A list of texts between brackets.
pub(crate) fn flow_list(texts: &[String]) -> String {
    format!("[{}]", texts.iter().map(|text| scalar(text)).collect::<Vec<_>>().join(", "))
}

fn is_plain(text: &str) -> bool {
    let begins = text.starts_with(char::is_alphabetic);
    let all = text.chars().all(|c| c.is_alphanumeric() || matches!(c, ' ' | '_' | '-' | '/' | '.' | '(' | ')'));
    let reserved = RESERVED.iter().any(|word| word.eq_ignore_ascii_case(text));
    begins && all && !text.ends_with(' ') && !reserved && text.len() <= 200
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml::Mapping;

    #[test]
    fn every_text_is_read_back() {
        for text in [
            "",
            " ",
            "plain",
            "with blank",
            "end ",
            "a: b",
            "a #b",
            "yes",
            "12",
            "1e3",
            "- x",
            "'q'",
            "\"q\"",
            "a\nb",
            "a\r\n\tb",
            "\u{0}\u{7f}\u{85}\u{2028}\u{feff}",
            "日本 (x)",
            "👍",
            "~",
            "null",
            "[x]",
            "{x}",
            "&a",
            "*a",
            "!t",
            "%d",
            "@",
            "`",
            "\\",
            "---",
            "...",
            "# c",
            "a,b",
            "été",
        ] {
            let yaml = format!("k: {}\nl: {}\n", scalar(text), flow_list(&[text.to_owned(), "z".to_owned()]));
            let mapping = Mapping::parse(&yaml).unwrap();
            assert_eq!(mapping.text_value(&mapping.entries[0]), Some(text.into()), "{yaml}");
            assert_eq!(mapping.text_value(&mapping.entries[1]), Some(serde_json::json!([text, "z"])), "{yaml}");
        }
    }
}
