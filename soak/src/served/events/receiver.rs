//! An address that webhooks lead to.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::{Context as _, ensure};
use serde::Deserialize;
use serde_json::json;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Runtime;
use tokio::task::JoinHandle;

use super::super::client::Client;

/// A server that answers nothing but webhooks, or nothing at all; it ends when this value goes.
pub(super) struct Receiver {
    pub(super) address: SocketAddr,
    told: Arc<Mutex<Told>>,
    accepting: JoinHandle<()>,
}

/// How requests are answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// With 204.
    Thanks,
    /// They are read, and that is all.
    Never,
}

/// What was told.
#[derive(Clone, Debug, Default)]
pub(super) struct Told {
    /// For each path, item and version, the numbers of the deliveries that told of it, each time.
    pub(super) versions: BTreeMap<(String, String, u64), Vec<u64>>,
    /// How many requests came.
    pub(super) requests: usize,
    /// Those that were no events.
    pub(super) strange: usize,
}

#[derive(Deserialize)]
struct Event {
    delivery: u64,
    event: String,
    id: String,
    version: u64,
}

impl Receiver {
    pub(super) fn start(runtime: &Runtime, answer: Answer) -> anyhow::Result<Receiver> {
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0"))?;
        let address = listener.local_addr()?;
        let told = Arc::new(Mutex::new(Told::default()));
        let shared = Arc::clone(&told);
        let accepting = runtime.spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let told = Arc::clone(&shared);
                // A connection that breaks is the end of it.
                tokio::spawn(async move { drop(serve(stream, answer, &told).await) });
            }
        });
        Ok(Receiver { address, told, accepting })
    }

    /// Makes a webhook that leads to a path here.
    pub(super) fn register(&self, client: &mut Client, path: &str) -> anyhow::Result<()> {
        let made = client.send("POST", "/webhooks", &json!({"url": format!("http://{}{path}", self.address)}))?;
        ensure!(made.status == 201, "no webhook: {made:?}");
        Ok(())
    }

    pub(super) fn told(&self) -> MutexGuard<'_, Told> {
        lock(&self.told)
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

fn lock(told: &Mutex<Told>) -> MutexGuard<'_, Told> {
    told.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn serve(stream: TcpStream, answer: Answer, told: &Mutex<Told>) -> anyhow::Result<()> {
    let mut stream = BufReader::new(stream);
    loop {
        let (path, body) = request(&mut stream).await?;
        {
            let mut told = lock(told);
            told.requests += 1;
            match serde_json::from_slice::<Event>(&body).ok().filter(|event| event.event == "item.updated") {
                Some(event) => told.versions.entry((path, event.id, event.version)).or_default().push(event.delivery),
                None => told.strange += 1,
            }
        }
        match answer {
            Answer::Thanks => stream.get_mut().write_all(b"HTTP/1.1 204 No Content\r\n\r\n").await?,
            Answer::Never => std::future::pending().await,
        }
    }
}

/// The path and the body of the next request.
async fn request(stream: &mut BufReader<TcpStream>) -> anyhow::Result<(String, Vec<u8>)> {
    let first = line(stream).await?;
    let path = first.split(' ').nth(1).context("no path")?.to_owned();
    let mut length = 0;
    loop {
        let line = line(stream).await?;
        if line.is_empty() {
            let mut body = vec![0; length];
            stream.read_exact(&mut body).await?;
            return Ok((path, body));
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().context("no length")?;
        }
    }
}

async fn line(stream: &mut BufReader<TcpStream>) -> anyhow::Result<String> {
    let mut line = String::new();
    ensure!(stream.read_line(&mut line).await? > 0, "there is no more");
    Ok(line.trim_end().to_owned())
}
