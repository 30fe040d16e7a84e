//! The `interline` command as it is run: the built binary on real stores and real sockets.

#![expect(clippy::expect_used, clippy::panic, reason = "a failed test is a panic, in its functions too")]

mod admin;
mod check;
mod events;
mod everyday;
mod first_start;
mod harness;
mod log;
mod mcp;
mod mcp_client;
mod mcp_hostile;
mod mcp_install;
mod mcp_session;
mod postgres;
mod remote;
mod request_log;
mod serve;
mod usage;
