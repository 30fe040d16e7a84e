//! One open connection: what it is doing, and whether it is asked to close.

use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use interline_items::UserId;
use tokio::sync::Notify;
use tokio::time::Instant;

/// An open connection. Requests change it without a lock of the table; who looks for one to close reads it.
pub(crate) struct Connection {
    pub(super) address: IpAddr,
    peer: Peer,
    opened: Instant,
    /// Milliseconds from `opened` to the last thing that happened.
    last_active: AtomicU64,
    requests: AtomicUsize,
    /// Of those that are answered and those that are not.
    request_count: AtomicU64,
    is_write_pending: AtomicBool,
    is_upgraded: AtomicBool,
    is_closing: AtomicBool,
    requested: Notify,
    close: Notify,
    /// The user of the first request with a valid token; of a trusted proxy, that of the request in flight.
    user: Mutex<Option<UserId>>,
}

/// What is at the other end of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Peer {
    Client,
    /// A trusted proxy: requests of many users come one after the other, so the connection is nobody's between them.
    TrustedProxy,
}

/// How a connection is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CloseRequest {
    /// After the answer to a request that is on its way.
    Gracefully,
    /// At once.
    Now,
}

/// A request that is being answered, until it is dropped.
pub(crate) struct RequestInFlight(Arc<Connection>);

impl Connection {
    pub(super) fn new(address: IpAddr, peer: Peer) -> Connection {
        Connection {
            address,
            peer,
            opened: Instant::now(),
            last_active: AtomicU64::new(0),
            requests: AtomicUsize::new(0),
            request_count: AtomicU64::new(0),
            is_write_pending: AtomicBool::new(false),
            is_upgraded: AtomicBool::new(false),
            is_closing: AtomicBool::new(false),
            requested: Notify::new(),
            close: Notify::new(),
            user: Mutex::default(),
        }
    }

    /// The address at its other end.
    pub(crate) fn peer(&self) -> IpAddr {
        self.address
    }

    /// Notes that a request has arrived.
    pub(crate) fn begin_request(self: &Arc<Connection>) -> RequestInFlight {
        self.requests.fetch_add(1, Ordering::Relaxed);
        self.request_count.fetch_add(1, Ordering::Relaxed);
        self.touch();
        self.requested.notify_one();
        RequestInFlight(Arc::clone(self))
    }

    /// Notes that a request on it showed a valid token of this user.
    pub(crate) fn authenticated(&self, user: UserId) {
        let mut known = self.lock_user();
        match self.peer {
            Peer::Client => *known = known.or(Some(user)),
            Peer::TrustedProxy => *known = Some(user),
        }
    }

    /// Notes whether the client has to read before more can be sent.
    pub(super) fn set_write_pending(&self, is_pending: bool) {
        if self.is_write_pending.swap(is_pending, Ordering::Relaxed) != is_pending {
            self.touch();
        }
    }

    /// Notes that HTTP is done with it; where its socket is still open, it speaks another protocol now.
    pub(crate) fn leave_http(&self) {
        self.is_upgraded.store(true, Ordering::Relaxed);
        self.is_closing.store(false, Ordering::Relaxed);
    }

    /// Waits until no request has come for so long after it was opened; for ever once there was one.
    pub(crate) async fn is_silent_for(&self, first_head_timeout: Duration) {
        if tokio::time::timeout(first_head_timeout, self.requested.notified()).await.is_ok() {
            std::future::pending::<()>().await;
        }
    }

    /// Waits until it is asked to close.
    pub(crate) async fn is_asked_to_close(&self) -> CloseRequest {
        self.close.notified().await;
        // Who has never shown a token may not delay it.
        if self.is_without_token() { CloseRequest::Now } else { CloseRequest::Gracefully }
    }

    /// Asks it to close.
    pub(super) fn ask_to_close(&self) {
        self.is_closing.store(true, Ordering::Relaxed);
        self.close.notify_one();
    }

    pub(super) fn user(&self) -> Option<UserId> {
        *self.lock_user()
    }

    fn lock_user(&self) -> MutexGuard<'_, Option<UserId>> {
        self.user.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether its client has shown no token yet. A trusted proxy has none to show.
    pub(super) fn is_without_token(&self) -> bool {
        self.peer == Peer::Client && self.user().is_none()
    }

    pub(super) fn is_proxy(&self) -> bool {
        self.peer == Peer::TrustedProxy
    }

    /// Whether it could be closed: HTTP is spoken on it, and it is not closing already.
    pub(super) fn is_closable(&self) -> bool {
        !self.is_upgraded() && !self.is_closing()
    }

    /// Whether another protocol is spoken on it by now.
    pub(super) fn is_upgraded(&self) -> bool {
        self.is_upgraded.load(Ordering::Relaxed)
    }

    pub(super) fn is_closing(&self) -> bool {
        self.is_closing.load(Ordering::Relaxed)
    }

    /// Whether it waits for its client to send a request.
    pub(super) fn is_idle(&self) -> bool {
        !self.has_request() && !self.is_write_pending.load(Ordering::Relaxed)
    }

    /// Whether a request is being answered.
    pub(super) fn has_request(&self) -> bool {
        self.requests.load(Ordering::Relaxed) > 0
    }

    /// How many requests have begun on it so far.
    pub(super) fn request_count(&self) -> u64 {
        self.request_count.load(Ordering::Relaxed)
    }

    /// When something happened on it last.
    pub(super) fn last_active(&self) -> Instant {
        self.opened + Duration::from_millis(self.last_active.load(Ordering::Relaxed))
    }

    fn touch(&self) {
        let since = u64::try_from(self.opened.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.last_active.store(since, Ordering::Relaxed);
    }
}

impl Drop for RequestInFlight {
    fn drop(&mut self) {
        let is_last = self.0.requests.fetch_sub(1, Ordering::Relaxed) == 1;
        if is_last && self.0.is_proxy() {
            *self.0.lock_user() = None;
        }
        self.0.touch();
    }
}
