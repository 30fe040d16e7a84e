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

/// Connections of the hostile token; so many threads spin in the stage to compare with.
const CONNECTIONS: usize = 64;
/// How long it is waited until the server has recovered from an attack.
const LONGEST_RECOVERY: Duration = Duration::from_secs(120);
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
    attacker: Client,
    material: PathBuf,
    /// As a stage goes over, its row.
    stages: Vec<Stage>,
}

/// The command. A stage takes so many seconds, and that with all attackers together so many.
pub(super) fn run(setup: &TrialSetup, seconds: Option<u64>, together: Option<u64>) -> anyhow::Result<()> {
    let time = Duration::from_secs(seconds.unwrap_or(setup.size(1, 10)));
    let together = Duration::from_secs(together.unwrap_or(setup.size(6, 600)));
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
        "abuse on {:?}: {} s each, {} s with all attackers; {CONNECTIONS} connections; a budget of {} MB",
        setup.on,
        time.as_secs(),
        together.as_secs(),
        budget / memory::MEGABYTE
    );

    let mut scene = Scene { setup, served: &mut served, bystander, listener, attacker, material, stages: Vec::new() };
    Stage::print_head();
    scene.stage("before", Surroundings::Quiet, &[], time)?;
    scene.stage("busy threads", Surroundings::BusyThreads, &[Attack::BusyThreads], time)?;
    for attack in Attack::all() {
        scene.stage(&attack.name(), Surroundings::Attack, &[attack], time)?;
    }
    let all: Vec<Attack> = Attack::all().collect();
    scene.stage("all together", Surroundings::Attack, &all, together)?;
    scene.stage("after", Surroundings::Quiet, &[], time)?;
    let faults = scene.last_faults();
    verdict::judge(setup.form, &scene.stages, budget, faults).with_context(|| format!("its log: {}", data.log_tail()))
}

impl Scene<'_> {
    fn stage(
        &mut self,
        name: &str,
        surroundings: Surroundings,
        attacks: &[Attack],
        time: Duration,
    ) -> anyhow::Result<()> {
        let per_second = self.setup.size(10, 20);
        let connections = connections_of_each(attacks);
        let attack = match surroundings {
            Surroundings::Quiet => None,
            Surroundings::BusyThreads | Surroundings::Attack => {
                Some(AttackProcess::start(&self.material, attacks.iter().copied(), connections)?)
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
        if attacks.contains(&Attack::HangingWebhooks) {
            remove_webhooks(&mut self.attacker).context("the attackers' webhooks cannot be removed")?;
        }
        let stage = Stage { name: name.to_owned(), surroundings, measured, memory, recovery, outcomes };
        stage.print();
        self.stages.push(stage);
        Ok(())
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
            "\n{} edits of the bystander, each there once; its listener: {events:?}, cut off {} times",
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

/// All connections for one attack; a part of them for each of many.
fn connections_of_each(attacks: &[Attack]) -> usize {
    let of_requests = attacks.iter().filter(|attack| attack.is_of_requests()).count();
    CONNECTIONS / of_requests.max(1)
}
