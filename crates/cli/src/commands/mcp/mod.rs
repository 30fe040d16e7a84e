//! The command `interline mcp`: an MCP server on standard input and output, on the local store or before a remote server.

mod bridge;
mod install;

use interline_server::McpServer;

use crate::args::McpCommand;
use crate::command_error::CommandError;
use crate::environment::Environment;
use crate::local::{IfMissing, LocalStore};
use crate::log;
use crate::output::OutputFormat;
use crate::remote::RemoteServer;
use crate::settings::{McpSettings, StoreAddress};

pub(super) async fn run(command: McpCommand, environment: &Environment) -> Result<(), CommandError> {
    let (server, args) = match &command {
        McpCommand::Content(args) => (McpServer::Content, args),
        McpCommand::Prompts(args) => (McpServer::Prompts, args),
        McpCommand::Code(args) => (McpServer::Code, args),
        McpCommand::Install(args) => return install::run(args, environment).await,
    };
    let settings = McpSettings::from_args(args, environment)?;
    let _log = log::start(settings.log, OutputFormat::Text, environment);
    match settings.address {
        StoreAddress::Local(store) => {
            let store = LocalStore::open(&store, IfMissing::Make).await?;
            store.serve_mcp(server, args.token_id.as_deref(), settings.writes).await
        }
        StoreAddress::Server { .. } if args.token_id.is_some() => {
            Err(CommandError::usage("--as is about a token of the local store, and INTERLINE_URL names a server")
                .hint("a server knows a token by its secret: give it with --token or INTERLINE_TOKEN"))
        }
        StoreAddress::Server { url, token } => bridge::run(&RemoteServer::new(url, token)?, server).await,
    }
}
