//! Merges of two sides of a base: the laws.
#![no_main]

mod input;
#[path = "../../crates/edit/tests/merge/laws.rs"]
mod laws;
#[path = "../../crates/edit/tests/oracle/mod.rs"]
mod oracle;

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;

use input::{Derived, Text};

#[derive(Arbitrary, Debug)]
struct Input {
    base: Base,
    ours: Side,
    theirs: Side,
}

#[derive(Arbitrary, Debug)]
enum Base {
    Free(Text),
    Lines(Vec<u8>),
}

/// What a side made of the base.
#[derive(Arbitrary, Debug)]
enum Side {
    Derived(Derived),
    Edited(Vec<LineEdit>),
}

/// A change of lines, by numbers that are reduced to those of the text.
#[derive(Arbitrary, Debug)]
enum LineEdit {
    Insert(u8, u8),
    Replace(u8, u8),
    Remove(u8, u8),
    Move(u8, u8),
    Copy(u8, u8),
    Ending(u8),
}

/// Some repeat often, most seldom, and each has another ending.
fn line(number: u8) -> String {
    match number % 8 {
        0 => "\n".to_owned(),
        1 => "}\n".to_owned(),
        2 => "a\r\n".to_owned(),
        3 => format!("{number}"),
        _ => format!("{number}\n"),
    }
}

impl Base {
    fn text(&self) -> String {
        match self {
            Base::Free(text) => text.text(),
            Base::Lines(numbers) => numbers.iter().take(60).map(|number| line(*number)).collect(),
        }
    }
}

impl Side {
    fn text(&self, base: &str) -> String {
        match self {
            Side::Derived(derived) => derived.derive(base),
            Side::Edited(edits) => {
                let mut lines: Vec<String> = base.split_inclusive('\n').map(str::to_owned).collect();
                edits.iter().take(12).for_each(|edit| edit.make(&mut lines));
                lines.concat()
            }
        }
    }
}

impl LineEdit {
    fn make(&self, lines: &mut Vec<String>) {
        let (end, total) = (lines.len() + 1, lines.len().max(1));
        let at = |number: u8| usize::from(number) % end;
        let existing = |number: u8| usize::from(number) % total;
        match *self {
            LineEdit::Insert(to, new) => lines.insert(at(to), line(new)),
            _ if lines.is_empty() => {}
            LineEdit::Replace(old, new) => lines[existing(old)] = line(new),
            LineEdit::Remove(first, count) => {
                let first = existing(first);
                lines.drain(first..lines.len().min(first + usize::from(count % 4)));
            }
            LineEdit::Move(from, to) => {
                let moved = lines.remove(existing(from));
                lines.insert(usize::from(to) % (lines.len() + 1), moved);
            }
            LineEdit::Copy(from, to) => lines.insert(at(to), lines[existing(from)].clone()),
            LineEdit::Ending(of) => {
                let line = &mut lines[existing(of)];
                *line = line.trim_end_matches('\n').to_owned() + "\r\n";
            }
        }
    }
}

fuzz_target!(|input: Input| {
    let base = input.base.text();
    laws::merging(&base, &input.ours.text(&base), &input.theirs.text(&base));
});
