//! Compares the engine with the naive oracle on generated cases: replacing, inserting and patching.
//!
//! `INTERLINE_ORACLE_CASES` sets the number of cases, `INTERLINE_ORACLE_FIRST` the first seed; a failure prints the seed
//! and a case that was made small.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "tests speak by panics and print figures")]

mod oracle;

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

use interline_edit::{Insert, InsertPosition, Level, LineEndings, LineOperation, Replace, insert, patch_lines};

use oracle::comparison::{
    engine_insertion, engine_outcome, engine_patch, engine_warnings, oracle_outcome, oracle_patch, oracle_warnings,
};
use oracle::generate::{Case, case, case_of_class};
use oracle::generate_patch::{PatchCase, patch_case};
use oracle::{InsertOutcome, PatchOutcome, ReplaceOutcome};
use oracle::{classes, damaging, laws};

#[expect(clippy::disallowed_methods, reason = "the runner of the tests asks through the environment")]
fn number_from_environment(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |value| value.parse().unwrap())
}

/// Runs `check` for every seed, on two threads when there are many; panics with the reports of the first failures.
fn for_every_seed(default_count: u64, check: impl Fn(u64) -> Option<String> + Sync) {
    let first = number_from_environment("INTERLINE_ORACLE_FIRST", 0);
    let count = number_from_environment("INTERLINE_ORACLE_CASES", default_count);
    let threads = if count >= 50_000 { 2 } else { 1 };
    let run = |thread: u64| -> Vec<String> {
        let seeds = (first + thread..first + count).step_by(usize::try_from(threads).unwrap());
        seeds.filter_map(&check).take(5).collect()
    };
    let reports: Vec<String> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|thread| scope.spawn(move || run(thread))).collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
    });
    assert!(reports.is_empty(), "{} differences, the first:\n\n{}", reports.len(), reports.join("\n\n"));
}

/// The smallest case that greedy steps lead to while the two still differ.
fn shrink<C: Clone>(mut case: C, smaller: impl Fn(&C) -> Vec<C>, differ: impl Fn(&C) -> bool) -> C {
    while let Some(next) = smaller(&case).into_iter().find(|candidate| differ(candidate)) {
        case = next;
    }
    case
}

/// The text without a line, and without a character, in all ways.
fn shorter(text: &str) -> Vec<String> {
    let without = |pieces: Vec<&str>| -> Vec<String> {
        (0..pieces.len())
            .map(|gone| pieces.iter().enumerate().filter(|(at, _)| *at != gone).map(|(_, piece)| *piece).collect())
            .collect()
    };
    let characters = text.char_indices().map(|(at, c)| &text[at..at + c.len_utf8()]).collect();
    [without(text.split_inclusive('\n').collect()), without(characters)].concat()
}

fn smaller_cases(case: &Case) -> Vec<Case> {
    let mut cases = Vec::new();
    cases.extend(shorter(&case.content).into_iter().map(|content| Case { content, ..case.clone() }));
    cases.extend(shorter(&case.old_str).into_iter().map(|old_str| Case { old_str, ..case.clone() }));
    cases.extend(shorter(&case.new_str).into_iter().map(|new_str| Case { new_str, ..case.clone() }));
    if case.expected_matches > 1 {
        cases.push(Case { expected_matches: case.expected_matches - 1, ..case.clone() });
    }
    if case.line_endings == LineEndings::Match {
        cases.push(Case { line_endings: LineEndings::Literal, ..case.clone() });
    }
    if case.loosest < Level::SpacingNormalized {
        cases.push(Case { loosest: Level::SpacingNormalized, ..case.clone() });
    }
    cases
}

fn smaller_patch_cases(case: &PatchCase) -> Vec<PatchCase> {
    let mut cases: Vec<PatchCase> =
        shorter(&case.content).into_iter().map(|content| PatchCase { content, ..case.clone() }).collect();
    for index in 0..case.operations.len() {
        let mut fewer = case.clone();
        fewer.operations.remove(index);
        cases.push(fewer);
        for content in shorter(&case.operations[index].content) {
            let mut simpler = case.clone();
            simpler.operations[index].content = content;
            cases.push(simpler);
        }
        if case.operations[index].expect.is_some() {
            let mut simpler = case.clone();
            simpler.operations[index].expect = None;
            cases.push(simpler);
        }
    }
    cases
}

