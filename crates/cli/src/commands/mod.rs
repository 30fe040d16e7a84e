//! The commands: each is one file.

mod by_beginning;
mod changes;
mod check;
mod documents;
mod events;
mod items;
mod mcp;
mod proposals;
mod question;
mod serve;
mod token;
mod transfer;
mod user;

use crate::args::{Cli, Command};
use crate::command_error::CommandError;
use crate::environment::Environment;

/// Runs the command that was typed.
pub(crate) async fn run(cli: Cli, environment: &Environment) -> Result<(), CommandError> {
    match cli.command {
        Command::New(command) => items::new::run(command, environment).await,
        Command::Get(args) => items::get::run(&args, environment).await,
        Command::List(args) => items::list::run(&args, environment).await,
        Command::Search(args) => items::search::run(&args, environment).await,
        Command::Edit(args) => items::edit::run(&args, environment).await,
        Command::Patch(args) => items::patch::run(&args, environment).await,
        Command::Render(args) => items::render::run(&args, environment).await,
        Command::History(args) => items::history::run(&args, environment).await,
        Command::Diff(args) => items::diff::run(&args, environment).await,
        Command::Changes(args) => changes::list::run(&args, environment).await,
        Command::Review(args) => changes::review::run(&args, environment).await,
        Command::Proposals(args) => proposals::run(&args, environment).await,
        Command::Undo(args) => changes::undo::run(&args, environment).await,
        Command::Blame(args) => items::blame::run(&args, environment).await,
        Command::Restore(args) => items::restore::run(&args, environment).await,
        Command::Archive(args) => items::lifecycle::archive(&args, environment).await,
        Command::Unarchive(args) => items::lifecycle::unarchive(&args, environment).await,
        Command::Rm(args) => items::lifecycle::remove(&args, environment).await,
        Command::Tags(args) => items::tags::run(&args, environment).await,
        Command::Import(args) => transfer::import::run(&args, environment).await,
        Command::Export(args) => transfer::export::run(&args, environment).await,
        Command::Org(command) => items::organizations::run(&command, environment).await,
        Command::Completions(args) => documents::completions(&args),
        Command::Man(args) => documents::man(&args),
        Command::Serve(args) => serve::run(&args, environment).await,
        Command::User(command) => user::run(command, environment).await,
        Command::Token(command) => token::run(command, environment).await,
        Command::Mcp(command) => mcp::run(command, environment).await,
        Command::Events(args) => events::run(&args, environment).await,
        Command::Check(args) => check::run(&args, environment).await,
    }
}
