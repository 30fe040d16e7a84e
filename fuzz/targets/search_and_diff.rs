//! Searching finds every occurrence; diffs lead from one text to the other; lines are read as they are.
#![no_main]

mod input;
#[path = "../../crates/edit/tests/oracle/mod.rs"]
mod oracle;

use arbitrary::Arbitrary;
use interline_edit::{Case, Pattern, SearchOptions, read_lines, search, total_lines};
use libfuzzer_sys::fuzz_target;

use input::{Derived, Text};

#[derive(Arbitrary, Debug)]
struct Input {
    text: Text,
    needle: Derived,
    other: Derived,
    context_lines: u8,
    limit: u8,
}

/// The spans of a literal pattern.
fn spans(text: &str, needle: &str, case: Case, options: &SearchOptions) -> Vec<std::ops::Range<usize>> {
    let Ok(pattern) = Pattern::literal(needle, case) else { return Vec::new() };
    let found = search(text, &pattern, options, &mut || true).unwrap();
    assert_eq!(pattern.is_match(text), found.total > 0);
    for hit in &found.hits {
        let context = read_lines(text, hit.context_first_line, hit.last_line + options.context_lines).unwrap();
        assert_eq!(hit.context, context);
        assert_eq!(hit.first_line, oracle::lines::line_number(text, hit.range.start));
        assert!(text.get(hit.range.clone()).is_some());
    }
    let all = search(text, &pattern, &SearchOptions { limit: usize::MAX, ..*options }, &mut || true).unwrap();
    assert_eq!(all.total, all.hits.len());
    assert_eq!((all.total, found.hits.len()), (found.total, all.total.min(options.limit)));
    all.hits.into_iter().map(|hit| hit.range).collect()
}

fuzz_target!(|input: Input| {
    let text = input.text.text();
    let needle = input.needle.derive(&text);
    let options =
        SearchOptions { context_lines: usize::from(input.context_lines % 4), limit: usize::from(input.limit % 8) };
    let naive = oracle::occurrences(&text, &needle);
    assert_eq!(spans(&text, &needle, Case::Sensitive, &options), naive);
    let insensitive = spans(&text, &needle, Case::Insensitive, &options);
    assert!(naive.iter().all(|span| insensitive.contains(span)));
    if text.is_ascii() && needle.is_ascii() {
        assert_eq!(insensitive, oracle::occurrences(&text.to_ascii_lowercase(), &needle.to_ascii_lowercase()));
    }
    let other = input.other.derive(&text);
    oracle::laws::diff_of_texts(&text, &other);
    oracle::laws::diff_of_texts(&other, &text);
    assert_eq!(total_lines(&text), text.split('\n').count());
});