/// A report when the two answers to the case differ, on a small case.
fn difference<C: Clone + Debug, A: PartialEq + Debug>(
    seed: u64,
    case: C,
    smaller: impl Fn(&C) -> Vec<C>,
    engine: impl Fn(&C) -> A,
    oracle: impl Fn(&C) -> A,
) -> Option<String> {
    // A panic of the engine is an answer too, and never the right one.
    let engine = |case: &C| quietly(|| engine(case));
    let oracle = |case: &C| Ok(oracle(case));
    if engine(&case) == oracle(&case) {
        return None;
    }
    let small = shrink(case, smaller, |case| engine(case) != oracle(case));
    Some(format!("seed {seed}, small: {small:?}\n  engine: {:?}\n  oracle: {:?}", engine(&small), oracle(&small)))
}

/// The value, or the message of the panic, which is not printed.
fn quietly<A>(run: impl FnOnce() -> A) -> Result<A, String> {
    thread_local!(static QUIET: Cell<bool> = const { Cell::new(false) });
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let loud = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            if !QUIET.get() {
                loud(panic);
            }
        }));
    });
    QUIET.set(true);
    let result = panic::catch_unwind(AssertUnwindSafe(run));
    QUIET.set(false);
    result.map_err(|panic| format!("panic: {:?}", panic.downcast_ref::<String>()))
}

#[test]
fn replacing_does_what_the_oracle_says() {
    for_every_seed(100_000, |seed| difference(seed, case(seed), smaller_cases, engine_outcome, oracle_outcome));
}

#[test]
fn exact_replacements_warn_as_the_oracle_says() {
    for_every_seed(50_000, |seed| {
        let engine = |case: &Case| match interline_edit::replace(&case.content, &case.request()) {
            Ok(done) => engine_warnings(&done),
            Err(_) => Vec::new(),
        };
        difference(seed, case(seed), smaller_cases, engine, oracle_warnings)
    });
}

#[test]
fn patching_does_what_the_oracle_says() {
    for_every_seed(100_000, |seed| difference(seed, patch_case(seed), smaller_patch_cases, engine_patch, oracle_patch));
}

#[test]
fn inserting_does_what_the_oracle_says() {
    for_every_seed(20_000, |seed| {
        let engine = |case: &Case| engine_insertion(&case.content, &case.insertion(seed));
        let oracle = |case: &Case| oracle::insert(&case.content, &case.insertion(seed));
        difference(seed, case(seed), smaller_cases, engine, oracle)
    });
}

#[test]
fn the_generated_insertions_reach_every_outcome() {
    let cases = 20_000;
    let mut tally: BTreeMap<&str, usize> = BTreeMap::new();
    for seed in 0..cases {
        let case = case(seed);
        let key = match oracle::insert(&case.content, &case.insertion(seed)) {
            InsertOutcome::Applied { level, .. } => level.map_or("lines", Level::name),
            InsertOutcome::MultipleMatches { .. } => "multiple_matches",
            InsertOutcome::NoMatch => "no_match",
            InsertOutcome::Invalid => "invalid",
        };
        *tally.entry(key).or_default() += 1;
    }
    for (key, count) in &tally {
        println!("{:5.1} % {key}", *count as f64 * 100.0 / cases as f64);
    }
    for (key, least) in
        [("lines", 10), ("exact", 5), ("whitespace_normalized", 5), ("multiple_matches", 3), ("no_match", 10)]
    {
        assert!(tally.get(key).is_some_and(|count| count * 100 >= least * 20_000), "{key} is too rare");
    }
}

/// The rules that the oracle notes, and in how many of a hundred cases each must take part.
const RULES: [(&str, f64); 31] = [
    ("words cut", 0.7),
    ("weak evidence", 3.0),
    ("whole-line edit", 1.5),
    ("relative or absolute", 0.3),
    ("joined at the start", 1.0),
    ("joined at the end", 0.7),
    ("document's characters", 2.0),
    ("lost blanks", 1.0),
    ("cannot indent", 2.0),
    ("tabs", 0.4),
    ("tabs with a shift", 0.15),
    ("tab width unknown", 0.01),
    ("scale", 0.3),
    ("rebase of tabs", 1.5),
    ("rebase of spaces", 2.0),
    ("rebase by scale", 0.05),
    ("made plain", 3.0),
    ("doubtful line", 0.5),
    ("closer without opener", 0.1),
    ("part of the indentation", 0.1),
    ("first line elsewhere", 0.2),
    ("first line lacks its indentation", 0.15),
    ("added row", 0.4),
    ("other columns", 0.5),
    ("trailing tabs", 0.5),
    ("trailing tabs of a row", 0.1),
    ("short of cells", 0.02),
    ("last line before text", 0.02),
    ("deeper line", 0.1),
    ("doubtful line after several", 0.02),
    ("shallower line", 0.01),
];

