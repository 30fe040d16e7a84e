//! Arbitrary bytes, read as text: nothing panics, and the laws hold.
#![no_main]

#[path = "../../crates/edit/tests/oracle/mod.rs"]
mod oracle;

use interline_edit::{
    Case, LineEndings, LineOperation, Pattern, Replace, SearchOptions, excerpt, patch_lines, read_lines, replace,
    search,
};
use libfuzzer_sys::fuzz_target;

/// Four texts, parted by the byte 0xFF.
fn parts(data: &[u8]) -> [String; 4] {
    let mut parts = data.splitn(4, |&byte| byte == 0xFF).map(|part| String::from_utf8_lossy(part).into_owned());
    std::array::from_fn(|_| parts.next().unwrap_or_default())
}

fn search_in(text: &str, pattern: &Pattern) {
    let mut patience = 1_000;
    let mut keep_going = || {
        patience -= 1;
        patience > 0
    };
    let options = SearchOptions { context_lines: 1, limit: 10 };
    if let Ok(found) = search(text, pattern, &options, &mut keep_going) {
        assert!(found.hits.len() <= 10 && found.hits.iter().all(|hit| text.get(hit.range.clone()).is_some()));
    }
}

fuzz_target!(|data: &[u8]| {
    let Some((&choice, data)) = data.split_first() else { return };
    let [content, old_str, new_str, rest] = parts(data);
    let line_endings = if choice & 1 == 0 { LineEndings::Literal } else { LineEndings::Match };
    let expected_matches = usize::from(choice >> 1) % 4;
    let request = Replace { line_endings, expected_matches, ..Replace::new(&old_str, &new_str) };
    oracle::laws::replacement(&content, &request);
    if let Ok(done) = replace(&content, &request) {
        for place in &done.ranges {
            excerpt(&content, place, 2);
        }
    }
    let (start_line, end_line) = (usize::from(choice % 7), usize::from(choice / 7 % 7));
    let operations = [
        LineOperation { start_line, end_line, content: &new_str, expect: None },
        LineOperation { start_line: end_line + 1, end_line, content: &rest, expect: Some(&old_str) },
    ];
    for operations in [&operations[..1], &operations[..]] {
        if let Ok(edit) = patch_lines(&content, operations) {
            oracle::laws::edit(&content, &edit);
        }
    }
    let _ = read_lines(&content, start_line, end_line);
    oracle::laws::diff_of_texts(&content, &rest);
    oracle::laws::outline(&content);
    for case in [Case::Sensitive, Case::Insensitive] {
        let patterns = [Pattern::literal(&old_str, case), Pattern::regex(&old_str, case)];
        patterns.iter().flatten().for_each(|pattern| search_in(&content, pattern));
    }
});
