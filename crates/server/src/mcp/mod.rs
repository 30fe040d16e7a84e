//! The Model Context Protocol: a door for agents, as thin as the REST API. No rule lives here.
//!
//! A [`McpServer`] is its instructions and a short list of [`tool`]s. A tool reads its arguments strictly ([`arguments`]),
//! calls a use case, and tells the outcome ([`answer`]) in the shape that its schema ([`schema`]) promises. The
//! [`handler`] speaks the protocol, with prompts, [`resources`] and [`subscriptions`] to them; it is reached over HTTP (`http::mcp`) and over
//! [`stdio`].

mod answer;
mod arguments;
mod code;
mod completion;
mod content;
mod finding;
mod handler;
mod history;
mod lines;
mod metadata;
mod pages;
mod passages;
mod prompts;
mod reading;
mod resources;
mod schema;
mod server;
mod stdio;
mod subscriptions;
mod tool;
mod written;

pub(crate) use handler::{Handler, Principal, Visitor};
pub use server::McpServer;
pub use stdio::{serve_mcp, serve_mcp_on};
pub(crate) use tool::Effect;
