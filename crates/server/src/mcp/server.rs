//! Which servers there are, and what each offers.

use interline_items::{Kind, Source};
use rmcp::model::{PromptsCapability, ResourcesCapability, ServerCapabilities};

use super::tool::Tool;
use super::{code, content, prompts};

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
    pub const ALL: [McpServer; 3] = [McpServer::Content, McpServer::Prompts, McpServer::Code];

    /// Its name in paths and commands.
    pub const fn name(self) -> &'static str {
        match self {
            McpServer::Content => "content",
            McpServer::Prompts => "prompts",
            McpServer::Code => "code",
        }
    }

    /// The door that its changes come through.
    pub(crate) const fn source(self) -> Source {
        match self {
            McpServer::Content => Source::McpContent,
            McpServer::Prompts => Source::McpPrompts,
            McpServer::Code => Source::McpCode,
        }
    }

    /// What of the protocol it serves.
    pub(super) fn capabilities(self) -> ServerCapabilities {
        // That the list of resources has changed is not promised: the newest are first in it, so that it changes all the time.
        let all = ServerCapabilities::builder().enable_tools().enable_resources().enable_completions();
        let all = all.enable_resources_subscribe();
        match self {
            McpServer::Content | McpServer::Code => all.build(),
            McpServer::Prompts => all.enable_prompts().enable_prompts_list_changed().build(),
        }
    }

    /// The same where there is no way to tell a client what it does not ask for.
    pub(super) fn capabilities_without_telling(self) -> ServerCapabilities {
        let mut all = self.capabilities();
        all.resources = all.resources.map(|_| ResourcesCapability::default());
        all.prompts = all.prompts.map(|_| PromptsCapability::default());
        all
    }

    /// The kinds that it is about.
    pub(super) const fn kinds(self) -> &'static [Kind] {
        match self {
            McpServer::Content => &[Kind::Note, Kind::Bookmark],
            McpServer::Prompts => &[Kind::Prompt],
            McpServer::Code => &[Kind::AppFile, Kind::Workflow, Kind::Module],
        }
    }

    pub(super) fn offer(self) -> Offer {
        match self {
            McpServer::Content => content::offer(),
            McpServer::Prompts => prompts::offer(),
            McpServer::Code => code::offer(),
        }
    }
}
