//! Optimistic concurrency: a change that is made only if the item is at the version that the caller expects.

use crate::usecases::{Caller, Interline};
use crate::{Error, Expectation, Item};

/// The version that a caller expects an item to be at. Changes that make no version, like archiving, do not count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ExpectedVersion {
    /// Any version.
    #[default]
    Any,
    /// Any version of an item that exists. No use case changes an item that does not exist, so this is never a conflict.
    Existing,
    /// This one.
    Exactly(u64, Expectation),
}

/// The longest diff in the error of a conflict, so that the error stays short.
const MAX_DIFF_BYTES: usize = 24 * 1024;

impl ExpectedVersion {
    /// A conflict if the item is at another version.
    pub(in crate::usecases) fn check(self, item: &Item) -> Result<(), Error> {
        match self {
            ExpectedVersion::Exactly(expected_version, expectation) if expected_version != item.stamp.version => {
                let current = Box::new(item.clone());
                Err(Error::Conflict { expected_version, expectation, current, diff: None, merge: None })
            }
            ExpectedVersion::Any | ExpectedVersion::Existing | ExpectedVersion::Exactly(..) => Ok(()),
        }
    }
}

impl Interline {
    /// A conflict if the item is at another version, with the diff since the expected one.
    pub(in crate::usecases) async fn check_expected(
        &self,
        caller: &Caller,
        expected: ExpectedVersion,
        item: &Item,
    ) -> Result<(), Error> {
        match expected.check(item) {
            Ok(()) => Ok(()),
            Err(error) => Err(self.with_diff(caller, error).await),
        }
    }

    /// Adds to a conflict the diff since the expected version, if that version is still kept.
    pub(in crate::usecases) async fn with_diff(&self, caller: &Caller, error: Error) -> Error {
        match error {
            Error::Conflict { expected_version, expectation, current, diff: None, merge } => {
                let diff = self.diff_since(caller, &current, expected_version, MAX_DIFF_BYTES).await;
                Error::Conflict { expected_version, expectation, current, diff, merge }
            }
            error => error,
        }
    }
}
