//! The arguments of `mcp`: the servers on standard input and output, and their installation into clients.

use std::ffi::OsString;

use clap::{Args, Subcommand, ValueEnum};

use super::StoreAddressArgs;

#[derive(Debug, Subcommand)]
pub(crate) enum McpCommand {
    /// Notes and bookmarks: find, read, edit
    #[command(after_help = "Example:\n  interline mcp content")]
    Content(McpArgs),
    /// Prompts: find, edit with their arguments, render
    #[command(after_help = "Example:\n  interline mcp prompts")]
    Prompts(McpArgs),
    /// Code: files of apps, workflows and modules
    #[command(after_help = "Example:\n  interline mcp code")]
    Code(McpArgs),
    /// Install MCP servers into the configuration of a client, which then starts them
    ///
    /// Everything else in the file stays as it is, and so does what was added to an entry by hand. The options that say
    /// which store or server is used are written there as typed here, a token too; environment variables are not.
    ///
    /// On the local store the client gets a token of its own, for agents, so that histories and change sets name it and
    /// `interline token remove` ends it. Only the id of the token is written (--as), never its secret.
    Install(McpInstallArgs),
}

#[derive(Debug, Args)]
pub(crate) struct McpArgs {
    /// Act with this token of the local store, an agent's, by its id; `mcp install` makes one for each client [default: the
    /// built-in local agent]
    #[arg(long = "as", value_name = "TOKEN-ID", conflicts_with = "url")]
    pub(crate) token_id: Option<String>,
    /// Whether what the built-in local agent writes is applied, or waits as a proposal until a person accepts it; a token
    /// says so itself [env: INTERLINE_MCP_WRITES] [default: apply]
    #[arg(long, value_name = "apply|propose", conflicts_with_all = ["token_id", "url"])]
    pub(crate) mcp_writes: Option<OsString>,
    /// What is logged, to stderr: a level, or levels of parts [env: INTERLINE_LOG] [default: warn]
    #[arg(long, value_name = "FILTER")]
    pub(crate) log: Option<OsString>,
    #[command(flatten)]
    pub(crate) address: StoreAddressArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  interline mcp install --client claude-code")]
pub(crate) struct McpInstallArgs {
    /// The servers to install [default: all]
    #[arg(value_name = "SERVER")]
    pub(crate) servers: Vec<ServerArg>,
    /// The client to install them into, for all projects of its user
    #[arg(long, value_name = "CLIENT")]
    pub(crate) client: ClientArg,
    /// What the client writes waits as a proposal until a person accepts it; installed again without this, it stays so
    #[arg(long, conflicts_with = "url")]
    pub(crate) propose: bool,
    /// Only print what would be written to the file
    #[arg(long)]
    pub(crate) print: bool,
    #[command(flatten)]
    pub(crate) address: StoreAddressArgs,
}

/// An MCP server as it is typed.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum ServerArg {
    Content,
    Prompts,
    Code,
}

impl ServerArg {
    pub(crate) const ALL: &'static [ServerArg] = &[ServerArg::Content, ServerArg::Prompts, ServerArg::Code];

    /// The command that runs it, below `mcp`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            ServerArg::Content => "content",
            ServerArg::Prompts => "prompts",
            ServerArg::Code => "code",
        }
    }
}

/// A client of MCP servers as it is typed.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum ClientArg {
    ClaudeCode,
    ClaudeDesktop,
    Cursor,
    Vscode,
    Codex,
}
