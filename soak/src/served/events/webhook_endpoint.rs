//! An endpoint that receives the deliveries of webhooks.

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
pub(super) struct WebhookEndpoint {
    pub(super) address: SocketAddr,
    received: Arc<Mutex<ReceivedDeliveries>>,
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

/// What was received.
#[derive(Clone, Debug, Default)]
pub(super) struct ReceivedDeliveries {
    /// For each path, item and version, the numbers of the deliveries that received of it, each time.
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

impl WebhookEndpoint {
    pub(super) fn start(runtime: &Runtime, answer: Answer) -> anyhow::Result<WebhookEndpoint> {
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0"))?;
        let address = listener.local_addr()?;
        let received = Arc::new(Mutex::new(ReceivedDeliveries::default()));
        let shared = Arc::clone(&received);
        let accepting = runtime.spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let received = Arc::clone(&shared);
                // A connection that breaks is the end of it.
                tokio::spawn(async move { drop(serve(stream, answer, &received).await) });
            }
        });
        Ok(WebhookEndpoint { address, received, accepting })
    }

    /// Makes a webhook that leads to a path here.
    pub(super) fn register(&self, client: &mut Client, path: &str) -> anyhow::Result<()> {
        let made = client.send("POST", "/webhooks", &json!({"url": format!("http://{}{path}", self.address)}))?;
        ensure!(made.status == 201, "no webhook: {made:?}");
        Ok(())
    }

    pub(super) fn received(&self) -> MutexGuard<'_, ReceivedDeliveries> {
        lock(&self.received)
    }
}

impl Drop for WebhookEndpoint {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

fn lock(received: &Mutex<ReceivedDeliveries>) -> MutexGuard<'_, ReceivedDeliveries> {
    received.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn serve(stream: TcpStream, answer: Answer, received: &Mutex<ReceivedDeliveries>) -> anyhow::Result<()> {
    let mut stream = BufReader::new(stream);
    loop {
        let (path, body) = request(&mut stream).await?;
        {
            let mut received = lock(received);
            received.requests += 1;
            match serde_json::from_slice::<Event>(&body).ok().filter(|event| event.event == "item.updated") {
                Some(event) => {
                    received.versions.entry((path, event.id, event.version)).or_default().push(event.delivery);
                }
                None => received.strange += 1,
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
