//! Lines of the log in summary, for what anyone may cause as often as they like.

use std::collections::HashSet;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::client_address::ClientAddress;

/// The least time between two lines.
const LOG_INTERVAL: Duration = Duration::from_secs(1);
/// How many addresses are told apart in a line.
const MAX_ADDRESSES: usize = 8_192;

/// What happens since the last line has one line together; cheap to clone.
#[derive(Clone)]
pub(in crate::http) struct LogSummary(Arc<Summarized>);

struct Summarized {
    what: &'static str,
    unlogged: Mutex<Unlogged>,
}

/// What the next line of the log says.
#[derive(Default)]
struct Unlogged {
    times: u64,
    addresses: HashSet<IpAddr>,
}

impl LogSummary {
    /// Lines that say that this has happened.
    pub(in crate::http) fn new(what: &'static str) -> LogSummary {
        LogSummary(Arc::new(Summarized { what, unlogged: Mutex::default() }))
    }

    /// Adds what a client at this address has caused to the next line, which comes within [`LOG_INTERVAL`].
    pub(in crate::http) fn add(&self, address: Option<ClientAddress>) {
        let mut unlogged = self.0.unlogged.lock().unwrap_or_else(PoisonError::into_inner);
        unlogged.times += 1;
        if unlogged.addresses.len() < MAX_ADDRESSES {
            unlogged.addresses.extend(address.map(ClientAddress::network));
        }
        if unlogged.times == 1 {
            let summary = self.clone();
            tokio::spawn(async move {
                tokio::time::sleep(LOG_INTERVAL).await;
                let Unlogged { times, addresses } = summary.take();
                tracing::info!(times, addresses = addresses.len(), "{}", summary.0.what);
            });
        }
    }

    fn take(&self) -> Unlogged {
        std::mem::take(&mut *self.0.unlogged.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
