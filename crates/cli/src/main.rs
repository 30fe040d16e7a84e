//! The `interline` command: arguments, then what they mean, then the command.

mod args;
mod commands;
mod config;
mod environment;
mod failure;
mod first_start;
mod local;
mod output;
mod remote;
mod settings;
mod shapes;
mod target;
mod tls;

use std::process::ExitCode;

use clap::Parser as _;

use self::args::Cli;
use self::environment::Environment;

/// A request is many small allocations, which this one is quicker at.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[tokio::main]
async fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return failure::usage(&error),
    };
    match commands::run(cli, &Environment::of_process()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}
