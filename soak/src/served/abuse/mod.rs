//! Trial `abuse`: what a bystander notices of one hostile token and of those without any.
//!
//! A stage is a while in which the bystander works and something happens beside it: nothing, threads that only spin, one
//! attack, all attacks. The attackers run in a process of their own at the lowest priority.

mod accounts;
mod attack_process;
pub(crate) mod attackers;
mod bystander;
mod event_listener;
mod latency;
mod material;
mod memory;
mod stage;
mod verdict;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use clap::Args;

use super::TrialSetup;
use super::client::Client;
use super::process::{Served, wait};
use accounts::Accounts;
use attack_process::{AttackProcess, Outcomes};
use attackers::Attack;
use bystander::{Bystander, PATIENCE};
use event_listener::EventListener;
use latency::Measure;
use material::{Material, remove_webhooks};
use memory::{AnonymousMemory, default_budget};
use stage::{Stage, Surroundings};

use crate::{Form, threads};

/// Connections of the hostile token.
const CONNECTIONS: usize = 64;
/// After so long a server has not recovered from an attack, and further stages would measure nothing else.
const LONGEST_RECOVERY: Duration = Duration::from_secs(30);
/// Between two looks at that.
const LOOK: Duration = Duration::from_millis(50);
/// Attacks need more from a server than its limits of requests allow, and endpoints on this machine.
const ARGUMENTS: &[&str] = &["--rate-limit", "off", "--webhook-targets", "any"];

/// The server, who works with it, and who attacks.
struct Scene<'a> {
    setup: &'a TrialSetup,
    served: &'a mut Served,
    bystander: Bystander,
    listener: EventListener,
    attacker_token: String,
    material: PathBuf,
    /// As a stage goes over, its row.
    stages: Vec<Stage>,
}

/// What the trial is told, instead of what its form says.
#[derive(Debug, Args)]
pub(crate) struct AbuseOptions {
    /// Seconds of each stage.
    #[arg(long)]
    seconds: Option<u64>,
    /// Seconds of the stage with all attackers together.
    #[arg(long, value_name = "SECONDS")]
    together: Option<u64>,
    /// Only this attack, in a stage of its own; can be repeated.
    #[arg(long, value_enum, value_name = "ATTACK")]
    only: Vec<Attack>,
}

/// The command.
pub(super) fn run(setup: &TrialSetup, options: &AbuseOptions) -> anyhow::Result<()> {
    let time = Duration::from_secs(options.seconds.unwrap_or(setup.size(2, 10)));
    let together = Duration::from_secs(options.together.unwrap_or(setup.size(10, 600)));
    let began = Instant::now();
    let data = setup.data_directory()?;
    let mut served = setup.program.serve_users(&data, ARGUMENTS)?;
    let address = served.address;
    let owner = &mut Client::with_token(address, &data.owner_token()?, PATIENCE);
    let accounts = Accounts::make(owner)?;
    let mut attacker = Client::with_token(address, &accounts.attacker, PATIENCE);
    let material = data.folder().join("material.json");
    let made = Material::make(address, &accounts.attacker, &mut attacker)?;
    std::fs::write(&material, serde_json::to_vec(&made)?)?;
    let bystander = Bystander::settle_in(address, &accounts.bystander)?;
    let listener = EventListener::start(&setup.runtime, bystander.notes(), address, &accounts.bystander)?;
    let budget = default_budget()?;
    println!(
        "abuse on {:?}, made in {:.1} s: {} s each, {} s with all attackers; {CONNECTIONS} connections; a budget of {} MB",
        setup.on,
        began.elapsed().as_secs_f64(),
        time.as_secs(),
        together.as_secs(),
        budget / memory::MEGABYTE
    );

    let (attacker_token, stages) = (accounts.attacker, Vec::new());
    let mut scene = Scene { setup, served: &mut served, bystander, listener, attacker_token, material, stages };
    Stage::print_head();
    for planned in plan(setup.form, &options.only, time, together) {
        if scene.run(planned)?.is_none() {
            println!("it has not recovered: there are no further stages");
            break;
        }
    }
    let faults = scene.last_faults();
    verdict::judge(setup.form, &scene.stages, budget, faults)
}

/// A stage that is to come.
struct PlannedStage {
    name: String,
    surroundings: Surroundings,
    attacks: Vec<Attack>,
    /// Of each attack that makes requests, or how many threads spin.
    connections: usize,
    time: Duration,
}

