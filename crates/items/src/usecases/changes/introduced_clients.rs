//! The clients that introduced themselves with a token: later requests of the token need not do it again.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::usecases::Caller;
use crate::{Client, TokenId, UserId};

/// How long an introduction counts.
const REMEMBERED_FOR: Duration = Duration::from_secs(24 * 60 * 60);
/// How many are remembered. Beyond it the oldest is forgotten.
const MAX_REMEMBERED: usize = 4_096;

type Introductions = HashMap<(UserId, Option<TokenId>), (Client, Instant)>;

/// The last introduction of each token.
#[derive(Default)]
pub(in crate::usecases) struct IntroducedClients(Mutex<Introductions>);

impl IntroducedClients {
    /// How a client has introduced itself with the caller's token.
    pub(super) fn get(&self, caller: &Caller) -> Option<Client> {
        let introductions = self.lock();
        let (client, at) = introductions.get(&(caller.user(), caller.token()))?;
        (at.elapsed() < REMEMBERED_FOR).then(|| client.clone())
    }

    pub(super) fn put(&self, caller: &Caller, client: Client) {
        let key = (caller.user(), caller.token());
        let mut introductions = self.lock();
        if introductions.len() >= MAX_REMEMBERED && !introductions.contains_key(&key) {
            let oldest = introductions.iter().min_by_key(|(_, (_, at))| *at).map(|(key, _)| *key);
            oldest.map(|key| introductions.remove(&key));
        }
        introductions.insert(key, (client, Instant::now()));
    }

    fn lock(&self) -> MutexGuard<'_, Introductions> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
