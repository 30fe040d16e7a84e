//! Worst-case inputs of replacements.

use std::fmt::Write as _;

use interline_edit::{LineEndings, Replace, replace};

use super::summary;
use super::traps::{Bound, Size, Trap, Trial};
use crate::texts::{one_line, passage, source};

/// No content is larger.
const MAX_BYTES: usize = 8 << 20;

pub(super) const TRAPS: &[Trap] = &[
    linear("100,000 equal lines, old_str 500 of them", |size| {
        let line = "    total += 1\n";
        replacing(line.repeat(size.scale(100_000)), line.repeat(500))
    }),
    linear("1 MB of near matches, old_str 500 lines, the last one differs", |size| {
        let content = (0..size.scale(100)).fold(String::new(), |text, number| text + &block(&number.to_string()));
        replacing(content, block("absent"))
    }),
    linear("one line of 4 MB, old_str absent", |size| {
        replacing(one_line(size.scale(4_000_000), 1), "self.find_nothing(here, \"at all\")".to_owned())
    }),
    linear("one line of 4 MB, old_str in its middle", |size| {
        let mut content = one_line(size.scale(4_000_000), 1);
        content.insert_str(content.len() / 2, "self.find_something(here)");
        replacing(content, "self.find_something(here)".to_owned())
    }),
    linear("100,000 blank lines, old_str with 1,000 blank lines at its edges", |size| {
        let blank = "\n".repeat(size.scale(50_000));
        let edge = "\n".repeat(1_000);
        replacing(format!("{blank}x = 1\n{blank}"), format!("{edge}    x = 1\n{edge}"))
    }),
    linear("2,000 × 50 blank lines and one other, old_str with 50 blank lines", |size| {
        let blank = "\n".repeat(50);
        replacing(format!("{blank}x = 1\n").repeat(size.scale(2_000)), format!("{blank}    x = 1\n{blank}"))
    }),
    linear("4 MB of `a`, old_str 1,000 of them", |size| {
        replacing("a".repeat(size.scale(4_000_000)), "a".repeat(1_000))
    }),
    linear("4 MB of `a`, old_str 1,000 of them and `b`", |size| {
        replacing("a".repeat(size.scale(4_000_000)), "a".repeat(1_000) + "b")
    }),
    linear("4 MB of `\\r\\n`, old_str two of them", |size| {
        replacing("\r\n".repeat(size.scale(2_000_000)), "\r\n\r\n".to_owned())
    }),
    linear("4 MB of `\\r\\n`, old_str two of them and `x`", |size| {
        replacing("\r\n".repeat(size.scale(2_000_000)), "\n\nx".to_owned())
    }),
    linear("8 MiB of spaces, old_str four of them", |size| {
        replacing(" ".repeat(size.scale(MAX_BYTES)), "    ".to_owned())
    }),
    linear("8 MiB of spaces, old_str four of them and `x`", |size| {
        replacing(" ".repeat(size.scale(MAX_BYTES)), "    x".to_owned())
    }),
    linear("4 MB of tabs and spaces mixed, old_str 10,000 lines in spaces", |size| {
        let content = mixed_indentation(&source(size.scale(4_000_000), 1));
        let start = passage(&content, content.len() / 4).as_ptr().addr() - content.as_ptr().addr();
        let length: usize = content[start..].split_inclusive('\n').take(size.scale(10_000)).map(str::len).sum();
        let old = content[start..start + length].replace('\t', "    ");
        replacing(content, old)
    }),
    linear("8 MiB, old_str another 8 MiB", |size| {
        replacing(source(size.scale(MAX_BYTES), 1), source(size.scale(MAX_BYTES), 2))
    }),
    linear("expected_matches = 100,000, exact, with apply", |size| {
        let places = size.scale(100_000);
        replacing_all("value = old_name(index)\n".repeat(places), "old_name", "new_name", places)
    }),
    linear("expected_matches = 100,000, indentation_relative, with apply", |size| {
        let places = size.scale(100_000);
        replacing_all(
            "    if old:\n        go()\n".repeat(places),
            "if old:\n    go()\n",
            "if new:\n    go()\n",
            places,
        )
    }),
    linear("expected_matches = 20,000 on one line, line_endings = match", |size| {
        let places = size.scale(20_000);
        replacing_all(format!("{} old_name;", "word ".repeat(5)).repeat(places), "old_name", "new_name", places)
    }),
    linear("expected_matches = 20,000 on one line, the edit's diff", |size| {
        let places = size.scale(20_000);
        let content = format!("{} old_name;", "word ".repeat(5)).repeat(places);
        Trial::new(content.len(), move || {
            let request = Replace { expected_matches: places, ..Replace::new("old_name", "new_name") };
            let diff = replace(&content, &request).ok().and_then(|done| done.edit.diff(&content).ok());
            diff.map_or("refused".to_owned(), |diff| format!("diff of {} bytes", diff.text.len()))
        })
    }),
    linear("expected_matches = 200, 1,000 lines each that become 1,000 others", |size| {
        let lines =
            |mark: &str| (0..1_000).fold(String::new(), |text, number| text + mark + &number.to_string() + "\n");
        replacing_all(lines("    a").repeat(size.scale(200)), &lines("a"), &lines("b"), size.scale(200))
    }),
    linear("nearest in one line of 8 MiB", |size| {
        let content = one_line(size.scale(MAX_BYTES), 1);
        let old = content[content.len() / 2..][..200].replacen(' ', " not_there ", 1);
        replacing(content, old)
    }),
    linear("nearest in 4 MB, old_str a line of 500 KB and a short one", |size| {
        let content = source(size.scale(4_000_000), 1);
        let old = one_line(size.scale(500_000), 2) + "\nshort";
        replacing(content, old)
    }),
    linear("nearest in 4 MB, old_str of 300 KB with a change", |size| {
        let content = source(size.scale(4_000_000), 1);
        let old = content[..size.scale(300_000)].replacen("self", "selves", 50);
        replacing(content, old)
    }),
];

