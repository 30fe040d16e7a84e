//! Group `changes`: the inbox of a reviewer over many change sets of agents, and the net diff of a long set.

use std::error::Error;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use interline_items::{
    AttributionRequest, ChangeSetId, EditRequest, InsertAt, Interline, ItemDraft, ItemRef, Kind, LinePatch, Source,
    Store, TextChange, UserId,
};
use interline_storage::SqliteStore;
use tokio::task::JoinSet;
use uuid::Uuid;

use super::code_postgres::{Database, SERVER};
use crate::load::{Load, Requests, send_request};
use crate::requests::RequestWriter;
use crate::servers::{ServedStore, error_message, runtime};
use crate::store::{BenchFolder, file_in};
use crate::table::{JUDGED, JudgedRow, Table, millis};
use crate::texts::source;

/// Sets that nobody has decided about.
const SETS: usize = 10_000;
/// Clients that make them at the same time.
const CLIENTS: usize = 64;
/// Each set makes a note, and changes one that many others change too.
const SHARED_NOTES: usize = 10;
/// The long set: so many edits of a note of so many bytes.
const EDITS: usize = 100;
const LENGTH: usize = 1_000_000;
const ROUND: Duration = Duration::from_secs(2);

const REQUESTS: [(&str, &str, u64); 3] = [
    ("GET /changes?state=unreviewed over 10,000 sets, p50", "/changes?state=unreviewed", 10),
    ("GET /users/me, which counts 10,000 sets, p50", "/users/me", 10),
    ("net diff of a set of 100 edits of a note of 1 MB, p50", "", 50),
];

pub(super) fn run(rows: &str) -> Result<(), Box<dyn Error>> {
    let mut table = Table::new(rows, "## Change sets", JUDGED);
    if !REQUESTS.iter().any(|(name, _, _)| table.wants(&format!("SQLite: {name}"))) && !table.wants("PostgreSQL") {
        return Ok(());
    }
    let folder = BenchFolder::in_user_cache()?.temporary()?;
    measure(&mut table, "SQLite", Arc::new(SqliteStore::open(&file_in(folder.path()))?))?;
    #[expect(clippy::disallowed_methods, reason = "this is a command line too")]
    let Ok(server) = std::env::var(SERVER) else { return Ok(()) };
    let connections = runtime("interline-postgres")?;
    let database = connections.block_on(Database::empty(&server))?;
    let store = connections.block_on(database.open())?;
    let measured = measure(&mut table, "PostgreSQL", store);
    connections.block_on(database.remove())?;
    measured
}

fn measure(table: &mut Table<'_>, storage: &str, store: Arc<dyn Store>) -> Result<(), Box<dyn Error>> {
    let served = ServedStore::start(store)?;
    let (address, requests) = (served.running.address, &served.requests);
    let long_set = runtime("interline-first")?.block_on(prepare(&served.interline))?;
    for (name, path, bar) in REQUESTS {
        let (name, bar) = (format!("{storage}: {name}"), Duration::from_millis(bar));
        if !table.wants(&name) {
            continue;
        }
        let path = if path.is_empty() { format!("/changes/{long_set}") } else { path.to_owned() };
        let median = median(address, requests, &path)?;
        let row = JudgedRow {
            figure: millis(median),
            beside: String::new(),
            ratio: String::new(),
            bar: format!("≤ {}", millis(bar)),
            passes: median <= bar,
        };
        table.judged(&name, row)?;
    }
    Ok(())
}

/// How long a read takes, over and over on one connection.
fn median(address: SocketAddr, requests: &RequestWriter, path: &str) -> Result<Duration, Box<dyn Error>> {
    let mut request = Vec::new();
    requests.get(&mut request, path);
    // What it says is looked at once: that there is something in it.
    let answer = send_request(address, &request)?;
    if !answer.contains("unreviewed") {
        return Err(format!("{path} says {answer}").into());
    }
    let (requests, path) = (requests.clone(), path.to_owned());
    let source: Requests = Box::new(move |request| requests.get(request, &path));
    let mut load = Load::connect(address, vec![source])?;
    load.run(ROUND / 4)?;
    Ok(load.run(ROUND)?.median())
}

/// Makes the sets; the one of many edits is the newest.
async fn prepare(interline: &Interline) -> Result<ChangeSetId, Box<dyn Error>> {
    let owner = interline.owner().await.map_err(error_message)?.id;
    let caller = interline.trusted(owner, Source::Cli).await.map_err(error_message)?;
    let mut shared = Vec::new();
    for _ in 0..SHARED_NOTES {
        shared.push(interline.create(&caller, Kind::Note, draft("shared\n")).await.map_err(error_message)?.item.id);
    }
    let mut clients: JoinSet<Result<(), String>> = JoinSet::new();
    for client in 0..CLIENTS {
        let (interline, shared) = (interline.clone(), shared.clone());
        clients.spawn(async move {
            for number in (client..SETS).step_by(CLIENTS) {
                let shared = ItemRef::Id(shared[number % SHARED_NOTES], None);
                small_set(&interline, owner, shared).await.map_err(error_message)?;
            }
            Ok(())
        });
    }
    clients.join_all().await.into_iter().collect::<Result<(), String>>()?;
    long_set(interline, owner).await.map_err(|error| error_message(error).into())
}

/// A set that makes a note and changes another.
async fn small_set(interline: &Interline, owner: UserId, shared: ItemRef) -> Result<(), interline_items::Error> {
    let agent = interline.trusted(owner, Source::McpContent).await?;
    begin_set(interline, &agent).await?;
    interline.create(&agent, Kind::Note, draft("made by an agent\n")).await?;
    interline.edit(&agent, &shared, appending("more\n")).await?;
    Ok(())
}

async fn long_set(interline: &Interline, owner: UserId) -> Result<ChangeSetId, interline_items::Error> {
    let text = source(LENGTH, 5);
    let lines = text.split('\n').count() - 1;
    let caller = interline.trusted(owner, Source::Cli).await?;
    let made = interline.create(&caller, Kind::Note, draft(&text)).await?.item;
    let agent = interline.trusted(owner, Source::McpContent).await?;
    let set = begin_set(interline, &agent).await?;
    for number in 0..EDITS {
        let line = (number * 37 % EDITS) * (lines / EDITS) + 1;
        let patch = LinePatch { start_line: line, end_line: line, content: format!("edit {number}\n"), expect: None };
        let change = TextChange::Patch(vec![patch]);
        interline.edit(&agent, &ItemRef::Id(made.id, None), EditRequest::new(change)).await?;
    }
    Ok(set)
}

/// Gives the writes of a caller a set of their own.
async fn begin_set(
    interline: &Interline,
    caller: &interline_items::Caller,
) -> Result<ChangeSetId, interline_items::Error> {
    let set = ChangeSetId::from_uuid(Uuid::now_v7());
    interline.attribute(caller, AttributionRequest { change_set: Some(set), ..AttributionRequest::default() }).await?;
    Ok(set)
}

fn draft(text: &str) -> ItemDraft {
    ItemDraft { title: Some("note".to_owned()), content: Some(text.to_owned()), ..ItemDraft::default() }
}

fn appending(text: &str) -> EditRequest {
    EditRequest::new(TextChange::Insert { at: InsertAt::End, new_str: text.to_owned() })
}
