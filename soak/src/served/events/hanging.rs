//! Trial `hanging-endpoint`: endpoints that read requests and never answer, and what that costs writers.

use std::time::Duration;

use anyhow::ensure;

use super::super::TrialSetup;
use super::limits::Limits;
use super::times::Times;
use super::versioned_notes::VersionedNotes;
use super::webhook_endpoint::{Answer, WebhookEndpoint};
use super::writers;

const NOTES: usize = 20;
const EDITS_PER_SECOND: u32 = 100;
const WARM_UP: Duration = Duration::from_secs(1);

/// The command.
pub(in super::super) fn run(setup: &TrialSetup) -> anyhow::Result<()> {
    let (rounds, time) = setup.size((3, Duration::from_secs(1)), (10, Duration::from_secs(10)));
    let (webhook, model) = (
        WebhookEndpoint::start(&setup.runtime, Answer::Never)?,
        WebhookEndpoint::start(&setup.runtime, Answer::Never)?,
    );
    let (data, other_place) = (setup.data_directory()?, setup.data_directory()?);
    let url = format!("http://{}/v1", model.address);
    let arguments = ["--webhook-targets", "any", "--ai-url", &url, "--ai-model", "silent"];
    let served = setup.program.serve_with(&data, &arguments)?;
    let other = setup.program.serve(&other_place)?;
    webhook.register(&mut served.client(), "/")?;
    let notes = VersionedNotes::make(&mut served.client(), NOTES)?;
    let other_ledger = VersionedNotes::make(&mut other.client(), NOTES)?;
    let (with, without) = (Times::default(), Times::default());
    writers::edit(&notes, served.address, EDITS_PER_SECOND, WARM_UP, &Times::default())?;
    writers::edit(&other_ledger, other.address, EDITS_PER_SECOND, WARM_UP, &Times::default())?;
    for _ in 0..rounds {
        writers::edit(&notes, served.address, EDITS_PER_SECOND, time, &with)?;
        writers::edit(&other_ledger, other.address, EDITS_PER_SECOND, time, &without)?;
    }
    let (delivering, asking) = (webhook.received().requests, model.received().requests);
    println!(
        "hanging endpoints on {:?}: {} edits with a webhook ({delivering} requests) and a model ({asking}) \
         that never answer, p50 {:.2} ms, p99 {:.2} ms; {} without, {:.2} and {:.2}",
        setup.on,
        with.count(),
        with.millis(500),
        with.millis(990),
        without.count(),
        without.millis(500),
        without.millis(990)
    );
    ensure!(delivering > 0 && asking > 0, "nobody was left waiting: nothing is shown");
    let mut limits = Limits::new(setup.form);
    limits.at_most(1.25, with.millis(500) / without.millis(500), "p50 of edits with them and without, ratio");
    limits.hold()
}