/// A trap whose time must be linear.
const fn linear(name: &'static str, prepare: fn(Size) -> Trial) -> Trap {
    Trap { name, bound: Bound::Linear, prepare }
}

fn replacing(content: String, old: String) -> Trial {
    Trial::new(content.len(), move || summary(&replace(&content, &Replace::new(&old, "    something else"))))
}

fn replacing_all(content: String, old: &str, new: &str, places: usize) -> Trial {
    let (old, new) = (old.to_owned(), new.to_owned());
    Trial::new(content.len(), move || {
        let request =
            Replace { expected_matches: places, line_endings: LineEndings::Match, ..Replace::new(&old, &new) };
        let result = replace(&content, &request);
        let applied = result.as_ref().is_ok_and(|done| done.edit.apply(&content).is_ok());
        if applied { summary(&result) } else { format!("not applied: {}", summary(&result)) }
    })
}

/// 500 lines of about 20 bytes that are always the same but for the last one.
fn block(last: &str) -> String {
    let mut text = String::new();
    for number in 0..499 {
        let _ = writeln!(text, "    step_{number} = {number}");
    }
    text + "    last = " + last + "\n"
}

/// Every second indented line with a tab for each four spaces, every fifth with one tab and then spaces.
fn mixed_indentation(text: &str) -> String {
    let mut mixed = String::with_capacity(text.len());
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let body = line.trim_start_matches("    ");
        let depth = (line.len() - body.len()) / 4;
        match number % 5 {
            0 if depth > 0 => mixed.push_str(&("\t".to_owned() + &"    ".repeat(depth - 1))),
            1 | 3 => mixed.push_str(&"\t".repeat(depth)),
            _ => mixed.push_str(&"    ".repeat(depth)),
        }
        mixed.push_str(body);
    }
    mixed
}
