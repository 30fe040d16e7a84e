//! Changes that are made only if the item is as the caller believes.

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
                let diff = self.diff_since(&current, expected_version, MAX_DIFF_BYTES).await;
                Error::Conflict { expected_version, expectation, current, diff }
            }
            error => error,
        }
    }
}
