//! Laws of edits, diffs and lines, over generated texts; and inputs that try to make the engine panic.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests speak by panics")]

mod oracle;

use std::path::Path;
use std::process::Command;

use interline_edit::{
    Case as LetterCase, Edit, Insert, InsertPosition, Level, LineEndings, LineOperation, Pattern, Replace,
    ReplaceError, SearchOptions, Splice, diff, insert, patch_lines, read_lines, replace, search, total_lines,
};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::RngSeed;

use oracle::generate::{Case, case};
use oracle::generate_patch::patch_case;
use oracle::laws;

/// The same cases in every run; `PROPTEST_CASES` and `PROPTEST_RNG_SEED` ask for others.
#[expect(clippy::disallowed_methods, reason = "the runner of the tests asks through the environment")]
fn config() -> ProptestConfig {
    let mut config = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    if std::env::var_os("PROPTEST_RNG_SEED").is_none() {
        config.rng_seed = RngSeed::Fixed(1);
    }
    if std::env::var_os("PROPTEST_CASES").is_none() {
        config.cases = 1_000;
    }
    config
}

/// Short texts of characters that matter, which shrink well.
fn text() -> impl Strategy<Value = String> {
    let tokens = vec![
        "a",
        "b",
        "a b",
        " ",
        "  ",
        "\t",
        "\n",
        "\n",
        "\r\n",
        "\r",
        "\u{A0}",
        "\u{2019}",
        "'",
        "\u{2026}",
        "...",
        "\u{1F600}",
    ];
    vec(select(tokens), 0..24).prop_map(|tokens| tokens.concat())
}

/// A request, mostly for something that is there.
fn request() -> impl Strategy<Value = Case> {
    let free = (text(), text(), text(), 1..3_usize, select(Level::ALL.to_vec()), any::<bool>()).prop_map(
        |(content, old_str, new_str, expected_matches, loosest, literal)| {
            let line_endings = if literal { LineEndings::Literal } else { LineEndings::Match };
            Case { content, old_str, new_str, expected_matches, loosest, line_endings }
        },
    );
    prop_oneof![5 => any::<u64>().prop_map(case), 1 => free]
}

/// An edit of any text: numbers that become its splices, the larger the further on.
#[derive(Clone, Debug)]
struct AnyEdit(Vec<(usize, usize, String)>);

impl AnyEdit {
    fn edit_of(&self, text: &str) -> Edit {
        let boundaries: Vec<usize> = (0..=text.len()).filter(|&at| text.is_char_boundary(at)).collect();
        let mut next = 0;
        let mut splices = Vec::new();
        for (gap, length, new) in &self.0 {
            let (first, last) = (next + gap, next + gap + length);
            let Some(&end) = boundaries.get(last) else { break };
            splices.push(Splice { range: boundaries[first]..end, text: new.clone() });
            next = last;
        }
        Edit::new(splices).unwrap()
    }
}

