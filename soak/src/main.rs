//! Soak tests: whether writes can be lost, whether listeners receive their events, and what one user can do to another. Each
//! command prints its figures and fails on the first guarantee that is broken.

mod acknowledged;
mod faults;
mod histories;
mod notes;
mod power_cut;
mod random;
mod served;
mod vfs;

use std::process::ExitCode;

use clap::{Parser, Subcommand, ValueEnum};

/// Cuts the power, fails the disk, replays histories, kills servers and listens to them, and looks whether anything that was
/// acknowledged is missing.
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
    /// Cuts the power at every sync and every answer of a run of edits, and between them.
    PowerCut,
    /// Refuses each write and each sync of a run, one at a time, and for a while.
    Faults,
    /// Makes random histories on both storages, and rebuilds every version.
    Histories,
    #[command(flatten)]
    Served(served::Trial),
    /// The attackers of `abuse`, in a process of their own.
    #[command(hide = true)]
    Attack(served::abuse::attackers::AttackOptions),
}

/// How much is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Form {
    /// Seconds, on a debug build: for every change.
    Short,
    /// Minutes: what the promises are measured with.
    Long,
}

/// How many findings a trial tells in words.
const TOLD: usize = 5;

/// How many threads a trial works with.
fn threads() -> usize {
    std::thread::available_parallelism().map_or(2, std::num::NonZero::get)
}

fn main() -> ExitCode {
    let Arguments { command, form, seed, servers } = Arguments::parse();
    println!("seed {seed}, {form:?}");
    let outcome = match command {
        Command::PowerCut => power_cut::run(form, seed),
        Command::Faults => faults::run(form, seed),
        Command::Histories => histories::run(form, seed, servers.postgres.as_deref()),
        Command::Attack(options) => served::abuse::attackers::run(&options),
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
