//! Change sets: what one client did in one go; who did it and why, what people decided about it, and taking it back.
//!
//! * `attribute` says who writes and why, `open_sets` which set a write joins, `introduced_clients` what clients call themselves.
//! * `find` lists sets and reads one, with the `net_change` of each item.
//! * `keep` and `undo` are what people decide.

mod attribute;
mod find;
mod introduced_clients;
mod keep;
mod net_change;
mod open_sets;
mod undo;

pub(super) use attribute::WriteAttribution;
pub(super) use introduced_clients::IntroducedClients;
pub(super) use net_change::TextPart;
pub(super) use open_sets::OpenSets;

pub use attribute::AttributionRequest;
pub use find::{ChangeSetDetails, ChangeSetPage, FindChangeSets};
pub use net_change::{DiffPart, HunkRef, ItemChange};
pub use undo::{OnUndoConflict, UndoCause, UndoChangeSet, UndoConflict, UndoneChanges};
