//! Whether writes can be lost. Each command prints its figures and fails on the first promise that is not kept.

mod notes;
mod random;
mod served;

use std::process::ExitCode;

use clap::{Parser, Subcommand, ValueEnum};

/// Cuts the power, fails the disk, kills servers and replays histories, and looks whether anything that was acknowledged is
/// missing.
#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
    /// How much is done.
    #[arg(long, global = true, value_enum, default_value_t = Form::Long)]
    form: Form,
    /// Decides every choice but the order in which threads run.
    #[arg(long, global = true, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    servers: served::Options,
}

#[derive(Subcommand)]
enum Command {
    #[command(flatten)]
    Served(served::Trial),
}

/// How much is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Form {
    /// Seconds, on a debug build: for every change.
    Short,
    /// Minutes: what the promises are measured with.
    Long,
}

fn main() -> ExitCode {
    let Arguments { command, form, seed, servers } = Arguments::parse();
    println!("seed {seed}, {form:?}");
    let outcome = match command {
        Command::Served(trial) => served::run(&trial, servers, form, seed),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
