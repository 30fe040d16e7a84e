//! The tools: what their servers say about them, what they do, and what they refuse.

mod agents;
mod attribution;
mod bounds;
mod code;
mod list;
mod merge;
mod parity;
mod proposals;
mod read_only;
mod recovery;
mod refused;
mod tasks;
mod wording;
