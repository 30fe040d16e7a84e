//! Group `process`: the command as a process, its start-up time, memory and size.

use std::error::Error;
use std::fs;
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::command_line;
use super::http::{LARGE, READ, SMALL, mixing, reading};
use crate::load::{Load, send_request};
use crate::measure::middle;
use crate::requests::RequestWriter;
use crate::store::{BenchFolder, Filling, cached, file_in, fill, ids};
use crate::table::{JUDGED, JudgedRow, Table, megabytes, millis};

const STARTS: usize = 11;
/// How long a start may take before it is given up.
const PATIENCE: Duration = Duration::from_secs(10);
/// Between two attempts to reach a server that is starting.
const PAUSE: Duration = Duration::from_micros(200);
const MANY: Filling = Filling { items: 100_000, bytes: 200 };
const CONNECTIONS: usize = 64;

pub(super) fn run(rows: &str) -> Result<(), Box<dyn Error>> {
    let bench_folder = BenchFolder::in_user_cache()?;
    let mut table = Table::new(rows, "## The command", JUDGED);
    let binary = binary()?;
    let size = fs::metadata(&binary)?.len() as f64;
    memory(&mut table, "release binary", 30e6, || Ok(size))?;
    starts(&mut table, "start to first answer, empty store, p50", Duration::from_millis(50), || {
        let folder = bench_folder.temporary()?;
        Ok(Served::start(&binary, folder.path())?.0)
    })?;
    let many = cached(&bench_folder, MANY)?;
    starts(&mut table, "start to first answer, 100,000 items, p50", Duration::from_millis(150), || {
        Ok(Served::start(&binary, &many)?.0)
    })?;
    command_line::rows(&mut table, &binary, &bench_folder)?;
    memory(&mut table, "anonymous memory after the first answer", 30e6, || {
        Served::start(&binary, bench_folder.temporary()?.path())?.1.anonymous()
    })?;
    let name = "anonymous memory, 64 connections: 80 % reads of 2 KB, 20 % creates";
    memory(&mut table, name, 150e6, || serving(&binary, &bench_folder, SMALL))?;
    let name = "anonymous memory, 64 connections: reads of 100 KB";
    memory(&mut table, name, 150e6, || serving(&binary, &bench_folder, LARGE))
}

/// The command beside this program, which `just bench` builds with it.
pub(super) fn binary() -> Result<PathBuf, Box<dyn Error>> {
    let binary = std::env::current_exe()?.with_file_name("interline");
    if binary.exists() {
        Ok(binary)
    } else {
        Err(format!("{}: build it first: cargo build --release -p interline", binary.display()).into())
    }
}

/// The median of starts, each of which says how long it took.
pub(super) fn starts(
    table: &mut Table<'_>,
    name: &str,
    bar: Duration,
    start: impl Fn() -> Result<Duration, Box<dyn Error>>,
) -> Result<(), Box<dyn Error>> {
    if !table.wants(name) {
        return Ok(());
    }
    start()?;
    let times = (0..STARTS).map(|_| Ok(start()?.as_secs_f64())).collect::<Result<Vec<_>, Box<dyn Error>>>()?;
    let median = Duration::from_secs_f64(middle(times));
    table.judged(
        name,
        JudgedRow {
            figure: millis(median),
            beside: String::new(),
            ratio: String::new(),
            bar: format!("≤ {}", millis(bar)),
            passes: median <= bar,
        },
    )?;
    Ok(())
}

fn memory(
    table: &mut Table<'_>,
    name: &str,
    bar: f64,
    bytes: impl FnOnce() -> Result<f64, Box<dyn Error>>,
) -> Result<(), Box<dyn Error>> {
    if !table.wants(name) {
        return Ok(());
    }
    let bytes = bytes()?;
    table.judged(
        name,
        JudgedRow {
            figure: megabytes(bytes),
            beside: String::new(),
            ratio: String::new(),
            bar: format!("≤ {}", megabytes(bar)),
            passes: bytes <= bar,
        },
    )?;
    Ok(())
}

/// The most memory while 64 connections ask as fast as they can, looked at between the rounds.
fn serving(binary: &Path, bench_folder: &BenchFolder, read: Filling) -> Result<f64, Box<dyn Error>> {
    let folder = bench_folder.temporary()?;
    let file = file_in(folder.path());
    fill(&file, read)?;
    let ids = ids(&file, read.bytes, READ)?;
    let (_, served) = Served::start(binary, folder.path())?;
    let sources = if read.bytes == SMALL.bytes {
        mixing(&voice(), &ids, CONNECTIONS)
    } else {
        reading(&voice(), &ids, CONNECTIONS)
    };
    let mut load = Load::connect(served.address, sources)?;
    let mut most = 0.0;
    for _ in 0..10 {
        load.run(Duration::from_millis(300))?;
        most = served.anonymous()?.max(most);
    }
    Ok(most)
}

/// Everybody is the owner: no token is needed.
fn voice() -> RequestWriter {
    RequestWriter { token: "none".to_owned() }
}

/// The command, serving. Dropping it ends it.
struct Served {
    child: Child,
    address: SocketAddr,
}

impl Served {
    /// Starts it over a data directory; how long it took to the first answer.
    fn start(binary: &Path, data: &Path) -> Result<(Duration, Served), Box<dyn Error>> {
        let address = TcpListener::bind("127.0.0.1:0")?.local_addr()?;
        let mut request = Vec::new();
        voice().get(&mut request, "/notes?limit=1");
        let begin = Instant::now();
        let child = Command::new(binary)
            // No line for each request: what is measured is the server, not its log.
            .args(["serve", "--auth", "none", "--log", "warn", "--listen", &address.to_string(), "--data-dir"])
            .arg(data)
            .stdout(Stdio::null())
            .spawn()?;
        let served = Served { child, address };
        loop {
            match send_request(address, &request) {
                Ok(_) => return Ok((begin.elapsed(), served)),
                Err(error) if begin.elapsed() > PATIENCE => return Err(error.into()),
                Err(_) => std::thread::park_timeout(PAUSE),
            }
        }
    }

    /// Bytes of memory that is in no file.
    fn anonymous(&self) -> Result<f64, Box<dyn Error>> {
        let told = fs::read_to_string(format!("/proc/{}/smaps_rollup", self.child.id()))?;
        let line = told.split('\n').find_map(|line| line.strip_prefix("Anonymous:")).ok_or("no such line")?;
        let kilobytes: f64 = line.trim().trim_end_matches("kB").trim().parse()?;
        Ok(kilobytes * 1024.0)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // By its signal, so that it leaves its store tidy.
        let asked = Command::new("kill").arg(self.child.id().to_string()).status();
        if !asked.is_ok_and(|status| status.success()) {
            let _ = self.child.kill();
        }
        let _ = self.child.wait();
    }
}
