//! The tools of the MCP servers: a folder for each server, a file for each tool, and the arguments and results that
//! several tools share.

pub(super) mod code;
pub(super) mod content;
mod content_result;
mod edit_args;
mod edit_result;
mod history;
mod metadata_args;
pub(super) mod prompts;
mod search;
mod tags;
