//! The MCP protocol: the request handler, its transports, and everything that is not a single tool.
//!
//! An [`McpServer`] is its instructions and a short list of [`tool`]s. A tool parses its arguments strictly
//! ([`arguments`]), calls a use case, and returns a result ([`results`]) in the shape that its [`schema`] promises. The
//! [`handler`] answers the requests of the protocol, [`prompts`], [`resources`], [`completion`] and [`subscriptions`]
//! included. Clients reach it over HTTP (mounted by the `http` module) and over [`stdio`].

pub(super) mod arguments;
mod completion;
pub(super) mod excerpt;
mod handler;
mod messages;
mod page_cursor;
pub(super) mod pages;
mod prompts;
mod resources;
mod results;
mod schema;
mod server;
mod stdio;
mod subscriptions;
pub(super) mod tool;

pub(crate) use handler::{AuthenticatedRequest, Handler, McpTransport};
pub use server::McpServer;
pub(super) use server::Toolset;
pub use stdio::{serve_mcp, serve_mcp_on};
pub(crate) use tool::Effect;
