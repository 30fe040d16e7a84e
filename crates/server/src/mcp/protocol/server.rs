//! The MCP servers: their names, kinds of items, capabilities and tools.

use interline_items::{Kind, Source};
use rmcp::model::{PromptsCapability, ResourcesCapability, ServerCapabilities};

use super::tool::Tool;
use crate::mcp::tools::{code, content, prompts};

/// A server: a short list of tools for one sort of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum McpServer {
    /// Notes and bookmarks.
    Content,
    /// Prompts: tools over them, and themselves for clients that know prompts.
    Prompts,
    /// Code: files of apps, workflows and modules.
    Code,
}

/// The tools of a server, with its title and instructions.
pub(in crate::mcp) struct Toolset {
    /// The name that clients show to people.
    pub(in crate::mcp) title: &'static str,
    /// What an agent should know before its first call.
    pub(in crate::mcp) instructions: &'static str,
    pub(in crate::mcp) tools: Vec<Tool>,
}

impl McpServer {
    /// Every server.
    pub const ALL: [McpServer; 3] = [McpServer::Content, McpServer::Prompts, McpServer::Code];

    /// Its name in paths and commands.
    pub const fn name(self) -> &'static str {
        match self {
            McpServer::Content => "content",
            McpServer::Prompts => "prompts",
            McpServer::Code => "code",
        }
    }

    /// The source that its changes are recorded with.
    pub(crate) const fn source(self) -> Source {
        match self {
            McpServer::Content => Source::McpContent,
            McpServer::Prompts => Source::McpPrompts,
            McpServer::Code => Source::McpCode,
        }
    }

    /// The capabilities that it declares to a client that can be sent notifications.
    pub(super) fn capabilities(self) -> ServerCapabilities {
        // That the list of resources has changed is not promised: the newest are first in it, so that it changes all the time.
        let all = ServerCapabilities::builder().enable_tools().enable_resources().enable_completions();
        let all = all.enable_resources_subscribe();
        match self {
            McpServer::Content | McpServer::Code => all.build(),
            McpServer::Prompts => all.enable_prompts().enable_prompts_list_changed().build(),
        }
    }

    /// The capabilities without subscriptions, for a transport that cannot send notifications.
    pub(super) fn capabilities_without_notifications(self) -> ServerCapabilities {
        let mut all = self.capabilities();
        all.resources = all.resources.map(|_| ResourcesCapability::default());
        all.prompts = all.prompts.map(|_| PromptsCapability::default());
        all
    }

    /// The kinds of items that it serves.
    pub(super) const fn kinds(self) -> &'static [Kind] {
        match self {
            McpServer::Content => &[Kind::Note, Kind::Bookmark],
            McpServer::Prompts => &[Kind::Prompt],
            McpServer::Code => &[Kind::AppFile, Kind::Workflow, Kind::Module],
        }
    }

    pub(super) fn toolset(self) -> Toolset {
        match self {
            McpServer::Content => content::toolset(),
            McpServer::Prompts => prompts::toolset(),
            McpServer::Code => code::toolset(),
        }
    }
}
