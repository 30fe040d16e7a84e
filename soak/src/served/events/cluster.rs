//! Three servers on one PostgreSQL: what is edited at one is heard at the others.

use std::sync::Arc;
use std::time::Duration;

use anyhow::ensure;

use super::super::Ground;
use super::super::place::{Place, Storage};
use super::audience::Audience;
use super::bars::Bars;
use super::heard::Faults;
use super::ledger::Ledger;
use super::listener::{Manner, Order};
use super::times::Times;
use super::writers;

const NOTES: usize = 20;
const EDITS_PER_SECOND: u32 = 50;

/// The command.
pub(in super::super) fn run(ground: &Ground) -> anyhow::Result<()> {
    let place = Place::new(Storage::Postgres, ground.postgres.as_deref(), &ground.runtime)?;
    let written = ground.program.serve(&place)?;
    let others = [ground.program.serve(&place)?, ground.program.serve(&place)?];
    let ledger = Arc::new(Ledger::make(&mut written.client(), NOTES)?);
    let listeners = ground.size(10, 50);
    let time = ground.size(Duration::from_secs(5), Duration::from_secs(60));
    let audiences = others.each_ref().map(|server| {
        let audience = Audience::gather(&ground.runtime, &ledger, &vec![Manner::Steady; listeners], ground.seed);
        audience.order(Order::Listen(server.address));
        audience
    });
    audiences.iter().try_for_each(Audience::until_connected)?;
    let times = Times::default();
    writers::edit(&ledger, written.address, EDITS_PER_SECOND, time, &times)?;
    let told = audiences.iter().try_for_each(Audience::until_told);

    println!(
        "event cluster: {} edits at one server in {} s, p50 {:.2} ms; {listeners} listeners at each of two others",
        ledger.edits(),
        time.as_secs(),
        times.millis(500)
    );
    let mut bars = Bars::of(ground.form);
    let mut faults = Faults::default();
    for (server, audience) in audiences.into_iter().enumerate() {
        let delays = Arc::clone(&audience.delays);
        let account = audience.end(&ground.runtime)?;
        println!(
            "  server {}: {} events, p50 {:.1} ms; {:?}",
            server + 2,
            account.told,
            delays.millis(500),
            account.faults
        );
        bars.at_most(250.0, delays.millis(990), "told after, p99, ms");
        faults += account.faults;
    }
    told?;
    ensure!(faults == Faults::default(), "{faults:?}");
    bars.hold()
}
