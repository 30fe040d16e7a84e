//! The table of open connections: places, who gets one, and who gives one up.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use interline_items::{OverloadCause, Overloaded, UserId};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

use super::address_range::AddressRange;
use super::connection::{Connection, Peer};

/// How long a connection may be idle while at least half of the places are free, and when none is.
pub(crate) const LONGEST_IDLE: Duration = Duration::from_secs(75);
const SHORTEST_IDLE: Duration = Duration::from_secs(3);
/// How long a new connection waits for a place in all, and how often it looks for one to be made.
const PLACE_TIMEOUT: Duration = Duration::from_secs(1);
const PLACE_PAUSE: Duration = Duration::from_millis(100);
/// How many new connections may wait for a place, as a part of all places and at least; further ones are closed at once.
const WAITING_PART: usize = 8;
const LEAST_WAITING: usize = 8;
/// How many places are made at a time, as a part of all. When half as many are left, idle connections make room ahead.
const ROOM_PART: usize = 32;
/// From when on a connection without a token that is not idle may be closed: it has had time to show one.
const TOKEN_TIME: Duration = Duration::from_secs(1);

/// How many connections there may be, and whose.
#[derive(Clone, Debug)]
pub(crate) struct ConnectionLimits {
    /// Of all.
    pub(crate) places: usize,
    /// Of one address that is neither a loopback address nor a trusted proxy's.
    pub(crate) per_address: usize,
    /// The proxies whose forwarded addresses count.
    pub(crate) trusted_proxies: Vec<AddressRange>,
}

/// The open connections of a server; cheap to clone.
#[derive(Clone)]
pub(crate) struct ConnectionTable(Arc<Shared>);

struct Shared {
    limits: ConnectionLimits,
    places: Arc<Semaphore>,
    waiting: Semaphore,
    max_waiting: usize,
    open: Mutex<Open>,
}

#[derive(Default)]
struct Open {
    next: u64,
    connections: HashMap<u64, Arc<Connection>>,
    /// By [`network_of`] addresses: how many limited connections are open, and how many forwarded requests are in flight.
    by_address: HashMap<IpAddr, usize>,
}

/// The place of a connection, until it is dropped.
pub(crate) struct ConnectionPermit {
    table: ConnectionTable,
    key: u64,
    connection: Arc<Connection>,
    _permit: OwnedSemaphorePermit,
}

/// A request that a trusted proxy forwarded, counted for the address of its client until it is dropped.
pub(crate) struct ForwardedRequest {
    table: ConnectionTable,
    address: IpAddr,
}

impl ConnectionTable {
    pub(crate) fn new(limits: ConnectionLimits) -> ConnectionTable {
        let max_waiting = (limits.places / WAITING_PART).max(LEAST_WAITING);
        let (places, waiting) = (Arc::new(Semaphore::new(limits.places)), Semaphore::new(max_waiting));
        ConnectionTable(Arc::new(Shared { limits, places, waiting, max_waiting, open: Mutex::default() }))
    }

    pub(crate) fn limits(&self) -> &ConnectionLimits {
        &self.0.limits
    }

    /// A place for a connection from this address, which may take closing another connection; `None` where its address has
    /// too many, or where no place becomes free soon.
    pub(crate) async fn admit(&self, address: IpAddr) -> Option<ConnectionPermit> {
        let address = address.to_canonical();
        if !self.has_place_for(address) {
            return None;
        }
        let permit = match Arc::clone(&self.0.places).try_acquire_owned() {
            Ok(permit) => {
                self.keep_room();
                permit
            }
            Err(_) => self.wait_for_place().await?,
        };
        Some(self.enter(address, permit))
    }

    async fn wait_for_place(&self) -> Option<OwnedSemaphorePermit> {
        let _waiting = self.0.waiting.try_acquire().ok()?;
        let deadline = Instant::now() + PLACE_TIMEOUT;
        while Instant::now() < deadline {
            self.make_room(self.0.max_waiting - self.0.waiting.available_permits());
            let place = Arc::clone(&self.0.places).acquire_owned();
            if let Ok(permit) = tokio::time::timeout(PLACE_PAUSE, place).await {
                return permit.ok();
            }
        }
        None
    }

