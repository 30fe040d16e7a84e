//! Group `foreign`: how long a 404 takes for a long item of another user, beside one for an id that does not exist.

use std::error::Error;
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};

use interline_items::{
    EditRequest, InsertAt, Interline, ItemDraft, ItemRef, Kind, Rank, Source, Store, TextChange, UserDraft,
};
use interline_storage::SqliteStore;
use uuid::Uuid;

use super::code_postgres::{Database, SERVER};
use crate::measure::middle;
use crate::requests::RequestWriter;
use crate::servers::{ServedStore, error_message, runtime};
use crate::store::{BenchFolder, file_in};
use crate::table::{JUDGED, JudgedRow, Table, millis, times};
use crate::texts::source;

/// How long the item of the other user is.
const LENGTH: usize = 7_000_000;
const ROUNDS: usize = 300;
/// By how much more the one may take than the other: a share, or a time.
const MORE: (f64, Duration) = (1.1, Duration::from_micros(100));

/// Requests about one item; `{}` is its id.
const ROUTES: [(&str, &str, &str); 12] = [
    ("GET", "/notes/{}", ""),
    ("GET", "/notes/{}?include_content=false", ""),
    ("GET", "/notes/{}?start_line=1&end_line=2", ""),
    ("GET", "/notes/{}/search?q=wool", ""),
    ("GET", "/notes/{}/history", ""),
    ("GET", "/notes/{}/history/1", ""),
    ("GET", "/notes/{}/history/2/diff", ""),
    ("PATCH", "/notes/{}", r#"{"title": "x"}"#),
    ("PATCH", "/notes/{}/str-replace", r#"{"old_str": "wool", "new_str": "x"}"#),
    ("POST", "/notes/{}/insert", r#"{"at": "end", "new_str": "x"}"#),
    ("POST", "/notes/{}/history/1/restore", "{}"),
    ("POST", "/notes/{}/archive", ""),
];

pub(super) fn run(rows: &str) -> Result<(), Box<dyn Error>> {
    let mut table = Table::new(rows, "## 404 for a 7 MB item of another user / for an id that does not exist", JUDGED);
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
    let (foreign, stranger) = runtime("interline-first")?.block_on(prepare(&served.interline))?;
    let requests = RequestWriter { token: stranger };
    let mut client = Client::connect(served.running.address)?;
    for (method, path, body) in ROUTES {
        let name = format!("{storage}: {method} {path}");
        if !table.wants(&name) {
            continue;
        }
        let request = |id: &str| {
            let mut request = Vec::new();
            match (body, path.replace("{}", id)) {
                ("", path) if method == "GET" => requests.get(&mut request, &path),
                (body, path) => requests.send(&mut request, method, &path, body),
            }
            request
        };
        let [subject, reference] = client.medians(&request(&foreign), &request(&Uuid::now_v7().to_string()))?;
        let (share, time) = MORE;
        table.judged(
            &name,
            JudgedRow {
                figure: millis(subject),
                beside: millis(reference),
                ratio: times(subject.as_secs_f64() / reference.as_secs_f64()),
                bar: format!("{} or + {}", times(share), millis(time)),
                passes: subject <= reference.mul_f64(share) || subject <= reference + time,
            },
        )?;
    }
    Ok(())
}

/// Makes the item, with two versions, and another user; the item's id, and the secret of that user.
async fn prepare(interline: &Interline) -> Result<(String, String), Box<dyn Error>> {
    let owner = interline.owner().await.map_err(error_message)?;
    let caller = interline.trusted(owner.id, Source::Cli).await.map_err(error_message)?;
    let draft = ItemDraft { title: Some("long".to_owned()), content: Some(source(LENGTH, 3)), ..ItemDraft::default() };
    let made = interline.create(&caller, Kind::Note, draft).await.map_err(error_message)?.item;
    let edit = EditRequest::new(TextChange::Insert { at: InsertAt::End, new_str: "more".to_owned() });
    interline.edit(&caller, &ItemRef::Id(made.id, None), edit).await.map_err(error_message)?;
    let draft = UserDraft { name: "stranger".to_owned(), email: None, rank: Rank::Member, organization: None };
    let (_, _, secret) = interline.create_user(&caller, draft).await.map_err(error_message)?;
    Ok((made.id.to_string(), secret.as_str().to_owned()))
}

/// A connection on which one request follows the other.
struct Client {
    stream: TcpStream,
    answer: Vec<u8>,
}

impl Client {
    fn connect(address: SocketAddr) -> Result<Client, Box<dyn Error>> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        Ok(Client { stream, answer: vec![0; 64 * 1024] })
    }

    /// The medians of the times that two requests take, in turns.
    fn medians(&mut self, subject: &[u8], reference: &[u8]) -> Result<[Duration; 2], Box<dyn Error>> {
        let mut seconds = [Vec::new(), Vec::new()];
        for round in 0..ROUNDS + 20 {
            for (request, seconds) in [subject, reference].into_iter().zip(&mut seconds) {
                let time = self.time(request)?;
                // The first are not counted: connections are made, statements prepared.
                if round >= 20 {
                    seconds.push(time.as_secs_f64());
                }
            }
        }
        Ok(seconds.map(|seconds| Duration::from_secs_f64(middle(seconds))))
    }

    /// How long a request takes that is answered with 404.
    fn time(&mut self, request: &[u8]) -> Result<Duration, Box<dyn Error>> {
        let sent = Instant::now();
        self.stream.write_all(request)?;
        let mut filled = 0;
        loop {
            let read = self.stream.read(&mut self.answer[filled..])?;
            filled += read;
            let answer = std::str::from_utf8(&self.answer[..filled])?;
            if read == 0 || !answer.starts_with("HTTP/1.1 404 ") {
                return Err(format!("the server said: {answer}").into());
            }
            let Some((head, body)) = answer.split_once("\r\n\r\n") else { continue };
            let length = head
                .split("\r\n")
                .find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length: ")?.parse().ok());
            if body.len() >= length.unwrap_or(0) {
                return Ok(sent.elapsed());
            }
        }
    }
}
