//! Replacing: the laws, and the same outcome as the naive oracle.
#![no_main]

mod input;
#[path = "../../crates/edit/tests/oracle/mod.rs"]
mod oracle;

use arbitrary::Arbitrary;
use interline_edit::{Level, LineEndings};
use libfuzzer_sys::fuzz_target;

use input::{Derived, Text};
use oracle::generate::Case;

#[derive(Arbitrary, Debug)]
struct Input {
    content: Text,
    old_str: Derived,
    new_str: Derived,
    expected_matches: u8,
    loosest: u8,
    line_endings: bool,
}

impl Input {
    fn case(&self) -> Case {
        let content = self.content.text();
        let old_str = self.old_str.derive(&content);
        let new_str = self.new_str.derive(&old_str);
        Case {
            content,
            old_str,
            new_str,
            expected_matches: usize::from(self.expected_matches % 5),
            // Mostly the whole ladder.
            loosest: Level::ALL[4 - usize::from(self.loosest.saturating_sub(200) % 5)],
            line_endings: if self.line_endings { LineEndings::Match } else { LineEndings::Literal },
        }
    }
}

fuzz_target!(|input: Input| {
    let case = input.case();
    let engine = oracle::comparison::engine_outcome(&case);
    assert_eq!(engine, oracle::comparison::oracle_outcome(&case), "{case:?}");
    oracle::laws::replacement(&case.content, &case.request());
});