/// Splices that touch, remove nothing, write nothing, or reach over several of another edit.
fn any_edit() -> impl Strategy<Value = AnyEdit> {
    let few = || prop_oneof![3 => Just(0), 3 => Just(1), 3 => 0..4_usize, 1 => 0..24_usize];
    let new = prop_oneof![2 => Just(String::new()), 3 => text()];
    vec((few(), few(), new), 0..5).prop_map(AnyEdit)
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn an_insertion_obeys_the_laws(case in request(), choice in 0..10_u64) {
        laws::insertion(&case.content, &case.insertion(choice));
    }

    #[test]
    fn edits_in_a_row_are_one_edit(content in text(), edits in vec(any_edit(), 0..5)) {
        let mut after = content.clone();
        let mut row = Vec::new();
        for edit in &edits {
            let edit = edit.edit_of(&after);
            after = edit.apply(&after).unwrap();
            row.push(edit);
        }
        laws::composition(&content, &row);
    }

    #[test]
    fn replacements_in_a_row_are_one_edit(case in request(), more in vec((text(), text()), 0..6)) {
        let mut after = case.content.clone();
        let mut row = Vec::new();
        let requests = more.iter().map(|(old_str, new_str)| Replace::new(old_str, new_str));
        for request in [case.request()].into_iter().chain(requests) {
            if let Ok(done) = replace(&after, &request) {
                after = done.edit.apply(&after).unwrap();
                row.push(done.edit);
            }
        }
        laws::composition(&case.content, &row);
    }

    #[test]
    fn a_replacement_obeys_the_laws(case in request()) {
        laws::replacement(&case.content, &case.request());
    }

    #[test]
    fn a_line_patch_obeys_the_laws(seed in any::<u64>()) {
        let case = patch_case(seed);
        if let Ok(edit) = patch_lines(&case.content, &case.operations()) {
            laws::edit(&case.content, &edit);
        }
    }

    #[test]
    fn the_diff_of_two_texts_leads_from_one_to_the_other(before in text(), after in text(), seed in any::<u64>()) {
        laws::diff_of_texts(&before, &after);
        let case = case(seed);
        laws::diff_of_texts(&case.content, &case.old_str);
        if let Ok(done) = replace(&case.content, &case.request()) {
            laws::diff_of_texts(&case.content, &done.edit.apply(&case.content).unwrap());
        }
    }

    #[test]
    fn lines_are_read_as_a_naive_reader_reads_them(text in text(), first in 0..8_usize, count in 0..8_usize) {
        let lines: Vec<&str> = text.split('\n').collect();
        prop_assert_eq!(total_lines(&text), lines.len());
        let last = first + count;
        let expected = (1..=lines.len()).contains(&first).then(|| lines[first - 1..last.min(lines.len())].join("\n"));
        prop_assert_eq!(read_lines(&text, first, last).ok(), expected.as_deref());
        prop_assert!(count == 0 || read_lines(&text, last, first).is_err(), "backwards");
    }

    #[test]
    fn a_literal_search_finds_every_occurrence(text in text(), needle in text(), context_lines in 0..3_usize) {
        let naive = oracle::occurrences(&text, &needle);
        let pattern = Pattern::literal(&needle, LetterCase::Sensitive);
        prop_assert_eq!(pattern.is_err(), needle.is_empty());
        if let Ok(pattern) = pattern {
            let options = SearchOptions { context_lines, limit: 3 };
            let found = search(&text, &pattern, &options, &mut || true).unwrap();
            prop_assert_eq!(found.total, naive.len());
            prop_assert_eq!(found.hits.len(), naive.len().min(3));
            prop_assert_eq!(pattern.is_match(&text), !naive.is_empty());
            for (hit, range) in found.hits.iter().zip(&naive) {
                prop_assert_eq!(&hit.range, range);
                let first = oracle::lines::line_number(&text, range.start);
                let last = oracle::lines::line_number(&text, range.end - text[range.clone()].ends_with('\n') as usize);
                prop_assert_eq!((hit.first_line, hit.last_line), (first, last));
                let from = first.saturating_sub(context_lines).max(1);
                prop_assert_eq!(hit.context_first_line, from);
                prop_assert_eq!(Ok(hit.context), read_lines(&text, from, last + context_lines));
            }
        }
    }
}

#[test]
fn a_hundred_replacements_have_one_undo() {
    let content: String = (0..100).map(|number| format!("line {number}.\r\n")).collect();
    let (mut all, mut after) = (Edit::default(), content.clone());
    for number in 0..100 {
        // Every third one changes what the one before it wrote.
        let old = if number % 3 == 2 { format!("new {}é", number - 1) } else { format!("line {number}.") };
        let new = format!("new {number}é");
        let done = replace(&after, &Replace::new(&old, &new)).unwrap();
        all = all.then(&done.edit).unwrap();
        after = done.edit.apply(&after).unwrap();
    }
    assert_eq!(all.apply(&content).unwrap(), after);
    assert_eq!(all.invert(&content).unwrap().apply(&after).unwrap(), content);
    assert_eq!(after.matches("new").count(), 67);
}

/// Applies the diff with the program `patch`.
fn patched(directory: &Path, before: &str, diff: &str) -> String {
    let path = |name: &str| directory.join(name);
    std::fs::write(path("before"), before).unwrap();
    std::fs::write(path("diff"), diff).unwrap();
    let output = Command::new("patch")
        .args(["--binary", "--silent", "--fuzz=0", "--force", "--output"])
        .args([path("after"), path("before"), path("diff")])
        .output()
        .unwrap_or_else(|error| panic!("the program `patch` is needed by this test (apt-get install patch): {error}"));
    assert!(output.status.success(), "{output:?}\n{before:?}\n{diff}");
    std::fs::read_to_string(path("after")).unwrap()
}

#[test]
fn the_program_patch_applies_the_diffs() {
    let directory = std::env::temp_dir().join(format!("interline-laws-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    let edits = (0..).map(case).filter_map(|case| {
        let done = replace(&case.content, &case.request()).ok()?;
        (!done.edit.is_empty()).then_some((case.content, done.edit))
    });
    for (content, edit) in edits.take(30) {
        let after = edit.apply(&content).unwrap();
        for diff in [edit.diff(&content).unwrap(), diff(&content, &after)] {
            assert_eq!(patched(&directory, &content, &diff.text), after, "{content:?}\n{}", diff.text);
        }
    }
    std::fs::remove_dir_all(&directory).unwrap();
}

