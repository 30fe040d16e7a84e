//! Rate limits, per user and per process.

use std::time::Duration;

use governor::clock::{Clock as _, DefaultClock};
use governor::middleware::StateInformationMiddleware;
use governor::state::keyed::DefaultKeyedStateStore;
use governor::{Quota, RateLimiter};
use interline_items::UserId;

use super::error::ApiError;
use crate::RateLimits;

/// How many users may make how many requests.
pub(super) struct Limiter {
    reads: Bucket,
    writes: Bucket,
}

type Keyed = RateLimiter<UserId, DefaultKeyedStateStore<UserId>, DefaultClock, StateInformationMiddleware>;

struct Bucket {
    per_minute: u32,
    limiter: Keyed,
}

/// What sort of request it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    Read,
    Write,
}

/// How much of a limit is left after a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Left {
    /// Requests in a minute.
    pub(super) limit: u32,
    /// Requests that could be made at once now.
    pub(super) remaining: u32,
    /// Seconds until all of them could.
    pub(super) reset_seconds: u64,
}

impl Limiter {
    pub(super) fn new(limits: RateLimits) -> Limiter {
        let bucket = |per_minute| Bucket {
            per_minute: std::num::NonZeroU32::get(per_minute),
            limiter: RateLimiter::keyed(Quota::per_minute(per_minute)).with_middleware(),
        };
        Limiter { reads: bucket(limits.reads_per_minute), writes: bucket(limits.writes_per_minute) }
    }

    /// Counts a request of a user.
    pub(super) fn count(&self, user: UserId, access: Access) -> Result<Left, (ApiError, Left)> {
        let bucket = match access {
            Access::Read => &self.reads,
            Access::Write => &self.writes,
        };
        match bucket.limiter.check_key(&user) {
            Ok(state) => Ok(bucket.left(state.remaining_burst_capacity())),
            Err(refused) => {
                let wait = refused.wait_time_from(DefaultClock::default().now());
                let retry_after_seconds = seconds_up(wait).max(1);
                Err((ApiError::RateLimited { retry_after_seconds }, bucket.left(0)))
            }
        }
    }
}

impl Bucket {
    fn left(&self, remaining: u32) -> Left {
        let used = self.per_minute.saturating_sub(remaining);
        let refill = Duration::from_secs(60).mul_f64(f64::from(used) / f64::from(self.per_minute));
        Left { limit: self.per_minute, remaining, reset_seconds: seconds_up(refill) }
    }
}

fn seconds_up(time: Duration) -> u64 {
    time.as_secs() + u64::from(time.subsec_nanos() > 0)
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use super::*;

    #[test]
    fn each_user_has_limits_of_their_own_for_reads_and_writes() {
        let per_minute = |number| NonZeroU32::new(number).unwrap();
        let limiter = Limiter::new(RateLimits { reads_per_minute: per_minute(3), writes_per_minute: per_minute(1) });
        let (one, other) = (UserId::generate(), UserId::generate());
        for remaining in [2, 1, 0] {
            let left = limiter.count(one, Access::Read).unwrap();
            assert_eq!((left.limit, left.remaining), (3, remaining));
        }
        let (refused, left) = limiter.count(one, Access::Read).unwrap_err();
        assert!(matches!(refused, ApiError::RateLimited { retry_after_seconds: 1..=20 }), "{refused:?}");
        assert_eq!(left, Left { limit: 3, remaining: 0, reset_seconds: 60 });
        assert!(limiter.count(one, Access::Write).is_ok());
        assert!(limiter.count(one, Access::Write).is_err());
        assert!(limiter.count(other, Access::Write).is_ok());
    }
}
