//! Group `growth`: the same requests on a store of 1,000 small items and on one of 1,000,000.

use std::error::Error;
use std::time::Duration;

use serde_json::json;

use super::http::reading;
use crate::load::{Load, Requests};
use crate::measure::in_turns;
use crate::servers::Served;
use crate::store::{BenchFolder, Filling, cached, file_in, ids};
use crate::table::{JUDGED, Longest, Table};
use crate::texts::Dice;

const ROUNDS: usize = 15;
const ROUND: Duration = Duration::from_millis(300);
const FEW: Filling = Filling { items: 1_000, bytes: 200 };
const MANY: Filling = Filling { items: 1_000_000, bytes: 200 };
/// Items that are read, from all over the store: as many as the small one has.
const SOME: usize = 1_000;
/// Items that are used, from all over the store: too many for any cache of Interline's own.
const USED: usize = 100_000;
const BAR: f64 = 1.3;
const CONNECTIONS: usize = 2;

pub(super) fn run(rows: &str) -> Result<(), Box<dyn Error>> {
    let mut table = Table::new(rows, "## 1,000,000 items beside 1,000", JUDGED);
    let names @ [some, all, edit] = [
        "GET one of 1,000 items from all over, 2 connections, p50 / small store",
        "GET one of 100,000 items from all over, 2 connections, p50 / small store",
        "replace a line of one of 100,000, 2 connections, p50 / small store",
    ];
    if !names.into_iter().any(|name| table.wants(name)) {
        return Ok(());
    }
    let bench_folder = BenchFolder::in_user_cache()?;
    let (many, few) = (ServedStore::open(&bench_folder, MANY)?, ServedStore::open(&bench_folder, FEW)?);
    row(&mut table, some, (&many, &few), |stock| reading(&stock.served.requests, &stock.some(), CONNECTIONS))?;
    row(&mut table, all, (&many, &few), |stock| reading(&stock.served.requests, &stock.ids, CONNECTIONS))?;
    row(&mut table, edit, (&many, &few), |stock| (0..CONNECTIONS).map(|connection| stock.editing(connection)).collect())
}

fn row(
    table: &mut Table<'_>,
    name: &str,
    (many, few): (&ServedStore, &ServedStore),
    sources: impl Fn(&ServedStore) -> Vec<Requests>,
) -> Result<(), Box<dyn Error>> {
    if !table.wants(name) {
        return Ok(());
    }
    let connect = |stock: &ServedStore| Load::connect(stock.served.running.address, sources(stock));
    let (mut in_many, mut in_few) = (connect(many)?, connect(few)?);
    let medians = in_turns(
        ROUNDS,
        || Ok(in_many.run(ROUND)?.median().as_secs_f64()),
        || Ok(in_few.run(ROUND)?.median().as_secs_f64()),
    )?;
    Ok(table.judged_times(name, medians, Longest::Times(BAR))?)
}

/// A store that is served, and some of what is in it.
struct ServedStore {
    served: Served,
    ids: Vec<String>,
}

impl ServedStore {
    fn open(bench_folder: &BenchFolder, filling: Filling) -> Result<ServedStore, Box<dyn Error>> {
        let file = file_in(&cached(bench_folder, filling)?);
        Ok(ServedStore { ids: ids(&file, filling.bytes, USED)?, served: Served::start(&file)? })
    }

    /// As many of the items as the small store has.
    fn some(&self) -> Vec<String> {
        let step = (self.ids.len() / SOME).max(1);
        self.ids.iter().step_by(step).cloned().collect()
    }

    /// Gives items in no order another first line; each connection has its own half of them.
    fn editing(&self, connection: usize) -> Requests {
        let path = |id: &String| format!("/notes/{id}/content?include_content=false");
        let paths: Vec<String> = self.ids.iter().skip(connection).step_by(CONNECTIONS).map(path).collect();
        let (requests, mut dice) = (self.served.requests.clone(), Dice::new(connection as u64));
        Box::new(move |request| {
            let line = format!("seen by {:010}\n", dice.below(u32::MAX));
            let operation = json!({ "start_line": 1, "end_line": 1, "content": line });
            requests.send(request, "PATCH", dice.pick_of(&paths), &json!({ "operations": [operation] }).to_string());
        })
    }
}