    fn enter(&self, address: IpAddr, permit: OwnedSemaphorePermit) -> ConnectionPermit {
        let peer = if self.is_trusted_proxy(address) { Peer::TrustedProxy } else { Peer::Client };
        let connection = Arc::new(Connection::new(address, peer));
        let mut open = self.lock();
        let key = open.next;
        open.next += 1;
        open.connections.insert(key, Arc::clone(&connection));
        if self.is_limited(address) {
            *open.by_address.entry(network_of(address)).or_default() += 1;
        }
        ConnectionPermit { table: self.clone(), key, connection, _permit: permit }
    }

    /// Whether one more connection of an address is within its limit; an idle one of the same address makes room.
    fn has_place_for(&self, address: IpAddr) -> bool {
        if !self.is_limited(address) {
            return true;
        }
        let open = self.lock();
        if open.count_of(address) < self.0.limits.per_address {
            return true;
        }
        let idle = open.connections.values().filter(|other| network_of(other.address) == network_of(address));
        let idle = idle.filter(|other| other.is_closable() && other.is_idle());
        let oldest = idle.min_by_key(|other| (other.user().is_some(), other.last_active()));
        oldest.inspect(|oldest| oldest.ask_to_close()).is_some()
    }

    /// Whether an address may have so many connections and no more. Those of others are not counted: the same address may be
    /// forwarded for requests, which are.
    fn is_limited(&self, address: IpAddr) -> bool {
        !address.is_loopback() && !self.is_trusted_proxy(address)
    }

    fn is_trusted_proxy(&self, address: IpAddr) -> bool {
        self.0.limits.trusted_proxies.iter().any(|range| range.contains(address))
    }

    /// Counts a request that a trusted proxy forwarded for this address, which may have as many as connections.
    pub(crate) fn begin_forwarded(&self, address: IpAddr) -> Result<ForwardedRequest, Overloaded> {
        let mut open = self.lock();
        // Loopback addresses too: what a client writes where its proxy does not must not free it from the limit.
        if open.count_of(address) >= self.0.limits.per_address {
            return Err(Overloaded { resource: "connection limit of your address", cause: OverloadCause::Caller });
        }
        *open.by_address.entry(network_of(address)).or_default() += 1;
        Ok(ForwardedRequest { table: self.clone(), address })
    }

    /// Closes connections so that `needed` places become free, if there are any that may be closed.
    ///
    /// Some more than needed are closed at a time: looking for them takes longer than closing.
    pub(crate) fn make_room(&self, needed: usize) {
        let open = self.lock();
        let closing = open.connections.values().filter(|connection| connection.is_closing()).count();
        let Some(missing) = needed.checked_sub(closing).filter(|&missing| missing > 0) else { return };
        let wanted = missing.max(self.0.limits.places / ROOM_PART);
        for connection in open.next_to_close(self.0.limits.places).into_iter().take(wanted) {
            connection.ask_to_close();
        }
    }

    /// Closes idle connections before the last places are taken, those without a token first and then those that a user has
    /// beyond half of all places: a new connection need not wait then.
    fn keep_room(&self) {
        let room = self.0.limits.places / ROOM_PART;
        if self.0.places.available_permits() >= room / 2 {
            return;
        }
        let open = self.lock();
        let closing = open.connections.values().filter(|connection| connection.is_closing()).count();
        let mut first = open.closable(|other| other.is_without_token() && other.is_idle());
        first.extend(open.beyond_half(self.0.limits.places, Connection::is_idle));
        first.into_iter().take(room.saturating_sub(closing)).for_each(|connection| connection.ask_to_close());
    }

    /// Closes connections that are idle for longer than there is room for.
    pub(crate) fn close_idle(&self) {
        let (open, now) = (self.lock(), Instant::now());
        let longest = longest_idle(open.connections.len(), self.0.limits.places);
        let idle = open.connections.values().filter(|connection| connection.is_closable() && connection.is_idle());
        idle.filter(|connection| now.saturating_duration_since(connection.last_active()) > longest)
            .for_each(|connection| connection.ask_to_close());
    }

    /// Waits until all connections are closed.
    pub(crate) async fn all_closed(&self) {
        // The semaphore is never closed.
        let _ = self.0.places.acquire_many(u32::try_from(self.0.limits.places).unwrap_or(u32::MAX)).await;
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.0.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The address that connections are counted by: of IPv6 the first half, because a client has all that begin with it.
fn network_of(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() >> 64 << 64).into(),
    }
}

