//! Group `search`: searches over many items, and the size and cost of the index.

use std::collections::HashSet;
use std::error::Error;
use std::path::Path;
use std::time::{Duration, Instant};

use interline_items::search::{IndexStep, IndexStepResult};
use interline_items::{Store, content_hash};
use interline_storage::SqliteStore;
use serde_json::{Value, json};

use crate::load::{Load, Requests, send_request};
use crate::measure::in_turns;
use crate::prose::Prose;
use crate::requests::{RequestWriter, new_note};
use crate::servers::{Indexing, Served};
use crate::store::{Bare, BareNote, BenchFolder, file_in, used_bytes};
use crate::table::{JUDGED, JudgedRow, Longest, Table, megabytes, millis, times};

const BYTES: usize = 10_000;
const SEED: u64 = 21;
/// How often each query is asked.
const ROUNDS: usize = 7;

pub(super) fn run(rows: &str) -> Result<(), Box<dyn Error>> {
    let bench_folder = BenchFolder::in_user_cache()?;
    let mut table = Table::new(rows, "## Searches over REST", JUDGED);
    for items in [10_000, 100_000] {
        let name = format!("{} items of 10 KB", grouped(items));
        if table.wants(&name) {
            search(&mut table, &bench_folder, &name, items)?;
        }
    }
    edits(&mut table, &bench_folder)
}

fn grouped(number: usize) -> String {
    format!("{},{:03}", number / 1_000, number % 1_000)
}

/// What is looked for, by how many items have it.
struct Queries {
    rare: Vec<String>,
    /// In about a tenth.
    some: Vec<String>,
    /// In more than half.
    most: Vec<String>,
    /// In the middle of words.
    parts: Vec<String>,
}

impl Queries {
    fn all(&self) -> Vec<&str> {
        [&self.rare, &self.some, &self.most, &self.parts].into_iter().flatten().map(String::as_str).collect()
    }
}

/// A store of such texts, without an index; what is asked of it; and the bytes of its texts.
fn fill(path: &Path, items: usize) -> Result<(Queries, f64), Box<dyn Error>> {
    let mut prose = Prose::new(SEED);
    let mut having = vec![0_usize; prose.words().len()];
    let mut bare = Bare::open(path)?;
    bare.connection().execute_batch("PRAGMA synchronous = OFF; PRAGMA cache_size = -1000000; BEGIN IMMEDIATE")?;
    let mut bytes = 0;
    for number in 0..items {
        let text = prose.text(BYTES);
        // The frequencies of a part are those of the whole.
        if number < 10_000 {
            let words: HashSet<&str> = text.split(|char: char| !char.is_alphanumeric()).collect();
            for (word, count) in prose.words().iter().zip(&mut having) {
                *count += usize::from(words.contains(word.as_str()));
            }
        }
        bytes += text.len();
        bare.insert(BareNote { title: &format!("note {number}"), tags: &[], text: &text }, content_hash(&text))?;
    }
    bare.connection().execute_batch(
        "
        INSERT INTO stale_items (item, mark) SELECT number, 1 FROM items;
        COMMIT;
        PRAGMA synchronous = FULL;",
    )?;
    bare.connection().query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
    let sample = items.min(10_000) as f64;
    let five = |low: f64, high: f64, length: usize| -> Vec<&str> {
        let is_such = |count: usize| (low..high).contains(&(count as f64 / sample));
        let such = prose.words().iter().zip(&having).filter(|(word, count)| is_such(**count) && word.len() >= length);
        let such: Vec<&str> = such.map(|(word, _)| word.as_str()).collect();
        such.iter().step_by((such.len() / 5).max(1)).take(5).copied().collect()
    };
    let owned = |words: Vec<&str>| words.into_iter().map(str::to_owned).collect();
    let parts = five(0.01, 0.05, 9).into_iter().map(|word| word[1..word.len() - 1].to_owned()).collect();
    let queries = Queries {
        rare: owned(five(0.0005, 0.003, 5)),
        some: owned(five(0.08, 0.12, 4)),
        most: owned(five(0.5, 1.1, 4)),
        parts,
    };
    Ok((queries, bytes as f64))
}

fn search(table: &mut Table<'_>, bench_folder: &BenchFolder, name: &str, items: usize) -> Result<(), Box<dyn Error>> {
    const P50: Duration = Duration::from_millis(10);
    const P95: Duration = Duration::from_millis(60);
    let folder = bench_folder.temporary()?;
    let file = file_in(folder.path());
    let (queries, text_bytes) = fill(&file, items)?;
    let bare_bytes = used_bytes(&file)?;
    let begin = Instant::now();
    complete_index(&file)?;
    let indexing = begin.elapsed();
    let index_bytes = used_bytes(&file)? - bare_bytes;
    let ratio = index_bytes / text_bytes;
    table.judged(
        &format!("{name}: index on disk / the texts"),
        JudgedRow {
            figure: megabytes(index_bytes),
            beside: megabytes(text_bytes),
            ratio: times(ratio),
            bar: "≤ 1.50 ×".to_owned(),
            passes: ratio <= 1.5,
        },
    )?;
    table.row(
        &format!("{name}: time to index them / the texts"),
        &[millis(indexing), megabytes(text_bytes), String::new(), String::new(), String::new()],
    )?;
    let served = Served::start(&file)?;
    for (group, words) in
        [("rare", &queries.rare), ("a tenth", &queries.some), ("most", &queries.most), ("parts", &queries.parts)]
    {
        let (times, found) = ask_all(&served, &words.iter().map(String::as_str).collect::<Vec<_>>())?;
        table.row(
            &format!("{name}: 5 of `{group}`, p50 / found of each"),
            &[millis(rank(&times, 50)), format!("{}", found / 5), String::new(), String::new(), String::new()],
        )?;
    }
    let (times_of_all, _) = ask_all(&served, &queries.all())?;
    let scan = scan(&file, queries.rare.first().map_or("", String::as_str))?;
    for (what, percent, bar) in [("p50", 50, P50), ("p95", 95, P95)] {
        let time = rank(&times_of_all, percent);
        let judged = JudgedRow {
            figure: millis(time),
            beside: millis(scan),
            ratio: times(time.as_secs_f64() / scan.as_secs_f64()),
            bar: format!("≤ {}", millis(bar)),
            passes: time <= bar,
        };
        table.judged(&format!("{name}: 20 queries, {what} / reading all contents"), judged)?;
    }
    Ok(())
}

