//! Group `edits`: durable edits over REST beside *bare*.

use std::error::Error;
use std::time::{Duration, Instant};

use serde_json::json;

use super::creates::syncs_each;
use crate::load::{Load, LoadResult, Requests, send_request};
use crate::measure::{PairedFigures, in_turns};
use crate::requests::{RequestWriter, new_note};
use crate::servers::Served;
use crate::store::{Bare, BareItem, BareNote, BenchFolder, file_in, used_bytes};
use crate::table::{JUDGED, JudgedRow, Longest, Table, megabytes, millis, per_second, times};
use crate::texts::{Dice, source};

const ROUNDS: usize = 7;
const ROUND: Duration = Duration::from_millis(500);
/// Notes that each connection edits in turn.
const NOTES: usize = 4;
/// About as much as a record keeps of a passage that was replaced.
const UNDO: &[u8] = &[b'u'; 60];

/// A size of notes, and what the system that this design comes from does with them.
struct Size {
    name: &'static str,
    bytes: usize,
    /// Edits a second, measured on such a machine.
    python: f64,
    /// How many times as many are asked for.
    times_python: f64,
}

const SIZES: [Size; 2] = [
    Size { name: "2 KB", bytes: 2_000, python: 55.0, times_python: 50.0 },
    Size { name: "100 KB", bytes: 100_000, python: 34.0, times_python: 30.0 },
];

pub(super) fn run(rows: &str) -> Result<(), Box<dyn Error>> {
    let bench_folder = BenchFolder::in_user_cache()?;
    let mut table = Table::new(rows, "## Durable edits over REST (str-replace, include_content=false)", JUDGED);
    for size in &SIZES {
        for connections in [2, 64] {
            let name = format!("edit a note of {}, {connections} connections", size.name);
            if table.wants(&name) {
                edit(&mut table, &bench_folder, &name, size, connections)?;
            }
        }
    }
    long(&mut table, &bench_folder)?;
    history(&mut table, &bench_folder)
}

/// A text with numbered passages, each of which can be replaced by its next state.
#[derive(Clone)]
struct MarkedText {
    text: String,
    states: Vec<u32>,
}

impl MarkedText {
    /// Of about so many bytes, with so many passages.
    fn new(bytes: usize, passages: usize, seed: u64) -> MarkedText {
        let plain = source(bytes - passages * passage(0, 0).len(), seed);
        let mut text = String::with_capacity(bytes);
        for (part, rest) in parts(&plain, passages).into_iter().enumerate() {
            text.push_str(rest);
            if part < passages {
                text.push_str(&passage(part, 0));
            }
        }
        MarkedText { text, states: vec![0; passages] }
    }

    /// The next state of a passage: what is there now, and what it becomes.
    fn turn(&mut self, index: usize) -> (String, String) {
        let state = self.states[index];
        self.states[index] += 1;
        (passage(index, state), passage(index, state + 1))
    }
}

fn passage(index: usize, state: u32) -> String {
    format!("    # \"passage {index:04}\" was seen by the {state:07}th reader\n")
}

/// The text in one part more than there are `cuts`, cut after lines.
fn parts(text: &str, cuts: usize) -> Vec<&str> {
    let mut parts = Vec::with_capacity(cuts + 1);
    let mut begin = 0;
    for cut in 1..=cuts {
        let at = text.len() * cut / (cuts + 1);
        let end = text[at..].find('\n').map_or(text.len(), |newline| at + newline + 1).max(begin);
        parts.push(&text[begin..end]);
        begin = end;
    }
    parts.push(&text[begin..]);
    parts
}

/// A note that is edited over REST.
struct Edited {
    path: String,
    marked: MarkedText,
}

impl Edited {
    fn create(served: &Served, marked: MarkedText) -> Result<Edited, Box<dyn Error>> {
        let mut request = Vec::new();
        served.requests.send(&mut request, "POST", "/notes", &new_note("edited", &["bench"], &marked.text));
        let answer: serde_json::Value = serde_json::from_str(&send_request(served.running.address, &request)?)?;
        let id = answer["id"].as_str().ok_or("a note without an id")?;
        Ok(Edited { path: format!("/notes/{id}/str-replace?include_content=false"), marked })
    }

    fn request(&mut self, requests: &RequestWriter, request: &mut Vec<u8>, passage: usize) {
        let (old, new) = self.marked.turn(passage);
        requests.send(request, "PATCH", &self.path, &json!({ "old_str": old, "new_str": new }).to_string());
    }
}

/// A note that is edited by hand: its text is made anew, as an edit makes it.
struct BareNoteEdits {
    item: BareItem,
    text: String,
    state: u32,
}

impl BareNoteEdits {
    fn create(bare: &mut Bare, text: &str) -> rusqlite::Result<BareNoteEdits> {
        let item = bare.create(BareNote { title: "edited", tags: &["bench"], text })?;
        Ok(BareNoteEdits { item, text: text.to_owned(), state: 0 })
    }

    fn edit(&mut self, bare: &mut Bare) -> rusqlite::Result<()> {
        self.text = self.text.replacen(&passage(0, self.state), &passage(0, self.state + 1), 1);
        self.state += 1;
        bare.edit(&mut self.item, &self.text, UNDO)
    }
}