/// How long a connection may be idle: less and less from when half of the places are taken.
fn longest_idle(taken: usize, places: usize) -> Duration {
    let free = places.saturating_sub(taken);
    let shortened = LONGEST_IDLE.mul_f64((2.0 * free as f64 / places.max(1) as f64).min(1.0));
    shortened.max(SHORTEST_IDLE)
}

impl Open {
    fn count_of(&self, address: IpAddr) -> usize {
        self.by_address.get(&network_of(address)).copied().unwrap_or(0)
    }

    fn leave(&mut self, address: IpAddr) {
        let network = network_of(address);
        if let Some(count) = self.by_address.get_mut(&network) {
            *count -= 1;
            if *count == 0 {
                self.by_address.remove(&network);
            }
        }
    }

    /// The connections to close first, when all places are taken: without a token and idle; idle ones that a user has beyond
    /// half of all places; without a token though they have had time to show one; busy ones that a user has beyond half; idle
    /// ones of the user with the most idle ones; idle ones of proxies. Those on which nothing has happened for the longest
    /// time come first.
    fn next_to_close<'a>(&'a self, places: usize) -> Vec<&'a Arc<Connection>> {
        let now = Instant::now();
        let had_time = |connection: &Connection| now.saturating_duration_since(connection.last_active()) > TOKEN_TIME;
        let most_idle = self.user_with_most(|other| other.is_closable() && other.is_idle());
        let is_most_idle = |other: &Connection| most_idle.is_some_and(|(user, _)| other.user() == Some(user));
        let tiers: [&dyn Fn() -> Vec<&'a Arc<Connection>>; 6] = [
            &|| self.closable(|other| other.is_without_token() && other.is_idle()),
            &|| self.beyond_half(places, Connection::is_idle),
            &|| self.closable(|other| other.is_without_token() && had_time(other)),
            &|| self.beyond_half(places, |_| true),
            &|| self.closable(|other| is_most_idle(other) && other.is_idle()),
            &|| self.closable(|other| other.is_proxy() && other.is_idle()),
        ];
        tiers.into_iter().map(|tier| tier()).find(|found| !found.is_empty()).unwrap_or_default()
    }

    /// Those of the connections of a user, as many at the most as that user has beyond half of all places.
    fn beyond_half(&self, places: usize, belongs: impl Fn(&Connection) -> bool) -> Vec<&Arc<Connection>> {
        let Some((user, count)) = self.user_with_most(|other| !other.is_closing()) else { return Vec::new() };
        let beyond = count.saturating_sub(places / 2);
        if beyond == 0 {
            return Vec::new();
        }
        let mut found = self.closable(|other| other.user() == Some(user) && belongs(other));
        found.truncate(beyond);
        found
    }

    /// The connections that belong to those and could be closed, that on which nothing has happened the longest first.
    fn closable(&self, belongs: impl Fn(&Connection) -> bool) -> Vec<&Arc<Connection>> {
        let closable = self.connections.values().filter(|other| other.is_closable());
        let mut found: Vec<_> = closable.filter(|other| belongs(other)).collect();
        found.sort_by_key(|connection| connection.last_active());
        found
    }

    /// The user with the most of these connections, and how many they are.
    fn user_with_most(&self, counts: impl Fn(&Connection) -> bool) -> Option<(UserId, usize)> {
        let mut by_user: HashMap<UserId, usize> = HashMap::new();
        let counted = self.connections.values().filter(|connection| counts(connection));
        for user in counted.filter_map(|connection| connection.user()) {
            *by_user.entry(user).or_default() += 1;
        }
        by_user.into_iter().max_by_key(|(_, count)| *count)
    }
}

impl ConnectionPermit {
    pub(crate) fn connection(&self) -> &Arc<Connection> {
        &self.connection
    }
}

impl Drop for ConnectionPermit {
    fn drop(&mut self) {
        let mut open = self.table.lock();
        open.connections.remove(&self.key);
        if self.table.is_limited(self.connection.address) {
            open.leave(self.connection.address);
        }
    }
}

impl Drop for ForwardedRequest {
    fn drop(&mut self) {
        self.table.lock().leave(self.address);
    }
}

#[cfg(test)]
#[path = "table_tests.rs"]
mod tests;
