//! The attackers: what one ordinary token, or none, can do to a server. They run in a process of their own, the hidden
//! command `attack`.

mod connection;
mod held_connections;
mod requests;
mod webhooks;

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::Context as _;
use clap::{Args, ValueEnum};
use tokio::runtime::Builder;
use tokio::sync::oneshot;
use tokio::time::sleep;

use super::attack_process::Outcomes;
use super::material::Material;
use connection::Connection;

/// The line that the process prints when it begins.
pub(super) const READY: &str = "ready";
/// How long a client waits whose connection was refused or broken.
const PAUSE: Duration = Duration::from_millis(20);

/// What is done to the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub(super) enum Attack {
    /// Renders templates that stay just within the limits.
    Renders,
    /// Searches inside 8 MB with an expression of two million states and more.
    Expressions,
    /// The same through the contents of all items.
    ContentExpressions,
    /// Edits 8 MB with a passage that is almost there.
    Misses,
    /// Sends a million tags.
    Tags,
    /// Searches files of code with the expression.
    CodeSearches,
    /// Compares versions of 8 MB.
    Diffs,
    /// Has 4 MB of Python checked.
    PythonChecks,
    /// Reads 100 notes of 200 KB with each answer.
    BigLists,
    /// Makes small notes as fast as it can.
    Creates,
    /// Guesses tokens.
    FailedAuthentications,
    /// Asks for 8 MB and reads nothing.
    UnreadAnswers,
    /// Announces 20 MB, sends most of it and stops.
    UnfinishedBodies,
    /// Holds connections without a token, more than the server serves.
    IdleConnections,
    /// Listens to events a thousand times.
    Listeners,
    /// Has webhooks that never answer.
    HangingWebhooks,
    /// No attack: as many threads that only spin.
    BusyThreads,
}

impl Attack {
    /// All of them; what only spins is none.
    pub(super) fn all() -> impl Iterator<Item = Attack> {
        Attack::value_variants().iter().copied().filter(|attack| *attack != Attack::BusyThreads)
    }

    /// Whether it sends one request after the other, on as many connections as it is given.
    pub(super) fn is_of_requests(self) -> bool {
        self <= Attack::FailedAuthentications
    }

    pub(super) fn name(self) -> String {
        format!("{self:?}")
    }
}

/// What the process is told.
#[derive(Debug, Args)]
pub(crate) struct AttackOptions {
    /// Where the server is and what is there, as JSON.
    #[arg(long, value_name = "FILE")]
    material: PathBuf,
    /// Connections of each attack that makes requests.
    #[arg(long)]
    connections: usize,
    /// What is done.
    #[arg(value_enum)]
    attacks: Vec<Attack>,
}

/// What the tasks of one attack share.
#[derive(Clone)]
struct Attacker {
    attack: Attack,
    material: Arc<Material>,
    outcomes: Arc<Mutex<Outcomes>>,
}

impl Attacker {
    fn count(&self, outcome: &str) {
        let mut outcomes = self.outcomes.lock().unwrap_or_else(PoisonError::into_inner);
        let of_attack = outcomes.entry(self.attack.name()).or_default();
        *of_attack.entry(outcome.to_owned()).or_default() += 1;
    }

    /// A request with the token.
    fn request(&self, method: &str, path: &str, body: &str) -> Vec<u8> {
        connection::request(self.material.server, &self.material.token, method, path, body)
    }

    /// Sends requests, one after the other, on one connection as long as it lasts.
    async fn send_again_and_again(self, requests: Arc<[Vec<u8>]>, first: usize) {
        let mut connection = None;
        for request in requests.iter().cycle().skip(first) {
            let open = match connection.take() {
                Some(open) => Ok(open),
                None => Connection::open(self.material.server).await,
            };
            self.count("asked");
            let sent = match open {
                Ok(mut open) => open.exchange(request).await.map(|status| (open, status)),
                Err(error) => Err(error),
            };
            match sent {
                Ok((open, status)) => {
                    self.count(&status.to_string());
                    connection = Some(open);
                }
                Err(error) => {
                    self.count(&error.kind().to_string());
                    sleep(PAUSE).await;
                }
            }
        }
    }
}

/// The command: attacks until its input ends, then prints what came of it.
pub(crate) fn run(options: &AttackOptions) -> anyhow::Result<()> {
    let material = std::fs::read_to_string(&options.material).context("no material")?;
    let material: Arc<Material> = Arc::new(serde_json::from_str(&material)?);
    let outcomes: Arc<Mutex<Outcomes>> = Arc::new(Mutex::new(BTreeMap::new()));
    let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let (ending, end) = oneshot::channel();
    std::thread::spawn(move || {
        // The end of the input is the end, whatever was in it.
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        ending.send(())
    });
    let mut begin = Vec::new();
    for attack in options.attacks.iter().copied() {
        let attacker = Attacker { attack, material: Arc::clone(&material), outcomes: Arc::clone(&outcomes) };
        begin.push((attacker, requests::requests(attack, &material)));
    }
    println!("{READY}");
    for (attacker, requests) in begin {
        let _in_runtime = runtime.enter();
        start(&attacker, requests, options.connections);
    }
    // A sender that is gone is an end too.
    let _ = runtime.block_on(end);
    let outcomes = outcomes.lock().unwrap_or_else(PoisonError::into_inner);
    println!("{}", serde_json::to_string(&*outcomes)?);
    // The tasks have no end, and nothing that is worth one.
    runtime.shutdown_background();
    Ok(())
}

/// Starts the tasks, or threads, of an attack.
fn start(attacker: &Attacker, requests: Vec<Vec<u8>>, connections: usize) {
    match attacker.attack {
        Attack::Renders
        | Attack::Expressions
        | Attack::ContentExpressions
        | Attack::Misses
        | Attack::Tags
        | Attack::CodeSearches
        | Attack::Diffs
        | Attack::PythonChecks
        | Attack::BigLists
        | Attack::Creates
        | Attack::FailedAuthentications => {
            let requests: Arc<[Vec<u8>]> = requests.into();
            for first in 0..connections {
                tokio::spawn(attacker.clone().send_again_and_again(Arc::clone(&requests), first));
            }
        }
        Attack::UnreadAnswers => held_connections::unread_answers(attacker),
        Attack::UnfinishedBodies => held_connections::unfinished_bodies(attacker),
        Attack::IdleConnections => held_connections::idle(attacker),
        Attack::Listeners => held_connections::listeners(attacker),
        Attack::HangingWebhooks => {
            tokio::spawn(webhooks::hang(attacker.clone()));
        }
        Attack::BusyThreads => {
            for _ in 0..connections {
                std::thread::spawn(|| {
                    loop {
                        std::hint::spin_loop();
                    }
                });
            }
        }
    }
}
