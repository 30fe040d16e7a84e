//! What a client is told of a server.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::args::{McpInstallArgs, ServerArg};
use crate::failure::Failure;

/// A server that a client starts.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) name: &'static str,
    /// The program, by its absolute path: clients are started with other search paths than shells.
    pub(super) command: String,
    pub(super) args: Vec<String>,
}

impl Entry {
    /// Those that were typed, or all. Only options that were typed are passed on: what the environment says is not of
    /// this command, and may be a secret.
    pub(super) fn of(args: &McpInstallArgs) -> Result<Vec<Entry>, Failure> {
        let program = std::env::current_exe()
            .map_err(|error| Failure::failed(format!("where this program is cannot be told: {error}")))?;
        let command = text(program.as_os_str())?;
        let options = options(args)?;
        let servers = if args.servers.is_empty() { ServerArg::ALL } else { &args.servers };
        let entry = |server: &ServerArg| Entry {
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

fn options(args: &McpInstallArgs) -> Result<Vec<String>, Failure> {
    let (place, store) = (&args.place, &args.place.store);
    // A client starts its servers wherever it is.
    let absolute = |path: &Option<_>| path.as_ref().map(|path| std::path::absolute(Path::new(path))).transpose();
    let not_a_path = |error| Failure::usage(format!("a path is not one: {error}"));
    let given = [
        ("--url", place.url.clone()),
        ("--token", place.token.clone()),
        ("--data-dir", absolute(&store.data_dir).map_err(not_a_path)?.map(PathBuf::into_os_string)),
        ("--database", store.database.clone()),
        ("--config", absolute(&store.config).map_err(not_a_path)?.map(PathBuf::into_os_string)),
    ];
    let mut options = Vec::new();
    for (option, value) in given {
        if let Some(value) = value {
            options.extend([option.to_owned(), text(&value)?]);
        }
    }
    Ok(options)
}

fn text(value: &OsStr) -> Result<String, Failure> {
    let text = value.to_str().ok_or_else(|| {
        Failure::usage(format!("'{}' is not UTF-8, which the files of clients must be", value.display()))
    })?;
    Ok(text.to_owned())
}
