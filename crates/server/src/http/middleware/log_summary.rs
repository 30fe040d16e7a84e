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
    level: SummaryLevel,
    unlogged: Mutex<Unlogged>,
}

/// The level of the lines.
#[derive(Clone, Copy)]
pub(in crate::http) enum SummaryLevel {
    Info,
    Error,
}

/// What the next line of the log says.
#[derive(Default)]
struct Unlogged {
    times: u64,
    addresses: HashSet<IpAddr>,
    first: Option<LoggedResponse>,
}

/// A response that stands for all of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::http) struct LoggedResponse {
    pub(in crate::http) status: u16,
    pub(in crate::http) path: String,
    /// Why the request failed, if the server is to blame.
    pub(in crate::http) detail: Option<String>,
}

impl LogSummary {
    /// Lines that say that this has happened.
    pub(in crate::http) fn new(level: SummaryLevel, what: &'static str) -> LogSummary {
        LogSummary(Arc::new(Summarized { what, level, unlogged: Mutex::default() }))
    }

    /// Adds what a client at this address has caused to the next line, which comes within [`LOG_INTERVAL`]. The line shows
    /// the first response of its second, if there is one to show.
    pub(in crate::http) fn add(
        &self,
        address: Option<ClientAddress>,
        response: impl FnOnce() -> Option<LoggedResponse>,
    ) {
        let mut unlogged = self.0.unlogged.lock().unwrap_or_else(PoisonError::into_inner);
        unlogged.times += 1;
        if unlogged.addresses.len() < MAX_ADDRESSES {
            unlogged.addresses.extend(address.map(ClientAddress::network));
        }
        if unlogged.times == 1 {
            unlogged.first = response();
            let summary = self.clone();
            tokio::spawn(async move {
                tokio::time::sleep(LOG_INTERVAL).await;
                summary.take().log(summary.0.level, summary.0.what);
            });
        }
    }

    fn take(&self) -> Unlogged {
        std::mem::take(&mut *self.0.unlogged.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Unlogged {
    fn log(self, level: SummaryLevel, what: &str) {
        let Unlogged { times, addresses, first } = self;
        let addresses = addresses.len();
        let first_status = first.as_ref().map(|first| first.status);
        let first_path = first.as_ref().map(|first| first.path.as_str());
        let first_detail = first.as_ref().and_then(|first| first.detail.as_deref());
        match level {
            SummaryLevel::Info => tracing::info!(times, addresses, first_status, first_path, first_detail, "{what}"),
            SummaryLevel::Error => tracing::error!(times, addresses, first_status, first_path, first_detail, "{what}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_line_shows_the_first_response_of_its_second() {
        let summary = LogSummary::new(SummaryLevel::Info, "refused");
        let response = |status| LoggedResponse { status, path: format!("/{status}"), detail: None };
        for (number, status) in [403, 404, 405].into_iter().enumerate() {
            let address = ClientAddress(IpAddr::from([10, 0, 0, u8::from(number > 0)]));
            summary.add(Some(address), || Some(response(status)));
        }
        let Unlogged { times, addresses, first } = summary.take();
        assert_eq!((times, addresses.len(), first), (3, 2, Some(response(403))));
        summary.add(None, || Some(response(503)));
        tokio::time::sleep(2 * LOG_INTERVAL).await;
        assert_eq!(summary.take().times, 0, "it was logged");
        summary.add(None, || Some(response(413)));
        assert_eq!(summary.take().first, Some(response(413)));
    }
}