#[test]
fn the_generated_cases_reach_every_level_and_outcome() {
    let cases = 20_000;
    let mut tally: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for seed in 0..cases {
        let case = case(seed);
        classes::take();
        let outcome = oracle_outcome(&case);
        for rule in classes::take() {
            *tally.entry(("rule", rule)).or_default() += 1;
        }
        for warning in oracle_warnings(&case) {
            *tally.entry(("warning", warning.name())).or_default() += 1;
        }
        let key = match outcome {
            ReplaceOutcome::Applied { level, .. } => ("applied", level.name()),
            ReplaceOutcome::MultipleMatches { level, .. } => ("multiple_matches", level.name()),
            ReplaceOutcome::NoMatch => ("no_match", ""),
            ReplaceOutcome::Invalid => ("invalid", ""),
        };
        *tally.entry(key).or_default() += 1;
    }
    let percent = |key| tally.get(&key).map_or(0.0, |&count| count as f64 * 100.0 / cases as f64);
    for key in tally.keys() {
        println!("{:5.1} % {} {}", percent(*key), key.0, key.1);
    }
    assert!(percent(("no_match", "")) < 30.0);
    for level in Level::ALL {
        assert!(percent(("applied", level.name())) > 4.0, "{level} decides too few cases");
        assert!(percent(("multiple_matches", level.name())) > 0.5, "{level} finds too few places");
    }
    for (rule, least) in RULES {
        assert!(percent(("rule", rule)) >= least, "{rule} decides too few cases");
    }
    for warning in ["lost_indentation", "joined_lines"] {
        assert!(percent(("warning", warning)) >= 0.5, "{warning} is too rare");
    }
}

#[test]
fn the_damaging_classes_are_applied_above_exact() {
    let cases = 5_000;
    for (class, (name, _)) in damaging::CLASSES.iter().enumerate() {
        let mut tally: BTreeMap<&str, usize> = BTreeMap::new();
        for seed in 0..cases {
            let key = match oracle_outcome(&case_of_class(seed, class)) {
                ReplaceOutcome::Applied { level: Level::Exact, .. } => "exact",
                ReplaceOutcome::Applied { level, .. } => {
                    *tally.entry("above exact").or_default() += 1;
                    level.name()
                }
                ReplaceOutcome::MultipleMatches { .. } => "multiple_matches",
                ReplaceOutcome::NoMatch => "no_match",
                ReplaceOutcome::Invalid => "invalid",
            };
            *tally.entry(key).or_default() += 1;
        }
        let percent = |key: &str| tally.get(key).map_or(0.0, |&count| count as f64 * 100.0 / cases as f64);
        let figures: Vec<String> = tally.keys().map(|key| format!("{key} {:.1} %", percent(key))).collect();
        println!("{name}: {}", figures.join(", "));
        assert!(percent("above exact") >= 10.0, "{name}: too few are applied above `exact`");
    }
}

#[test]
fn replacing_obeys_the_laws() {
    for_every_seed(5_000, |seed| {
        let obeys = |case: &Case| quietly(|| _ = laws::replacement(&case.content, &case.request()));
        let case = case(seed);
        obeys(&case).err()?;
        let small = shrink(case, smaller_cases, |case| obeys(case).is_err());
        Some(format!("seed {seed}, small: {small:?}\n  {:?}\n  {:?}", obeys(&small), engine_outcome(&small)))
    });
}

#[test]
fn the_generated_patches_reach_every_outcome() {
    let cases = 20_000;
    let mut tally: BTreeMap<&str, usize> = BTreeMap::new();
    for seed in 0..cases {
        let case = patch_case(seed);
        let key = match oracle_patch(&case) {
            Ok(_) if case.operations.len() > 1 => "several applied",
            Ok(_) => "one applied",
            Err(PatchOutcome::NoOperations) => "no operations",
            Err(PatchOutcome::Invalid(_)) => "invalid",
            Err(PatchOutcome::Stale(_)) => "stale",
        };
        *tally.entry(key).or_default() += 1;
    }
    for (key, count) in &tally {
        println!("{:5.1} % {key}", *count as f64 * 100.0 / cases as f64);
    }
    for (key, least) in
        [("several applied", 25), ("one applied", 15), ("invalid", 10), ("stale", 3), ("no operations", 1)]
    {
        assert!(tally.get(key).is_some_and(|count| count * 100 >= least * 20_000), "{key} is too rare");
    }
}

