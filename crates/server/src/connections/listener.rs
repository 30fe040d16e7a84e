//! Accepting connections: a new client gets a place or a quick close, whatever has run out.

use std::io;
use std::net::IpAddr;
use std::time::Duration;

use tokio::net::{TcpListener, TcpSocket, TcpStream};

use super::log_limit::LogLimit;
use super::table::ConnectionTable;

/// How long to wait after a connection could not be accepted.
const ACCEPT_PAUSE: Duration = Duration::from_millis(20);
/// The errors of too many open files, of the process and of the system.
const TOO_MANY_FILES: [i32; 2] = [24, 23];

/// What accepting needs: the listener, the connections that can be closed, and a descriptor to spare.
pub(crate) struct Acceptor {
    listener: TcpListener,
    table: ConnectionTable,
    /// Given up for a moment when there is no other, to accept a connection and to close it.
    spare: Option<TcpSocket>,
    log: LogLimit,
}

impl Acceptor {
    pub(crate) fn new(listener: TcpListener, table: ConnectionTable) -> Acceptor {
        Acceptor { listener, table, spare: TcpSocket::new_v4().ok(), log: LogLimit::default() }
    }

    /// The next connection, and the address at its other end.
    pub(crate) async fn accept(&mut self) -> (TcpStream, IpAddr) {
        loop {
            match self.listener.accept().await {
                Ok((stream, address)) => {
                    // Responses are written whole: nothing is gained by waiting for more.
                    let _ = stream.set_nodelay(true);
                    return (stream, address.ip());
                }
                Err(error) => self.recover(&error).await,
            }
        }
    }

    async fn recover(&mut self, error: &io::Error) {
        if let Some(times) = self.log.count() {
            tracing::warn!(%error, times, "connections could not be accepted");
        }
        if error.raw_os_error().is_some_and(|code| TOO_MANY_FILES.contains(&code)) {
            self.table.make_room(1);
            if self.spare.take().is_some() {
                // Dropped as soon as it is accepted.
                let _ = tokio::time::timeout(ACCEPT_PAUSE, self.listener.accept()).await;
            }
            self.spare = TcpSocket::new_v4().ok();
        }
        tokio::time::sleep(ACCEPT_PAUSE).await;
    }
}
