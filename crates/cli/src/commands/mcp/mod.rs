//! `interline mcp`.

mod bridge;
mod install;

use interline_server::McpServer;

use super::serve::start_logging;
use crate::args::McpCommand;
use crate::environment::Environment;
use crate::failure::Failure;
use crate::local::Local;
use crate::output::Form;
use crate::remote::Server;
use crate::settings::{McpSettings, TargetSettings};

pub(super) async fn run(command: McpCommand, environment: &Environment) -> Result<(), Failure> {
    let (server, args) = match &command {
        McpCommand::Content(args) => (McpServer::Content, args),
        McpCommand::Prompts(args) => (McpServer::Prompts, args),
        McpCommand::Code(args) => (McpServer::Code, args),
        McpCommand::Install(args) => return install::run(args, environment),
    };
    let settings = McpSettings::of(args, environment)?;
    start_logging(settings.log, Form::Text);
    match settings.target {
        TargetSettings::Local(store) => Local::open(&store).await?.serve_mcp(server).await,
        TargetSettings::Server { url, token } => bridge::run(&Server::at(url, token)?, server).await,
    }
}
