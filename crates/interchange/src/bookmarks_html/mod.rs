//! The bookmark file that every browser writes and reads (Netscape's), and what linkding and Pocket made of it.

mod entities;
mod reader;
mod tokens;
mod writer;

pub(crate) use reader::read_bookmarks_html;
pub use writer::BookmarksHtmlWriter;
