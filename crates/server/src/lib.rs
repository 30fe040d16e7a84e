//! The server of the store: the REST API, and MCP for agents. Both are thin: they call the use cases of [`Interline`].
//!
//! [`serve`] answers on a listener until its shutdown future is done. What an operator may choose is in [`Settings`].
//!
//! ```no_run
//! # async fn example(interline: interline_items::Interline) -> std::io::Result<()> {
//! use interline_server::{Settings, serve};
//!
//! let listener = tokio::net::TcpListener::bind("127.0.0.1:4680").await?;
//! serve(listener, interline, Settings::default(), std::future::pending()).await
//! # }
//! ```
//!
//! [`Interline`]: interline_items::Interline

mod client_address;
mod connections;
mod http;
mod identity;
mod job_worker;
mod local_service;
mod mcp;
mod outbound;
mod serve;
mod settings;
mod shutdown;
mod wire;

pub use connections::{AddressRange, NotAnAddressRange};
pub use http::openapi;
pub use identity::Identity;
pub use local_service::{LocalResponse, LocalService};
pub use mcp::{McpServer, serve_mcp, serve_mcp_on};
pub use serve::serve;
pub use settings::{AiKey, AiSettings, Auth, Indexing, JobSettings, MakeTls, RateLimits, Settings};
pub use wire::plain_parser_message;
