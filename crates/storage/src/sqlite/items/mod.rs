//! Items in SQLite: the rows of an item ([`item_rows`]), look-ups ([`lookup`]), lists ([`list`], by [`index_scan`] or
//! [`tag_filter`]), code files by path ([`files`]), and unique fields ([`unique`]).

pub(super) mod files;
pub(super) mod index_scan;
pub(super) mod item_rows;
pub(super) mod list;
pub(super) mod lookup;
pub(super) mod tag_filter;
pub(super) mod unique;
