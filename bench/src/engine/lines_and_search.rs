//! Worst-case inputs of line patches, diffs and searches.

use interline_edit::{Case, Pattern, PatternError, SearchOptions, diff, patch_lines, search};

use super::speed::operations;
use super::traps::{Bound, Size, Trap, Trial, until_deadline};
use crate::texts::{Dice, passage, source};

pub(super) const TRAPS: &[Trap] = &[
    linear("line patch, 10,000 operations in 4 MB, with apply", |size| {
        patching(source(size.scale(4_000_000), 1), size.scale(10_000))
    }),
    linear("line patch, 100,000 operations in lines of 1 byte, with apply", |size| {
        patching("\n".repeat(size.scale(600_000)), size.scale(100_000))
    }),
    linear("diff of two different texts of 4 MB", |size| {
        diffing(source(size.scale(4_000_000), 1), source(size.scale(4_000_000), 2))
    }),
    linear("diff of two texts of 4 MB without a common line", |size| {
        let text = source(size.scale(4_000_000), 1);
        let other = text.replace('\n', " #\n");
        diffing(text, other)
    }),
    linear("diff of one changed line in 4 MB", |size| {
        let text = source(size.scale(4_000_000), 1);
        let old = passage(&text, text.len() / 2);
        let changed = text.replacen(old, &old.replacen("self", "this", 1), 1);
        diffing(text, changed)
    }),
    linear("diff of one change at each end of 4 MB", |size| {
        let text = source(size.scale(4_000_000), 1);
        let changed = format!("first\n{text}last\n");
        diffing(text, changed)
    }),
    linear("diff of 20,000 lines `a` or `b`, shuffled", |size| {
        diffing(shuffled(size.scale(20_000), 1), shuffled(size.scale(20_000), 2))
    }),
    linear("diff of 20,000 blank lines and as many with others between them", |size| {
        diffing("\n".repeat(size.scale(20_000)), "\n\nx\n".repeat(size.scale(10_000)))
    }),
    deadline("regex .*[^A-Z]\\|[A-Z] on a line of 50 KB", |size| {
        matching("A".repeat(size.scale(50_000)), ".*[^A-Z]|[A-Z]")
    }),
    deadline("regex \\w+\\s+\\w+ on 4 MB", |size| matching(source(size.scale(4_000_000), 1), r"\w+\s+\w+")),
    deadline("regex \\w+\\s+\\d+x on 4 MB", |size| matching(source(size.scale(4_000_000), 1), r"\w+\s+\d+x")),
    deadline("regex [a-z]{0,999}[a-z]{0,999}$ on 8 MB", |size| {
        matching("aaaaaaaaab".repeat(size.scale(800_000)), "[a-z]{0,999}[a-z]{0,999}$")
    }),
    deadline("regex \\w{0,64}\\b\\w{0,10}$ on 8 MB beyond ASCII", |size| {
        matching("éa b ".repeat(size.scale(1_300_000)), r"\w{0,64}\b\w{0,10}$")
    }),
    deadline("regex \\w+ on a line of 4 MB", |size| {
        matching(source(size.scale(4_000_000), 1).replace('\n', " "), r"\w+")
    }),
    linear("regex \\bretry\\w+\\( on 4 MB", |size| matching(source(size.scale(4_000_000), 1), r"\bretry\w+\(")),
    linear("case-insensitive search on 4 MB", |size| {
        searching(source(size.scale(4_000_000), 1), "Retry_Budget", Case::Insensitive)
    }),
    linear("case-insensitive search of 1,000 `a` and `b` in 4 MB of `a`", |size| {
        searching("a".repeat(size.scale(4_000_000)), &("A".repeat(1_000) + "B"), Case::Insensitive)
    }),
    linear("search of `e` on 4 MB, every match kept", |size| {
        searching(source(size.scale(4_000_000), 1), "e", Case::Sensitive)
    }),
    linear("search of 1,000 `a` in 4 MB of `a`, every match kept", |size| {
        searching("a".repeat(size.scale(4_000_000)), &"a".repeat(1_000), Case::Sensitive)
    }),
];

pub(super) const fn linear(name: &'static str, prepare: fn(Size) -> Trial) -> Trap {
    Trap { name, bound: Bound::Linear, prepare }
}

const fn deadline(name: &'static str, prepare: fn(Size) -> Trial) -> Trap {
    Trap { name, bound: Bound::Deadline, prepare }
}

fn patching(text: String, count: usize) -> Trial {
    // The operations borrow the text, and both go into the trial. There are a few of them in a run.
    let text: &'static str = text.leak();
    let operations = operations(text, count).unwrap_or_default();
    Trial::new(text.len(), move || {
        match patch_lines(text, &operations).map(|edit| (edit.splices().len(), edit.apply(text).is_ok())) {
            Ok((splices, true)) => format!("{splices} splices"),
            _ => "refused".to_owned(),
        }
    })
}

fn diffing(before: String, after: String) -> Trial {
    Trial::new(before.len(), move || format!("{} bytes", diff(&before, &after).text.len()))
}

/// Searches for an expression until the deadline.
fn matching(text: String, expression: &str) -> Trial {
    searching_while(text, Pattern::regex(expression, Case::Sensitive), until_deadline)
}

/// Searches to the end.
fn searching(text: String, literal: &str, case: Case) -> Trial {
    searching_while(text, Pattern::literal(literal, case), || || true)
}

fn searching_while<K: FnMut() -> bool>(
    text: String,
    pattern: Result<Pattern, PatternError>,
    begin: impl Fn() -> K + 'static,
) -> Trial {
    Trial::new(text.len(), move || {
        let pattern = match &pattern {
            Ok(pattern) => pattern,
            Err(error) => return error.to_string(),
        };
        let options = SearchOptions { context_lines: 2, limit: usize::MAX };
        match search(&text, pattern, &options, &mut begin()) {
            Ok(found) => format!("{} matches", found.total),
            Err(interrupted) => interrupted.to_string(),
        }
    })
}

/// Lines `a` or `b`.
pub(super) fn shuffled(lines: usize, seed: u64) -> String {
    let mut dice = Dice::new(seed);
    (0..lines).map(|_| if dice.below(2) == 0 { "a\n" } else { "b\n" }).collect()
}