const MIB: usize = 1 << 20;

/// Texts that invite quadratic work, overflow, or offsets inside characters.
fn hostile_texts() -> Vec<String> {
    let mut texts: Vec<String> = ["\n", "a", "\r", "\u{A0}", "\0", "\r\n", " ", "\u{2026}", "\ta\n"]
        .iter()
        .map(|unit| unit.repeat(MIB / unit.len()))
        .collect();
    texts.extend(["", "\0", "\r", "\n", "\u{301}", "\u{FEFF}x", "\u{10FFFF}\n\u{2028}"].map(str::to_owned));
    texts
}

#[test]
fn no_replacement_panics_on_hostile_texts() {
    let long = "aa a\n".repeat(2_000);
    let needles = ["a", "\na", " a ", "\r", "\0", "a a\na  a", "x\n\n\n", "\u{2026}a\n", long.as_str()];
    for content in hostile_texts() {
        for (index, old_str) in needles.iter().enumerate() {
            let line_endings = [LineEndings::Literal, LineEndings::Match][index % 2];
            let request = Replace { line_endings, ..Replace::new(old_str, "b\nc") };
            if let Ok(done) = replace(&content, &request) {
                assert!(done.edit.invert(&content).is_ok());
            }
        }
    }
}

#[test]
fn no_insertion_panics_on_hostile_texts() {
    let positions =
        [InsertPosition::After("x"), InsertPosition::Before("a\nb"), InsertPosition::Start, InsertPosition::End];
    for content in hostile_texts() {
        for position in positions {
            if let Ok(done) = insert(&content, &Insert::new(position, "b\r\nc")) {
                let after = done.edit.apply(&content).unwrap();
                assert_eq!(done.edit.changed_lines(&after, 2).unwrap().len(), 1);
            }
        }
    }
}

#[test]
fn an_old_str_that_is_longer_than_the_content_is_not_found() {
    for content in ["", "a", "a\n", "\u{2026}"] {
        for old_str in ["ab".repeat(MIB), "a\nb\n".repeat(MIB / 64), format!("{content}{content}\nx")] {
            assert!(matches!(replace(content, &Replace::new(&old_str, "")), Err(ReplaceError::NoMatch(_))));
        }
    }
}

#[test]
fn a_number_of_matches_that_cannot_be_is_refused() {
    let request = |expected_matches| Replace { expected_matches, ..Replace::new("a", "b") };
    assert_eq!(replace("aa", &request(0)), Err(ReplaceError::ZeroExpectedMatches));
    let several = replace("aa", &request(usize::MAX));
    assert!(matches!(several, Err(ReplaceError::MultipleMatches(several)) if several.total == 2));
    assert_eq!(replace("aa", &Replace::new("", "b")), Err(ReplaceError::EmptyOldStr));
}

#[test]
fn no_line_number_makes_a_patch_or_a_read_panic() {
    let numbers = [0, 1, 2, 3, 4, usize::MAX - 1, usize::MAX];
    for content in ["", "\n", "a", "a\n", "a\r\nb"] {
        for start_line in numbers {
            for end_line in numbers {
                for expect in [None, Some("a")] {
                    let operation = LineOperation { start_line, end_line, content: "x", expect };
                    if let Ok(edit) = patch_lines(content, &[operation]) {
                        laws::edit(content, &edit);
                    }
                }
                let lines = read_lines(content, start_line, end_line);
                assert!(lines.is_err() || start_line <= end_line);
            }
        }
    }
}

#[test]
fn ten_thousand_overlapping_operations_are_all_reported() {
    let content = "a\n".repeat(100);
    let operations: Vec<LineOperation<'_>> = (0..10_000)
        .map(|at| LineOperation { start_line: at % 50 + 1, end_line: at % 50 + 20, content: "x", expect: None })
        .collect();
    match patch_lines(&content, &operations) {
        Err(interline_edit::PatchError::Invalid(bad)) => assert_eq!(bad.len(), operations.len()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn hostile_texts_can_be_diffed_outlined_and_searched() {
    let texts = hostile_texts();
    for (index, before) in texts.iter().enumerate() {
        let after = &texts[(index + 1) % texts.len()];
        let text = diff(before, after).text;
        assert!(text.len() <= 64 * 1024);
        laws::outline(before);
        for (needle, letters) in [("aa", LetterCase::Sensitive), ("\u{A0}\u{E4}", LetterCase::Insensitive)] {
            let pattern = Pattern::literal(needle, letters).unwrap();
            let options = SearchOptions { context_lines: 1, limit: 10 };
            search(before, &pattern, &options, &mut || true).unwrap();
        }
    }
}
