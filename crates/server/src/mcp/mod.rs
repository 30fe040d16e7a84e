//! The MCP (Model Context Protocol) servers for agents. They are as thin as the REST API: no business rule lives here.
//!
//! [`protocol`] speaks MCP: it handles requests over HTTP (`http` mounts its [`Handler`]) and over standard input and
//! output, and serves tools, prompts, resources and subscriptions. [`tools`] holds a file for each tool.

mod protocol;
mod tools;

pub(crate) use protocol::{AuthenticatedRequest, Effect, Handler, McpTransport};
pub use protocol::{McpServer, serve_mcp, serve_mcp_on};
