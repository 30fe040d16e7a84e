//! Failed authentications: logged in summary, counted by address, and answered without a look-up where an address has too
//! many of them.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::http::Extensions;
use interline_items::{Caller, Error, Source};

use crate::client_address::ClientAddress;
use crate::http::error::{ApiError, NoToken};
use crate::http::middleware::log_summary::{LogSummary, SummaryLevel};
use crate::http::state::AppState;
use crate::identity::Identity;

/// How many attempts may fail from an address within [`WINDOW`] before further ones are looked up no more.
const MAX_FAILURES: u32 = 30;
const WINDOW: Duration = Duration::from_secs(60);
/// How many addresses are counted. When there are more, counting begins anew: it costs look-ups, and nothing else.
const MAX_ADDRESSES: usize = 8_192;

/// The failed authentications of this process; cheap to clone.
#[derive(Clone, Default)]
pub(in crate::http) struct FailedAuthentications(Arc<Counted>);

struct Counted {
    /// Whether there are any: most requests need not look further.
    has_any: AtomicBool,
    by_address: Mutex<HashMap<IpAddr, AddressFailures>>,
    summary: LogSummary,
}

#[derive(Clone, Copy)]
struct AddressFailures {
    since: Instant,
    count: u32,
}

impl Default for Counted {
    fn default() -> Counted {
        let summary = LogSummary::new(SummaryLevel::Info, "authentication failed");
        Counted { has_any: AtomicBool::new(false), by_address: Mutex::default(), summary }
    }
}

/// Each statement leaves what these locks guard whole, so a panic under them spoils nothing.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The identity that a request shows, and its caller. A token that is not valid counts against the address of the client;
/// where that has too many failures, only tokens that may exist are looked up. Servers without rate limits count nothing.
pub(in crate::http) async fn authenticated_caller(
    state: &AppState,
    identity: Result<Identity, NoToken>,
    extensions: &Extensions,
    source: Source,
) -> Result<(Identity, Caller), ApiError> {
    let failures = &state.failed_authentications;
    let address = extensions.get::<ClientAddress>().copied();
    // A request without a token costs no look-up.
    let secret = match &identity {
        Ok(Identity::Token(secret)) if state.settings.rate_limits.is_some() => Some(*secret),
        Ok(_) | Err(_) => None,
    };
    if let (Some(secret), Some(address)) = (secret, address)
        && let Some(wait) = failures.wait(address, Instant::now())
        && !state.interline.is_known_secret(secret).await
    {
        failures.log(address, "429");
        return Err(ApiError::TooManyFailures { retry_after_seconds: wait.as_secs().max(1) });
    }
    let authenticated = async {
        let identity = identity?;
        Ok((identity, identity.caller(&state.interline, source).await?))
    };
    let authenticated: Result<_, ApiError> = authenticated.await;
    if let (Err(ApiError::NoToken(_) | ApiError::Refused(Error::Unauthorized)), Some(address)) =
        (&authenticated, address)
    {
        if secret.is_some() {
            failures.count(address, Instant::now());
        }
        failures.log(address, "401");
    }
    authenticated
}

impl FailedAuthentications {
    /// How long attempts from an address are not looked up any more; `None` if they are.
    fn wait(&self, address: ClientAddress, now: Instant) -> Option<Duration> {
        if !self.0.has_any.load(Ordering::Relaxed) {
            return None;
        }
        let failures = *lock(&self.0.by_address).get(&address.network())?;
        let wait = WINDOW.checked_sub(now.saturating_duration_since(failures.since))?;
        (failures.count >= MAX_FAILURES).then_some(wait)
    }

    fn count(&self, address: ClientAddress, now: Instant) {
        let mut by_address = lock(&self.0.by_address);
        let is_over = |failures: &AddressFailures| now.saturating_duration_since(failures.since) >= WINDOW;
        if by_address.len() >= MAX_ADDRESSES && !by_address.contains_key(&address.network()) {
            by_address.retain(|_, failures| !is_over(failures));
            if by_address.len() >= MAX_ADDRESSES {
                by_address.clear();
            }
        }
        let begun = AddressFailures { since: now, count: 0 };
        let failures = by_address.entry(address.network()).or_insert(begun);
        if is_over(failures) {
            *failures = begun;
        }
        failures.count = failures.count.saturating_add(1);
        self.0.has_any.store(true, Ordering::Relaxed);
    }

    fn log(&self, address: ClientAddress, status: &'static str) {
        metrics::counter!("interline_authentication_failures_total", "status" => status).increment(1);
        self.0.summary.add(Some(address), || None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> ClientAddress {
        ClientAddress(text.parse().unwrap())
    }

    #[test]
    fn an_address_with_too_many_failures_waits_for_the_rest_of_a_minute() {
        let (failures, start) = (FailedAuthentications::default(), Instant::now());
        let (one, other) = (address("10.0.0.1"), address("10.0.0.2"));
        for _ in 0..MAX_FAILURES {
            assert_eq!(failures.wait(one, start), None);
            failures.count(one, start);
        }
        assert_eq!(failures.wait(one, start + Duration::from_secs(20)), Some(Duration::from_secs(40)));
        assert_eq!(failures.wait(other, start), None);
        assert_eq!(failures.wait(one, start + WINDOW + Duration::from_millis(1)), None);
        failures.count(one, start + WINDOW);
        assert_eq!(failures.wait(one, start + WINDOW), None);
    }

    #[test]
    fn so_many_addresses_are_counted_and_no_more() {
        let (failures, start) = (FailedAuthentications::default(), Instant::now());
        for number in 0..20_000_u32 {
            failures.count(ClientAddress(IpAddr::V4(number.into())), start);
            assert!(lock(&failures.0.by_address).len() <= MAX_ADDRESSES);
        }
    }
}
