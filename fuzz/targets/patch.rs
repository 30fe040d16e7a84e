//! Line patches: the laws, and the same outcome as the naive oracle.
#![no_main]

mod input;
#[path = "../../crates/edit/tests/oracle/mod.rs"]
mod oracle;

use arbitrary::Arbitrary;
use interline_edit::patch_lines;
use libfuzzer_sys::fuzz_target;

use input::{Derived, Text};
use oracle::generate_patch::{Operation, PatchCase};

#[derive(Arbitrary, Debug)]
struct Input {
    content: Text,
    operations: Vec<(Range, Text, Option<Derived>)>,
}

#[derive(Arbitrary, Debug)]
enum Range {
    Insert(u8),
    Replace(u8, u8),
    Anywhere(u64, u64),
}

impl Range {
    fn lines(&self, total: usize) -> (usize, usize) {
        let near = |number: u8| usize::from(number) % (total + 2);
        let far = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        match *self {
            Range::Insert(at) => (near(at), near(at).saturating_sub(1)),
            Range::Replace(first, count) => (near(first), near(first) + usize::from(count % 4)),
            Range::Anywhere(start, end) => (far(start), far(end)),
        }
    }
}

fuzz_target!(|input: Input| {
    let content = input.content.text();
    let total = oracle::lines::lines(&content).len();
    let operations = input.operations.iter().take(12).map(|(range, new, expect)| {
        let (start_line, end_line) = range.lines(total);
        let expect = expect.as_ref().map(|expect| expect.derive(&content));
        Operation { start_line, end_line, content: new.text(), expect }
    });
    let case = PatchCase { operations: operations.collect(), content };
    assert_eq!(oracle::comparison::engine_patch(&case), oracle::comparison::oracle_patch(&case), "{case:?}");
    if let Ok(edit) = patch_lines(&case.content, &case.operations()) {
        oracle::laws::edit(&case.content, &edit);
    }
});
