//! Markdown files with front matter: notes of a vault, and our own export of every kind.

mod file_names;
mod reader;
mod writer;

pub use file_names::FileNames;
pub(crate) use reader::{arguments, file_stem, keep_rest, read_markdown, utf8};
pub(crate) use writer::argument_list;
pub use writer::write_markdown;
