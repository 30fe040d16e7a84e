//! Group `module`: a precise change of a long module over REST: search, read lines, patch.

use std::error::Error;
use std::net::SocketAddr;
use std::time::Duration;

use interline_python::SdkName;
use serde_json::{Value, json};

use super::python::{module, parsed};
use crate::load::{Load, LoadResult, Requests, send_request};
use crate::measure::in_turns;
use crate::requests::RequestWriter;
use crate::servers::Served;
use crate::store::{Bare, BareNote, BenchFolder, file_in};
use crate::table::{JUDGED, JudgedRow, Longest, Table, megabytes, millis};

const ROUNDS: usize = 7;
const ROUND: Duration = Duration::from_millis(500);
const PATH: &str = "long.py";
/// About as much as a record keeps of a passage that was replaced.
const UNDO: &[u8] = &[b'u'; 60];

pub(super) fn run(rows: &str) -> Result<(), Box<dyn Error>> {
    let mut table = Table::new(rows, "## A module of 4 MB over REST", JUDGED);
    let names = [
        "search in a module of 4 MB, p50",
        "read 100 lines of a module of 4 MB, p50",
        "patch a module of 4 MB, p50 / the parser alone and two bare commits",
        "bytes of search, read and patch / of the whole file, both ways",
    ];
    if !names.iter().any(|name| table.wants(name)) {
        return Ok(());
    }
    let [searching, reading, patching, bytes] = names;
    let bench_folder = BenchFolder::in_user_cache()?;
    let folder = bench_folder.temporary()?;
    let served = Served::start(&file_in(folder.path()))?;
    let text = format!("{}{}", mark(0), module(&SdkName::default())?);
    let (address, requests) = (served.running.address, &served.requests);
    let whole = exchanged_bytes(address, requests, "replace", &json!({ "content": text }))?;
    for (name, line, body, bar) in
        [(searching, "search", search(), 50), (reading, "read", json!({ "start_line": 60_000, "end_line": 60_100 }), 5)]
    {
        if table.wants(name) {
            let mut load = Load::connect(address, vec![always(requests.clone(), line, &body)])?;
            load.run(ROUND)?;
            let (median, bar) = (load.run(ROUND * 4)?.median(), Duration::from_millis(bar));
            let row = JudgedRow {
                figure: millis(median),
                beside: String::new(),
                ratio: String::new(),
                bar: format!("≤ {}", millis(bar)),
                passes: median <= bar,
            };
            table.judged(name, row)?;
        }
    }
    if table.wants(bytes) {
        let mut sent = exchanged_bytes(address, requests, "search", &search())?;
        sent += exchanged_bytes(address, requests, "read", &json!({ "start_line": 1, "end_line": 100 }))?;
        sent += exchanged_bytes(address, requests, "patch", &patch(0))?;
        exchanged_bytes(address, requests, "patch", &json!({ "old_string": mark(1), "new_string": mark(0) }))?;
        let (sent, whole) = (sent as f64, (whole + text.len()) as f64);
        let saved = 1.0 - sent / whole;
        let row = JudgedRow {
            figure: format!("{sent:.0} B"),
            beside: megabytes(whole),
            ratio: format!("{:.2} % saved", saved * 100.0),
            bar: "≥ 99 %".to_owned(),
            passes: saved >= 0.99,
        };
        table.judged(bytes, row)?;
    }
    if table.wants(patching) { patched(&mut table, patching, &bench_folder, &served, &text) } else { Ok(()) }
}

/// An edit beside what it cannot do without: to see that the text is Python, and to have it on disk, where *bare* has it.
fn patched(
    table: &mut Table<'_>,
    name: &str,
    bench_folder: &BenchFolder,
    served: &Served,
    text: &str,
) -> Result<(), Box<dyn Error>> {
    let bare_folder = bench_folder.temporary()?;
    let mut bare = Bare::open(&file_in(bare_folder.path()))?;
    let mut item = bare.create(BareNote { title: PATH, tags: &[], text })?;
    let (requests, mut state) = (served.requests.clone(), 0);
    let source: Requests = Box::new(move |request| {
        requests.send(request, "POST", "/code/patch", &with_file(&patch(state)));
        state += 1;
    });
    let mut load = Load::connect(served.running.address, vec![source])?;
    let parse = || -> Result<(), std::io::Error> {
        if parsed(text) { Ok(()) } else { Err(std::io::Error::other("no Python")) }
    };
    let medians = in_turns(
        ROUNDS,
        || Ok(load.run(ROUND * 2)?.median().as_secs_f64()),
        || {
            let parsing = LoadResult::measure(ROUND, parse)?.median();
            let commit = LoadResult::measure(ROUND, || bare.edit(&mut item, text, UNDO))?.median();
            Ok((parsing + commit * 2).as_secs_f64())
        },
    )?;
    Ok(table.judged_times(name, medians, Longest::Times(1.0))?)
}

/// The first line of the module, which each patch makes another.
fn mark(state: u32) -> String {
    format!("# \"the mark\" was seen by the {state:07}th reader\n")
}

fn patch(state: u32) -> Value {
    json!({ "old_string": mark(state), "new_string": mark(state + 1) })
}

fn search() -> Value {
    json!({ "pattern": "the mark\" was seen", "literal": true })
}

fn with_file(body: &Value) -> String {
    let mut body = body.clone();
    body["entity_type"] = "module".into();
    body["path"] = PATH.into();
    body.to_string()
}

/// The same request, over and over.
fn always(requests: RequestWriter, line: &'static str, body: &Value) -> Requests {
    let body = with_file(body);
    Box::new(move |request| requests.send(request, "POST", &format!("/code/{line}"), &body))
}

/// How many bytes a request and the body of its answer are.
fn exchanged_bytes(
    address: SocketAddr,
    requests: &RequestWriter,
    line: &str,
    body: &Value,
) -> Result<usize, Box<dyn Error>> {
    let mut request = Vec::new();
    requests.send(&mut request, "POST", &format!("/code/{line}"), &with_file(body));
    Ok(request.len() + send_request(address, &request)?.len())
}
