//! Which servers there are, and what each offers.

use interline_items::Source;

use super::content;
use super::tool::Tool;

/// A server: a short list of tools for one sort of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum McpServer {
    /// Notes and bookmarks.
    Content,
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
    pub const ALL: [McpServer; 1] = [McpServer::Content];

    /// Its name in paths and commands.
    pub const fn name(self) -> &'static str {
        match self {
            McpServer::Content => "content",
        }
    }

    /// The door that its changes come through.
    pub(crate) const fn source(self) -> Source {
        match self {
            McpServer::Content => Source::McpContent,
        }
    }

    pub(super) fn offer(self) -> Offer {
        match self {
            McpServer::Content => content::offer(),
        }
    }
}
