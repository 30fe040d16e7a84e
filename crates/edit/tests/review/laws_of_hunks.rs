//! Laws of hunks, by the diff that is printed.

use interline_edit::{Edit, Hunk, HunkLines, Hunks, diff, diff_within, hunks};

/// All laws of the hunks between two texts; `choice` says by its bits which hunks are taken back.
pub(crate) fn hunks_between(before: &str, after: &str, choice: u64) {
    let change = hunks(before, after);
    order(before, after, change.as_slice());
    printed(before, after, &change);
    let total = change.as_slice().len();
    let all: Vec<usize> = (0..total).collect();
    assert_eq!(change.revert(&all).unwrap().apply(after).unwrap(), before, "all are taken back");
    assert_eq!(change.accept(&all).unwrap().apply(before).unwrap(), after, "all are kept");
    assert_eq!(change.revert(&all), Ok(change.revert_all()));
    assert_eq!(change.revert(&[]), Ok(Edit::default()));
    assert_eq!(change.accept(&[]), Ok(Edit::default()));
    assert_eq!((change.revert(&[total]).is_err(), change.accept(&[total]).is_err()), (true, true));

    let (some, others): (Vec<usize>, Vec<usize>) = all.into_iter().partition(|index| choice >> (index % 64) & 1 == 1);
    let reverted = change.revert(&some).unwrap().apply(after).unwrap();
    assert_eq!(reverted, naive_revert(before, after, change.as_slice(), &some));
    let accepted = change.accept(&others).unwrap();
    assert_eq!(accepted.apply(before).unwrap(), reverted, "the others are kept");
    assert_eq!(accepted.invert(before).unwrap().apply(&reverted).unwrap(), before, "then the others are taken back");
    let rest = hunks(before, &reverted);
    let all_of_rest: Vec<usize> = (0..rest.as_slice().len()).collect();
    assert_eq!(rest.revert(&all_of_rest).unwrap().apply(&reverted).unwrap(), before, "in two steps");
    let twice: Vec<usize> = some.iter().rev().chain(&some).copied().collect();
    assert_eq!(change.revert(&twice), change.revert(&some), "a set of hunks");
}

/// Hunks are in order, their bytes are their lines, and what lies between them is the same in both texts.
fn order(before: &str, after: &str, hunks: &[Hunk]) {
    let (mut line, mut line_after) = (1, 1);
    let (mut byte, mut byte_after) = (0, 0);
    for hunk in hunks {
        lines_are_bytes(before, &hunk.before);
        lines_are_bytes(after, &hunk.after);
        assert_eq!(before[byte..hunk.before.bytes.start], after[byte_after..hunk.after.bytes.start]);
        let between = hunk.before.start_line - line;
        assert_eq!(between, hunk.after.start_line - line_after);
        assert!(line == 1 || between > 6, "contexts of 3 lines do not meet: {hunks:?}");
        (line, line_after) = (hunk.before.end_line + 1, hunk.after.end_line + 1);
        (byte, byte_after) = (hunk.before.bytes.end, hunk.after.bytes.end);
    }
    assert_eq!(before[byte..], after[byte_after..]);
}

fn lines_are_bytes(text: &str, lines: &HunkLines) {
    let all: Vec<&str> = text.split_inclusive('\n').collect();
    assert_eq!(all[lines.start_line - 1..lines.end_line].concat(), text[lines.bytes.clone()], "{lines:?}");
    assert_eq!(all[..lines.start_line - 1].concat().len(), lines.bytes.start, "{lines:?}");
}

/// Each `@@` of the diff is a hunk with its context.
fn printed(before: &str, after: &str, change: &Hunks<'_>) {
    let expected: Vec<String> = change.as_slice().iter().map(|hunk| header(before, after, hunk)).collect();
    let whole = diff(before, after);
    assert!(!whole.truncated, "the laws are for short texts");
    assert_eq!(headers(&whole.text), expected, "{}", whole.text);
    let body: Vec<&str> = whole.text.split('\n').skip(2).collect();
    let counts = ["+", "-"].map(|mark| body.iter().filter(|line| line.starts_with(mark)).count());
    assert_eq!(counts, [change.counts().added, change.counts().removed]);
    for max_bytes in [whole.text.len() / 2, whole.text.len().saturating_sub(1)] {
        let cut = diff_within(before, after, max_bytes);
        let cut_headers = headers(&cut.text);
        // Of the last one there may be a part.
        let whole_ones = cut_headers.len().saturating_sub(usize::from(cut.truncated));
        assert_eq!(cut_headers[..whole_ones], expected[..whole_ones]);
        assert!(cut_headers.len() <= expected.len());
    }
}

fn headers(diff: &str) -> Vec<&str> {
    diff.split('\n').filter(|line| line.starts_with("@@ ")).collect()
}

/// The line of the diff that gives the ranges of a hunk.
fn header(before: &str, after: &str, hunk: &Hunk) -> String {
    let range = |text: &str, lines: &HunkLines| {
        let total = text.split_inclusive('\n').count();
        let first = lines.start_line.saturating_sub(3).max(1);
        let last = (lines.end_line + 3).min(total);
        match last + 1 - first {
            0 => format!("{},0", first - 1),
            1 => format!("{first}"),
            count => format!("{first},{count}"),
        }
    };
    format!("@@ -{} +{} @@", range(before, &hunk.before), range(after, &hunk.after))
}

/// Puts the text together from the pieces that the hunks say.
fn naive_revert(before: &str, after: &str, hunks: &[Hunk], selected: &[usize]) -> String {
    let mut text = String::new();
    let mut next = 0;
    for (index, hunk) in hunks.iter().enumerate() {
        text.push_str(&after[next..hunk.after.bytes.start]);
        let piece = if selected.contains(&index) {
            &before[hunk.before.bytes.clone()]
        } else {
            &after[hunk.after.bytes.clone()]
        };
        text.push_str(piece);
        next = hunk.after.bytes.end;
    }
    text + &after[next..]
}
