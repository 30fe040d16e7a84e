//! The Model Context Protocol: a door for agents, as thin as the REST API. No rule lives here.
//!
//! A [`McpServer`] is its instructions and a short list of [`tool`]s. A tool reads its arguments strictly ([`arguments`]),
//! calls a use case, and tells the outcome ([`answer`]) in the shape that its schema ([`schema`]) promises. The
//! [`handler`] speaks the protocol; it is reached over HTTP (`http::mcp`) and over [`stdio`].

mod answer;
mod arguments;
mod content;
mod handler;
mod schema;
mod server;
mod stdio;
mod tool;

pub(crate) use handler::{Handler, Principal, Visitor};
pub use server::McpServer;
pub use stdio::serve_mcp;
pub(crate) use tool::Effect;
