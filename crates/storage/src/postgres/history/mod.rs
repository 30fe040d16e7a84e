//! The history of items in PostgreSQL: what a change leaves behind ([`records`]), versions ([`versions`]), steps back
//! through them ([`undo_steps`]), and events ([`events`]).

pub(super) mod events;
pub(super) mod records;
mod undo_steps;
pub(super) mod versions;
