//! Texts of lines that repeat, and changes of them.

use interline_edit::{Edit, Splice, hunks};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::RngSeed;

use crate::laws_of_origins::{Change, History};

/// The same cases in every run; `PROPTEST_CASES` and `PROPTEST_RNG_SEED` ask for others.
#[expect(clippy::disallowed_methods, reason = "the runner of the tests asks through the environment")]
pub(crate) fn config() -> ProptestConfig {
    let mut config = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    if std::env::var_os("PROPTEST_RNG_SEED").is_none() {
        config.rng_seed = RngSeed::Fixed(1);
    }
    if std::env::var_os("PROPTEST_CASES").is_none() {
        config.cases = 2_000;
    }
    config
}

/// Lines that repeat, with all endings; `b` and `\r` join the line after them.
pub(crate) fn lines(count: usize) -> impl Strategy<Value = Vec<&'static str>> {
    let often = select(vec!["a\n", "b\n", "c\n", "\n"]);
    let any = select(vec!["d\n", "e\n", "f\n", "g\n", "a\r\n", "\r\n", "b", "\r", "\u{E9}\n", "-\n", "@@ +\n"]);
    vec(prop_oneof![2 => often, 3 => any], 0..count)
}

/// Replacements of lines: the first one, how many, and the new lines.
pub(crate) type LineEdits = Vec<(usize, usize, Vec<&'static str>)>;

pub(crate) fn line_edits(count: usize) -> impl Strategy<Value = LineEdits> {
    vec((0..64_usize, 0..3_usize, lines(3)), 0..count)
}

pub(crate) fn edited(lines: &[&'static str], edits: &LineEdits) -> Vec<&'static str> {
    let mut lines = lines.to_vec();
    for (first, count, new) in edits {
        let first = first % (lines.len() + 1);
        lines.splice(first..lines.len().min(first + count), new.iter().copied());
    }
    lines
}

/// A change of any text: splices as characters that stay, characters that go, and what comes; or another way.
#[derive(Clone, Debug)]
pub(crate) enum AnyChange {
    Splices(Vec<(usize, usize, String)>),
    Lines(LineEdits),
    Whole(LineEdits),
    Restore(usize),
    TakeBack(usize, u64),
}

pub(crate) fn any_change() -> impl Strategy<Value = AnyChange> {
    let few = || prop_oneof![3 => Just(0), 3 => Just(1), 3 => 0..4_usize, 1 => 0..24_usize];
    let new = prop_oneof![2 => Just(String::new()), 1 => Just("\n".to_owned()), 3 => tokens()];
    prop_oneof![
        8 => vec((few(), few(), new), 0..5).prop_map(AnyChange::Splices),
        4 => line_edits(3).prop_map(AnyChange::Lines),
        2 => line_edits(3).prop_map(AnyChange::Whole),
        1 => any::<usize>().prop_map(AnyChange::Restore),
        2 => (any::<usize>(), any::<u64>()).prop_map(|(version, choice)| AnyChange::TakeBack(version, choice)),
    ]
}

/// Short texts of characters that matter.
fn tokens() -> impl Strategy<Value = String> {
    let tokens = vec!["a", "b", "\n", "\n", "\r\n", "\r", "\u{E9}", "a\n", "b\n"];
    vec(select(tokens), 0..8).prop_map(|tokens| tokens.concat())
}

impl AnyChange {
    /// The change as one of the newest version.
    pub(crate) fn of_history(&self, history: &History) -> Change {
        let text = history.newest();
        let edited = |edits: &LineEdits| {
            let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
            for (first, count, new) in edits {
                let first = first % (lines.len() + 1);
                lines.splice(first..lines.len().min(first + count), new.iter().copied());
            }
            lines.concat()
        };
        match self {
            AnyChange::Splices(splices) => Change::Edit(edit(text, splices)),
            AnyChange::Lines(edits) => Change::Edit(hunks(&edited(edits), text).revert_all()),
            AnyChange::Whole(edits) => Change::Whole(edited(edits)),
            AnyChange::Restore(version) => Change::Restore(version % history.len()),
            AnyChange::TakeBack(version, choice) => Change::TakeBack(version % history.len(), *choice),
        }
    }
}

fn edit(text: &str, splices: &[(usize, usize, String)]) -> Edit {
    let boundaries: Vec<usize> = (0..=text.len()).filter(|&at| text.is_char_boundary(at)).collect();
    let mut next = 0;
    let mut made = Vec::new();
    for (stay, go, new) in splices {
        let (first, last) = (next + stay, next + stay + go);
        let Some(&end) = boundaries.get(last) else { break };
        made.push(Splice { range: boundaries[first]..end, text: new.clone() });
        next = last;
    }
    Edit::new(made).unwrap()
}
