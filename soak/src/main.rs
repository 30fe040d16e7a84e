//! Whether writes can be lost. Each command prints its figures and fails on the first promise that is not kept.

mod acknowledged;
mod faults;
mod histories;
mod notes;
mod power_cut;
mod random;
mod vfs;

use std::process::ExitCode;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// Cuts the power, fails the disk and replays histories, and looks whether anything that was acknowledged is missing.
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
}

#[derive(Subcommand)]
enum Command {
    /// Cuts the power at every sync of a run of edits, and between them.
    PowerCut,
    /// Refuses each write and each sync of a run, one at a time, and for a while.
    Faults,
    /// Makes random histories on both storages, and rebuilds every version.
    Histories(Postgres),
    /// All of them, one after the other.
    All(Postgres),
}

#[derive(Args)]
struct Postgres {
    /// The URL of a server that databases may be made on; tests/with-postgres gives one.
    #[arg(long, env = "INTERLINE_TEST_POSTGRES", hide_env_values = true)]
    postgres: Option<String>,
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
    let Arguments { command, form, seed } = Arguments::parse();
    println!("seed {seed}, {form:?}");
    let outcome = match command {
        Command::PowerCut => power_cut::run(form, seed),
        Command::Faults => faults::run(form, seed),
        Command::Histories(Postgres { postgres }) => histories::run(form, seed, postgres.as_deref()),
        Command::All(Postgres { postgres }) => power_cut::run(form, seed)
            .and_then(|()| faults::run(form, seed))
            .and_then(|()| histories::run(form, seed, postgres.as_deref())),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
