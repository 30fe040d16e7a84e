//! Endpoints that take what they are told and never answer, and what that costs those who write.

use std::time::Duration;

use anyhow::ensure;

use super::super::Ground;
use super::bars::Bars;
use super::ledger::Ledger;
use super::receiver::{Answer, Receiver};
use super::times::Times;
use super::writers;

const NOTES: usize = 20;
const EDITS_PER_SECOND: u32 = 100;
const WARM_UP: Duration = Duration::from_secs(1);

/// The command.
pub(in super::super) fn run(ground: &Ground) -> anyhow::Result<()> {
    let (rounds, time) = ground.size((3, Duration::from_secs(1)), (10, Duration::from_secs(10)));
    let (webhook, model) =
        (Receiver::start(&ground.runtime, Answer::Never)?, Receiver::start(&ground.runtime, Answer::Never)?);
    let (place, other_place) = (ground.place()?, ground.place()?);
    let url = format!("http://{}/v1", model.address);
    let arguments = ["--webhook-targets", "any", "--ai-url", &url, "--ai-model", "silent"];
    let served = ground.program.serve_with(&place, &arguments)?;
    let other = ground.program.serve(&other_place)?;
    webhook.register(&mut served.client(), "/")?;
    let ledger = Ledger::make(&mut served.client(), NOTES)?;
    let other_ledger = Ledger::make(&mut other.client(), NOTES)?;
    let (with, without) = (Times::default(), Times::default());
    writers::edit(&ledger, served.address, EDITS_PER_SECOND, WARM_UP, &Times::default())?;
    writers::edit(&other_ledger, other.address, EDITS_PER_SECOND, WARM_UP, &Times::default())?;
    for _ in 0..rounds {
        writers::edit(&ledger, served.address, EDITS_PER_SECOND, time, &with)?;
        writers::edit(&other_ledger, other.address, EDITS_PER_SECOND, time, &without)?;
    }
    let (delivering, asking) = (webhook.told().requests, model.told().requests);
    println!(
        "hanging endpoints on {:?}: {} edits with a webhook ({delivering} requests) and a model ({asking}) \
         that never answer, p50 {:.2} ms, p99 {:.2} ms; {} without, {:.2} and {:.2}",
        ground.on,
        with.count(),
        with.millis(500),
        with.millis(990),
        without.count(),
        without.millis(500),
        without.millis(990)
    );
    ensure!(delivering > 0 && asking > 0, "nobody was left waiting: nothing is shown");
    let mut bars = Bars::of(ground.form);
    bars.at_most(1.25, with.millis(500) / without.millis(500), "p50 of edits with them and without, ratio");
    bars.hold()
}
