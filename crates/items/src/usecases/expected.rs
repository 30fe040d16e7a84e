//! Changes that are made only if the item is as the caller believes.

use crate::{Error, Expectation, Item};

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
