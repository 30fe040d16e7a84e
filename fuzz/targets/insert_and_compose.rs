//! Inserting: the laws, and the same outcome as the naive oracle. Edits in a row are one edit.
#![no_main]

mod input;
#[path = "../../crates/edit/tests/oracle/mod.rs"]
mod oracle;

use arbitrary::Arbitrary;
use interline_edit::{Edit, Level, LineEndings, Splice, insert, replace};
use libfuzzer_sys::fuzz_target;

use input::{Derived, Text};
use oracle::generate::Case;

#[derive(Arbitrary, Debug)]
struct Input {
    content: Text,
    anchor: Derived,
    new_str: Derived,
    place: u8,
    loosest: u8,
    line_endings: bool,
    edits: Vec<EditStep>,
}

/// An edit of the text so far.
#[derive(Arbitrary, Debug)]
enum EditStep {
    /// Characters that stay, characters that go, and what comes, again and again.
    Splices(Vec<(u8, u8, Text)>),
    Insert(Derived, Text, u8),
    Replace(Derived, Text),
}

impl EditStep {
    fn edit_of(&self, text: &str) -> Option<Edit> {
        match self {
            EditStep::Splices(splices) => Some(edit(text, splices)),
            EditStep::Insert(anchor, new, place) => {
                let case = case(text, anchor.derive(text), new.text());
                insert(text, &case.insertion(u64::from(*place))).ok().map(|done| done.edit)
            }
            EditStep::Replace(old, new) => {
                let case = case(text, old.derive(text), new.text());
                replace(text, &case.request()).ok().map(|done| done.edit)
            }
        }
    }
}

fn edit(text: &str, changes: &[(u8, u8, Text)]) -> Edit {
    let boundaries: Vec<usize> = (0..=text.len()).filter(|&at| text.is_char_boundary(at)).collect();
    let mut next = 0;
    let mut splices = Vec::new();
    for (stay, go, new) in changes.iter().take(8) {
        let first = next + usize::from(stay % 16);
        next = first + usize::from(go % 16);
        let Some(&end) = boundaries.get(next) else { break };
        splices.push(Splice { range: boundaries[first]..end, text: new.text() });
    }
    Edit::new(splices).unwrap()
}

fn case(content: &str, old_str: String, new_str: String) -> Case {
    Case {
        content: content.to_owned(),
        old_str,
        new_str,
        expected_matches: 1,
        loosest: Level::SpacingNormalized,
        line_endings: LineEndings::Literal,
    }
}

fuzz_target!(|input: Input| {
    let content = input.content.text();
    let anchor = input.anchor.derive(&content);
    let new_str = input.new_str.derive(&content);
    let case = Case {
        loosest: Level::ALL[usize::from(input.loosest % 5)],
        line_endings: if input.line_endings { LineEndings::Match } else { LineEndings::Literal },
        ..case(&content, anchor, new_str)
    };
    let request = case.insertion(u64::from(input.place));
    let engine = oracle::comparison::engine_insertion(&content, &request);
    assert_eq!(engine, oracle::insert(&content, &request), "{content:?} {request:?}");
    oracle::laws::insertion(&content, &request);

    let mut after = content.clone();
    let mut row = Vec::new();
    for change in input.edits.iter().take(6) {
        if let Some(edit) = change.edit_of(&after) {
            after = edit.apply(&after).unwrap();
            row.push(edit);
        }
    }
    oracle::laws::composition(&content, &row);
});