fn edit(
    table: &mut Table<'_>,
    bench_folder: &BenchFolder,
    name: &str,
    size: &Size,
    connections: usize,
) -> Result<(), Box<dyn Error>> {
    let (folder, bare_folder) = (bench_folder.temporary()?, bench_folder.temporary()?);
    let served = Served::start(&file_in(folder.path()))?;
    let mut bare = Bare::open(&file_in(bare_folder.path()))?;
    let (mut sources, mut by_hand) = (Vec::new(), Vec::new());
    for connection in 0..connections {
        let marked = MarkedText::new(size.bytes, 1, connection as u64);
        for _ in 0..NOTES {
            by_hand.push(BareNoteEdits::create(&mut bare, &marked.text)?);
        }
        let notes = (0..NOTES).map(|_| Edited::create(&served, marked.clone())).collect::<Result<Vec<_>, _>>()?;
        sources.push(editing(served.requests.clone(), notes));
    }
    let before = served.store.counters();
    let mut load = Load::connect(served.running.address, sources)?;
    let mut turn = (0..by_hand.len()).cycle();
    let mut commit = || turn.next().map_or(Ok(()), |index| by_hand[index].edit(&mut bare));
    let rates =
        in_turns(ROUNDS, || Ok(load.run(ROUND)?.rate()), || Ok(LoadResult::measure(ROUND, &mut commit)?.rate()))?;
    beside_bare(table, &format!("{name} / bare"), rates)?;
    let faster = rates.subject / size.python;
    table.judged(
        &format!("{name} / the Python system, measured before"),
        JudgedRow {
            figure: per_second(rates.subject),
            beside: per_second(size.python),
            ratio: times(faster),
            bar: format!("≥ {:.0} ×", size.times_python),
            passes: faster >= size.times_python,
        },
    )?;
    let bar = Some(0.25).filter(|_| connections == 64);
    syncs_each(table, name, before, served.store.counters(), bar)
}

fn editing(requests: RequestWriter, mut notes: Vec<Edited>) -> Requests {
    let mut turn = 0;
    Box::new(move |request| {
        turn = (turn + 1) % NOTES;
        notes[turn].request(&requests, request, 0);
    })
}

/// A rate that should be at least half of that of *bare*.
pub(super) fn beside_bare(table: &mut Table<'_>, name: &str, rates: PairedFigures) -> Result<(), Box<dyn Error>> {
    const BAR: f64 = 0.5;
    Ok(table.judged_rates(name, rates, BAR)?)
}

/// One edit in a note of 4 MB beside one commit of it.
fn long(table: &mut Table<'_>, bench_folder: &BenchFolder) -> Result<(), Box<dyn Error>> {
    const BAR: f64 = 2.0;
    let name = "edit a note of 4 MB, 1 connection, p50 / a bare commit of 4 MB";
    if !table.wants(name) {
        return Ok(());
    }
    let (folder, bare_folder) = (bench_folder.temporary()?, bench_folder.temporary()?);
    let served = Served::start(&file_in(folder.path()))?;
    let mut bare = Bare::open(&file_in(bare_folder.path()))?;
    let marked = MarkedText::new(4_000_000, 1, 9);
    let mut by_hand = BareNoteEdits::create(&mut bare, &marked.text)?;
    let mut note = Edited::create(&served, marked)?;
    let requests = served.requests.clone();
    let source: Requests = Box::new(move |request| note.request(&requests, request, 0));
    let mut load = Load::connect(served.running.address, vec![source])?;
    let medians = in_turns(
        ROUNDS,
        || Ok(load.run(ROUND)?.median().as_secs_f64()),
        || Ok(LoadResult::measure(ROUND, || by_hand.edit(&mut bare))?.median().as_secs_f64()),
    )?;
    Ok(table.judged_times(name, medians, Longest::Times(BAR))?)
}

/// What 1,000 edits all over a note of 1 MB leave on disk.
fn history(table: &mut Table<'_>, bench_folder: &BenchFolder) -> Result<(), Box<dyn Error>> {
    const BAR: f64 = 3e6;
    const EDITS: usize = 1_000;
    const PASSAGES: u32 = 500;
    let name = "history of 1,000 edits of a note of 1 MB, on disk / an edit";
    if !table.wants(name) {
        return Ok(());
    }
    let folder = bench_folder.temporary()?;
    let file = file_in(folder.path());
    let served = Served::start(&file)?;
    let mut note = Edited::create(&served, MarkedText::new(1_000_000, PASSAGES as usize, 11))?;
    let before = used_bytes(&file)?;
    let (mut dice, mut request) = (Dice::new(4), Vec::new());
    let begin = Instant::now();
    for _ in 0..EDITS {
        request.clear();
        note.request(&served.requests, &mut request, dice.below(PASSAGES) as usize);
        send_request(served.running.address, &request)?;
    }
    let each = begin.elapsed() / 1_000;
    let grown = used_bytes(&file)? - before;
    table.judged(
        name,
        JudgedRow {
            figure: megabytes(grown),
            beside: millis(each),
            ratio: String::new(),
            bar: format!("≤ {}", megabytes(BAR)),
            passes: grown <= BAR,
        },
    )?;
    Ok(())
}
