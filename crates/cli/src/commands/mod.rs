//! The commands: each is one file.

mod check;
mod events;
mod mcp;
mod serve;
mod token;
mod user;

use crate::args::{Cli, Command};
use crate::command_error::CommandError;
use crate::environment::Environment;

/// Runs the command that was typed.
pub(crate) async fn run(cli: Cli, environment: &Environment) -> Result<(), CommandError> {
    match cli.command {
        Command::Serve(args) => serve::run(&args, environment).await,
        Command::User(command) => user::run(command, environment).await,
        Command::Token(command) => token::run(command, environment).await,
        Command::Mcp(command) => mcp::run(command, environment).await,
        Command::Events(args) => events::run(&args, environment).await,
        Command::Check(args) => check::run(&args, environment).await,
    }
}
