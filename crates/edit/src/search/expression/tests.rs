use std::ops::Range;

use proptest::prelude::*;
use proptest::sample::select;
use regex::RegexBuilder;

use super::shape::LineReach;
use super::*;
use crate::search::work_budget::WorkBudget;

/// How the matches of an expression are found.
#[derive(Debug, Clone, Copy)]
enum Engines {
    AsUsual,
    /// Calls of the fast engine for pieces of so many bytes, and our own automaton where those cannot be.
    ShortCalls(usize),
    /// Our own automaton alone, by its deterministic form where that can be.
    Steps,
    /// Our own automaton alone, without its deterministic form.
    Simulation,
}

const ALL_ENGINES: [Engines; 7] = [
    Engines::AsUsual,
    Engines::ShortCalls(1),
    Engines::ShortCalls(2),
    Engines::ShortCalls(7),
    Engines::ShortCalls(64),
    Engines::Steps,
    Engines::Simulation,
];

fn compile(expression: &str) -> Expression {
    Expression::new(expression, Case::Sensitive).unwrap()
}

fn found_by(engines: Engines, expression: &Expression, text: &str) -> Vec<Range<usize>> {
    let mut expression = expression.clone();
    let cache = match engines {
        Engines::Simulation => AutomatonCache::simulating(),
        Engines::AsUsual | Engines::ShortCalls(_) | Engines::Steps => AutomatonCache::default(),
    };
    match engines {
        Engines::AsUsual => {}
        Engines::ShortCalls(bytes) => expression.fast.iter_mut().for_each(|fast| fast.max_bytes = bytes),
        Engines::Steps | Engines::Simulation => expression.fast = None,
    }
    let mut matches = Matches::new(&expression, text, cache);
    let mut keep_going = || true;
    let mut budget = WorkBudget::new(&mut keep_going);
    std::iter::from_fn(|| matches.next(&mut budget).unwrap()).collect()
}

/// The law of this module: however the matches are found, they are those of the `regex` crate.
fn check_against_regex(expression: &str, text: &str) {
    let oracle = RegexBuilder::new(expression).multi_line(true).crlf(true).build().unwrap();
    let expected: Vec<Range<usize>> = oracle.find_iter(text).map(|found| found.range()).collect();
    let compiled = compile(expression);
    for engines in ALL_ENGINES {
        let found = found_by(engines, &compiled, text);
        assert!(
            found == expected,
            "{expression:?} by {engines:?} in {:?}: {:?} instead of {:?}",
            text.chars().take(100).collect::<String>(),
            &found[..found.len().min(10)],
            &expected[..expected.len().min(10)]
        );
    }
}

const EXPRESSIONS: &[&str] = &[
    "a",
    "x*",
    "y+",
    "^",
    "$",
    "^$",
    r"\z",
    r"\A",
    r"\b",
    r"\B",
    r"(?-u:\b)",
    r"(?-u:\B)",
    r"\b{start}\w+?\b{end-half}",
    r"\s*",
    ".*",
    ".*$",
    ".*?$",
    "é|",
    "|é",
    r"end\s*\z",
    r"\w+$",
    r"\w{0,5}\b",
    "(?s)b.*?y",
    "(?s)b.*y",
    "(?s)c.*x$",
    "[^y]+y",
    r"a\r?\nb",
    "zzz",
    r"\n",
    r"\r$",
    r"y\b",
    r"y\B",
    "(?-m)^é",
    "(?-m)d$",
    "(?:)",
    "(a|ab)(c|bcd|x)*",
    "(?i)CAT É",
    "[a-z]{0,40}[a-z]{0,40}$",
    "(?:x{0,3}y{0,3}){2,9}",
    ".*[^A-Z]|[A-Z]",
    r"\bcat\b.*\bé\b|b\r$",
];

#[test]
fn a_piece_may_be_shorter_than_a_character() {
    for expression in ["a", "a|b", "[ab]", r"\b", "$"] {
        check_against_regex(expression, "🦀a🦀🦀b");
        check_against_regex(expression, "a🦀\n🦀🦀b🦀");
    }
}

