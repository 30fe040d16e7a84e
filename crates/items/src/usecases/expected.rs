//! Changes that are made only if the item is as the caller believes.

use interline_edit::UnifiedDiff;

use crate::{Error, Expectation, Item};

use super::Interline;

/// The version that a caller wants to change. What makes no version, like archiving, does not count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ExpectedVersion {
    /// Whichever it is.
    #[default]
    Any,
    /// Whichever it is, of an item that exists. No use case changes what does not, so it is never a conflict.
    Existing,
    /// This one.
    Exactly(u64, Expectation),
}

/// What the diff of a conflict may take, so that the refusal stays short.
const MAX_DIFF_BYTES: usize = 24 * 1024;

impl ExpectedVersion {
    /// A conflict if the item is at another version.
    pub(super) fn check(self, item: &Item) -> Result<(), Error> {
        match self {
            ExpectedVersion::Exactly(expected_version, expectation) if expected_version != item.stamp.version => {
                Err(Error::Conflict { expected_version, expectation, current: Box::new(item.clone()), diff: None })
            }
            ExpectedVersion::Any | ExpectedVersion::Existing | ExpectedVersion::Exactly(..) => Ok(()),
        }
    }
}

impl Interline {
    /// A conflict if the item is at another version, with what happened since.
    pub(super) async fn check_expected(&self, expected: ExpectedVersion, item: &Item) -> Result<(), Error> {
        match expected.check(item) {
            Ok(()) => Ok(()),
            Err(error) => Err(self.with_diff(error).await),
        }
    }

    /// A conflict with what happened since the expected version, as far as that is known.
    pub(super) async fn with_diff(&self, error: Error) -> Error {
        match error {
            Error::Conflict { expected_version, expectation, current, diff: None } => {
                let diff = self.diff_since(&current, expected_version).await.map(shortened);
                Error::Conflict { expected_version, expectation, current, diff }
            }
            error => error,
        }
    }
}

/// The first hunks of a diff, which are a whole diff again.
fn shortened(diff: UnifiedDiff) -> UnifiedDiff {
    if diff.text.len() <= MAX_DIFF_BYTES {
        return diff;
    }
    // A line of content has a mark before it, so this begins a hunk.
    let hunks = diff.text.match_indices("\n@@ ").map(|(newline, _)| newline + 1);
    let end = hunks.skip(1).take_while(|end| *end <= MAX_DIFF_BYTES).last().unwrap_or(0);
    UnifiedDiff { text: diff.text[..end].to_owned(), truncated: true }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shortened_diff_has_whole_hunks() {
        let hunk = |bytes: usize| format!("@@ -1 +1 @@\n-{}\n", "x".repeat(bytes));
        let header = "--- a/content\n+++ b/content\n";
        let diff = |hunks: &[usize]| UnifiedDiff {
            text: header.to_owned() + &hunks.iter().map(|bytes| hunk(*bytes)).collect::<String>(),
            truncated: false,
        };
        assert_eq!(shortened(diff(&[10, 10])), diff(&[10, 10]));
        let cut = |hunks: &[usize]| UnifiedDiff { truncated: true, ..diff(hunks) };
        assert_eq!(shortened(diff(&[10_000, 10_000, 10_000])), cut(&[10_000, 10_000]));
        assert_eq!(shortened(diff(&[10, 30_000, 10])), cut(&[10]));
        assert_eq!(shortened(diff(&[30_000, 10])), UnifiedDiff { text: String::new(), truncated: true });
        assert_eq!(shortened(diff(&[30_000])), UnifiedDiff { text: String::new(), truncated: true });
    }
}
