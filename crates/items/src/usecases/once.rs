//! Writes that their sender may send again: a repetition gets the answer of the first, and applies nothing.

use std::collections::HashSet;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use jiff::{SignedDuration, Timestamp};

use crate::fields::FieldError;
use crate::{Batch, Error, IdempotencyRecord, Item, ItemWrite, UserId};

use super::{Caller, EditResult, Interline, now};

/// How long an answer is remembered.
pub(super) const MEMORY: SignedDuration = SignedDuration::from_hours(24);
/// The longest key.
const MAX_KEY_CHARS: usize = 255;

/// A write as its sender marked it.
pub struct IdempotentRequest {
    key: String,
    request: [u8; 32],
    answer: Box<dyn Fn(&WriteOutcome<'_>) -> String + Send + Sync>,
}

/// What came of a write.
#[derive(Clone, Copy, Debug)]
pub enum WriteOutcome<'a> {
    /// An item was made.
    Created(&'a Item),
    /// An item was changed.
    Changed(&'a Item),
    /// A content was edited.
    Edited(&'a EditResult),
    /// An item went, into the trash or for good.
    Removed(&'a Item),
    /// So many items have another tag.
    Retagged(usize),
}

impl IdempotentRequest {
    /// A write that is called `key`. The same key stands for the same `request` always; `answer` is what is remembered
    /// of an outcome, in the same transaction as the write itself.
    pub fn parse(
        key: &str,
        request: &[&[u8]],
        answer: impl Fn(&WriteOutcome<'_>) -> String + Send + Sync + 'static,
    ) -> Result<IdempotentRequest, Error> {
        if !(1..=MAX_KEY_CHARS).contains(&key.len()) || !key.bytes().all(|byte| byte.is_ascii_graphic()) {
            let message = format!("must be from 1 to {MAX_KEY_CHARS} visible ASCII characters");
            return Err(invalid(message));
        }
        let mut hasher = blake3::Hasher::new();
        for part in request {
            // With its length, so that no two lists of parts are the same bytes.
            hasher.update(&(part.len() as u64).to_le_bytes()).update(part);
        }
        Ok(IdempotentRequest { key: key.to_owned(), request: *hasher.finalize().as_bytes(), answer: Box::new(answer) })
    }
}

impl IdempotentRequest {
    /// The same as a request of this caller: with another token it is another request, which may see and do less.
    fn by(self, caller: &Caller) -> IdempotentRequest {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&self.request);
        if let Some(token) = caller.token() {
            hasher.update(token.uuid().as_bytes());
        }
        IdempotentRequest { request: *hasher.finalize().as_bytes(), ..self }
    }
}

/// Whether a write is the first of its key.
#[derive(Debug)]
pub enum IdempotentStart {
    /// It is: the caller carries it out.
    First(Caller),
    /// It is not: this is the remembered answer.
    Replay(String),
}

impl Interline {
    /// Remembers the answer to a write that changed nothing, so that a repetition changes nothing either.
    pub(super) async fn nothing_changed(&self, caller: &Caller, outcome: &WriteOutcome<'_>) -> Result<(), Error> {
        match caller.remember(outcome, now()) {
            None => Ok(()),
            remember => Ok(self.store.commit(Batch { remember, ..Batch::default() }).await?),
        }
    }

    /// Begins a write that may be a repetition. What the caller of [`IdempotentStart::First`] commits next is remembered with it.
    ///
    /// The same key with another request is refused, and so is a repetition while the first is under way.
    pub async fn begin(&self, caller: Caller, write: IdempotentRequest) -> Result<IdempotentStart, Error> {
        let write = write.by(&caller);
        let place = self.under_way.enter(caller.user(), &write.key).ok_or(Error::KeyInFlight)?;
        let oldest = now() - MEMORY;
        match self.store.remembered(caller.user(), &write.key).await? {
            Some(known) if known.at < oldest => {
                self.store.forget_idempotency_records(oldest).await?;
            }
            Some(known) if known.request == write.request => return Ok(IdempotentStart::Replay(known.answer)),
            Some(_) => return Err(invalid("was used for another request; use a new key".to_owned())),
            None => {}
        }
        Ok(IdempotentStart::First(caller.remembering(Once { write, _place: place })))
    }
}

fn invalid(message: String) -> Error {
    Error::ValidationFailed(vec![FieldError::new("Idempotency-Key", message)])
}

/// A write that is to be remembered.
pub(super) struct Once {
    write: IdempotentRequest,
    _place: Place,
}

impl fmt::Debug for Once {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Once").field("key", &self.write.key).finish_non_exhaustive()
    }
}

impl Caller {
    /// What is committed for a write and its outcome: the answer too, if it is to be remembered.
    pub(super) fn batch(&self, writes: Vec<ItemWrite>, outcome: &WriteOutcome<'_>, at: Timestamp) -> Batch {
        Batch { writes, remember: self.remember(outcome, at) }
    }

    /// The answer to remember.
    pub(super) fn remember(&self, outcome: &WriteOutcome<'_>, at: Timestamp) -> Option<IdempotencyRecord> {
        let Once { write, .. } = self.once()?;
        let answer = (write.answer)(outcome);
        Some(IdempotencyRecord { user: self.user(), key: write.key.clone(), request: write.request, answer, at })
    }
}

/// The repeatable writes that this process is carrying out.
#[derive(Clone, Default)]
pub(super) struct InFlightKeys(Arc<Mutex<HashSet<(UserId, String)>>>);

/// A write that is under way as long as this lives.
struct Place {
    all: InFlightKeys,
    own: (UserId, String),
}

impl InFlightKeys {
    /// `None` if the same is under way.
    fn enter(&self, user: UserId, key: &str) -> Option<Place> {
        let own = (user, key.to_owned());
        let entered = self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(own.clone());
        entered.then(|| Place { all: self.clone(), own })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.all.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.own);
    }
}
