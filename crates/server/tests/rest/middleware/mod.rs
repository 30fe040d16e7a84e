//! What holds for every route, whatever it does: tokens, `Host` and `Origin`, rate limits, `Idempotency-Key`.

mod access_control;
mod agents;
mod failed_authentication;
mod host_check;
mod idempotency;
mod rate_limit;
