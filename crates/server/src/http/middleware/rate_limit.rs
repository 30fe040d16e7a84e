//! Rate limits, per user and per process, and the `RateLimit-…` headers that report them.

use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderName, Response};
use axum::response::IntoResponse;

use governor::clock::{Clock as _, DefaultClock};
use governor::middleware::StateInformationMiddleware;
use governor::state::keyed::DefaultKeyedStateStore;
use governor::{Quota, RateLimiter};
use interline_items::UserId;

use crate::http::error::ApiError;
use crate::http::routes::rules::Access;
use crate::http::state::AppState;
use crate::{Auth, RateLimits};

/// Counts the requests of every user, reads and writes apart.
pub(in crate::http) struct UserRateLimiter {
    reads: UserQuota,
    writes: UserQuota,
}

type Keyed = RateLimiter<UserId, DefaultKeyedStateStore<UserId>, DefaultClock, StateInformationMiddleware>;

/// How many requests of one sort each user may make.
struct UserQuota {
    per_minute: u32,
    limiter: Keyed,
}

/// What is left of a user's limit after a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct RemainingQuota {
    /// Requests in a minute.
    limit: u32,
    /// Requests that could be made at once now.
    remaining: u32,
    /// Seconds until the user could make `limit` requests at once.
    reset_seconds: u64,
}

const LIMIT: HeaderName = HeaderName::from_static("ratelimit-limit");
const REMAINING: HeaderName = HeaderName::from_static("ratelimit-remaining");
const RESET: HeaderName = HeaderName::from_static("ratelimit-reset");

/// The response, if the user may make one more request, with what is left of the user's limit.
pub(in crate::http) async fn rate_limited(
    state: &AppState,
    user: UserId,
    access: Access,
    responding: impl Future<Output = Response<Body>>,
) -> Response<Body> {
    let counted = match (&state.rate_limiter, state.settings.auth) {
        (Some(limiter), Auth::Tokens) => limiter.count(user, access),
        (None, _) | (_, Auth::Owner(_)) => return responding.await,
    };
    match counted {
        Ok(left) => with_headers(responding.await, left),
        Err((refused, left)) => with_headers(refused.into_response(), left),
    }
}

fn with_headers(mut response: Response<Body>, left: RemainingQuota) -> Response<Body> {
    let headers = response.headers_mut();
    headers.insert(LIMIT, left.limit.into());
    headers.insert(REMAINING, left.remaining.into());
    headers.insert(RESET, left.reset_seconds.into());
    response
}

impl UserRateLimiter {
    pub(in crate::http) fn new(limits: RateLimits) -> UserRateLimiter {
        let quota = |per_minute| UserQuota {
            per_minute: std::num::NonZeroU32::get(per_minute),
            limiter: RateLimiter::keyed(Quota::per_minute(per_minute)).with_middleware(),
        };
        UserRateLimiter { reads: quota(limits.reads_per_minute), writes: quota(limits.writes_per_minute) }
    }

    /// Counts a request of a user, or refuses it.
    fn count(&self, user: UserId, access: Access) -> Result<RemainingQuota, (ApiError, RemainingQuota)> {
        let quota = match access {
            Access::Read => &self.reads,
            Access::Write => &self.writes,
        };
        match quota.limiter.check_key(&user) {
            Ok(state) => Ok(quota.remaining(state.remaining_burst_capacity())),
            Err(refused) => {
                let wait = refused.wait_time_from(DefaultClock::default().now());
                let retry_after_seconds = round_up_to_seconds(wait).max(1);
                Err((ApiError::RateLimited { retry_after_seconds }, quota.remaining(0)))
            }
        }
    }
}

impl UserQuota {
    fn remaining(&self, remaining: u32) -> RemainingQuota {
        let used = self.per_minute.saturating_sub(remaining);
        let refill = Duration::from_secs(60).mul_f64(f64::from(used) / f64::from(self.per_minute));
        RemainingQuota { limit: self.per_minute, remaining, reset_seconds: round_up_to_seconds(refill) }
    }
}

fn round_up_to_seconds(time: Duration) -> u64 {
    time.as_secs() + u64::from(time.subsec_nanos() > 0)
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use super::*;

    #[test]
    fn each_user_has_limits_of_their_own_for_reads_and_writes() {
        let per_minute = |number| NonZeroU32::new(number).unwrap();
        let limiter =
            UserRateLimiter::new(RateLimits { reads_per_minute: per_minute(3), writes_per_minute: per_minute(1) });
        let (one, other) = (UserId::generate(), UserId::generate());
        for remaining in [2, 1, 0] {
            let left = limiter.count(one, Access::Read).unwrap();
            assert_eq!((left.limit, left.remaining), (3, remaining));
        }
        let (refused, left) = limiter.count(one, Access::Read).unwrap_err();
        assert!(matches!(refused, ApiError::RateLimited { retry_after_seconds: 1..=20 }), "{refused:?}");
        assert_eq!(left, RemainingQuota { limit: 3, remaining: 0, reset_seconds: 60 });
        assert!(limiter.count(one, Access::Write).is_ok());
        assert!(limiter.count(one, Access::Write).is_err());
        assert!(limiter.count(other, Access::Write).is_ok());
    }
}
