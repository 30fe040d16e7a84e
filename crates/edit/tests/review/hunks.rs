//! The laws of hunks over generated texts, and texts that invite much work.

use interline_edit::{diff, hunks};
use proptest::prelude::*;

use crate::generate::{config, edited, line_edits, lines};
use crate::laws_of_hunks::hunks_between;
use crate::oracle::rng::Rng;

proptest! {
    #![proptest_config(config())]

    #[test]
    fn hunks_of_an_edited_text_obey_the_laws(base in lines(60), edits in line_edits(6), choice in any::<u64>()) {
        hunks_between(&base.concat(), &edited(&base, &edits).concat(), choice);
    }

    #[test]
    fn hunks_of_any_two_texts_obey_the_laws(before in lines(8), after in lines(8), choice in any::<u64>()) {
        hunks_between(&before.concat(), &after.concat(), choice);
    }
}

#[test]
fn hunks_are_all_there_where_the_diff_is_cut() {
    let before: String = (1..=40_000).map(|line| format!("this is the line {line}\n")).collect();
    let after = before.replace("00\n", "00 changed\n");
    let change = hunks(&before, &after);
    assert!(diff(&before, &after).truncated);
    assert_eq!((change.as_slice().len(), change.counts().added, change.counts().removed), (400, 400, 400));
    let every_other: Vec<usize> = (0..400).step_by(2).collect();
    let reverted = change.revert(&every_other).unwrap().apply(&after).unwrap();
    assert_eq!(hunks(&before, &reverted).as_slice().len(), 200);
    assert_eq!(hunks(&reverted, &after).as_slice().len(), 200);
}

#[test]
fn repeated_lines_in_any_order_are_bounded_work() {
    let shuffled = |seed: u64| {
        let mut rng = Rng::new(seed);
        (0..200_000).map(|_| format!("{}\n", rng.below(2))).collect::<String>()
    };
    let (before, after) = (shuffled(1), shuffled(2));
    let change = hunks(&before, &after);
    let all: Vec<usize> = (0..change.as_slice().len()).collect();
    assert!(change.revert(&all).unwrap().apply(&after).unwrap() == before);
}