/// The examples that the contract gives: content, old, new, level, result.
const REPLACE_EXAMPLES: [(&str, &str, &str, Level, &str); 23] = [
    ("a\r\nb", "\nb", "", Level::WhitespaceNormalized, "a"),
    ("foo bar\r\nbaz qux", "bar\nbaz ", "x", Level::WhitespaceNormalized, "foo xqux"),
    ("hello  \nworld", "hello\nworld", "x", Level::WhitespaceNormalized, "x"),
    ("foo\t\nb", "foo ", "x", Level::WhitespaceNormalized, "x\t\nb"),
    ("x = 1", "x = 1\n", "x = 2\n", Level::IndentationRelative, "x = 2"),
    ("x\n  a", "a\n", "", Level::IndentationRelative, "x"),
    ("x\n  a\ny", "    a\n", "", Level::IndentationRelative, "x\ny"),
    ("x\n  a\n\ny", "a\n\n\n\n", "b\n\n", Level::IndentationRelative, "x\n  b\ny"),
    ("x\n  a\ny", "    a\n", "    b", Level::IndentationRelative, "x\n  b\ny"),
    ("    a\n\tb", "\ta\n\tc", "", Level::Exact, ""),
    ("    a\n      b\n", "\ta\n\t  b\n", "\tc\n\t  d\n", Level::IndentationRelative, "    c\n      d\n"),
    ("    a\n      b\n", "\ta\n\t  b\n", "\tc\n\t\td\n", Level::Exact, ""),
    ("it\u{2019}s\n", "it's\n", "it's 'on'\n", Level::PunctuationNormalized, "it\u{2019}s 'on'\n"),
    ("a\u{2026}\n", "a...\n", "b...\n", Level::PunctuationNormalized, "b...\n"),
    ("b a\u{2026}\n", "b a...\n", "c a...\n", Level::PunctuationNormalized, "c a\u{2026}\n"),
    ("a\u{A0}b\n", "a b\n", "a d\n", Level::PunctuationNormalized, "a\u{A0}d\n"),
    ("a\u{A0}b\n", "a b\n", "c d\n", Level::Exact, ""),
    ("a   b  c\n", "a b c\n", "a d\n", Level::SpacingNormalized, "a d\n"),
    ("a   b  c\n", "a b c\n", "a b d\n", Level::SpacingNormalized, "a   b d\n"),
    ("timeout = 10 \nretries = 30", "timeout = 10\nretries = 3", "retries = 5", Level::Exact, ""),
    ("unlock(m)", "lock(m) ", "acquire(m)", Level::Exact, ""),
    ("a()\nb() \nc()", "\nb()\n", "B()\n", Level::WhitespaceNormalized, "a()\nB()\nc()"),
    ("ab\n", "a b", "c", Level::Exact, ""),
];

#[test]
fn the_oracle_and_the_engine_agree_with_the_examples_of_the_contract() {
    for (content, old_str, new_str, level, result) in REPLACE_EXAMPLES {
        let case = Case {
            content: content.to_owned(),
            old_str: old_str.to_owned(),
            new_str: new_str.to_owned(),
            expected_matches: 1,
            loosest: Level::SpacingNormalized,
            line_endings: LineEndings::Literal,
        };
        for outcome in [oracle_outcome(&case), engine_outcome(&case)] {
            match outcome {
                ReplaceOutcome::Applied { after, level: decided, .. } => {
                    assert_eq!((decided, after.as_str()), (level, result));
                }
                ReplaceOutcome::NoMatch => assert_eq!((level, result), (Level::Exact, ""), "{case:?}"),
                other => panic!("{case:?} gives {other:?}"),
            }
        }
    }
    let overlapping = oracle::replace("aaa", &Replace::new("aa", "b"));
    assert_eq!(overlapping, ReplaceOutcome::MultipleMatches { total: 2, level: Level::Exact, lines: vec![1, 1] });
    let by_edges = oracle::replace("p\n\n    foo\nq\n    foo\n", &Replace::new("\n\nfoo", "x"));
    assert_eq!(
        by_edges,
        ReplaceOutcome::MultipleMatches { total: 2, level: Level::IndentationRelative, lines: vec![2, 5] }
    );
}

