//! Trial `event-cluster`: three servers on one PostgreSQL; listeners at two receive the events of edits at the third.

use std::sync::Arc;
use std::time::Duration;

use anyhow::ensure;

use super::super::TrialSetup;
use super::super::data_directory::{DataDirectory, Storage};
use super::limits::Limits;
use super::listener::{Order, ReadBehaviour};
use super::listener_pool::ListenerPool;
use super::received_events::EventFaults;
use super::times::Times;
use super::versioned_notes::VersionedNotes;
use super::writers;

const NOTES: usize = 20;
const EDITS_PER_SECOND: u32 = 50;

/// The command.
pub(in super::super) fn run(setup: &TrialSetup) -> anyhow::Result<()> {
    let data = DataDirectory::new(Storage::Postgres, setup.postgres.as_deref(), &setup.runtime)?;
    let written = setup.program.serve(&data)?;
    let others = [setup.program.serve(&data)?, setup.program.serve(&data)?];
    let notes = Arc::new(VersionedNotes::make(&mut written.client(), NOTES)?);
    let listeners = setup.size(10, 50);
    let time = setup.size(Duration::from_secs(5), Duration::from_secs(60));
    let pools = others.each_ref().map(|server| {
        let pool = ListenerPool::start(&setup.runtime, &notes, &vec![ReadBehaviour::Steady; listeners], setup.seed);
        pool.order(Order::Listen(server.address));
        pool
    });
    pools.iter().try_for_each(ListenerPool::until_connected)?;
    let times = Times::default();
    writers::edit(&notes, written.address, EDITS_PER_SECOND, time, &times)?;
    let done = pools.iter().try_for_each(ListenerPool::until_all_are_done);

    println!(
        "event cluster: {} edits at one server in {} s, p50 {:.2} ms; {listeners} listeners at each of two others",
        notes.edits(),
        time.as_secs(),
        times.millis(500)
    );
    let mut limits = Limits::new(setup.form);
    let mut faults = EventFaults::default();
    for (server, pool) in pools.into_iter().enumerate() {
        let delays = Arc::clone(&pool.delays);
        let report = pool.end(&setup.runtime)?;
        println!(
            "  server {}: {} events, p50 {:.1} ms; {:?}",
            server + 2,
            report.received,
            delays.millis(500),
            report.faults
        );
        limits.at_most(250.0, delays.millis(990), "told after, p99, ms");
        faults += report.faults;
    }
    done?;
    ensure!(faults == EventFaults::default(), "{faults:?}");
    limits.hold()
}
