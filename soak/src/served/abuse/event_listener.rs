//! The bystander's listener: whether it hears of each edit, once, and how long after.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use futures_util::StreamExt as _;
use tokio::net::TcpStream;
use tokio::runtime::Runtime;
use tokio::task::JoinHandle;
use tokio::time::sleep;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::{WebSocketStream, client_async};

use super::super::events::listener::EventMessage;
use super::super::events::received_events::{EventFaults, ReceivedEvents};
use super::super::events::versioned_notes::VersionedNotes;
use super::super::process::wait;
use super::latency::Latencies;

/// Before another attempt to reach the server,
const PAUSE: Duration = Duration::from_millis(50);
/// and between two looks at what was received.
const LOOK: Duration = Duration::from_millis(2);

/// Somebody who listens until this value goes.
pub(super) struct EventListener {
    shared: Arc<Shared>,
    listening: JoinHandle<()>,
}

struct Shared {
    notes: Arc<VersionedNotes>,
    received: Mutex<ReceivedEvents>,
    delays: Mutex<Latencies>,
    is_connected: AtomicBool,
    /// How often the connection ended, which it should not.
    cuts: AtomicUsize,
}

impl EventListener {
    pub(super) fn start(
        runtime: &Runtime,
        notes: &Arc<VersionedNotes>,
        server: SocketAddr,
        token: &str,
    ) -> anyhow::Result<EventListener> {
        let shared = Arc::new(Shared {
            notes: Arc::clone(notes),
            received: Mutex::new(ReceivedEvents::after(notes.newest())),
            delays: Mutex::default(),
            is_connected: AtomicBool::new(false),
            cuts: AtomicUsize::new(0),
        });
        let listening = runtime.spawn(listen(Arc::clone(&shared), server, token.to_owned()));
        let listener = EventListener { shared, listening };
        let connected = until(super::bystander::PATIENCE, || listener.shared.is_connected.load(Ordering::Acquire));
        ensure!(connected, "the bystander cannot listen");
        Ok(listener)
    }

    /// Waits for the events of all edits, as long as that may take; the delays since the last call. An event that is
    /// still missing was waited for so long.
    pub(super) fn delays(&self, patience: Duration) -> Latencies {
        until(patience, || self.faults().missed == 0);
        let mut delays = std::mem::take(&mut *lock(&self.shared.delays));
        delays.add_missed(std::iter::repeat_n(patience, self.faults().missed));
        delays
    }

    pub(super) fn faults(&self) -> EventFaults {
        lock(&self.shared.received).faults(&self.shared.notes.newest())
    }

    pub(super) fn cuts(&self) -> usize {
        self.shared.cuts.load(Ordering::Acquire)
    }
}

impl Drop for EventListener {
    fn drop(&mut self) {
        self.listening.abort();
    }
}

async fn listen(shared: Arc<Shared>, server: SocketAddr, token: String) {
    let mut cursor = String::new();
    loop {
        if let Ok(socket) = connect(server, &token, &cursor).await {
            shared.is_connected.store(true, Ordering::Release);
            // How it ended does not matter: it should not.
            let _ = read(&shared, socket, &mut cursor).await;
            shared.cuts.fetch_add(1, Ordering::AcqRel);
        }
        sleep(PAUSE).await;
    }
}

async fn connect(server: SocketAddr, token: &str, cursor: &str) -> anyhow::Result<WebSocketStream<TcpStream>> {
    let since = if cursor.is_empty() { String::new() } else { format!("&since={cursor}") };
    let mut request = format!("ws://{server}/events?types=note{since}").into_client_request()?;
    request.headers_mut().insert("authorization", format!("Bearer {token}").parse()?);
    let stream = TcpStream::connect(server).await?;
    Ok(client_async(request, stream).await?.0)
}

/// Until the connection ends.
async fn read(shared: &Shared, mut socket: WebSocketStream<TcpStream>, cursor: &mut String) -> anyhow::Result<()> {
    while let Some(message) = socket.next().await {
        let Message::Text(text) = message? else { continue };
        let message: EventMessage<'_> = serde_json::from_str(&text).with_context(|| format!("no event: {text}"))?;
        message.cursor.clone_into(cursor);
        let note = shared.notes.find(message.id).filter(|_| message.event == "item.updated");
        lock(&shared.received).receive(note, message.version);
        if let Some(note) = note {
            // Who hears of it before its writer does has not waited.
            lock(&shared.delays).add(shared.notes.since(note, message.version).unwrap_or_default());
        }
    }
    Ok(())
}

/// Whether something comes to be in time.
fn until(patience: Duration, is_true: impl Fn() -> bool) -> bool {
    let began = Instant::now();
    while !is_true() {
        if began.elapsed() > patience {
            return false;
        }
        wait(LOOK);
    }
    true
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
