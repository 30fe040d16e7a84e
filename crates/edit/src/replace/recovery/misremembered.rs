//! What is wrong in an `old_str`, beside the passage that it was meant to be.

use crate::lines::trim_blanks_end;

use super::super::nearest::{LineWords, words};

/// A line that is similar enough to be the same one, if more than a single word differs.
const SAME_LINE: f64 = 0.6;

/// The one slip in an `old_str`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Misremembered {
    /// A line that has another word in the passage.
    Word {
        /// Its index, in both.
        line: usize,
    },
    /// A line that `old_str` lacks.
    LeftOut {
        /// Its index in the passage.
        line: usize,
    },
}

impl Misremembered {
    /// Where a line of `old_str` is in the passage.
    pub(super) fn in_passage(self, old: usize) -> usize {
        match self {
            Misremembered::LeftOut { line } if old >= line => old + 1,
            Misremembered::LeftOut { .. } | Misremembered::Word { .. } => old,
        }
    }
}

/// The slip that makes the difference between an `old_str` and a passage, blanks at the end of lines aside: among equal
/// lines, the first and the last one that can be left out. `None` if they differ in more, or in nothing.
pub(super) fn compare(old: &[&str], passage: &[&str]) -> Option<Vec<Misremembered>> {
    let equal = |(a, b): &(&&str, &&str)| trim_blanks_end(a) == trim_blanks_end(b);
    let at_start = old.iter().zip(passage).take_while(equal).count();
    let at_end = old.iter().rev().zip(passage.iter().rev()).take_while(equal).count();
    let others = &old[..at_start.min(old.len())];
    if !others.iter().chain(&old[old.len() - at_end..]).any(|line| line.contains(char::is_alphanumeric)) {
        return None;
    }
    if old.len() == passage.len() && at_start + 1 + at_end == old.len() {
        let line = at_start;
        return is_same_line(old[line], passage[line]).then(|| vec![Misremembered::Word { line }]);
    }
    // A line before or after all others is no part of the passage.
    let is_left_out = old.len() + 1 == passage.len() && at_start < old.len() && at_end < old.len();
    if !is_left_out || at_start + at_end < old.len() {
        return None;
    }
    let (first, last) = (old.len() - at_end, at_start);
    let mut slips = vec![Misremembered::LeftOut { line: first }];
    slips.extend((first < last).then_some(Misremembered::LeftOut { line: last }));
    Some(slips)
}

/// Whether two lines are one line with another word: a single word differs, or little in a long line.
fn is_same_line(old: &str, line: &str) -> bool {
    let texts = |line: &'_ str| words(line, 0).map(|word| line[word.range].to_owned()).collect::<Vec<String>>();
    let (a, b) = (texts(old), texts(line));
    let at_start = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
    let at_end = a[at_start..].iter().rev().zip(b[at_start..].iter().rev()).take_while(|(a, b)| a == b).count();
    let (from, to) = (a.len() - at_start - at_end, b.len() - at_start - at_end);
    let is_word = |word: &String| word.contains(char::is_alphanumeric);
    // A bracket or a colon that both have says nothing: `staging:` is not `production:`.
    let has_common_word = a[..at_start].iter().chain(&a[a.len() - at_end..]).any(is_word);
    let one_word = from == 1 && to == 1 && has_common_word;
    // What differs in its blanks alone is the same words in other columns: the levels of matching know better.
    (from, to) != (0, 0) && (one_word || LineWords::new(old).similarity(&LineWords::new(line)) >= SAME_LINE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(old: &str, passage: &str, expected: Option<&[Misremembered]>) {
        let split = |text: &'static str| text.split('/').collect::<Vec<_>>();
        let (old, passage) = (split(String::leak(old.to_owned())), split(String::leak(passage.to_owned())));
        assert_eq!(compare(&old, &passage).as_deref(), expected, "{old:?} {passage:?}");
    }

    #[test]
    fn one_slip_is_found() {
        check("a/x = 1;/c", "a/y = 1;/c", Some(&[Misremembered::Word { line: 1 }]));
        check("a/b/c", "a/b/x/c", Some(&[Misremembered::LeftOut { line: 2 }]));
        check("a//c", "a///c", Some(&[Misremembered::LeftOut { line: 1 }, Misremembered::LeftOut { line: 2 }]));
    }

    #[test]
    fn other_differences_are_none() {
        check("a/b/c", "a/b/c", None);
        check("staging:/  image: web", "production:/  image: web", None);
        check("a/b/c", "a/c", None);
        check("a/b/c", "x/a/b/c", None);
        check("a/b/c", "a/x/b/y/c", None);
        check("a/one/c", "a/two/c", None);
        check("}/x = 1;/}", "}/y = 1;/}", None);
    }
}
