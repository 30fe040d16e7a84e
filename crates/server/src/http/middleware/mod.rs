//! Middleware: what requests pass on their way to a handler, and what responses pass on their way back.

pub(super) mod answer_memory;
pub(super) mod attribution;
pub(super) mod authentication;
pub(super) mod cors;
pub(super) mod failed_authentication;
pub(super) mod host_check;
pub(super) mod idempotency;
pub(super) mod log_summary;
pub(super) mod metrics;
pub(super) mod panic;
pub(super) mod proposals;
pub(super) mod rate_limit;
pub(super) mod request_log;
pub(super) mod response_cache;
