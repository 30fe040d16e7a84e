//! The address of the client that sent a request.

use std::net::IpAddr;

/// The address that a request came from: that of its connection, or the one that a trusted proxy forwarded. Every request
/// has it as an extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ClientAddress(pub(crate) IpAddr);
