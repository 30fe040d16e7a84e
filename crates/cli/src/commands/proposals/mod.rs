//! The command `interline proposals`: what agents propose, one after the other, as a list, one with its diff, and decisions.

mod decide;
mod go_through;
mod list;
mod shown;

use serde_json::Value;

use super::by_beginning::NamedList;
use super::changes::author;
use super::items::{text, title};
use super::question::can_ask;
use crate::api::Api;
use crate::args::{ProposalsArgs, ProposalsCommand};
use crate::command_error::CommandError;
use crate::environment::Environment;
use crate::local::IfMissing;
use crate::output::{OutputFormat, print_json, to_minute};
use crate::screen::Screen;

/// Proposals as people name them.
const PROPOSALS: NamedList = NamedList {
    path: "proposals",
    noun: "proposal",
    command: "interline proposals --state all",
    line: |proposal| {
        let when = to_minute(text(proposal, "updated_at"));
        format!("{when}  {}, {}: {}", text(proposal, "state"), author(proposal), title(proposal))
    },
};

pub(super) async fn run(args: &ProposalsArgs, environment: &Environment) -> Result<(), CommandError> {
    match &args.command {
        Some(ProposalsCommand::Accept(args)) => decide::accept(args, environment).await,
        Some(ProposalsCommand::Reject(args)) => decide::reject(args, environment).await,
        Some(ProposalsCommand::Withdraw(args)) => decide::withdraw(args, environment).await,
        None => show(args, environment).await,
    }
}

/// Shows one, asks about each, or lists them.
async fn show(args: &ProposalsArgs, environment: &Environment) -> Result<(), CommandError> {
    let api = Api::open(&args.options.address, environment, IfMissing::Refuse).await?;
    let screen = Screen::of_stdout(environment);
    let format = args.options.format();
    if let Some(name) = &args.proposal {
        let proposal = read(&api, name).await?;
        return match format {
            OutputFormat::Json => print_json(&proposal),
            OutputFormat::Text => screen.show(&shown::proposal(&screen, &proposal)),
        };
    }
    let asks = args.state.is_none() && args.limit.is_none() && format == OutputFormat::Text && can_ask();
    if asks { go_through::run(&api, &screen, args).await } else { list::run(&api, &screen, args).await }
}

/// The proposal that has that name, with its diff and its revision.
async fn read(api: &Api, name: &str) -> Result<Value, CommandError> {
    api.get(&["proposals", &PROPOSALS.find(api, name).await?]).await
}
