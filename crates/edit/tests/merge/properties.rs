//! The laws over generated triples, and texts that invite much work.

use interline_edit::{Edit, merge};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::RngSeed;

use crate::from_environment;
use crate::generate::{Alphabet, Triple, triple};
use crate::laws;
use crate::oracle::rng::Rng;

/// The same cases in every run; `PROPTEST_CASES` and `PROPTEST_RNG_SEED` ask for others.
fn config() -> ProptestConfig {
    let mut config = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    if from_environment("PROPTEST_RNG_SEED").is_none() {
        config.rng_seed = RngSeed::Fixed(1);
    }
    if from_environment("PROPTEST_CASES").is_none() {
        config.cases = 3_000;
    }
    config
}

/// Lines that repeat, with all endings; `b` joins the line after it.
fn lines(count: usize) -> impl Strategy<Value = Vec<&'static str>> {
    vec(select(vec!["a\n", "b\n", "c\n", "d\n", "e\n", "f\n", "\n", "a\r\n", "\r\n", "b", "\u{E9}\n"]), 0..count)
}

/// Replacements of lines: the first one, how many, and the new lines.
fn line_edits() -> impl Strategy<Value = Vec<(usize, usize, Vec<&'static str>)>> {
    vec((0..16_usize, 0..3_usize, lines(3)), 0..4)
}

fn edited(lines: &[&'static str], edits: &[(usize, usize, Vec<&'static str>)]) -> String {
    let mut lines = lines.to_vec();
    for (first, count, new) in edits {
        let first = first % (lines.len() + 1);
        lines.splice(first..lines.len().min(first + count), new.iter().copied());
    }
    lines.concat()
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn edits_of_one_base_merge_by_the_laws(base in lines(16), ours in line_edits(), theirs in line_edits()) {
        laws::merging(&base.concat(), &edited(&base, &ours), &edited(&base, &theirs));
    }

    #[test]
    fn any_three_texts_merge_by_the_laws(base in lines(8), ours in lines(8), theirs in lines(8)) {
        laws::merging(&base.concat(), &ours.concat(), &theirs.concat());
    }

    #[test]
    fn generated_triples_merge_by_the_laws(seed in any::<u64>(), alphabet in select(Alphabet::ALL.to_vec())) {
        let Triple { base, ours, theirs } = triple(seed, alphabet);
        laws::merging(&base, &ours, &theirs);
    }
}

/// All texts of up to so many lines of so many different ones.
pub(crate) fn all_texts(max_lines: usize, alphabet: usize) -> Vec<String> {
    let lines: Vec<String> = (0..alphabet).map(|line| format!("{line}\n")).collect();
    let (mut texts, mut longest) = (vec![String::new()], vec![String::new()]);
    for _ in 0..max_lines {
        longest = longest.iter().flat_map(|text| lines.iter().map(move |line| text.clone() + line)).collect();
        texts.extend_from_slice(&longest);
    }
    texts
}

#[test]
fn all_triples_of_short_texts_merge_by_the_laws() {
    for texts in [all_texts(4, 2), all_texts(3, 3)] {
        for base in &texts {
            for ours in &texts {
                // The laws swap the sides.
                for theirs in texts.iter().filter(|theirs| *theirs >= ours) {
                    laws::merging(base, ours, theirs);
                }
            }
        }
    }
}

const MIB: usize = 1 << 20;

/// What holds even for texts that are compared as a whole.
fn check_long(base: &str, ours: &str, theirs: &str) -> Option<String> {
    laws::an_unchanged_side_gives_the_other(base, ours, theirs);
    let merged = merge(base, ours, theirs).ok().map(|edit| edit.apply(theirs).unwrap());
    let mirrored = merge(base, theirs, ours).ok().map(|edit| edit.apply(ours).unwrap());
    assert!(merged == mirrored, "swapping the sides gives the same text");
    merged
}

#[test]
fn long_texts_of_many_changes_are_merged() {
    let base: String = (0..220_000).map(|line| format!("this is the line {line} of a long text\n")).collect();
    assert!(base.len() > 8 * MIB);
    let changed = |end: &str, word: &str| base.replace(&format!("{end} of a"), &format!("{end} of {word}"));
    let (ours, theirs) = (changed("111", "our"), changed("777", "their"));
    let both = changed("111", "our").replace("777 of a", "777 of their");
    assert_eq!(ours.matches("our").count(), 220);
    assert!(check_long(&base, &ours, &theirs).unwrap() == both);
    let touching = changed("112", "their");
    assert_eq!(merge(&base, &ours, &touching).unwrap_err().len(), 220);
}

#[test]
fn texts_of_more_lines_than_are_compared_conflict_unless_a_side_is_unchanged() {
    let base = "\n".repeat(8 * MIB);
    let (ours, theirs) = (base.replacen('\n', "x\n", 1), format!("{base}y\n"));
    assert_eq!(check_long(&base, &ours, &theirs), None);
    let conflicts = merge(&base, &ours, &theirs).unwrap_err();
    let [conflict] = conflicts.as_slice() else { panic!("{} conflicts", conflicts.len()) };
    assert_eq!((conflict.ours.start_line, conflict.ours.end_line), (1, 8 * MIB));
    assert_eq!(merge(&base, &ours, &ours), Ok(Edit::default()));
}

#[test]
fn repeated_lines_in_any_order_are_bounded_work() {
    for alphabet in [1, 2, 4, 300] {
        let shuffled = |seed: u64| {
            let mut rng = Rng::new(seed);
            (0..100_000).map(|_| format!("{}\n", rng.below(alphabet))).collect::<String>()
        };
        let base = shuffled(1);
        let merged = check_long(&base, &(base.clone() + "ours\n"), &format!("theirs\n{base}"));
        assert_eq!(merged, Some(format!("theirs\n{base}ours\n")), "new lines at both ends");
        if alphabet > 1 {
            assert_eq!(check_long(&base, &shuffled(2), &shuffled(3)), None);
        }
    }
}

#[test]
fn one_long_line_is_one_line() {
    let base = "a".repeat(8 * MIB);
    let (ours, theirs) = (format!("{base}b"), format!("{base}\n"));
    assert_eq!(check_long(&base, &ours, &theirs), None);
    let ended = format!("{base}\nx\n");
    assert_eq!(
        check_long(&ended, &format!("{ours}\nx\n"), &format!("{ended}\ny\n")),
        Some(format!("{ours}\nx\n\ny\n"))
    );
}
