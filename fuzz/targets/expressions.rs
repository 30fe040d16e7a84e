//! The matches of an expression are those of the `regex` crate, whichever engine finds them.
//!
//! `--cfg fuzzing` makes the pieces that the fast engine is called for so short that all engines take part.
#![no_main]

mod input;
#[path = "../../crates/edit/tests/oracle/mod.rs"]
mod oracle;

use std::ops::Range;

use arbitrary::Arbitrary;
use interline_edit::{Case, Pattern, SearchInterrupted, SearchOptions, find_first, search};
use libfuzzer_sys::fuzz_target;
use regex::RegexBuilder;

use input::Text;

#[derive(Arbitrary, Debug)]
struct Input {
    parts: Vec<Part>,
    text: Text,
    is_insensitive: bool,
    questions: u8,
}

/// A piece of an expression: the fuzzer seldom guesses syntax by bytes.
#[derive(Arbitrary, Debug)]
enum Part {
    Syntax(u8),
    Counted(u8, u8),
    Text(char),
    Bytes(String),
}

const SYNTAX: &[&str] = &[
    "a",
    "b",
    "é",
    " ",
    ".",
    "(?s:.)",
    r"\w",
    r"\W",
    r"\s",
    r"\d",
    "[^a]",
    "[a-z]",
    r"\pL",
    "^",
    "$",
    r"\A",
    r"\z",
    r"\b",
    r"\B",
    r"(?-u:\b)",
    r"(?-u:\B)",
    r"\b{start}",
    r"\b{end-half}",
    r"\n",
    r"\r",
    "(",
    ")",
    "(?:",
    "(?i:",
    "(?-m:",
    "|",
    "*",
    "+",
    "?",
    "*?",
    "+?",
    "(?R)",
    "(?-R)",
    "[ab",
    "&&",
    "]",
];

fn expression(parts: &[Part]) -> String {
    let mut expression = String::new();
    for part in parts {
        match part {
            Part::Syntax(index) => expression.push_str(SYNTAX[usize::from(*index) % SYNTAX.len()]),
            Part::Counted(least, more) => {
                let (least, more) = (least % 8, more % 32);
                expression.push_str(&format!("{{{least},{}}}", least + more));
            }
            Part::Text(char) => expression.push_str(&regex::escape(char.encode_utf8(&mut [0; 4]))),
            Part::Bytes(bytes) => expression.push_str(bytes),
        }
    }
    expression
}

fuzz_target!(|input: Input| {
    let (text, expression) = (input.text.text(), expression(&input.parts));
    let case = if input.is_insensitive { Case::Insensitive } else { Case::Sensitive };
    let Ok(pattern) = Pattern::regex(&expression, case) else { return };
    let mut oracle = RegexBuilder::new(&expression);
    let oracle = oracle.multi_line(true).crlf(true).case_insensitive(input.is_insensitive).size_limit(1 << 26).build();
    let oracle = oracle.expect("what we accept, regex accepts");
    let expected: Vec<Range<usize>> = oracle.find_iter(&text).map(|found| found.range()).collect();

    let options = SearchOptions { context_lines: 0, limit: usize::MAX };
    let found = search(&text, &pattern, &options, &mut || true).unwrap();
    assert_eq!(found.hits.into_iter().map(|hit| hit.range).collect::<Vec<_>>(), expected, "{expression:?}");
    assert_eq!(find_first(&text, &pattern, &mut || true).unwrap(), expected.first().cloned(), "{expression:?}");

    // A search that is stopped says so, and is the first to know.
    let mut left = usize::from(input.questions);
    let mut keep_going = || {
        assert!(left > 0, "asked after the end");
        left -= 1;
        left > 0
    };
    if input.questions > 0 {
        match search(&text, &pattern, &options, &mut keep_going) {
            Ok(found) => assert_eq!(found.total, expected.len()),
            Err(SearchInterrupted) => assert_eq!(left, 0),
        }
    }
});