#[test]
fn matches_are_those_of_the_regex_crate() {
    let mut text = String::from("éa1\r\nxx\n\n  b\rxyx é\r\n");
    text.push_str(&"x".repeat(200));
    text.push_str(&"a\nb\r\ncat é ".repeat(50));
    text.push_str(&"y".repeat(300));
    text.push_str("\nend\n");
    for expression in EXPRESSIONS {
        check_against_regex(expression, &text);
        check_against_regex(expression, "");
    }
}

/// Expressions of all that the syntax has, nested.
fn expressions() -> impl Strategy<Value = String> {
    let parts = [
        "a",
        "b",
        "é",
        "x",
        "ab",
        r"\n",
        r"\r",
        r"\r\n",
        ".",
        "(?s:.)",
        r"\w",
        r"\W",
        r"\s",
        r"\d",
        "[^a]",
        "[a-c]",
        "[éß-ü]",
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
        "(?-m:^)",
        "(?-m:$)",
        "(?-R:$)",
        "(?i:É)",
        "(?i:aß)",
        "",
    ];
    let leaf = select(parts.to_vec()).prop_map(str::to_owned);
    leaf.prop_recursive(4, 24, 4, |inner| {
        let repetitions =
            select(vec!["*", "+", "?", "*?", "+?", "??", "{2}", "{0,3}", "{1,2}?", "{2,}", "{0,12}", "{3,}?"]);
        prop_oneof![
            prop::collection::vec(inner.clone(), 1..4).prop_map(|parts| parts.concat()),
            prop::collection::vec(inner.clone(), 1..4).prop_map(|parts| format!("(?:{})", parts.join("|"))),
            (inner.clone(), repetitions).prop_map(|(part, how)| format!("(?:{part}){how}")),
            inner.prop_map(|part| format!("({part})")),
        ]
    })
}

fn texts() -> impl Strategy<Value = String> {
    let parts =
        vec!["a", "b", "c", "ab", "x", "é", "ß", "K", " ", "\n", "\r\n", "\r", "1", "_", "aaaaaaaa", "𝒳", "A", "\n\n"];
    prop::collection::vec(select(parts), 0..40).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn matches_are_those_of_the_regex_crate_always(expression in expressions(), text in texts()) {
        // Some that are nested repetitions are larger than what is accepted.
        prop_assume!(Expression::new(&expression, Case::Sensitive).is_ok());
        check_against_regex(&expression, &text);
    }
}

#[test]
fn an_expression_that_cannot_match_a_newline_is_known() {
    let lines = |expression: &str| compile(expression).reach.lines;
    for expression in ["foo", "^a.*b$", r"[\w-]+\b", "(a|(b))*", r"a\r", r"\Aa", "[^\n]"] {
        assert_eq!(lines(expression), LineReach::One, "{expression}");
    }
    for expression in ["a\nb", r"a\s+b", "[^a]", "(?s)a.b", "(a|(b\n))*", r"\W"] {
        assert_eq!(lines(expression), LineReach::Any, "{expression}");
    }
}

#[test]
fn the_states_at_once_are_those_of_all_parts() {
    for (expression, expected) in [
        ("foo", 1),
        ("aaaa", 4),
        ("abab", 2),
        ("foo|bar", 4),
        ("[ab]{20}", 40),
        ("(?:[ab]c){0,10}", 30),
        ("[ab]*", 2),
        (r"\w", 4),
        ("[a-z]{0,999}[a-z]{0,999}$", 2 * 2 * 999 + 1),
    ] {
        assert_eq!(compile(expression).width, expected, "{expression}");
    }
    assert!(compile("[a-z]{0,999}[a-z]{0,999}$").fast.is_none(), "a call would take long for a line of a few words");
    assert!(compile(r"def get_\w+\(self, \w+=None\)").fast.is_some_and(|fast| fast.max_bytes > 4_096));
}

#[test]
fn what_classes_take_is_not_overrated() {
    for expression in [".", r"\w", r"\W{9}", "[^a]{0,100}", r"\pL|\d", "[é-ü]x", r"(?i)ß|\p{Greek}+"] {
        let compiled = compile(expression);
        assert!(class_bytes(compiled.automaton.tree()) <= compiled.automaton.bytes(), "{expression}");
    }
}