/// The stages. Each attack has one of its own in the long form, or if it was asked for.
fn plan(form: Form, only: &[Attack], time: Duration, together: Duration) -> Vec<PlannedStage> {
    let stage = |name: &str, surroundings, attacks: &[Attack], connections, time| PlannedStage {
        name: name.to_owned(),
        surroundings,
        attacks: attacks.to_vec(),
        connections,
        time,
    };
    let busy = [Attack::BusyThreads];
    let attacks: Vec<Attack> = Attack::all().filter(|attack| only.is_empty() || only.contains(attack)).collect();
    let mut stages = vec![
        stage("before", Surroundings::Quiet, &[], 0, time),
        stage("busy threads", Surroundings::BusyThreads, &busy, threads(), time),
        stage("64 busy threads", Surroundings::ManyBusyThreads, &busy, CONNECTIONS, time),
    ];
    if form == Form::Long || !only.is_empty() {
        let alone = attacks.iter().map(|attack| (attack.name(), [*attack]));
        stages.extend(alone.map(|(name, attack)| stage(&name, Surroundings::Attack, &attack, CONNECTIONS, time)));
    }
    if attacks.len() > 1 {
        let of_requests = attacks.iter().filter(|attack| attack.is_of_requests()).count();
        let each = CONNECTIONS / of_requests.max(1);
        stages.push(stage("all together", Surroundings::Attack, &attacks, each, together));
    }
    stages.push(stage("after", Surroundings::Quiet, &[], 0, time));
    stages
}

impl Scene<'_> {
    /// Runs a stage; how long the server took to recover from it, if it did.
    fn run(&mut self, planned: PlannedStage) -> anyhow::Result<Option<Duration>> {
        let PlannedStage { name, surroundings, attacks, connections, time } = planned;
        let per_second = self.setup.size(10, 20);
        let attack = match surroundings {
            Surroundings::Quiet => None,
            Surroundings::BusyThreads | Surroundings::ManyBusyThreads | Surroundings::Attack => {
                Some(AttackProcess::start(&self.material, &attacks, connections)?)
            }
        };
        let (bystander, listener) = (&mut self.bystander, &self.listener);
        let (measured, memory) = AnonymousMemory::during(self.served, || {
            let mut measured = bystander.work(time, per_second)?;
            measured.latencies.insert(Measure::Event, listener.delays(PATIENCE));
            Ok(measured)
        })?;
        let outcomes = attack.map_or(Ok(Outcomes::new()), AttackProcess::stop)?;
        let stopped = Instant::now();
        ensure!(self.served.is_alive()?, "the server ended beside {name}");
        let recovery = self.until_recovered(stopped);
        if attacks.contains(&Attack::HangingWebhooks) && recovery.is_some() {
            // On a connection of its own: the server closes idle ones when it needs their places.
            let attacker = &mut Client::with_token(self.served.address, &self.attacker_token, PATIENCE);
            remove_webhooks(attacker).context("the attackers' webhooks cannot be removed")?;
        }
        let stage = Stage { name, surroundings, measured, memory, recovery, outcomes };
        stage.print();
        self.stages.push(stage);
        Ok(recovery)
    }

    /// Waits until each request of the bystander is answered as fast as it must be; how long that took.
    fn until_recovered(&mut self, stopped: Instant) -> Option<Duration> {
        let usual = self.setup.size(Duration::from_secs(1), Duration::from_millis(250));
        while stopped.elapsed() < LONGEST_RECOVERY {
            let began = Instant::now();
            if self.bystander.look().is_ok_and(|longest| longest <= usual) {
                return Some(began - stopped);
            }
            wait(LOOK);
        }
        None
    }

    /// What must hold when all is over: each edit is there once, and was heard of once.
    fn last_faults(&mut self) -> Vec<String> {
        let mut faults = Vec::new();
        if let Err(error) = self.bystander.check_edits() {
            faults.push(format!("edits: {error:#}"));
        }
        let events = self.listener.faults();
        println!(
            "\n{} edits of the bystander; its listener: {events:?}, cut off {} times",
            self.bystander.notes().edits(),
            self.listener.cuts()
        );
        if events != Default::default() {
            faults.push(format!("events: {events:?}"));
        }
        if self.listener.cuts() > 0 {
            faults.push(format!("the bystander's listener was cut off {} times", self.listener.cuts()));
        }
        faults
    }
}
