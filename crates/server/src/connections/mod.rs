//! Connections: places for so many of them, who is closed when places run out, and how long a client may take to read.
//!
//! A connection holds its place as long as its socket is open. When all places are taken, a new connection makes one: by
//! closing first those that show no token and are idle the longest, then idle ones that a user has beyond half of all places;
//! requests of a user are cut only beyond half, and where nobody without a token is left to close.

mod address_range;
mod answer_body;
mod connection;
mod forwarded;
mod listener;
mod log_limit;
mod table;
mod timed_stream;

pub use address_range::{AddressRange, NotAnAddressRange};
pub(crate) use answer_body::{AnswerBody, HeldBytes};
pub(crate) use connection::{CloseRequest, Connection};
pub(crate) use forwarded::{ForwardedFor, ForwardedId, forwarded_address};
pub(crate) use listener::Acceptor;
pub(crate) use log_limit::LogLimit;
pub(crate) use table::{ConnectionLimits, ConnectionTable, ForwardedRequest, LONGEST_IDLE};
pub(crate) use timed_stream::{StreamLimits, TimedStream};
