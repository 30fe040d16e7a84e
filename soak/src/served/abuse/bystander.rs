//! A user who works calmly, checks every answer, and measures how long it takes.

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use serde_json::{Value, json};

use super::super::client::Client;
use super::super::events::versioned_notes::VersionedNotes;
use super::super::process::wait;
use super::accounts::{sent, text};
use super::latency::{Latencies, Measure};

/// How many notes are edited and read in turn.
const NOTES: usize = 8;
/// Further notes, for lists and searches.
const OTHER_NOTES: usize = 200;
/// Of them, every so many has the word that is looked for.
const WORD_IN_EVERY: usize = 20;
const WORD: &str = "quokka";
const LISTED: usize = 50;
/// After so long without an answer a request is given up.
pub(super) const PATIENCE: Duration = Duration::from_secs(30);

/// What the bystander has, and therefore what answers must say.
struct Belongings {
    notes: Arc<VersionedNotes>,
    /// All its notes.
    ids: BTreeSet<String>,
    prompt: String,
}

/// The bystander.
pub(super) struct Bystander {
    belongings: Belongings,
    workers: Vec<Worker>,
}

/// What it measured in one stage.
#[derive(Default)]
pub(super) struct Measured {
    pub(super) latencies: BTreeMap<Measure, Latencies>,
    /// Answers that were wrong, were errors or did not come.
    pub(super) faults: Vec<String>,
}

/// Sends requests of one sort.
struct Worker {
    measure: Measure,
    client: Client,
    round: usize,
}

impl Bystander {
    pub(super) fn settle_in(address: SocketAddr, token: &str) -> anyhow::Result<Bystander> {
        let mut client = Client::with_token(address, token, PATIENCE);
        let notes = VersionedNotes::make(&mut client, NOTES)?;
        let mut ids = notes.ids();
        for note in 0..OTHER_NOTES {
            let word = if note % WORD_IN_EVERY == 0 { WORD } else { "wallaby" };
            let content = format!("note {note} has a {word}\n") + &"and lines that nobody looks for\n".repeat(60);
            let made =
                sent(&mut client, "POST", "/notes", &json!({"title": format!("note {note}"), "content": content}))?;
            ids.insert(text(&made.body, "id")?);
        }
        let prompt = json!({
            "name": "greeting",
            "content": "Dear {{ name }},{% for line in range(3) %}\nline {{ line }}{% endfor %}\n",
            "arguments": [{"name": "name", "required": true}],
        });
        let prompt = text(&sent(&mut client, "POST", "/prompts", &prompt)?.body, "id")?;
        let sorts = Measure::ALL.into_iter().filter(|measure| *measure != Measure::Event);
        let workers = sorts
            .map(|measure| Worker { measure, client: Client::with_token(address, token, PATIENCE), round: 0 })
            .collect();
        Ok(Bystander { belongings: Belongings { notes: Arc::new(notes), ids, prompt }, workers })
    }

    pub(super) fn notes(&self) -> &Arc<VersionedNotes> {
        &self.belongings.notes
    }

    /// Works for a while, with so many requests of each sort in a second.
    pub(super) fn work(&mut self, time: Duration, per_second: u32) -> anyhow::Result<Measured> {
        let (belongings, pause) = (&self.belongings, Duration::from_secs(1) / per_second);
        std::thread::scope(|scope| {
            let working: Vec<_> = self
                .workers
                .iter_mut()
                .map(|worker| scope.spawn(move || (worker.measure, worker.work(belongings, time, pause))))
                .collect();
            let mut measured = Measured::default();
            for worker in working {
                let (measure, (latencies, faults)) = worker.join().map_err(|_| anyhow::anyhow!("a worker panicked"))?;
                measured.latencies.insert(measure, latencies);
                measured.faults.extend(faults);
            }
            Ok(measured)
        })
    }

    /// Sends one request of each sort, one after the other; the longest time that one of them took.
    pub(super) fn look(&mut self) -> anyhow::Result<Duration> {
        let mut longest = Duration::ZERO;
        for worker in &mut self.workers {
            let started = Instant::now();
            if let Err(error) = worker.request(&self.belongings) {
                worker.recover(&self.belongings);
                return Err(error);
            }
            longest = longest.max(started.elapsed());
        }
        Ok(longest)
    }

