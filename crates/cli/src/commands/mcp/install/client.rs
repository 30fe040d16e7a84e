//! The clients: the configuration file of each, and its format.

use std::path::PathBuf;

use crate::args::ClientArg;
use crate::environment::Environment;

/// The format of a configuration file.
#[derive(Clone, Copy, Debug)]
pub(super) enum Format {
    /// JSON, with an object of servers.
    Json {
        /// The key of that object.
        servers: &'static str,
        /// How an entry says its transport.
        transport: Transport,
    },
    /// TOML, with a table for each server in `mcp_servers`.
    Toml,
}

/// How an entry says that its server speaks on standard input and output.
#[derive(Clone, Copy, Debug)]
pub(super) enum Transport {
    /// With `"type": "stdio"`.
    Explicit,
    /// By having a command.
    Implied,
}

impl ClientArg {
    pub(super) fn format(self) -> Format {
        let (servers, transport) = match self {
            ClientArg::Codex => return Format::Toml,
            ClientArg::ClaudeDesktop => ("mcpServers", Transport::Implied),
            ClientArg::ClaudeCode | ClientArg::Cursor => ("mcpServers", Transport::Explicit),
            ClientArg::Vscode => ("servers", Transport::Explicit),
        };
        Format::Json { servers, transport }
    }

    /// The file of the user, not that of a project: projects are shared, and neither the store nor the path of the
    /// program is the same for everybody.
    pub(super) fn file(self, environment: &Environment) -> Option<PathBuf> {
        let home = || environment.directory("HOME");
        match self {
            ClientArg::ClaudeCode => {
                Some(environment.directory("CLAUDE_CONFIG_DIR").or_else(home)?.join(".claude.json"))
            }
            ClientArg::ClaudeDesktop => Some(environment.config_home()?.join("Claude/claude_desktop_config.json")),
            ClientArg::Cursor => Some(home()?.join(".cursor/mcp.json")),
            ClientArg::Vscode => Some(environment.config_home()?.join("Code/User/mcp.json")),
            ClientArg::Codex => {
                let codex = environment.directory("CODEX_HOME").or_else(|| Some(home()?.join(".codex")))?;
                Some(codex.join("config.toml"))
            }
        }
    }

    /// The product name of the client.
    pub(super) fn title(self) -> &'static str {
        match self {
            ClientArg::ClaudeCode => "Claude Code",
            ClientArg::ClaudeDesktop => "Claude Desktop",
            ClientArg::Cursor => "Cursor",
            ClientArg::Vscode => "VS Code",
            ClientArg::Codex => "Codex",
        }
    }
}
