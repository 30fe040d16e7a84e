//! Code files and apps.

pub(crate) mod app_trash;
pub(crate) mod apps;
pub(crate) mod files;
