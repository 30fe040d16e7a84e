//! Items in PostgreSQL: the rows of an item ([`item_rows`]), look-ups ([`lookup`]), lists ([`list`]), code files by path
//! ([`files`]), and unique fields ([`unique`]).

pub(super) mod files;
pub(super) mod item_rows;
pub(super) mod list;
pub(super) mod lookup;
pub(super) mod unique;
