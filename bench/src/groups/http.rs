//! Group `http`: reads over REST beside an axum handler that returns the same bytes from memory.

use std::error::Error;
use std::time::Duration;

use crate::load::{Load, LoadResult, Requests, send_request};
use crate::measure::in_turns;
use crate::requests::{RequestWriter, new_note};
use crate::servers::{Served, bytes};
use crate::store::{Bare, BareNote, BenchFolder, Filling, file_in, fill, ids};
use crate::table::{JUDGED, Longest, Table};
use crate::texts::{Dice, source};

const ROUNDS: usize = 9;
const ROUND: Duration = Duration::from_millis(300);
/// Long enough for some hundred writes, so that there is a slowest hundredth.
const LONG_ROUND: Duration = Duration::from_millis(700);
/// How many items are read in no order.
pub(super) const READ: usize = 1_000;
pub(super) const SMALL: Filling = Filling { items: 10_000, bytes: 2_000 };
pub(super) const LARGE: Filling = Filling { items: 100, bytes: 100_000 };

pub(super) fn run(rows: &str) -> Result<(), Box<dyn Error>> {
    let bench_folder = BenchFolder::in_user_cache()?;
    let folder = bench_folder.temporary()?;
    let file = file_in(folder.path());
    fill(&file, SMALL)?;
    fill(&file, LARGE)?;
    let (small, large) = (ids(&file, SMALL.bytes, READ)?, ids(&file, LARGE.bytes, READ)?);
    let served = Served::start(&file)?;
    let mut table = Table::new(rows, "## Reads over REST", JUDGED);
    for (size, items) in [("2 KB", &small), ("100 KB", &large)] {
        for connections in [2, 64] {
            let name = format!("GET item of {size}, {connections} connections / the same bytes from memory");
            get(&mut table, &name, &served, items, connections)?;
        }
    }
    list(&mut table, &served)?;
    mixed(&mut table, &bench_folder, &served, &small)
}

/// Requests for these items in no order, on each of so many connections.
pub(super) fn reading(requests: &RequestWriter, ids: &[String], connections: usize) -> Vec<Requests> {
    let paths: std::rc::Rc<[String]> = ids.iter().map(|id| format!("/notes/{id}")).collect();
    let source = |connection| -> Requests {
        let (requests, paths, mut dice) = (requests.clone(), std::rc::Rc::clone(&paths), Dice::new(connection));
        Box::new(move |request| requests.get(request, dice.pick_of(&paths)))
    };
    (0..connections as u64).map(source).collect()
}

fn get(
    table: &mut Table<'_>,
    name: &str,
    served: &Served,
    items: &[String],
    connections: usize,
) -> Result<(), Box<dyn Error>> {
    const BAR: f64 = 0.6;
    let Some(first) = items.first().filter(|_| table.wants(name)) else { return Ok(()) };
    let mut request = Vec::new();
    served.requests.get(&mut request, &format!("/notes/{first}"));
    let peer = bytes(send_request(served.running.address, &request)?)?;
    let mut subject = Load::connect(served.running.address, reading(&served.requests, items, connections))?;
    let mut reference = Load::connect(peer.address, reading(&served.requests, items, connections))?;
    let rates = in_turns(ROUNDS, || Ok(subject.run(ROUND)?.rate()), || Ok(reference.run(ROUND)?.rate()))?;
    Ok(table.judged_rates(name, rates, BAR)?)
}

fn list(table: &mut Table<'_>, served: &Served) -> Result<(), Box<dyn Error>> {
    const BAR: Duration = Duration::from_millis(2);
    let name = "list 50 of 10,000, 2 connections, p50 / the same bytes from memory";
    if !table.wants(name) {
        return Ok(());
    }
    let source = || -> Requests {
        let requests = served.requests.clone();
        Box::new(move |request| requests.get(request, "/notes?limit=50"))
    };
    let mut request = Vec::new();
    source()(&mut request);
    let peer = bytes(send_request(served.running.address, &request)?)?;
    let mut subject = Load::connect(served.running.address, vec![source(), source()])?;
    let mut reference = Load::connect(peer.address, vec![source(), source()])?;
    let median = |outcome: &LoadResult| outcome.median().as_secs_f64();
    let medians = in_turns(ROUNDS, || Ok(median(&subject.run(ROUND)?)), || Ok(median(&reference.run(ROUND)?)))?;
    Ok(table.judged_times(name, medians, Longest::Time(BAR))?)
}

/// The same, and a new note for every four of them.
pub(super) fn mixing(requests: &RequestWriter, ids: &[String], connections: usize) -> Vec<Requests> {
    let note = new_note("one of many", &["bench", "notes"], &source(SMALL.bytes, 3));
    let mixed = |(connection, mut read): (usize, Requests)| -> Requests {
        let (requests, note, mut dice) = (requests.clone(), note.clone(), Dice::new(connection as u64));
        Box::new(move |request| match dice.below(5) {
            0 => requests.send(request, "POST", "/notes?include_content=false", &note),
            _ => read(request),
        })
    };
    reading(requests, ids, connections).into_iter().enumerate().map(mixed).collect()
}

/// Four reads and a write, on every connection as fast as it goes.
fn mixed(
    table: &mut Table<'_>,
    bench_folder: &BenchFolder,
    served: &Served,
    items: &[String],
) -> Result<(), Box<dyn Error>> {
    const BAR: Duration = Duration::from_millis(20);
    const CONNECTIONS: usize = 64;
    let name = "80 % reads of 2 KB, 20 % creates, 64 connections, p99 / of bare creates";
    if !table.wants(name) {
        return Ok(());
    }
    let mut load = Load::connect(served.running.address, mixing(&served.requests, items, CONNECTIONS))?;
    let folder = bench_folder.temporary()?;
    let mut bare = Bare::open(&file_in(folder.path()))?;
    let text = source(SMALL.bytes, 3);
    let note = BareNote { title: "one of many", tags: &["bench", "notes"], text: &text };
    let slowest = |outcome: &LoadResult| outcome.per_mille(990).as_secs_f64();
    let slow = in_turns(
        ROUNDS,
        || Ok(slowest(&load.run(LONG_ROUND)?)),
        || Ok(slowest(&LoadResult::measure(LONG_ROUND, || bare.create(note).map(drop))?)),
    )?;
    Ok(table.judged_times(name, slow, Longest::Time(BAR))?)
}