    /// Whether every acknowledged edit is there, once: a note's text counts them.
    pub(super) fn check_edits(&mut self) -> anyhow::Result<()> {
        let worker = self.workers.first_mut().context("no worker")?;
        let unknown = self.belongings.notes.settle(&mut worker.client)?;
        ensure!(unknown == 0, "{unknown} edits are there that were neither acknowledged nor given up");
        Ok(())
    }
}

impl Worker {
    fn work(&mut self, belongings: &Belongings, time: Duration, pause: Duration) -> (Latencies, Vec<String>) {
        let (mut latencies, mut faults) = (Latencies::default(), Vec::new());
        let begin = Instant::now();
        let mut due = begin;
        while due < begin + time {
            wait(due.saturating_duration_since(Instant::now()));
            let started = Instant::now();
            if let Err(error) = self.request(belongings) {
                faults.push(format!("{}: {error:#}", self.measure.name()));
                self.recover(belongings);
            }
            let answered = Instant::now();
            latencies.add(answered - started);
            let missed = std::iter::successors(Some(due + pause), |due| Some(*due + pause));
            let missed: Vec<Instant> = missed.take_while(|due| *due < answered && *due < begin + time).collect();
            latencies.add_missed(missed.iter().map(|due| answered - *due));
            due = missed.last().copied().unwrap_or(due) + pause;
        }
        (latencies, faults)
    }

    /// After a request whose outcome is not known, or not the right one.
    fn recover(&mut self, belongings: &Belongings) {
        self.client.disconnect();
        if self.measure == Measure::Edit {
            // Where it fails, the next edit fails too, and this is tried again.
            let _ = belongings.notes.settle(&mut self.client);
        }
    }

    /// Sends the next request; an answer that is not the right one is an error.
    fn request(&mut self, belongings: &Belongings) -> anyhow::Result<()> {
        let Worker { measure, client, round } = self;
        *round += 1;
        let note = *round % belongings.notes.len();
        match measure {
            Measure::Get => belongings.notes.read(client, note),
            Measure::NewConnection => {
                client.disconnect();
                belongings.notes.read(client, note)
            }
            Measure::Edit => belongings.notes.edit(client, note).map(drop),
            Measure::List => {
                let list = sent(client, "GET", &format!("/notes?limit={LISTED}"), &Value::Null)?.body;
                own_items(&list, belongings, LISTED, belongings.ids.len())
            }
            Measure::Search => {
                let found = sent(client, "GET", &format!("/notes?q={WORD}&limit={LISTED}"), &Value::Null)?.body;
                let expected = OTHER_NOTES / WORD_IN_EVERY;
                own_items(&found, belongings, expected, expected)
            }
            Measure::Render => {
                let (path, name) = (format!("/prompts/{}/render", belongings.prompt), format!("number {round}"));
                let rendered = sent(client, "POST", &path, &json!({"arguments": {"name": name}}))?.body;
                let expected = format!("Dear {name},\nline 0\nline 1\nline 2");
                let text = rendered["rendered"].as_str().unwrap_or_default();
                ensure!(text.trim_end() == expected, "{rendered}");
                Ok(())
            }
            Measure::Event => Ok(()),
        }
    }
}

/// Whether a list has so many items, of so many in all, and all of them are the bystander's.
fn own_items(list: &Value, belongings: &Belongings, count: usize, total: usize) -> anyhow::Result<()> {
    let items = list["items"].as_array().context("no items")?;
    let own: BTreeSet<&str> =
        items.iter().filter_map(|item| item["id"].as_str()).filter(|id| belongings.ids.contains(*id)).collect();
    ensure!(
        items.len() == count && own.len() == count && list["total"] == total,
        "{} items, {} of them its own, of {}, instead of {count} of {total}",
        items.len(),
        own.len(),
        list["total"]
    );
    Ok(())
}
