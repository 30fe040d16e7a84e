//! Writers that edit at a fixed rate.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use super::super::client::Client;
use super::super::process::wait;
use super::times::Times;
use super::versioned_notes::VersionedNotes;

/// How many edit at the same time. Each has notes of its own.
pub(super) const WRITERS: usize = 4;

/// Edits at this pace for a while, whatever the answers take; how long each took is added to `times`.
pub(super) fn edit(
    notes: &VersionedNotes,
    server: SocketAddr,
    per_second: u32,
    time: Duration,
    times: &Times,
) -> anyhow::Result<()> {
    let pause = Duration::from_secs(WRITERS as u64) / per_second;
    let begin = Instant::now();
    let write = |writer: usize| -> anyhow::Result<()> {
        let mut client = Client::new(server);
        let mut due = begin + pause * u32::try_from(writer)? / u32::try_from(WRITERS)?;
        let mut notes = (writer..notes.len()).step_by(WRITERS).cycle();
        while due < begin + time {
            wait(due.saturating_duration_since(Instant::now()));
            times.add(notes.edit(&mut client, notes.next().unwrap_or(writer))?);
            due += pause;
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let writing: Vec<_> = (0..WRITERS).map(|writer| scope.spawn(move || write(writer))).collect();
        writing.into_iter().try_for_each(|writer| writer.join().map_err(|_| anyhow::anyhow!("a writer panicked"))?)
    })
}
