//! Idempotency keys: a write that its client sends again gets the answer of the first, and applies nothing.
//!
//! [`Interline::begin`] looks the key up. The answer of the first request is stored as an [`IdempotencyRecord`] in the
//! same transaction as the write itself (see `commit`); it is kept for [`IDEMPOTENCY_RETENTION`].

use std::collections::HashSet;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use jiff::{SignedDuration, Timestamp};

use crate::{Error, IdempotencyKeyProblem, IdempotencyRecord, UserId};

use super::{Caller, Interline, WriteOutcome, now};

/// How long the answer to a request with a key is kept.
pub(super) const IDEMPOTENCY_RETENTION: SignedDuration = SignedDuration::from_hours(24);
/// The longest key.
const MAX_KEY_CHARS: usize = 255;

/// A write request that has an idempotency key.
pub struct IdempotentRequest {
    key: String,
    /// A hash of the request.
    request: [u8; 32],
    answer: Box<dyn Fn(&WriteOutcome<'_>) -> String + Send + Sync>,
}

impl IdempotentRequest {
    /// A request with the key `key`. The same key always stands for the same `request`; `answer` makes the text that is
    /// stored of an outcome, in the same transaction as the write itself.
    pub fn parse(
        key: &str,
        request: &[&[u8]],
        answer: impl Fn(&WriteOutcome<'_>) -> String + Send + Sync + 'static,
    ) -> Result<IdempotentRequest, Error> {
        if !(1..=MAX_KEY_CHARS).contains(&key.len()) || !key.bytes().all(|byte| byte.is_ascii_graphic()) {
            let problem = IdempotencyKeyProblem::Malformed { max_chars: MAX_KEY_CHARS };
            return Err(Error::InvalidIdempotencyKey(problem));
        }
        let mut hasher = blake3::Hasher::new();
        for part in request {
            // With its length, so that no two lists of parts are the same bytes.
            hasher.update(&(part.len() as u64).to_le_bytes()).update(part);
        }
        Ok(IdempotentRequest { key: key.to_owned(), request: *hasher.finalize().as_bytes(), answer: Box::new(answer) })
    }

    /// The same as a request of this caller: with another token it is another request, which may see and do less.
    fn bound_to_token(self, caller: &Caller) -> IdempotentRequest {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&self.request);
        if let Some(token) = caller.token() {
            hasher.update(token.uuid().as_bytes());
        }
        IdempotentRequest { request: *hasher.finalize().as_bytes(), ..self }
    }
}

/// Whether a write is the first with its key.
#[derive(Debug)]
pub enum IdempotentStart {
    /// It is the first: its use case is called with this caller.
    First(Caller),
    /// It is a repetition: this is the stored answer.
    Replay(String),
}

impl Interline {
    /// Begins a write request that may be a repetition. What the caller of [`IdempotentStart::First`] commits next is
    /// stored together with its answer.
    ///
    /// The same key with another request is refused, and so is a repetition while the first request is in flight.
    pub async fn begin(&self, caller: Caller, request: IdempotentRequest) -> Result<IdempotentStart, Error> {
        let request = request.bound_to_token(&caller);
        let in_flight = self.in_flight_keys.enter(caller.user(), &request.key).ok_or(Error::KeyInFlight)?;
        let oldest = now() - IDEMPOTENCY_RETENTION;
        match self.store.idempotency_record(caller.user(), &request.key).await? {
            Some(record) if record.at < oldest => {
                self.store.forget_idempotency_records(oldest).await?;
            }
            Some(record) if record.request == request.request => return Ok(IdempotentStart::Replay(record.answer)),
            Some(_) => return Err(Error::InvalidIdempotencyKey(IdempotencyKeyProblem::Reused)),
            None => {}
        }
        let write = IdempotentWrite { request, _in_flight: in_flight };
        Ok(IdempotentStart::First(caller.with_idempotency(write)))
    }
}

/// The first write with a key, as long as it is carried out.
pub(super) struct IdempotentWrite {
    request: IdempotentRequest,
    _in_flight: InFlightKey,
}

impl IdempotentWrite {
    /// The record of the write with this outcome.
    pub(super) fn record(&self, user: UserId, outcome: &WriteOutcome<'_>, at: Timestamp) -> IdempotencyRecord {
        let IdempotentRequest { key, request, answer } = &self.request;
        IdempotencyRecord { user, key: key.clone(), request: *request, answer: answer(outcome), at }
    }
}

impl fmt::Debug for IdempotentWrite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IdempotentWrite").field("key", &self.request.key).finish_non_exhaustive()
    }
}

/// The keys of the writes that this process is carrying out.
#[derive(Clone, Default)]
pub(super) struct InFlightKeys(Arc<Mutex<HashSet<(UserId, String)>>>);

/// A key that is in flight as long as this lives.
struct InFlightKey {
    all: InFlightKeys,
    own: (UserId, String),
}

impl InFlightKeys {
    /// `None` if the same key of the same user is in flight.
    fn enter(&self, user: UserId, key: &str) -> Option<InFlightKey> {
        let own = (user, key.to_owned());
        let entered = self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(own.clone());
        entered.then(|| InFlightKey { all: self.clone(), own })
    }
}

impl Drop for InFlightKey {
    fn drop(&mut self) {
        self.all.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.own);
    }
}
