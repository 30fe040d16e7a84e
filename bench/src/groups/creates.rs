//! Group `creates`: new notes over REST beside *bare*.

use std::error::Error;
use std::time::Duration;

use interline_storage::Counters;

use super::edits::beside_bare;
use crate::load::{Load, LoadResult, Requests};
use crate::measure::in_turns;
use crate::requests::new_note;
use crate::servers::Served;
use crate::store::{Bare, BareNote, BenchFolder, file_in};
use crate::table::{JUDGED, Table, verdict};
use crate::texts::source;

const ROUNDS: usize = 9;
const ROUND: Duration = Duration::from_millis(500);
const BYTES: usize = 2_000;
const TITLE: &str = "what the cursor keeps";
const TAGS: &[&str] = &["bench", "notes"];

pub(super) fn run(rows: &str) -> Result<(), Box<dyn Error>> {
    let bench_folder = BenchFolder::in_user_cache()?;
    let mut table = Table::new(rows, "## Durable writes over REST", JUDGED);
    for connections in [2, 64] {
        let name = format!("create a note of 2 KB, {connections} connections");
        if table.wants(&name) {
            create(&mut table, &bench_folder, &name, connections)?;
        }
    }
    Ok(())
}

fn create(
    table: &mut Table<'_>,
    bench_folder: &BenchFolder,
    name: &str,
    connections: usize,
) -> Result<(), Box<dyn Error>> {
    let (folder, bare_folder) = (bench_folder.temporary()?, bench_folder.temporary()?);
    let served = Served::start(&file_in(folder.path()))?;
    let mut bare = Bare::open(&file_in(bare_folder.path()))?;
    let text = source(BYTES, 5);
    let body = new_note(TITLE, TAGS, &text);
    let creating = |_| -> Requests {
        let (requests, body) = (served.requests.clone(), body.clone());
        Box::new(move |request| requests.send(request, "POST", "/notes?include_content=false", &body))
    };
    let before = served.store.counters();
    let mut load = Load::connect(served.running.address, (0..connections).map(creating).collect())?;
    let note = BareNote { title: TITLE, tags: TAGS, text: &text };
    let by_hand = || Ok(LoadResult::measure(ROUND, || bare.create(note).map(drop))?.rate());
    let rates = in_turns(ROUNDS, || Ok(load.run(ROUND)?.rate()), by_hand)?;
    beside_bare(table, &format!("{name} / bare"), rates)?;
    syncs_each(table, name, before, served.store.counters(), None)
}

/// How often the disk was synced for each write between two counts, and how often it may be.
pub(super) fn syncs_each(
    table: &mut Table<'_>,
    name: &str,
    before: Counters,
    after: Counters,
    bar: Option<f64>,
) -> Result<(), Box<dyn Error>> {
    let writes = after.acknowledged - before.acknowledged;
    let each = (after.commits - before.commits) as f64 / writes as f64;
    let verdict = bar.map_or(String::new(), |bar| verdict(each <= bar));
    let bar = bar.map_or(String::new(), |bar| format!("≤ {bar}"));
    let cells = [format!("{each:.3}"), writes.to_string(), String::new(), bar, verdict];
    Ok(table.row(&format!("{name}: syncs for each / acknowledged writes"), &cells)?)
}
