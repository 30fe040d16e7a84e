//! A listener to `/events`, and how it reads: promptly, slowly, not at all, or with broken connections.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use anyhow::{Context as _, bail};
use futures_util::StreamExt as _;
use serde::Deserialize;
use tokio::net::{TcpSocket, TcpStream};
use tokio::sync::watch;
use tokio::time::{sleep, timeout};
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{WebSocketStream, client_async_with_config};

use super::received_events::ReceivedEvents;
use super::times::Times;
use super::versioned_notes::VersionedNotes;
use crate::random::Random;

/// Between the messages of a slow reader: less is read than happens.
const SLOWNESS: Duration = Duration::from_millis(100);
/// How long who is asleep does not read: longer than a server waits for it,
const SLEEP: Duration = Duration::from_secs(45);
/// and how many messages it reads before that.
const READ_AWAKE: usize = 50;
/// How long who is restless stays, at the longest.
const STAY: Duration = Duration::from_secs(2);
/// Before another attempt to reach a server.
const PAUSE: Duration = Duration::from_millis(5);
/// How long connecting may take.
const PATIENCE: Duration = Duration::from_secs(60);
/// What the socket of a slow reader holds: the rest waits at the server.
const SMALL_BUFFER: u32 = 4 * 1024;
/// As small as will do: there are many.
const BUFFER: usize = 4 * 1024;

/// How somebody listens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReadBehaviour {
    /// Reads what comes.
    Steady,
    /// Breaks the connection again and again, and comes back with its cursor.
    Restless,
    /// Reads more slowly than things happen.
    Slow,
    /// Stops reading until it is cut off, and comes back with its cursor.
    Asleep,
}

impl ReadBehaviour {
    /// Whether it reads as soon as an event arrives.
    pub(super) fn is_prompt(self) -> bool {
        match self {
            ReadBehaviour::Steady | ReadBehaviour::Restless => true,
            ReadBehaviour::Slow | ReadBehaviour::Asleep => false,
        }
    }
}

/// What listeners are to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// Break the connection; the cursor is kept.
    Leave,
    /// Listen, each in its behaviour.
    Listen(SocketAddr),
    /// Listen, all as fast as they can.
    CatchUp(SocketAddr),
    /// Be done.
    End,
}

/// Somebody who listens.
pub(super) struct Listener {
    pub(super) behaviour: ReadBehaviour,
    pub(super) notes: Arc<VersionedNotes>,
    pub(super) orders: watch::Receiver<Order>,
    pub(super) delays: Arc<Times>,
    pub(super) status: Arc<Status>,
    pub(super) random: Random,
    pub(super) received: ReceivedEvents,
    pub(super) cursor: String,
    pub(super) ends: Ends,
}

/// What others see of a listener.
#[derive(Default)]
pub(super) struct Status {
    pub(super) is_connected: AtomicBool,
    /// How many versions it received.
    pub(super) received: AtomicU64,
    /// Why it gave up.
    pub(super) failure: OnceLock<String>,
}

/// How connections ended that were not to.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Ends {
    /// By the server, with a reason.
    pub(super) with_reason: usize,
    /// Without one.
    pub(super) without: usize,
    /// By the listener, who came back.
    pub(super) left: usize,
}

impl std::ops::AddAssign for Ends {
    fn add_assign(&mut self, other: Ends) {
        self.with_reason += other.with_reason;
        self.without += other.without;
        self.left += other.left;
    }
}

type Socket = WebSocketStream<TcpStream>;

/// The part of an event that is looked at.
#[derive(Deserialize)]
pub(in crate::served) struct EventMessage<'a> {
    pub(in crate::served) cursor: &'a str,
    pub(in crate::served) event: &'a str,
    pub(in crate::served) id: &'a str,
    pub(in crate::served) version: u64,
}

impl Listener {
    /// Follows its orders until the end; `None` if it gives up, for a reason that its status has.
    pub(super) async fn run(mut self) -> Option<Listener> {
        match self.obey().await {
            Ok(()) => Some(self),
            Err(error) => {
                // There is one reason to give up.
                let _ = self.status.failure.set(format!("{error:#}"));
                None
            }
        }
    }

