//! Python as it is judged, beside CPython's own verdict; workflow decorators; hostile code.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a failed test is a panic")]

mod bounds;
mod corpus;
mod cpython;
mod decorators;
mod metadata;
mod parts;
mod positions;
mod table;

use interline_items::code::{Checked, CodeError, SdkName, check_blocking};

fn check(source: &str) -> Result<Checked, CodeError> {
    check_blocking(source, &SdkName::default()).unwrap()
}
