//! The load of a trial: clients that edit at the same time.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::client::Client;
use super::client_log::{ChangeOutcome, ClientLog, Mix, Notes};
use super::process::wait;

/// How long a client that was refused waits before it asks for something else.
const PAUSE: Duration = Duration::from_millis(10);

/// What clients do, and until when.
#[derive(Clone, Copy)]
pub(crate) struct ClientLoad<'a> {
    pub(crate) notes: &'a Notes,
    pub(crate) mix: Mix,
    /// After so many changes a client is done.
    pub(crate) changes: usize,
    /// After so many refusals too.
    pub(crate) refusals: usize,
    pub(crate) progress: &'a Progress,
}

/// How far clients are, and whether they go on; all of them share it.
#[derive(Default)]
pub(crate) struct Progress {
    acknowledged: AtomicUsize,
    stopped: AtomicBool,
}

impl Progress {
    pub(crate) fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    pub(crate) fn acknowledged(&self) -> usize {
        self.acknowledged.load(Ordering::Relaxed)
    }
}

/// The answers that clients got.
#[derive(Default)]
pub(crate) struct Tally {
    /// When each acknowledgement came, and how long it took.
    pub(crate) acknowledged: Vec<(Instant, Duration)>,
    /// Other answers, by status and code.
    pub(crate) refused: BTreeMap<String, usize>,
    /// The last of them in full.
    pub(crate) last_refusal: Option<String>,
    /// Connections that broke before an answer.
    pub(crate) cut_off: usize,
}

impl ClientLoad<'_> {
    /// Works as one client until its end, or the connection's.
    pub(crate) fn work(&self, log: &mut ClientLog, server: SocketAddr) -> Tally {
        let mut client = Client::new(server);
        let mut tally = Tally::default();
        let mut refusals = 0;
        for _ in 0..self.changes {
            if self.progress.stopped.load(Ordering::Relaxed) || refusals == self.refusals {
                break;
            }
            let change = log.plan(self.notes, self.mix);
            let (method, path, body) = log.request(self.notes, &change);
            let started = Instant::now();
            let answer = client.send(method, &path, &body);
            let now = Instant::now();
            let outcome = match &answer {
                Ok(answer) if answer.status == 200 => {
                    tally.acknowledged.push((now, now - started));
                    self.progress.acknowledged.fetch_add(1, Ordering::Relaxed);
                    ChangeOutcome::Acknowledged(answer.version().unwrap_or(0))
                }
                Ok(answer) => {
                    *tally.refused.entry(answer.name()).or_default() += 1;
                    tally.last_refusal = Some(format!("{method} {path} {body}: {}", answer.body));
                    refusals += 1;
                    wait(PAUSE);
                    ChangeOutcome::Refused
                }
                Err(_) => ChangeOutcome::Unanswered,
            };
            if let Some(last) = log.changes.last_mut() {
                last.outcome = outcome;
            }
            if answer.is_err() {
                tally.cut_off += 1;
                break;
            }
        }
        tally
    }

    /// All clients at once, each on a server in turn; `meanwhile` happens beside them. A tally for each client.
    pub(crate) fn all<T>(
        &self,
        logs: &mut [ClientLog],
        servers: &[SocketAddr],
        meanwhile: impl FnOnce() -> anyhow::Result<T>,
    ) -> anyhow::Result<(Vec<Tally>, T)> {
        std::thread::scope(|scope| {
            let working: Vec<_> = logs
                .iter_mut()
                .zip(servers.iter().cycle())
                .map(|(log, server)| scope.spawn(|| self.work(log, *server)))
                .collect();
            let outcome = meanwhile();
            if outcome.is_err() {
                self.progress.stop();
            }
            let tallies =
                working.into_iter().map(|client| client.join().map_err(|_| anyhow::anyhow!("a client panicked")));
            Ok((tallies.collect::<anyhow::Result<_>>()?, outcome?))
        })
    }
}

impl Tally {
    pub(crate) fn sum(tallies: Vec<Tally>) -> Tally {
        let mut sum = Tally::default();
        for tally in tallies {
            sum.acknowledged.extend(tally.acknowledged);
            for (name, count) in tally.refused {
                *sum.refused.entry(name).or_default() += count;
            }
            sum.last_refusal = tally.last_refusal.or(sum.last_refusal);
            sum.cut_off += tally.cut_off;
        }
        sum
    }

    /// An error if anything was refused for another reason than `allowed`.
    pub(crate) fn only(&self, allowed: &[&str]) -> anyhow::Result<()> {
        let unexpected: Vec<&String> = self.refused.keys().filter(|name| !allowed.contains(&name.as_str())).collect();
        let last = self.last_refusal.as_deref().unwrap_or_default();
        anyhow::ensure!(unexpected.is_empty(), "refused: {:?}; the last: {last}", self.refused);
        Ok(())
    }

    /// How long acknowledgements took, at most, for so many in a thousand of them.
    pub(crate) fn latency(&self, per_mille: usize) -> Duration {
        let mut times: Vec<Duration> = self.acknowledged.iter().map(|(_, time)| *time).collect();
        times.sort_unstable();
        times.get((times.len() * per_mille / 1000).min(times.len().saturating_sub(1))).copied().unwrap_or_default()
    }
}
