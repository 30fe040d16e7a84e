//! Bookmarks as CSV: Pocket's and Raindrop's.

mod pocket;
mod raindrop;
mod table;

pub(crate) use pocket::read_pocket_csv;
pub(crate) use raindrop::read_raindrop_csv;
