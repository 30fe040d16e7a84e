//! The `interline` program: parses arguments (`args`), resolves them to settings (`settings`), runs the command (`commands`).

mod api;
mod args;
mod command_error;
mod commands;
mod config;
mod connection;
mod environment;
mod first_start;
mod input;
mod last_item;
mod local;
mod log;
mod machine;
mod output;
mod remote;
mod screen;
mod settings;
mod table;
mod tls;
mod wire;

use std::process::ExitCode;

use clap::Parser as _;

use self::args::Cli;
use self::environment::Environment;

/// A request is many small allocations, which this allocator is quicker at.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[tokio::main]
async fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return command_error::print_usage(&error),
    };
    match commands::run(cli, &Environment::from_process()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => error.report(),
    }
}
