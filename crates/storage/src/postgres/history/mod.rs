//! The history of items in PostgreSQL: what a change leaves behind ([`records`]), versions ([`versions`]), and events
//! ([`events`]).

pub(super) mod events;
pub(super) mod records;
pub(super) mod versions;
