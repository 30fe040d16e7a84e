//! Trials of the program under load: server processes, clients over REST, and a log of every answer outside of them.

pub(crate) mod abuse;
mod accept_kills;
mod client;
mod client_load;
mod client_log;
mod cluster;
mod consistency_check;
mod data_directory;
mod events;
mod full_disk;
mod hostile;
mod kills;
mod one_document;
mod postgres_restart;
mod process;
mod processes;
mod undo_kills;

use std::path::PathBuf;

use anyhow::Context as _;
use clap::{Args, Subcommand};
use tokio::runtime::{Builder, Runtime};

use crate::Form;
use data_directory::{DataDirectory, Storage};
use process::Program;

/// What is done to servers.
#[derive(Subcommand)]
pub(crate) enum Trial {
    /// Kills a server under edits of all sorts, again and again.
    Kills {
        /// How often, instead of what the form says.
        #[arg(long)]
        kills: Option<usize>,
    },
    /// Kills a server while it takes a change set of 50 items back.
    UndoKills {
        /// How often, instead of what the form says.
        #[arg(long)]
        kills: Option<usize>,
    },
    /// Kills a server while it accepts a proposal.
    AcceptKills {
        /// How often, instead of what the form says.
        #[arg(long)]
        kills: Option<usize>,
    },
    /// Lets 64 clients edit one note of 1 MB.
    OneDocument,
    /// Runs three servers on one store.
    Processes,
    /// Restarts PostgreSQL under load.
    PostgresRestart,
    /// Fills the disk under load, and makes room again.
    FullDisk {
        /// Succeed where no small disk can be made.
        #[arg(long)]
        allow_skip: bool,
    },
    /// Sends what no client should.
    Hostile,
    /// Lets many listen to what happens: some read slowly, some come back again and again.
    Listeners {
        /// How many, instead of what the form says.
        #[arg(long)]
        listeners: Option<usize>,
        /// How many rounds of a minute, of a few seconds in the short form.
        #[arg(long)]
        rounds: Option<u32>,
    },
    /// Lets some listen at two servers to what is edited at a third.
    EventCluster,
    /// Kills a server between commits and what is to be told of them.
    EventKills {
        /// How often, instead of what the form says.
        #[arg(long)]
        kills: Option<usize>,
    },
    /// Has webhooks and a model that never answer.
    HangingEndpoint,
    /// Measures what a bystander notices of a hostile token.
    Abuse(abuse::AbuseOptions),
}

/// What servers run on.
#[derive(Args)]
pub(crate) struct Options {
    /// The server's program; unless given, the one beside this command.
    #[arg(long, global = true, value_name = "FILE")]
    program: Option<PathBuf>,
    /// The storage that servers run on.
    #[arg(long, global = true, value_enum, default_value_t = Storage::Sqlite)]
    on: Storage,
    /// A PostgreSQL on which databases may be made.
    #[arg(long, global = true, value_name = "URL", env = "INTERLINE_TEST_POSTGRES", hide_env_values = true)]
    pub(crate) postgres: Option<String>,
}

/// What every trial is set up with.
struct TrialSetup {
    program: Program,
    on: Storage,
    postgres: Option<String>,
    runtime: Runtime,
    form: Form,
    seed: u64,
}

impl TrialSetup {
    fn data_directory(&self) -> anyhow::Result<DataDirectory> {
        DataDirectory::new(self.on, self.postgres.as_deref(), &self.runtime)
    }

    /// One of two sizes.
    fn size<T>(&self, short: T, long: T) -> T {
        match self.form {
            Form::Short => short,
            Form::Long => long,
        }
    }
}

/// The commands on a running server.
pub(crate) fn run(trial: &Trial, options: Options, form: Form, seed: u64) -> anyhow::Result<()> {
    let Options { program, on, postgres } = options;
    let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().context("a runtime")?;
    let setup = TrialSetup { program: Program::find(program)?, on, postgres, runtime, form, seed };
    match trial {
        Trial::Kills { kills } => kills::run(&setup, *kills),
        Trial::UndoKills { kills } => undo_kills::run(&setup, *kills),
        Trial::AcceptKills { kills } => accept_kills::run(&setup, *kills),
        Trial::OneDocument => one_document::run(&setup),
        Trial::Processes => processes::run(&setup),
        Trial::PostgresRestart => postgres_restart::run(&setup),
        Trial::FullDisk { allow_skip } => full_disk::run(&setup, *allow_skip),
        Trial::Hostile => hostile::run(&setup),
        Trial::Listeners { listeners, rounds } => events::listeners::run(&setup, *listeners, *rounds),
        Trial::EventCluster => events::cluster::run(&setup),
        Trial::EventKills { kills } => events::kills::run(&setup, *kills),
        Trial::HangingEndpoint => events::hanging::run(&setup),
        Trial::Abuse(options) => abuse::run(&setup, options),
    }
}
