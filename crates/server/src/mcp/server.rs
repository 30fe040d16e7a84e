//! Which servers there are, and what each offers.

use interline_items::{Kind, Source};
use rmcp::model::ServerCapabilities;

use super::tool::Tool;
use super::{content, prompts};

/// A server: a short list of tools for one sort of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum McpServer {
    /// Notes and bookmarks.
    Content,
    /// Prompts: tools over them, and themselves for clients that know prompts.
    Prompts,
}

/// What a server tells about itself, and what it offers.
pub(super) struct Offer {
    /// What people are shown.
    pub(super) title: &'static str,
    /// What an agent should know before its first call.
    pub(super) instructions: &'static str,
    pub(super) tools: Vec<Tool>,
}

impl McpServer {
    /// Every server.
    pub const ALL: [McpServer; 2] = [McpServer::Content, McpServer::Prompts];

    /// Its name in paths and commands.
    pub const fn name(self) -> &'static str {
        match self {
            McpServer::Content => "content",
            McpServer::Prompts => "prompts",
        }
    }

    /// The door that its changes come through.
    pub(crate) const fn source(self) -> Source {
        match self {
            McpServer::Content => Source::McpContent,
            McpServer::Prompts => Source::McpPrompts,
        }
    }

    /// What of the protocol it serves.
    pub(super) fn capabilities(self) -> ServerCapabilities {
        // That lists have changed is not promised: it would have to be told of every door's changes.
        let both = ServerCapabilities::builder().enable_tools().enable_resources().enable_completions();
        match self {
            McpServer::Content => both.build(),
            McpServer::Prompts => both.enable_prompts().build(),
        }
    }

    /// The kinds that it is about.
    pub(super) const fn kinds(self) -> &'static [Kind] {
        match self {
            McpServer::Content => &[Kind::Note, Kind::Bookmark],
            McpServer::Prompts => &[Kind::Prompt],
        }
    }

    pub(super) fn offer(self) -> Offer {
        match self {
            McpServer::Content => content::offer(),
            McpServer::Prompts => prompts::offer(),
        }
    }
}