#[test]
fn the_oracle_and_the_engine_agree_with_the_examples_of_damaging_edits() {
    use damaging::examples::{OF_INDENTATION, OF_ROWS, OF_THE_DOCUMENT, OF_THE_REQUEST};
    let examples = [&OF_THE_DOCUMENT[..], &OF_THE_REQUEST, &OF_INDENTATION, &OF_ROWS].concat();
    for (content, old_str, new_str, result) in examples {
        for line_endings in [LineEndings::Literal, LineEndings::Match] {
            let case = Case {
                content: content.to_owned(),
                old_str: old_str.to_owned(),
                new_str: new_str.to_owned(),
                expected_matches: 1,
                loosest: Level::SpacingNormalized,
                line_endings,
            };
            for outcome in [oracle_outcome(&case), engine_outcome(&case)] {
                match outcome {
                    ReplaceOutcome::Applied { after, .. } => assert_eq!(Some(after.as_str()), result, "{case:?}"),
                    ReplaceOutcome::NoMatch => assert_eq!(None, result, "{case:?}"),
                    other => panic!("{case:?} gives {other:?}"),
                }
            }
        }
    }
}

/// The examples that the contract gives: content, start, end, new lines, result.
const PATCH_EXAMPLES: [(&str, usize, usize, &str, &str); 14] = [
    ("a\nb\n", 4, 3, "x", "a\nb\nx\n"),
    ("a\nb\n", 3, 2, "x", "a\nb\nx\n"),
    ("a\nb\n", 3, 3, "x", "a\nb\nx"),
    ("a\nb\n", 3, 3, "", "a\nb"),
    ("a\r\nb", 2, 2, "", "a"),
    ("a\r\nb", 3, 2, "x\ny\n", "a\r\nb\r\nx\r\ny"),
    ("a\r\nb", 1, 0, "x", "x\r\na\r\nb"),
    ("a\nb", 1, 2, "", ""),
    ("", 1, 1, "x", "x"),
    ("", 1, 0, "x", "x"),
    ("", 2, 1, "x", "x"),
    ("a\nb", 1, 1, "\n", "\nb"),
    ("a\nb\n", 1, 2, "", ""),
    ("a\nb", 1, 1, "", "b"),
];

#[test]
fn the_oracle_and_the_engine_agree_with_the_examples_of_line_patches() {
    for (content, start_line, end_line, new, result) in PATCH_EXAMPLES {
        let operations = [LineOperation { start_line, end_line, content: new, expect: None }];
        assert_eq!(oracle::patch(content, &operations).as_deref(), Ok(result), "{content:?} {operations:?}");
        assert_eq!(patch_lines(content, &operations).unwrap().apply(content).as_deref(), Ok(result));
    }
}

/// The examples that the contract gives, and those beside them: content, place, new text, result, line.
const INSERT_EXAMPLES: [(&str, InsertPosition<'_>, &str, &str, usize); 12] = [
    ("foo", InsertPosition::End, "bar", "foo\nbar", 2),
    ("foo\n", InsertPosition::End, "bar", "foo\nbar\n", 2),
    ("foo", InsertPosition::End, "bar\n", "foo\nbar", 2),
    ("foo\n", InsertPosition::End, "bar\n", "foo\nbar\n", 2),
    ("foo", InsertPosition::Start, "bar", "bar\nfoo", 1),
    ("foo\n", InsertPosition::Start, "bar\n", "bar\nfoo\n", 1),
    ("a\r\nb\r\n", InsertPosition::End, "c\nd", "a\r\nb\r\nc\r\nd\r\n", 3),
    ("", InsertPosition::End, "bar\r\n", "bar\r\n", 1),
    ("", InsertPosition::Start, "bar", "bar", 1),
    ("foo bar\n", InsertPosition::After("foo"), "\n", "foo\n bar\n", 1),
    ("a\r\nb\r\n", InsertPosition::After("a\n"), "x\n", "a\r\nx\nb\r\n", 2),
    ("a\r\nb\r\n", InsertPosition::Before("\nb"), "x", "ax\r\nb\r\n", 1),
];

#[test]
fn the_oracle_and_the_engine_agree_with_the_examples_of_insertions() {
    for (content, place, new, result, at_line) in INSERT_EXAMPLES {
        let request = Insert::new(place, new);
        let done = insert(content, &request).unwrap();
        assert_eq!((done.edit.apply(content).as_deref(), done.line), (Ok(result), at_line), "{content:?} {request:?}");
        match oracle::insert(content, &request) {
            InsertOutcome::Applied { after, level, line } => {
                assert_eq!((after.as_str(), level, line), (result, done.level, at_line));
            }
            other => panic!("{content:?} {request:?} gives {other:?}"),
        }
    }
}
