//! The entry of an MCP server in a client's configuration: its name, its program and its arguments.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use interline_items::TokenId;

use crate::args::{McpInstallArgs, ServerArg};
use crate::command_error::CommandError;

/// The entry of an MCP server that a client starts.
#[derive(Clone, Debug)]
pub(super) struct ServerEntry {
    pub(super) name: &'static str,
    /// The program, by its absolute path: clients are started with other search paths than shells.
    pub(super) command: String,
    pub(super) args: Vec<String>,
}

impl ServerEntry {
    /// The entries of the servers that were typed, or of all. Only options that were typed are passed on: what the
    /// environment says is not of this command, and may be a secret. `token` is the id of the token that they act with.
    pub(super) fn from_args(args: &McpInstallArgs, token: Option<TokenId>) -> Result<Vec<ServerEntry>, CommandError> {
        let program = std::env::current_exe()
            .map_err(|error| CommandError::failed(format!("where this program is cannot be told: {error}")))?;
        let command = utf8(program.as_os_str())?;
        let mut options = options(args)?;
        options.extend(token.into_iter().flat_map(|token| ["--as".to_owned(), token.to_string()]));
        let servers = if args.servers.is_empty() { ServerArg::ALL } else { &args.servers };
        let entry = |server: &ServerArg| ServerEntry {
            name: match server {
                ServerArg::Content => "interline-content",
                ServerArg::Prompts => "interline-prompts",
                ServerArg::Code => "interline-code",
            },
            command: command.clone(),
            args: ["mcp", server.name()].map(str::to_owned).into_iter().chain(options.iter().cloned()).collect(),
        };
        Ok(servers.iter().map(entry).collect())
    }
}

fn options(args: &McpInstallArgs) -> Result<Vec<String>, CommandError> {
    let (address, store) = (&args.address, &args.address.store);
    // A client starts its servers wherever it is.
    let absolute = |path: &Option<_>| path.as_ref().map(|path| std::path::absolute(Path::new(path))).transpose();
    let not_a_path = |error| CommandError::usage(format!("a path is not one: {error}"));
    let typed = [
        ("--url", address.url.clone()),
        ("--token", address.token.clone()),
        ("--data-dir", absolute(&store.data_dir).map_err(not_a_path)?.map(PathBuf::into_os_string)),
        ("--database", store.database.clone()),
        ("--config", absolute(&store.config).map_err(not_a_path)?.map(PathBuf::into_os_string)),
    ];
    let mut options = Vec::new();
    for (option, value) in typed {
        if let Some(value) = value {
            options.extend([option.to_owned(), utf8(&value)?]);
        }
    }
    Ok(options)
}

fn utf8(value: &OsStr) -> Result<String, CommandError> {
    let text = value.to_str().ok_or_else(|| {
        CommandError::usage(format!("'{}' is not UTF-8, which the files of clients must be", value.display()))
    })?;
    Ok(text.to_owned())
}