/// How long each of the queries took, shortest first, and how many items they found together.
fn ask_all(served: &Served, queries: &[&str]) -> Result<(Vec<Duration>, u64), Box<dyn Error>> {
    let (mut times, mut found, mut request) = (Vec::new(), 0, Vec::new());
    for round in 0..=ROUNDS {
        found = 0;
        for query in queries {
            request.clear();
            served.requests.get(&mut request, &format!("/notes?q={query}"));
            let begin = Instant::now();
            let answer = send_request(served.running.address, &request)?;
            // The first round warms up.
            times.extend((round > 0).then(|| begin.elapsed()));
            let answer: Value = serde_json::from_str(&answer)?;
            found += answer["total"].as_u64().filter(|total| *total > 0).ok_or_else(|| format!("{query}: {answer}"))?;
        }
    }
    times.sort_unstable();
    Ok((times, found))
}

/// The time that so many of a hundred are shorter than.
fn rank(times: &[Duration], percent: usize) -> Duration {
    let index = times.len() * percent / 100;
    times.get(index).or(times.last()).copied().unwrap_or_default()
}

/// Brings the index of a store up to date.
pub(super) fn complete_index(path: &Path) -> Result<(), Box<dyn Error>> {
    let store = SqliteStore::open(path)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(complete_index_of(&store))
}

/// The same of a store that is open.
pub(super) async fn complete_index_of(store: &dyn Store) -> Result<(), Box<dyn Error>> {
    let step = IndexStep { unchanged_since: jiff::Timestamp::now() };
    while matches!(store.index(step).await?, IndexStepResult::Added { .. } | IndexStepResult::Tidied) {}
    Ok(())
}

/// How long it takes to look for a text in all contents, one after the other.
fn scan(path: &Path, text: &str) -> Result<Duration, Box<dyn Error>> {
    let bare = Bare::open(path)?;
    let finder = memchr::memmem::Finder::new(text);
    let begin = Instant::now();
    let mut statement = bare.connection().prepare("SELECT text FROM contents")?;
    let mut found = statement.query([])?;
    let mut count = 0;
    while let Some(row) = found.next()? {
        count += usize::from(finder.find(row.get_ref(0)?.as_str()?.as_bytes()).is_some());
    }
    std::hint::black_box(count);
    Ok(begin.elapsed())
}

/// Edits while the index follows them, beside edits without one.
fn edits(table: &mut Table<'_>, bench_folder: &BenchFolder) -> Result<(), Box<dyn Error>> {
    const BAR: f64 = 1.15;
    const NOTES: usize = 200;
    const CONNECTIONS: usize = 2;
    const ROUND: Duration = Duration::from_secs(2);
    let name = "edits of notes of 10 KB, 2 connections, p50, index on / off";
    if !table.wants(name) {
        return Ok(());
    }
    let (with, without) = (bench_folder.temporary()?, bench_folder.temporary()?);
    let start = |folder: &Path, indexing| -> Result<(Served, Load), Box<dyn Error>> {
        let served = Served::start_with(&file_in(folder), indexing)?;
        let mut prose = Prose::new(SEED);
        let mut sources = Vec::new();
        for _ in 0..CONNECTIONS {
            let paths = (0..NOTES).map(|_| create(&served, &prose.text(BYTES))).collect::<Result<Vec<_>, _>>()?;
            sources.push(editing(served.requests.clone(), paths));
        }
        let load = Load::connect(served.running.address, sources)?;
        Ok((served, load))
    };
    let (_indexed, mut on) = start(with.path(), Indexing::Here)?;
    let (_plain, mut off) = start(without.path(), Indexing::Elsewhere)?;
    let medians =
        in_turns(5, || Ok(on.run(ROUND)?.median().as_secs_f64()), || Ok(off.run(ROUND)?.median().as_secs_f64()))?;
    Ok(table.judged_times(name, medians, Longest::Times(BAR))?)
}

fn create(served: &Served, text: &str) -> Result<String, Box<dyn Error>> {
    let mut request = Vec::new();
    served.requests.send(&mut request, "POST", "/notes", &new_note("edited", &[], text));
    let answer: Value = serde_json::from_str(&send_request(served.running.address, &request)?)?;
    let id = answer["id"].as_str().ok_or("a note without an id")?;
    Ok(format!("/notes/{id}/content?include_content=false"))
}

/// Gives the notes another first line, one after the other.
fn editing(requests: RequestWriter, paths: Vec<String>) -> Requests {
    let mut turn = 0;
    Box::new(move |request| {
        turn += 1;
        let operation = json!({ "start_line": 1, "end_line": 1, "content": format!("seen by {turn}\n") });
        requests.send(request, "PATCH", &paths[turn % paths.len()], &json!({ "operations": [operation] }).to_string());
    })
}
