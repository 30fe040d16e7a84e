//! Writing to PostgreSQL: commits of batches ([`commit`]) and of plans on the newest state ([`commit_on_newest`]), in
//! transactions that are retried ([`transaction_retry`]).

pub(super) mod commit;
pub(super) mod commit_on_newest;
pub(super) mod transaction_retry;
