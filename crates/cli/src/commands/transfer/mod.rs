//! The commands `interline import` and `interline export`.

pub(super) mod export;
pub(super) mod import;
mod report;
mod walk;
