//! Code files and apps.

pub(crate) mod apps;
pub(crate) mod files;