    async fn obey(&mut self) -> anyhow::Result<()> {
        loop {
            let order = *self.orders.borrow_and_update();
            match order {
                Order::End => return Ok(()),
                Order::Leave => self.orders.changed().await?,
                Order::Listen(server) => self.listen(server, self.behaviour).await?,
                Order::CatchUp(server) => self.listen(server, ReadBehaviour::Steady).await?,
            }
        }
    }

    /// Until the connection ends or there is another order.
    async fn listen(&mut self, server: SocketAddr, behaviour: ReadBehaviour) -> anyhow::Result<()> {
        let Some(mut socket) = self.connect(server, behaviour).await? else {
            sleep(PAUSE).await;
            return Ok(());
        };
        self.status.is_connected.store(true, Ordering::Release);
        self.read(&mut socket, behaviour).await?;
        self.status.is_connected.store(false, Ordering::Release);
        Ok(())
    }

    async fn read(&mut self, socket: &mut Socket, behaviour: ReadBehaviour) -> anyhow::Result<()> {
        let stay = match behaviour {
            ReadBehaviour::Restless => STAY.mul_f64(0.1 + 0.9 * self.random.below(1_000) as f64 / 1_000.0),
            ReadBehaviour::Steady | ReadBehaviour::Slow | ReadBehaviour::Asleep => Duration::MAX,
        };
        let mut leaving = std::pin::pin!(sleep(stay));
        let mut until_asleep = READ_AWAKE;
        loop {
            let message = tokio::select! {
                message = socket.next() => message,
                _ = self.orders.changed() => return Ok(()),
                () = &mut leaving => {
                    self.ends.left += 1;
                    return Ok(());
                }
            };
            match message {
                Some(Ok(Message::Text(text))) => self.receive(&text)?,
                Some(Ok(Message::Close(_))) => {
                    self.ends.with_reason += 1;
                    return Ok(());
                }
                Some(Ok(_)) => continue,
                Some(Err(_)) | None => {
                    self.ends.without += 1;
                    return Ok(());
                }
            }
            let pause = match behaviour {
                ReadBehaviour::Steady | ReadBehaviour::Restless => continue,
                ReadBehaviour::Slow => SLOWNESS,
                ReadBehaviour::Asleep if until_asleep > 0 => {
                    until_asleep -= 1;
                    continue;
                }
                ReadBehaviour::Asleep => {
                    until_asleep = READ_AWAKE;
                    SLEEP
                }
            };
            if timeout(pause, self.orders.changed()).await.is_ok() {
                return Ok(());
            }
        }
    }

    fn receive(&mut self, text: &str) -> anyhow::Result<()> {
        let message: EventMessage<'_> = serde_json::from_str(text).with_context(|| format!("no event: {text}"))?;
        let note = self.notes.find(message.id).filter(|_| message.event == "item.updated");
        self.cursor.clear();
        self.cursor.push_str(message.cursor);
        self.received.receive(note, message.version);
        self.status.received.store(self.received.versions, Ordering::Release);
        if let Some(note) = note
            && self.behaviour.is_prompt()
        {
            // Who hears of it before its writer does has not waited.
            self.delays.add(self.notes.since(note, message.version).unwrap_or_default());
        }
        Ok(())
    }

    /// A connection that goes on where the last one ended; `None` if nobody is there. A refusal is an error.
    async fn connect(&self, server: SocketAddr, behaviour: ReadBehaviour) -> anyhow::Result<Option<Socket>> {
        let connecting = async {
            let socket = TcpSocket::new_v4()?;
            if !behaviour.is_prompt() {
                socket.set_recv_buffer_size(SMALL_BUFFER)?;
            }
            let stream = socket.connect(server).await?;
            let since = if self.cursor.is_empty() { String::new() } else { format!("?since={}", self.cursor) };
            let config = WebSocketConfig::default().read_buffer_size(BUFFER).write_buffer_size(BUFFER);
            client_async_with_config(format!("ws://{server}/events{since}"), stream, Some(config)).await
        };
        match timeout(PATIENCE, connecting).await.context("no connection for a minute")? {
            Ok((socket, _)) => Ok(Some(socket)),
            Err(Error::Http(answer)) => {
                let body = String::from_utf8_lossy(answer.body().as_deref().unwrap_or_default()).into_owned();
                bail!("a listener was refused: {} {body}", answer.status())
            }
            Err(_) => Ok(None),
        }
    }
}
